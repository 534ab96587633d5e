"""One bake of one object in Blender: a new take, read and fed frame by frame, attached when it has succeeded."""
import bpy

from . import cache_attach, fingerprint, live_display, scene_reader, take_folder
from .cache_attach import AttachError
from .jounce.host import takes, transition
from .jounce.host.bake_drive import BakeDrive
from .jounce.host.scene_checks import SceneError
from .jounce.host.take_writer import TakeWriter


class BakeSession:
    """Construct, call step() until it returns True, then finish(). Only finish() restores what the bake changed.

    The cache from before plays on unless this bake succeeds.
    """

    def __init__(self, context, obj, resumed=None):
        """resumed: path of an incomplete take to go on with, None: a new one.

        Raises SceneError with a message, with everything restored.
        """
        self.object_name = obj.name
        self._transforms = {}  # frame: the object's matrix, of frames that were read and not yet shown
        live_display.detach(obj)  # what is baked shall be seen
        self._before = cache_attach.attached_take(obj)
        inputs = fingerprint.of(context, obj, fresh=True)
        self._reader = scene_reader.BakeReader(context, obj)
        try:
            self.world = self._reader.world
            description = self._reader.description(context, None)
            self._writer = self._open_take(inputs, resumed)
            self.path = self._writer.path
            description.update(output_path=self.path, resume=int(resumed is not None), input_tag=fingerprint.tag(inputs))
            self._drive = BakeDrive(obj.name, description, self._writer)
        except BaseException:
            self._reader.close()
            raise
        obj.jounce.message = ""

    def _open_take(self, inputs, resumed):
        record = takes.read_record(resumed) if resumed else None
        if resumed and record is None:
            raise SceneError("The stopped bake {} has no record: bake anew.".format(resumed))
        if record is None:
            record = takes.Record(self.object_name, self.world.first_frame, self.world.frame_count, 0, inputs, False, {})
            resumed = takes.reserve(take_folder.folder(), self.object_name, record)
        return TakeWriter(resumed, record, write_points=not cache_attach.has_alembic())

    @property
    def state(self):
        return self._drive.state

    def step(self, context, timeout=0.0):
        """Reads at most one frame, then waits up to `timeout` seconds for news from the core. True: it is over."""
        return self._drive.step(lambda frame: self._read(context, frame), timeout)

    def _read(self, context, frame):
        inputs = self._reader.inputs(context, frame)
        self._transforms[frame] = inputs["bodies"][0]["transform"]
        return inputs

    def last_frame(self):
        """(positions, rows of the object's matrix) of the last finished frame, None: there is none yet."""
        frame, positions = self._writer.last_frame
        for done in [known for known in self._transforms if frame is not None and known < frame]:
            del self._transforms[done]
        return (positions, self._transforms[frame]) if frame in self._transforms else None

    def cancel(self):
        self._drive.cancel()

    def finish(self, context):
        """Attaches the frames if they are to be seen now. Returns (level, sentence) for the artist."""
        level, sentence = self.close()
        obj = bpy.data.objects.get(self.object_name)
        if obj is None or not obj.jounce.enabled:
            return level, sentence
        try:
            sentence += self._attach(context, obj)
        except AttachError as error:
            level, sentence = "ERROR", str(error)
        obj.jounce.message, obj.jounce.message_level = ("", "") if level == "INFO" else (sentence, level)
        return level, sentence

    def close(self):
        """Ends the bake and restores the scene, without attaching anything; the take stays on the disk."""
        level, sentence = self._drive.finish()
        self._reader.close()
        try:
            self._writer.close()
        except OSError as error:
            level, sentence = "ERROR", "{} The record of the cache cannot be written: {}.".format(sentence, error)
        return level, sentence

    def _attach(self, context, obj):
        """A complete bake replaces the cache from before; an incomplete one is seen only where there was none."""
        before = self._before if self._before and takes.exists(self._before) else None
        if not self.state.frames_done:
            return " The cache from before plays on." if before else ""
        if self.state.phase != transition.DONE and before and before != self.path:
            return " The cache from before plays on; Attach shows the new frames."
        cache_attach.attach(context, obj, self.path)
        if before and before != self.path:
            take_folder.free(before)
        return ""
