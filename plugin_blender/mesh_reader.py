"""Evaluated meshes of Blender as arrays that the core takes."""
import array


class EvaluatedMesh:
    """`with EvaluatedMesh(context, obj) as (evaluated_object, mesh)`: the mesh after the modifiers, at this frame."""

    def __init__(self, context, obj):
        self._evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())

    def __enter__(self):
        return self._evaluated, self._evaluated.to_mesh()

    def __exit__(self, exception_type, exception, traceback):
        self._evaluated.to_mesh_clear()


def positions_of(mesh):
    """Doubles x y z ...; Blender copies fastest into an array of its own type."""
    single = array.array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", single)
    return array.array("d", single)


def integers(collection, attribute):
    found = array.array("i", bytes(4 * len(collection)))
    collection.foreach_get(attribute, found)
    return found


def uvs_of(mesh):
    """u v per corner of the render layer, None: the mesh has no UVs."""
    layer = next((layer for layer in mesh.uv_layers if layer.active_render), None)
    if layer is None:
        return None
    found = array.array("f", bytes(8 * len(mesh.loops)))
    layer.data.foreach_get("uv", found)
    return found


def rows(matrix):
    """The first three rows of a 4x4 matrix."""
    return [matrix[row][column] for row in range(3) for column in range(4)]
