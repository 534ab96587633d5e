"""Reads the Blender scene for a bake: the bodies, frame by frame, and the world around them."""
import bpy

from . import cache_attach, colliders, force_fields
from .body_reader import BodyReader
from .jounce.host.bake_description import World, typed_number
from .jounce.host.scene_checks import frame_count
from .jounce.host.together import joined, joined_inputs


class SimulationInput:
    """While open, the object's evaluated mesh is what enters the simulation: our cache and all that comes after it in
    the stack is switched off. Closing restores that and the current frame.

    The object notes what is switched off, so that repair() can put right a file that was saved meanwhile.
    """

    def __init__(self, context, obj):
        scene = context.scene
        self._scene_name, self._object_name = scene.name, obj.name
        self._frame = (scene.frame_current, scene.frame_subframe)
        self._hidden = [modifier.name for modifier in cache_attach.modifiers_after_input(obj) if modifier.show_viewport]
        self.hold()

    def hold(self):
        """Switches off again what an undo has switched on."""
        obj = bpy.data.objects.get(self._object_name)
        if obj is None or not self._hidden:
            return
        _show(obj, self._hidden, False)
        note = "\n".join(self._hidden)
        if obj.jounce.hidden_modifiers != note:
            obj.jounce.hidden_modifiers = note

    def close(self):
        obj, scene = bpy.data.objects.get(self._object_name), bpy.data.scenes.get(self._scene_name)
        if obj is not None:
            repair(obj)
            _show(obj, self._hidden, True)
        if scene is not None:
            scene.frame_set(self._frame[0], subframe=self._frame[1])


def repair(obj):
    """Switches on what a bake had switched off when the file was saved."""
    if obj.jounce.hidden_modifiers:
        _show(obj, obj.jounce.hidden_modifiers.split("\n"), True)
        obj.jounce.hidden_modifiers = ""


def _show(obj, names, visible):
    for name in names:
        modifier = obj.modifiers.get(name)
        if modifier is not None and modifier.show_viewport != visible:
            modifier.show_viewport = visible


class BakeReader:
    """Reads everything that a bake needs, of one object or of several that touch each other."""

    def __init__(self, context, *objects):
        """Raises SceneError with a message. Only close() restores what this changes."""
        self.world = read_world(context.scene)
        self._bodies = [BodyReader(obj) for obj in objects]
        self._gravity = self.world.gravity
        self._colliders = colliders.ColliderReader(objects)
        self._fields = force_fields.FieldReader(context.scene, objects)
        self._has_floor = any(body.settings["use_ground"] for body in self._bodies)
        self._inputs = [SimulationInput(context, obj) for obj in objects]

    def description(self, context):
        """The description of the bake, see bake_description. Raises SceneError."""
        context.scene.frame_set(self.world.first_frame)
        obstacles, fields = self._colliders.describe(context, self._has_floor), self._fields.describe(context)
        return dict(joined([body.description(context, self.world) for body in self._bodies], obstacles), fields=fields)

    def inputs(self, context, frame):
        """Keyword arguments of jounce.Bake.advance at the frame. Raises SceneError."""
        for given in self._inputs:
            given.hold()
        context.scene.frame_set(frame)
        return self.inputs_here(context)

    def inputs_here(self, context):
        """The same at the current frame, if what comes after the input is switched off there."""
        gravity, before = read_gravity(context.scene), self._gravity
        bodies = [body.input_here(context) for body in self._bodies]
        found = joined_inputs(bodies, self._obstacles(context), gravity, before, self._fields.inputs(context))
        self._gravity = gravity
        return found

    def _obstacles(self, context):
        found = self._colliders.inputs(context)
        return found + [{}] if found and self._has_floor else found

    def close(self):
        for given in reversed(self._inputs):
            given.close()


_REMEMBERING = {"CLOTH", "SOFT_BODY", "PARTICLE_SYSTEM", "FLUID", "DYNAMIC_PAINT"}


def remembers_frames(scene):
    """Whether something in the scene comes from the frame before: then frames are visited in their order alone."""
    return (scene.rigidbody_world is not None
            or any(modifier.type in _REMEMBERING for obj in scene.objects for modifier in obj.modifiers)
            or any(node.bl_idname == "GeometryNodeSimulationOutput" for tree in bpy.data.node_groups for node in tree.nodes))


def read_world(scene):
    """Frame range, frame rate, unit scale and gravity of the scene."""
    return World(
        first_frame=scene.frame_start,
        frame_count=frame_count(scene.frame_start, scene.frame_end),
        fps=read_fps(scene),
        metres_per_unit=metres_per_unit(scene),
        gravity=read_gravity(scene),
    )


def metres_per_unit(scene):
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else typed_number(units.scale_length)


def read_fps(scene):
    return scene.render.fps / scene.render.fps_base


def read_gravity(scene):
    """In m/s2, as the Scene properties show it: Blender keeps it in scene units."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    scale = 1.0 if scene.unit_settings.system == "NONE" else scene.unit_settings.scale_length
    return tuple(typed_number(component * scale) for component in scene.gravity)
