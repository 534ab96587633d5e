"""Reads the Blender scene: the mesh that enters the simulation, frame by frame, and the world around it."""
import array

import bpy

from . import cache_attach
from .jounce.host.bake_description import BodyShape, World, frame_inputs, typed_number
from .jounce.host.scene_checks import SceneError, check_has_vertices, check_vertex_count, frame_count


class SimulationInput:
    """While open, the object's evaluated mesh is what enters the simulation: our cache and all that comes after it in
    the stack is switched off. Closing restores that and the current frame."""

    def __init__(self, context, obj):
        self._scene = context.scene
        self._object = obj
        self._frame = (self._scene.frame_current, self._scene.frame_subframe)
        self._hidden = [modifier.name for modifier in cache_attach.modifiers_after_input(obj) if modifier.show_viewport]
        self._show(False)

    def close(self):
        self._show(True)
        self._scene.frame_set(self._frame[0], subframe=self._frame[1])

    def _show(self, visible):
        for name in self._hidden:
            modifier = self._object.modifiers.get(name)
            if modifier is not None:
                modifier.show_viewport = visible


def check_evaluated(obj):
    """Blender does not animate what is disabled in viewports; what only the eye icon hides, it does."""
    if obj.hide_viewport or not (obj.visible_get() or obj.hide_get()):
        raise SceneError("{} is disabled in viewports, or its collection is hidden. Blender does not animate it then: "
                         "show it to bake it.".format(obj.name))


def read_world(scene):
    """Frame range, frame rate, unit scale and gravity of the scene."""
    units = scene.unit_settings
    return World(
        first_frame=scene.frame_start,
        frame_count=frame_count(scene.frame_start, scene.frame_end),
        fps=read_fps(scene),
        metres_per_unit=1.0 if units.system == "NONE" else typed_number(units.scale_length),
        gravity=read_gravity(scene),
    )


def read_fps(scene):
    return scene.render.fps / scene.render.fps_base


def read_gravity(scene):
    """In m/s2, as the Scene properties show it: Blender keeps it in scene units."""
    if not scene.use_gravity:
        return (0.0, 0.0, 0.0)
    scale = 1.0 if scene.unit_settings.system == "NONE" else scene.unit_settings.scale_length
    return tuple(typed_number(component * scale) for component in scene.gravity)


class EvaluatedMesh:
    """`with EvaluatedMesh(context, obj) as (evaluated_object, mesh)`: the mesh after the modifiers, at this frame."""

    def __init__(self, context, obj):
        self._evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())

    def __enter__(self):
        return self._evaluated, self._evaluated.to_mesh()

    def __exit__(self, exception_type, exception, traceback):
        self._evaluated.to_mesh_clear()


def read_body(context, obj, pin_group):
    """(BodyShape, pin weights or None) at the current frame."""
    with EvaluatedMesh(context, obj) as (evaluated, mesh):
        shape = BodyShape(
            name=obj.name,
            positions=_positions(mesh),
            face_sizes=_integers(mesh.polygons, "loop_total", 1),
            face_vertices=_integers(mesh.loops, "vertex_index", 1),
            uvs=_uvs(mesh),
            transform=_rows(evaluated.matrix_world),
        )
        weights = _group_weights(obj, mesh, pin_group) if pin_group else None
    check_has_vertices(obj.name, shape.positions, context.scene.frame_current)
    return shape, weights


def read_frame(context, obj, vertex_count, gravity_before):
    """Keyword arguments of jounce.Bake.advance at the current frame: where the animation has led the object."""
    scene = context.scene
    with EvaluatedMesh(context, obj) as (evaluated, mesh):
        check_vertex_count(obj.name, len(mesh.vertices), vertex_count, scene.frame_current, "a modifier")
        return frame_inputs(_positions(mesh), _rows(evaluated.matrix_world), read_gravity(scene), gravity_before)


def _positions(mesh):
    """Doubles x y z ...; Blender copies fastest into an array of its own type."""
    single = array.array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", single)
    return array.array("d", single)


def _integers(collection, attribute, components):
    found = array.array("i", bytes(4 * components * len(collection)))
    collection.foreach_get(attribute, found)
    return found


def _uvs(mesh):
    """u v per corner of the render layer, None: the mesh has no UVs."""
    layer = next((layer for layer in mesh.uv_layers if layer.active_render), None)
    if layer is None:
        return None
    found = array.array("f", bytes(8 * len(mesh.loops)))
    layer.data.foreach_get("uv", found)
    return found


def _group_weights(obj, mesh, name):
    group = obj.vertex_groups.get(name)
    if group is None:
        raise SceneError("{} has no vertex group \"{}\". Choose another Pin Group, or none.".format(obj.name, name))
    weights = array.array("f", bytes(4 * len(mesh.vertices)))
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group == group.index:
                weights[vertex.index] = element.weight
    if not any(weights):
        raise SceneError("No vertex of {} has a weight in the vertex group \"{}\". Paint it, or choose no Pin "
                         "Group.".format(obj.name, name))
    return weights


def _rows(matrix):
    return [matrix[row][column] for row in range(3) for column in range(4)]


def application():
    """The host's name and version, which go into the cache."""
    return "Blender " + bpy.app.version_string
