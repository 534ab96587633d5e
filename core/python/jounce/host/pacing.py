"""How a bake shares the main thread with the host's window: when it reads, when the window is drawn, how far it reads ahead.

Drawing costs time that the simulation could use, on some machines seconds a picture: its share of the time is bounded. A clock
decides what is seen when, never what is computed.
"""
import time

# Drawing takes at most about this share of the time, and there are at most five pictures a second.
DRAWING_SHARE = 0.12
SHORTEST_INTERVAL = 0.2
# Seconds of a slice in which frames are read: Esc is heard within a second. Where drawing takes longer, so may reading, because
# every slice with a frame is drawn.
LONGEST_SLICE, LONGEST_SLOW_SLICE = 0.6, 2.0
# Seconds from one line of progress to the next: it is drawn quickly, where a picture may be slow.
TEXT_INTERVAL = 1.0
# Seconds between two slices in which nothing is drawn, about.
IDLE_SECONDS = 0.01
# Seconds to wait for the core when there is nothing to read; the window stays quick meanwhile.
WAIT_SECONDS = 0.02


class Pacer:
    """Runs the slices of one bake, and times what the host does between them: that is drawing, almost all of it. A picture may
    be drawn in several passes, each in a gap of its own."""

    def __init__(self, clock=time.monotonic):
        self._clock = clock
        self._left = self._drawn = clock()  # when the last slice ended, and the last picture was due
        self._told = None  # when the last text was due
        self._spent = self._spent_before = 0.0  # seconds on the last picture until now, and on the one before
        self._slowest = 0.0  # seconds of one pass
        self._has_read = False  # in the last slice

    @property
    def interval(self):
        """Seconds from one picture to the next."""
        return max(SHORTEST_INTERVAL, max(self._spent, self._spent_before) / DRAWING_SHARE)

    @property
    def seconds_ahead(self):
        """For so long the core must have frames to work on: reading one makes the host draw its window."""
        return 2 * self.interval

    def run_slice(self, step):
        """Steps until the core has enough to work on, or the slice is over. Returns whether the bake is over.

        step(timeout): True when the bake is over, False when a frame was read, None when there was nothing to read.
        """
        start = self._clock()
        drawing = max(start - self._left - IDLE_SECONDS, 0.0)
        self._spent, self._slowest = self._spent + drawing, max(self._slowest, drawing)
        length = min(max(LONGEST_SLICE, self._slowest), LONGEST_SLOW_SLICE)
        self._has_read = False
        while True:
            result = step(0.0 if self._has_read else WAIT_SECONDS)
            self._left = self._clock()
            if result:
                return True
            if result is None or self._left >= start + length:
                return False
            self._has_read = True

    def is_picture_due(self):
        """Whether the window may be drawn, or will be because a frame was read; the host is expected to draw it then."""
        now = self._clock()
        if not self._has_read and now < self._drawn + self.interval:
            return False
        self._drawn, self._spent_before, self._spent = now, self._spent, 0.0
        return True

    def is_text_due(self):
        """Whether the line of progress may be drawn."""
        now = self._clock()
        if self._told is not None and now < self._told + TEXT_INTERVAL:
            return False
        self._told = now
        return True
