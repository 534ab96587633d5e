"""Draws the last finished frame of a running bake as wires over the viewport: the scene itself shows what is being read."""
import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

from .mesh_reader import is_hair

COLOUR = (1.0, 0.55, 0.1, 0.6)

_handle = None
_session = None
_edges = None


def show(session):
    """Until hide(): draws the frames of the session, with the edges of the objects' own meshes."""
    global _handle, _session, _edges
    hide()
    _session = session
    _edges = [_lines(bpy.data.objects[name].data) for name in session.object_names]
    _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def _lines(data):
    """Pairs of points that are joined."""
    if not is_hair(data):
        return [tuple(edge.vertices) for edge in data.edges]
    starts = [(curve.first_point_index, curve.points_length) for curve in data.curves]
    return [(point, point + 1) for first, count in starts for point in range(first, first + count - 1)]


def hide():
    global _handle, _session, _edges
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = _session = _edges = None


def _draw():
    shown = _session.last_frame() if _session is not None else None
    for (positions, rows), edges in zip(shown or (), _edges or ()):
        _draw_object(positions, rows, edges)


def _draw_object(positions, rows, edges):
    points = [tuple(positions[index:index + 3]) for index in range(0, len(positions), 3)]
    edges = [edge for edge in edges if max(edge) < len(points)]
    if not edges:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINES", {"pos": points}, indices=edges)
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(Matrix((rows[0:4], rows[4:8], rows[8:12], (0, 0, 0, 1))))
        shader.bind()
        shader.uniform_float("color", COLOUR)
        batch.draw(shader)
    gpu.state.blend_set("NONE")
