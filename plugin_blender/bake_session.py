"""One bake of one object in Blender: opens the scene for reading, reads frames for the drive, attaches the result."""
import os

import bpy

from . import cache_attach, properties, scene_reader
from .cache_attach import AttachError
from .jounce.host.bake_description import bake_description
from .jounce.host.bake_drive import BakeDrive
from .jounce.host.cache_paths import make_folder, unfinished_file
from .jounce.host.scene_checks import SceneError


class BakeSession:
    """Construct, call step() until it returns True, then finish(). Only finish() restores what the bake changed."""

    def __init__(self, context, obj):
        """Raises SceneError with a message, with everything restored."""
        scene_reader.check_evaluated(obj)
        self.object_name = obj.name
        self.world = scene_reader.read_world(context.scene)
        self.path = cache_attach.choose_path(obj)
        self._gravity = self.world.gravity
        self._path_before = obj.jounce.cache_path
        self._modifier_name = None  # of the cache that this bake replaces, if any
        self._input = scene_reader.SimulationInput(context, obj)
        try:
            self._start(context, obj)
        except Exception:
            self._input.close()
            raise

    def _start(self, context, obj):
        context.scene.frame_set(self.world.first_frame)
        settings = properties.values(obj.jounce)
        shape, pin_weights = scene_reader.read_body(context, obj, settings["pin_group"])
        self._vertex_count = len(shape.positions) // 3
        file = cache_attach.absolute(self.path)
        make_folder(file)
        description = bake_description(self.world, shape, pin_weights, settings, file, scene_reader.application())
        self._modifier_name = cache_attach.release(obj)
        self._drive = BakeDrive(obj.name, description)

    @property
    def state(self):
        return self._drive.state

    def step(self, context, timeout=0.0):
        """Reads at most one frame, then waits up to `timeout` seconds for news from the core. True: it is over."""
        return self._drive.step(lambda frame: self._read(context, frame), timeout)

    def _read(self, context, frame):
        obj = bpy.data.objects.get(self.object_name)
        if obj is None:
            raise SceneError("{} was removed or renamed during its bake.".format(self.object_name))
        context.scene.frame_set(frame)
        inputs = scene_reader.read_frame(context, obj, self._vertex_count, self._gravity)
        self._gravity = inputs.get("gravity", self._gravity)
        return inputs

    def cancel(self):
        self._drive.cancel()

    def finish(self, context):
        """Attaches the finished frames. Returns (level, sentence) for the artist."""
        level, sentence = self._drive.finish()
        self._input.close()
        obj = bpy.data.objects.get(self.object_name)
        if obj is None:
            return level, sentence
        before_stays = self._is_beside()
        try:
            self._attach(context, obj)
        except AttachError as error:
            return "ERROR", str(error)
        return level, sentence + (" The finished cache from before stays on the disk." if before_stays else "")

    def _is_beside(self):
        """Whether this bake has finished frames, but not all, and the complete cache of one before keeps its file."""
        incomplete = 0 < self.state.frames_done < self.state.frame_count
        return incomplete and os.path.isfile(cache_attach.absolute(unfinished_file(self.path)))

    def _attach(self, context, obj):
        """The frames of this bake; if it finished none, the cache of the bake before stays."""
        settings, finished = obj.jounce, self._drive.finished_range()
        if finished:
            settings.cache_path = unfinished_file(self.path) if self._is_beside() else self.path
            settings.baked_first, settings.baked_last = finished
        if finished or self._modifier_name:
            path = settings.cache_path if finished else self._path_before
            cache_attach.attach(context, obj, path, self._modifier_name)
