"""A bake in a thread of its own, which calls nothing but the core.

The host's main thread asks which frame is wanted, reads the scene there, feeds it, and polls:

    job = BakeJob(description)
    while not is_final(job.state):
        frame = job.wanted_frame()
        if frame is not None:
            job.feed(inputs at that frame)
        job.poll(0.05)
"""
import array
import math
import queue
import threading
import time

from .. import Bake, Cancelled, JounceError, LibraryError
from . import stiffness, transition
from .scene_checks import SceneError

# Frames that may wait for the core at least, and the memory that they may take, so that it has work while the host draws.
LEAST_AHEAD, MOST_BYTES = 4, 64e6


class NoWriter:
    """Takes note of nothing: what take_writer.TakeWriter does for a bake whose takes are kept."""

    def begun(self, core):
        pass

    def frame_done(self, core):
        pass


class BakeJob:
    """All methods are for the host's main thread."""

    def __init__(self, description, writer=None):
        """description: of jounce.Bake, or with a sag, see stiffness. writer: told of each frame, in the thread.

        The thread starts at once.
        """
        self._writer = writer or NoWriter()
        self._resumes = bool(description.get("resume"))
        self.state = transition.initial(description["frame_count"])
        self._first_frame = description["first_frame"]
        self._fed_count = 0
        self._kept_count = 0  # frames that a resumed bake had already
        self._begun = self._last_done = 0.0  # when
        self._is_filling = True  # what waits for the core is being added to
        self._frame_bytes = 1  # of what was fed last
        self._inputs = queue.Queue()
        self._events = queue.Queue()
        self._cancel_asked = threading.Event()
        self._failure = ""  # what the host could not read, if anything
        self._bake = None
        self._thread = threading.Thread(target=self._work, args=(description,), name="jounce bake", daemon=True)
        self._thread.start()

    def wanted_frame(self, seconds_ahead=0.0):
        """The frame whose inputs the core needs next; None when it has enough for now.

        seconds_ahead: for so long the core shall have work. When it has it, frames are wanted again after half of that.
        """
        starts = (transition.RUNNING,) if self._resumes else (transition.STARTING, transition.RUNNING)
        known = self._kept_count + self._fed_count
        if self.state.phase not in starts or known >= self.state.frame_count:
            return None
        waiting, most = known - self.state.frames_done, self._most_ahead(seconds_ahead)
        self._is_filling = waiting < (most if self._is_filling else (most + 1) // 2)
        return self._first_frame + known if self._is_filling else None

    def _most_ahead(self, seconds):
        done = self.state.frames_done - self._kept_count
        return frames_ahead(seconds, (self._last_done - self._begun) / done, self._frame_bytes) if done > 0 else LEAST_AHEAD

    def feed(self, inputs):
        """inputs: dict of keyword arguments of jounce.Bake.advance for the frame that was wanted."""
        self._fed_count += 1
        self._frame_bytes = max(_bytes_of(inputs), 1)
        self._inputs.put(inputs)

    def poll(self, timeout=0.0):
        """The state after all that has happened; waits up to `timeout` seconds for something to happen."""
        try:
            event = self._events.get(timeout=timeout) if timeout else self._events.get_nowait()
            while True:
                self.state = transition.transition(self.state, *event)
                self._last_done = time.monotonic()
                if event[0] == transition.BEGUN:
                    self._kept_count, self._begun = self.state.frames_done, self._last_done
                event = self._events.get_nowait()
        except queue.Empty:
            return self.state

    def cancel(self):
        """Stops soon; poll() tells when. Finished frames stay in the cache."""
        self.state = transition.transition(self.state, transition.CANCEL)
        self._cancel_asked.set()
        if self._bake is not None:
            self._bake.cancel()
        self._inputs.put(None)

    def fail(self, message):
        """Ends after the frames that were fed, because the host cannot read the next; this sentence says why."""
        self._failure = message
        self.state = transition.transition(self.state, transition.CANCEL)
        self._inputs.put(None)

    def join(self):
        """Waits until the thread has ended, after a final state."""
        self._thread.join()

    def _work(self, description):
        """Runs in the thread. The last event is posted when the cache is closed."""
        try:
            event, message = self._bake_frames(description)
        except Cancelled:
            event, message = transition.STOPPED, ""
        except (JounceError, LibraryError, SceneError, ValueError, OSError) as error:
            event, message = transition.FAIL, str(error)
        except Exception as error:  # a thread must not die unheard: the artist gets the words, whatever it was
            event, message = transition.FAIL, "The bake failed unexpectedly: {!r}.".format(error)
        if event == transition.STOPPED and self._failure:
            event, message = transition.FAIL, self._failure
        self._events.put((event, message))

    def _bake_frames(self, description):
        """The event that ends the bake, and the core's note on it."""
        with Bake(stiffness.resolved(description)) as core:
            self._bake = core
            if self._cancel_asked.is_set():
                return transition.STOPPED, core.note
            self._writer.begun(core)
            self._events.put((transition.BEGUN, "", int(core.next_frame) - self._first_frame))
            for frame in core.frames():
                inputs = self._inputs.get()
                if inputs is None or self._cancel_asked.is_set():
                    return transition.STOPPED, core.note
                core.advance(frame, **inputs)
                self._writer.frame_done(core)
                self._events.put((transition.FRAME_DONE, ""))
            return transition.FINISHED, core.note


def frames_ahead(seconds, seconds_per_frame, frame_bytes):
    """How many frames shall wait for the core, to give it work for so many seconds."""
    wanted = seconds / max(seconds_per_frame, 1e-6)
    return max(math.ceil(min(wanted, MOST_BYTES / frame_bytes)), LEAST_AHEAD)


def _bytes_of(inputs):
    """Of the numbers in nested dicts and lists."""
    if isinstance(inputs, dict):
        inputs = inputs.values()
    elif isinstance(inputs, array.array):
        return inputs.itemsize * len(inputs)
    elif not isinstance(inputs, (list, tuple)):
        return 8
    return sum(map(_bytes_of, inputs))
