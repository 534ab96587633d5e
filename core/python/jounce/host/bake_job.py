"""A bake in a thread of its own, which calls nothing but the core.

The host's main thread asks which frame is wanted, reads the scene there, feeds it, and polls:

    job = BakeJob(description)
    while not is_final(job.state):
        frame = job.wanted_frame()
        if frame is not None:
            job.feed(inputs at that frame)
        job.poll(0.05)
"""
import queue
import threading

from .. import Bake, Cancelled, JounceError, LibraryError
from . import transition

# Frames that may wait for the core: one to start on at once while the host reads the next.
READ_AHEAD = 2


class BakeJob:
    """All methods are for the host's main thread."""

    def __init__(self, description):
        """description: of jounce.Bake. The thread starts at once."""
        self.state = transition.initial(description["frame_count"])
        self._first_frame = description["first_frame"]
        self._fed_count = 0
        self._inputs = queue.Queue()
        self._events = queue.Queue()
        self._cancel_asked = threading.Event()
        self._failure = ""  # what the host could not read, if anything
        self._bake = None
        self._thread = threading.Thread(target=self._work, args=(description,), name="jounce bake", daemon=True)
        self._thread.start()

    def wanted_frame(self):
        """The frame whose inputs the core needs next; None when it has enough for now."""
        waiting = self._fed_count - self.state.frames_done
        wanted = self.state.phase in (transition.STARTING, transition.RUNNING) and waiting < READ_AHEAD
        if not wanted or self._fed_count == self.state.frame_count:
            return None
        return self._first_frame + self._fed_count

    def feed(self, inputs):
        """inputs: dict of keyword arguments of jounce.Bake.advance for the frame that was wanted."""
        self._fed_count += 1
        self._inputs.put(inputs)

    def poll(self, timeout=0.0):
        """The state after all that has happened; waits up to `timeout` seconds for something to happen."""
        try:
            event, message = self._events.get(timeout=timeout) if timeout else self._events.get_nowait()
            while True:
                self.state = transition.transition(self.state, event, message)
                event, message = self._events.get_nowait()
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
        except (JounceError, LibraryError, ValueError) as error:
            event, message = transition.FAIL, str(error)
        except Exception as error:  # a thread must not die unheard: the artist gets the words, whatever it was
            event, message = transition.FAIL, "The bake failed unexpectedly: {!r}.".format(error)
        if event == transition.STOPPED and self._failure:
            event, message = transition.FAIL, self._failure
        self._events.put((event, message))

    def _bake_frames(self, description):
        """The event that ends the bake, and the core's note on it."""
        with Bake(description) as core:
            self._bake = core
            self._events.put((transition.BEGUN, ""))
            for frame in core.frames():
                inputs = self._inputs.get()
                if inputs is None or self._cancel_asked.is_set():
                    return transition.STOPPED, core.note
                core.advance(frame, **inputs)
                self._events.put((transition.FRAME_DONE, ""))
            return transition.FINISHED, core.note
