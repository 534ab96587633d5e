"""Draws the painted regions of objects over them, each in its colour, as the weights are at the moment."""
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from . import fingerprint, properties, weights
from .jounce.host.region_colours import blended
from .jounce.host.scene_checks import SceneError
from .mesh_reader import positions_of

_shown = {}  # object name: (what its colours were made from, colours)
_handle = None


def is_shown(obj):
    return obj.name in _shown


def show(obj):
    """Raises SceneError."""
    global _handle
    _shown[obj.name] = (_key(obj), colours_of(obj))
    if _handle is None:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def hide(obj):
    _shown.pop(obj.name, None)
    if not _shown:
        unregister()


def unregister():
    global _handle
    _shown.clear()
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None


def colours_of(obj):
    """[(r, g, b, a)] of the vertices of the object's own mesh. Raises SceneError for a group that is gone or empty."""
    regions = [region for region in obj.jounce.regions if region.group]
    painted = weights.vertex_group_weights(obj, obj.data, [region.group for region in regions])
    return blended([(tuple(region.colour), painted[region.group]) for region in regions], len(obj.data.vertices))


def _key(obj):
    settings = properties.values(obj.jounce)
    return (settings["regions"], [tuple(region.colour) for region in obj.jounce.regions],
            fingerprint.mesh_of(obj), fingerprint.weights_of(obj))


def _current(obj):
    """The colours as they are now, None: they cannot be told."""
    key = _key(obj)
    if _shown[obj.name][0] != key:
        try:
            _shown[obj.name] = (key, colours_of(obj))
        except SceneError:  # the bake says in words what is wrong
            _shown[obj.name] = (key, None)
    return _shown[obj.name][1]


def _draw():
    for name in list(_shown):
        obj = bpy.data.objects.get(name)
        if obj is None or obj.type != "MESH" or not obj.jounce.enabled:
            del _shown[name]
        elif obj.visible_get() and obj.mode != "EDIT":
            colours = _current(obj)
            if colours:
                _draw_object(obj, colours)


def _draw_object(obj, colours):
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    if len(mesh.vertices) != len(colours):
        mesh = obj.data  # a modifier adds vertices: shown where it was modelled
    mesh.calc_loop_triangles()
    positions = positions_of(mesh)
    points = [tuple(positions[i:i + 3]) for i in range(0, len(positions), 3)]
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": points, "color": colours},
                             indices=[tuple(triangle.vertices) for triangle in mesh.loop_triangles])
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(obj.matrix_world)
        shader.bind()
        batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")
