"""One bake as the host's main thread drives it: reads a frame when the core wants it, feeds it, and tells how it ended."""
from . import transition
from .bake_job import BakeJob
from .scene_checks import SceneError


class BakeDrive:
    """Construct, call step() until it returns True, then finish()."""

    def __init__(self, name, description, writer=None):
        """name: of the object, for the artist. description, writer: of BakeJob, whose thread starts at once."""
        self._name = name
        self._first_frame = description["first_frame"]
        self._job = BakeJob(description, writer)

    @property
    def state(self):
        return self._job.state

    def step(self, read_frame, timeout=0.0, seconds_ahead=0.0):
        """Reads at most one frame, then waits up to `timeout` seconds for news from the core. True: it is over; False: a
        frame was read; None: there was nothing to read.

        read_frame(frame): keyword arguments of jounce.Bake.advance for that frame; raises SceneError in words. seconds_ahead:
        see BakeJob.wanted_frame.
        """
        self._job.poll()
        frame = self._job.wanted_frame(seconds_ahead)
        if frame is not None:
            try:
                self._job.feed(read_frame(frame))
            except SceneError as error:
                self._job.fail(str(error))
        over = transition.is_final(self._job.poll(timeout if frame is None else 0.0))
        return True if over else None if frame is None else False

    def cancel(self):
        """Stops soon; step() tells when. Finished frames stay in the cache."""
        self._job.cancel()

    def finish(self):
        """Waits for the thread. Returns (level, sentence) for the artist, see transition.report."""
        self._job.join()
        return transition.report(self.state, self._name, self._first_frame)

    def finished_range(self):
        """(first, last) of the finished frames, None: there are none."""
        done = self.state.frames_done
        return (self._first_frame, self._first_frame + done - 1) if done else None
