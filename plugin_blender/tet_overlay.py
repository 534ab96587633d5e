"""Draws the boundary of an object's simulation mesh over it, anew when the resolution changes."""
import gpu
from gpu_extras.batch import batch_for_shader

from . import fingerprint, properties
from .jounce import JounceError, tet_boundary
from .mesh_reader import integers, positions_of
from .object_overlay import ObjectOverlay

COLOUR = (0.2, 0.75, 1.0, 0.5)


def edges_of(obj):
    """Pairs of vertex numbers that are drawn."""
    return overlay.made(obj).edges


class _Wires:
    """points, edges: of the boundary. What is drawn is made of them once, when there is something to draw on."""

    def __init__(self, points, edges):
        self.points, self.edges = points, edges
        self._batch = None

    def batch(self, shader):
        if self._batch is None:
            self._batch = batch_for_shader(shader, "LINES", {"pos": self.points}, indices=self.edges)
        return self._batch


def _key(obj):
    settings = properties.values(obj.jounce)
    return (properties.resolution(settings), settings["keep_pieces_apart"], fingerprint.mesh_of(obj))


def _make(obj):
    """Of the mesh as it was modelled, filled as the bake would fill it."""
    resolution, apart, _ = _key(obj)
    mesh = obj.data
    surface = {"positions": positions_of(mesh), "face_sizes": integers(mesh.polygons, "loop_total"),
               "face_vertices": integers(mesh.loops, "vertex_index")}
    positions, triangles = tet_boundary(surface, resolution=resolution, keep_pieces_apart=int(apart))
    points = [tuple(positions[i:i + 3]) for i in range(0, len(positions), 3)]
    edges = {tuple(sorted((triangles[i + k], triangles[i + (k + 1) % 3]))) for i in range(0, len(triangles), 3)
             for k in range(3)}
    return _Wires(points, sorted(edges))


def _draw(obj, wires):
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(obj.matrix_world)
        shader.bind()
        shader.uniform_float("color", COLOUR)
        wires.batch(shader).draw(shader)
    gpu.state.blend_set("NONE")


overlay = ObjectOverlay(_key, _make, _draw, JounceError)
