"""How a bake shares the main thread with the host's window: in slices, between which the window is drawn."""
import time

# Seconds of a slice in which frames are read, at least and at most: about five pictures a second where drawing is quick.
# Where it is slow a slice is longer, so that drawing takes a quarter of the time; Esc is heard within a second.
SHORTEST_SLICE, LONGEST_SLICE = 0.2, 0.8
DRAWING_SHARE = 0.25
# Seconds to wait for the core when there is nothing to read; the window stays quick meanwhile.
WAIT_SECONDS = 0.02


class Pacer:
    """Runs the slices of one bake."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._left = None  # when the last slice in which a frame was read ended: the window is drawn after it

    def run_slice(self, step):
        """Steps until the slice is over or the core has nothing for the host to do. Returns whether the bake is over.

        step(timeout): True when the bake is over, False when a frame was read, None when there was nothing to read. After
        a frame was read the window must be drawn anew, so the slice is used to its end.
        """
        start = self._clock()
        drawing = start - self._left if self._left is not None else 0.0
        length = min(max(drawing * (1 / DRAWING_SHARE - 1), SHORTEST_SLICE), LONGEST_SLICE)
        self._left, has_read = None, False
        while True:
            result = step(WAIT_SECONDS)
            if result:
                return True
            has_read = has_read or result is False
            if not has_read:
                return False
            if self._clock() >= start + length:
                self._left = self._clock()
                return False
