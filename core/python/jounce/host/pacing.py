"""How a bake shares the main thread with the host's window: when it reads, when the window is drawn, how far it reads ahead.

Drawing costs time that the simulation could use, on some machines seconds a picture: its share of the time is bounded. A clock
decides what is seen when, never what is computed.
"""
import time

# Drawing takes at most about this share of the time, and there are at most five pictures a second.
DRAWING_SHARE = 0.12
SHORTEST_INTERVAL = 0.2
# Seconds of a slice in which frames are read: Esc is heard within a second.
LONGEST_SLICE = 0.6
# Seconds to wait for the core when there is nothing to read; the window stays quick meanwhile.
WAIT_SECONDS = 0.02


class Pacer:
    """Runs the slices of one bake, and times the drawing between them."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._left = None      # when the last slice ended after which the window is drawn
        self._drawn = clock()  # when the window was drawn last
        self._drawing = 0.0    # seconds that took

    @property
    def interval(self):
        """Seconds from one picture to the next."""
        return max(SHORTEST_INTERVAL, self._drawing / DRAWING_SHARE)

    @property
    def seconds_ahead(self):
        """For so long the core must have frames to work on: reading one makes the host draw its window."""
        return 2 * self.interval

    def run_slice(self, step):
        """Steps until the core has enough to work on, or the slice is over. Returns whether the bake is over.

        step(timeout): True when the bake is over, False when a frame was read, None when there was nothing to read.
        """
        start = self._clock()
        self._note_drawing(start)
        has_read = False
        while True:
            result = step(0.0 if has_read else WAIT_SECONDS)
            if result:
                return True
            if result is None or self._clock() >= start + LONGEST_SLICE:
                break
            has_read = True
        if has_read:
            self._left = self._clock()
        return False

    def is_picture_due(self):
        """Whether the window may be drawn again; the host is then expected to draw it."""
        if self._left is None and self._clock() < self._drawn + self.interval:
            return False
        self._left = self._clock()
        return True

    def _note_drawing(self, now):
        if self._left is not None:
            self._drawing, self._drawn, self._left = now - self._left, now, None
