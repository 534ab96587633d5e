"""The simulation of one object that is live: the bake's own, on a coarser mesh, without a cache."""
import time

from . import cache_attach, scene_reader
from .jounce import Bake, JounceError, tables
from .jounce.host import live_frames
from .jounce.host.scene_checks import SceneError


class LiveSimulation:
    """Holds its object by name. before_frame() comes before Blender evaluates a frame, read_frame() after it, and after_frame()
    when all objects have been read."""

    def __init__(self, name, vertex_budget):
        self.object_name, self.vertex_budget = name, vertex_budget
        self.message = ""         # why it does not run, in words for the artist
        self.frame_seconds = 0.0  # that the last frame took
        self.vertex_count = 0     # simulated
        self._preparation = live_frames.Preparation(vertex_budget)
        self._reader, self._core, self._seen = None, None, None
        self._hidden = []

    def before_frame(self, obj):
        """Switches off what comes after the input, so that Blender evaluates that."""
        self._hidden = [modifier.name for modifier in cache_attach.modifiers_after_input(obj) if modifier.show_viewport]
        _show(obj, self._hidden, False)

    def read_frame(self, context, obj, first_frame):
        """Simulates up to the frame at hand. Returns positions for the display, None: what it has is right."""
        frame, began = context.scene.frame_current, time.monotonic()
        action = live_frames.next_action(frame, self._seen, self._core is not None, first_frame)
        self._seen = frame
        try:
            if action.kind == live_frames.START:
                self._start(context, obj, action.frames)
            elif action.kind == live_frames.ADVANCE:
                self._advance(context, action.frames)
            elif action.kind == live_frames.KEEP:
                return None
            else:
                self.end()
        except (SceneError, JounceError, ValueError) as error:
            self.end()
            self.message = str(error)
        self.frame_seconds = time.monotonic() - began
        return self._core.positions() if self._core else []

    def after_frame(self, obj):
        """Switches on what before_frame() has switched off."""
        _show(obj, self._hidden, True)
        self._hidden = []

    def end(self):
        core, self._core, self._reader = self._core, None, None
        if core is not None:
            core.end()

    def _start(self, context, obj, frames):
        self.end()
        self.message = ""
        reader = scene_reader.BakeReader(context, obj)
        try:
            description = self._preparation.prepared(reader.description(context))
            description.update(first_frame=frames[0], frame_count=int(tables.setting("frames", "count").maximum))
            self._core = Bake(description)
            for frame in frames:
                self._core.advance(frame, **reader.inputs(context, frame))
        finally:
            reader.close()
        self._reader = reader
        self.vertex_count = self._core.statistics()["vertex_count"]

    def _advance(self, context, frames):
        for frame in frames[:-1]:  # left out by Blender to keep its pace
            context.scene.frame_set(frame)
            self._core.advance(frame, **self._reader.inputs_here(context))
        if len(frames) > 1:
            context.scene.frame_set(frames[-1])
        self._core.advance(frames[-1], **self._reader.inputs_here(context))


def _show(obj, names, visible):
    for name in names:
        modifier = obj.modifiers.get(name)
        if modifier is not None:
            modifier.show_viewport = visible
