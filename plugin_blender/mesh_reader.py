"""Evaluated meshes and hair curves of Blender as arrays that the core takes."""
import array

# Objects that can be simulated.
HAIR = "CURVES"
BODY_TYPES = {"MESH", HAIR}


class EvaluatedMesh:
    """`with EvaluatedMesh(context, obj) as (evaluated_object, mesh)`: the mesh after the modifiers, at this frame; of hair,
    its curves."""

    def __init__(self, context, obj):
        self._evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())

    def __enter__(self):
        evaluated = self._evaluated
        return evaluated, evaluated.data if evaluated.type == HAIR else evaluated.to_mesh()

    def __exit__(self, exception_type, exception, traceback):
        if self._evaluated.type != HAIR:
            self._evaluated.to_mesh_clear()


def is_hair(data):
    """Whether this is the data of hair curves; else it is a mesh."""
    return hasattr(data, "curves")


def points_of(data):
    """What is painted and animated: the vertices of a mesh, the points of hair."""
    return data.points if is_hair(data) else data.vertices


def positions_of(data):
    """Doubles x y z ...; Blender copies fastest into an array of its own type."""
    points = points_of(data)
    single = array.array("f", bytes(12 * len(points)))
    points.foreach_get("position" if is_hair(data) else "co", single)
    return array.array("d", single)


def is_wire(data):
    """Whether a mesh has edges and no faces."""
    return not is_hair(data) and not data.polygons


def edges_of(mesh):
    """Pairs of vertex numbers."""
    found = array.array("i", bytes(8 * len(mesh.edges)))
    mesh.edges.foreach_get("vertices", found)
    return found


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
