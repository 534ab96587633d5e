"""Draws the painted regions of objects over them, each in its colour, as the weights are at the moment."""
import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from . import fingerprint, properties, weights
from .jounce.host.region_colours import blended
from .jounce.host.scene_checks import SceneError
from .mesh_reader import positions_of
from .object_overlay import ObjectOverlay

# By this part of the depth of the view the colours are nearer than the faces that they lie on, so that these do not show through.
NEARER = 2e-6


def colours_of(obj):
    """[(r, g, b, a)] of the vertices of the object's own mesh. Raises SceneError for a group that is gone or empty."""
    regions = [region for region in obj.jounce.regions if region.group]
    painted = weights.vertex_group_weights(obj, obj.data, [region.group for region in regions])
    return blended([(tuple(region.colour), painted[region.group]) for region in regions], len(obj.data.vertices))


def _key(obj):
    settings = properties.values(obj.jounce)
    return (settings["regions"], [tuple(region.colour) for region in obj.jounce.regions],
            fingerprint.mesh_of(obj), fingerprint.weights_of(obj))


def _draw(obj, colours):
    if obj.mode == "EDIT":
        return
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
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        projection = gpu.matrix.get_projection_matrix()
        projection[2] -= NEARER * projection[3]
        gpu.matrix.load_projection_matrix(projection)
        gpu.matrix.multiply_matrix(obj.matrix_world)
        shader.bind()
        batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


overlay = ObjectOverlay(_key, colours_of, _draw, SceneError)
