"""Draws the last finished frame of a running bake as wires over the viewport: the scene itself shows what drives it."""
import array

import bpy
import gpu
from mathutils import Matrix

from .mesh_reader import is_hair

COLOUR = (1.0, 0.55, 0.1, 0.6)

_handle = None
_session = None
_wires = None  # of each object, see _Wires


def show(session):
    """Until hide(): draws the frames of the session, with the edges of the objects' own meshes."""
    global _handle, _session, _wires
    hide()
    _session = session
    _wires = [_Wires(_lines(bpy.data.objects[name].data)) for name in session.object_names]
    _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def hide():
    global _handle, _session, _wires
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
    _handle = _session = _wires = None


def _lines(data):
    """Pairs of points that are joined, one after the other."""
    if is_hair(data):
        starts = [(curve.first_point_index, curve.points_length) for curve in data.curves]
        return array.array("I", [end for first, count in starts for point in range(first, first + count - 1)
                                 for end in (point, point + 1)])
    found = array.array("I", bytes(8 * len(data.edges)))
    data.edges.foreach_get("vertices", found)
    return found


class _Wires:
    """What is drawn of one object. Made anew for a new frame only: looking around draws the same one often."""

    def __init__(self, lines):
        self._lines = lines
        self._count = self._indices = None  # of points, and those of the lines between them
        self._positions = self._batch = None

    def draw(self, positions, rows):
        if not self._lines:
            return
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(Matrix((rows[0:4], rows[4:8], rows[8:12], (0, 0, 0, 1))))
            shader.bind()
            shader.uniform_float("color", COLOUR)
            self._batch_of(positions).draw(shader)

    def _batch_of(self, positions):
        if self._positions is not positions:
            count = len(positions) // 3
            points = gpu.types.GPUVertFormat()
            points.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
            buffer = gpu.types.GPUVertBuf(points, count)
            buffer.attr_fill("pos", _table(array.array("f", positions), 3))
            self._positions, self._batch = positions, gpu.types.GPUBatch(type="LINES", buf=buffer, elem=self._elements(count))
        return self._batch

    def _elements(self, count):
        """Of the lines between the first `count` points."""
        if self._count != count:
            pairs = zip(self._lines[0::2], self._lines[1::2])
            kept = array.array("I", [index for pair in pairs if max(pair) < count for index in pair])
            self._count, self._indices = count, gpu.types.GPUIndexBuf(type="LINES", seq=_table(kept, 2))
        return self._indices


def _table(values, columns):
    """An array as Blender takes rows of numbers."""
    return memoryview(values).cast("B").cast(values.typecode, (len(values) // columns, columns))


def _draw():
    if _session is None:
        return
    gpu.state.blend_set("ALPHA")
    for (positions, rows), wires in zip(_session.shown, _wires):
        wires.draw(positions, rows)
    gpu.state.blend_set("NONE")
