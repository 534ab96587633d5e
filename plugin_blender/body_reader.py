"""Reads one object as a body of a bake: its mesh, weights, keys and bones, frame by frame."""
import bpy

from . import bones, properties, weights
from .animation_curves import keyed_paths
from .jounce.host.artist_settings import KEYED
from .jounce.host.bake_description import BodyShape, bake_description, body_input
from .jounce.host.scene_checks import SceneError, check_has_vertices, check_vertex_count, frame_list
from .mesh_reader import EvaluatedMesh, edges_of, integers, is_hair, is_wire, points_of, positions_of, rows, uvs_of


class BodyReader:
    """Holds its object by name: undo replaces it."""

    def __init__(self, obj):
        """Raises SceneError with a message."""
        check_evaluated(obj)
        self.object_name = obj.name
        self.settings = properties.values(obj.jounce)
        self._cuts = frame_list(self.settings["cuts"])
        self._keyed = keyed_numbers(obj)
        self._bones = bones.BoneReader(obj)
        self._vertex_count = None

    def description(self, context, world):
        """Of a bake of this body alone, without obstacles but for its floor, see bake_description."""
        settings, obj = self.settings, self._object()
        frame = settings["rest_frame"] if settings["use_rest_frame"] else world.first_frame
        if (context.scene.frame_current, context.scene.frame_subframe) != (frame, 0.0):
            context.scene.frame_set(frame)
        shape, pin_weights, regions = read_body(context, obj, settings)
        self._vertex_count = len(shape.positions) // 3
        settings = dict(settings, releasable_pins="key_pin" in self._keyed, resolution=properties.resolution(settings))
        return bake_description(world, shape, pin_weights, settings, None, application(), regions,
                                bones=self._bones.describe(settings))

    def input_here(self, context):
        """Fields of JnBodyInput at the current frame. Raises SceneError."""
        obj, frame = self._object(), context.scene.frame_current
        with EvaluatedMesh(context, obj) as (evaluated, mesh):
            check_vertex_count(obj.name, len(points_of(mesh)), self._vertex_count, frame, "a modifier")
            keyed = {name: getattr(evaluated.jounce, name) for name in self._keyed}
            found = body_input(positions_of(mesh), rows(evaluated.matrix_world), keyed, self._bones.inputs())
        if frame in self._cuts:
            found["cut"] = 1
        return found

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


def read_body(context, obj, settings):
    """(BodyShape, pin weights or None, further regions) at the current frame. settings: of properties.values."""
    with EvaluatedMesh(context, obj) as (evaluated, mesh):
        found = body_of(obj, mesh, evaluated.matrix_world, settings)
    check_has_vertices(obj.name, found[0].positions, context.scene.frame_current)
    return found


def body_of(obj, mesh, matrix, settings):
    """(BodyShape, pin weights or None, further regions) of a mesh or of hair curves of the object."""
    return (_shape(obj.name, mesh, rows(matrix)), *weights.read_regions(obj, mesh, settings))


def _shape(name, mesh, transform):
    lines = BodyShape(name, positions_of(mesh), (), (), None, transform)
    if is_hair(mesh):
        return lines._replace(curve_sizes=integers(mesh.curves, "points_length"), kind="fibres",
                              curve_vertices=range(len(mesh.points)))
    if is_wire(mesh):
        return lines._replace(curve_sizes=[2] * len(mesh.edges), curve_vertices=edges_of(mesh))
    return lines._replace(face_sizes=integers(mesh.polygons, "loop_total"),
                          face_vertices=integers(mesh.loops, "vertex_index"), uvs=uvs_of(mesh))


def application():
    """The host's name and version, which go into the cache."""
    return "Blender " + bpy.app.version_string
