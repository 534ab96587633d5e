"""Keeps the record of a take while its bake runs, and what the artist may want to know of each frame afterwards."""
import array
import time

from . import takes
from .point_cache import PointCacheWriter

# Seconds between two notes of how many frames are done: what a crash of the host may forget of them.
NOTE_SECONDS = 0.5
ENERGIES = ("kinetic_energy", "elastic_energy", "total_energy")


class TakeWriter:
    """begun() and frame_done() are called in the thread of the bake, the rest by the host when that has ended."""

    def __init__(self, path, record, write_points, corners=None):
        """record: of the take, which is on the disk. write_points: a PC2 file for each object too. corners: {number of an
        object that is cached as lines: for each of its points a place of it among those that the core gives}."""
        self.path, self.record = path, record
        self._corners = corners or {}
        self._write_points, self._points = write_points, {}
        self._noted = time.monotonic()
        self._started = self._noted
        kept = record.report if record.frames_done else {}
        self._frames = kept.get("frames", [])
        self._warnings = kept.get("warnings", [])
        self._choice = ""
        # number of the frame that was finished last, in this run, and positions of each object there
        self.last_frame = (None, None)

    def begun(self, core):
        kept = int(core.next_frame) - self.record.first_frame
        self.record = self.record._replace(frames_done=kept)
        self._frames = [frame for frame in self._frames if frame[0] < core.next_frame]
        self._choice = core.choice
        self._started = time.monotonic()

    def frame_done(self, core):
        """Notes the frame that the core has just written."""
        now = time.monotonic()
        motion, contact = core.motion(), core.contact()
        frame = self.record.first_frame + self.record.frames_done
        self._frames.append([frame, now - self._started] + [motion[name] for name in ENERGIES])
        self._started = now
        if contact["overlap_count"]:
            self._warnings.append([frame, "{} and {} overlap".format(contact["overlap_first"], contact["overlap_second"])])
        if core.cut_body:
            self._warnings.append([frame, "{} jumps and is carried over".format(core.cut_body)])
        positions = [self._positions(core, number) for number in range(len(takes.objects_of(self.record)))]
        if self._write_points:
            for number, points in enumerate(positions):
                self._add_points(number, points)
        self.last_frame = (frame, positions)
        self.record = self.record._replace(frames_done=self.record.frames_done + 1)
        if now - self._noted > NOTE_SECONDS:
            self._noted = now
            takes.write_record(self.path, self.record)

    def _positions(self, core, number):
        found = core.positions(number)
        if number not in self._corners:
            return found
        return array.array("d", (found[3 * corner + axis] for corner in self._corners[number] for axis in range(3)))

    def _add_points(self, number, positions):
        if number not in self._points:
            self._points[number] = PointCacheWriter(takes.points_file(self.path, number), len(positions) // 3,
                                                    self.record.first_frame, self.record.frames_done)
        self._points[number].add(positions)

    def close(self):
        """Writes the record with its report, or removes a take without frames. Raises OSError."""
        if self.record.frames_done == 0:
            takes.remove(self.path)
            return
        report = {"frames": self._frames, "warnings": self._warnings, "choice": self._choice}
        self.record = self.record._replace(report=report)
        takes.write_record(self.path, self.record)
