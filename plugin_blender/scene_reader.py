"""Reads the Blender scene: the mesh that enters the simulation, frame by frame, and the world around it."""
import bpy

from . import bones, cache_attach, colliders, properties, weights
from .animation_curves import keyed_paths
from .jounce.host.artist_settings import KEYED
from .jounce.host.bake_description import BodyShape, World, bake_description, frame_inputs, typed_number
from .jounce.host.scene_checks import SceneError, check_has_vertices, check_vertex_count, frame_count, frame_list
from .mesh_reader import EvaluatedMesh, integers, positions_of, rows, uvs_of


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
    """Reads everything that a bake of one object needs. Objects are found by name at each frame: undo replaces them."""

    def __init__(self, context, obj):
        """Raises SceneError with a message. Only close() restores what this changes."""
        check_evaluated(obj)
        self.object_name = obj.name
        self.world = read_world(context.scene)
        self._settings = properties.values(obj.jounce)
        self._cuts = frame_list(self._settings["cuts"])
        self._gravity = self.world.gravity
        self._keyed = keyed_numbers(obj)
        self._colliders = colliders.ColliderReader(obj)
        self._bones = bones.BoneReader(obj)
        self._vertex_count = None
        self._input = SimulationInput(context, obj)

    def description(self, context, output_path):
        """The description of the bake, see bake_description."""
        settings, obj = self._settings, self._object()
        context.scene.frame_set(self.world.first_frame)
        obstacles = self._colliders.describe(context, settings)
        if settings["use_rest_frame"]:
            context.scene.frame_set(settings["rest_frame"])
        shape, pin_weights, regions = read_body(context, obj, settings)
        self._vertex_count = len(shape.positions) // 3
        settings = dict(settings, releasable_pins="key_pin" in self._keyed, resolution=properties.resolution(settings))
        return bake_description(self.world, shape, pin_weights, settings, output_path, application(), regions, obstacles,
                                self._bones.describe(settings))

    def inputs(self, context, frame):
        """Keyword arguments of jounce.Bake.advance at the frame. Raises SceneError."""
        self._input.hold()
        context.scene.frame_set(frame)
        return self.inputs_here(context)

    def inputs_here(self, context):
        """The same at the current frame, if what comes after the input is switched off there."""
        obj, scene = self._object(), context.scene
        frame, gravity = scene.frame_current, read_gravity(scene)
        with EvaluatedMesh(context, obj) as (evaluated, mesh):
            check_vertex_count(obj.name, len(mesh.vertices), self._vertex_count, frame, "a modifier")
            keyed = {name: getattr(evaluated.jounce, name) for name in self._keyed}
            found = frame_inputs(positions_of(mesh), rows(evaluated.matrix_world), gravity, self._gravity, keyed,
                                 self._obstacles(context), self._bones.inputs())
        if frame in self._cuts:
            found["bodies"][0]["cut"] = 1
        self._gravity = gravity
        return found

    def _obstacles(self, context):
        found = self._colliders.inputs(context)
        return found + [{}] if found and self._settings["use_ground"] else found

    def close(self):
        self._input.close()

    def _object(self):
        obj = bpy.data.objects.get(self.object_name)
        if obj is None:
            raise SceneError("{} was removed or renamed during its bake.".format(self.object_name))
        if not obj.jounce.enabled:
            raise SceneError("Jounce was removed from {} during its bake.".format(self.object_name))
        return obj


def check_evaluated(obj):
    """Blender does not animate what is disabled in viewports; what only the eye icon hides, it does."""
    if obj.hide_viewport or not (obj.visible_get() or obj.hide_get()):
        raise SceneError("{} is disabled in viewports, or its collection is hidden. Blender does not animate it then: "
                         "show it to bake it.".format(obj.name))


def keyed_numbers(obj):
    """Names of the keyed numbers that take part: those with keys, and those that are not 1."""
    animated = keyed_paths(obj)
    return [name for name in KEYED if "jounce." + name in animated or getattr(obj.jounce, name) != 1.0]


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


def read_body(context, obj, settings):
    """(BodyShape, pin weights or None, further regions) at the current frame. settings: of properties.values."""
    with EvaluatedMesh(context, obj) as (evaluated, mesh):
        found = body_of(obj, mesh, evaluated.matrix_world, settings)
    check_has_vertices(obj.name, found[0].positions, context.scene.frame_current)
    return found


def body_of(obj, mesh, matrix, settings):
    """(BodyShape, pin weights or None, further regions) of a mesh of the object."""
    shape = BodyShape(
        name=obj.name,
        positions=positions_of(mesh),
        face_sizes=integers(mesh.polygons, "loop_total"),
        face_vertices=integers(mesh.loops, "vertex_index"),
        uvs=uvs_of(mesh),
        transform=rows(matrix),
    )
    return (shape, *weights.read_regions(obj, mesh, settings))


def application():
    """The host's name and version, which go into the cache."""
    return "Blender " + bpy.app.version_string
