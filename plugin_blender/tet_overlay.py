"""Draws the boundary of an object's simulation mesh over it, anew when the resolution changes."""
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from . import fingerprint, properties
from .jounce import JounceError, tet_boundary
from .mesh_reader import integers, positions_of

COLOUR = (0.2, 0.75, 1.0, 0.5)

_shown = {}  # object name: (what it was made from, points, edges)
_handle = None


def is_shown(obj):
    return obj.name in _shown


def show(obj):
    """Returns how many vertices the boundary has. Raises JounceError."""
    global _handle
    _shown[obj.name] = _made(obj)
    if _handle is None:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")
    return len({index for edge in edges_of(obj) for index in edge})


def edges_of(obj):
    """Pairs of vertex numbers that are drawn."""
    return _shown[obj.name][2]


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


def _key(obj):
    settings = properties.values(obj.jounce)
    return (properties.resolution(settings), settings["keep_pieces_apart"], fingerprint.mesh_of(obj))


def _made(obj):
    """The mesh as it was modelled, filled as the bake would fill it."""
    key, mesh = _key(obj), obj.data
    surface = {"positions": positions_of(mesh), "face_sizes": integers(mesh.polygons, "loop_total"),
               "face_vertices": integers(mesh.loops, "vertex_index")}
    positions, triangles = tet_boundary(surface, resolution=key[0], keep_pieces_apart=int(key[1]))
    points = [tuple(positions[i:i + 3]) for i in range(0, len(positions), 3)]
    edges = {tuple(sorted((triangles[i + k], triangles[i + (k + 1) % 3]))) for i in range(0, len(triangles), 3)
             for k in range(3)}
    return key, points, sorted(edges)


def _draw():
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    for name in list(_shown):
        obj = bpy.data.objects.get(name)
        if obj is None or obj.type != "MESH" or not obj.jounce.enabled:
            del _shown[name]
            continue
        if not obj.visible_get():
            continue
        if _shown[name][0] != _key(obj):
            try:
                _shown[name] = _made(obj)
            except JounceError:  # the bake says in words what is wrong
                continue
        _, points, edges = _shown[name]
        batch = batch_for_shader(shader, "LINES", {"pos": points}, indices=edges)
        gpu.state.blend_set("ALPHA")
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(obj.matrix_world)
            shader.bind()
            shader.uniform_float("color", COLOUR)
            batch.draw(shader)
        gpu.state.blend_set("NONE")
