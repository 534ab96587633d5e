"""The simulation mesh that the mesher makes of a surface, to be drawn before a bake."""
import array
import ctypes

from . import layout, library
from .describe import describe
from .errors import check


def tet_boundary(surface, **mesher):
    """(positions, triangles) of the boundary of the tets: doubles x y z ... of all their vertices, and vertex numbers.

    surface: dict with the fields of JnSurface. mesher: fields of JnMesher. See jn_mesh_fill in the header.
    """
    core, mesh = library.load(), ctypes.POINTER(layout.JnMesh)()
    view, message = layout.JnMeshView(), layout.JnMessage()
    view.struct_size = ctypes.sizeof(view)
    status = core.jn_mesh_fill(describe(layout.JnSurface, surface), describe(layout.JnMesher, mesher), mesh, None, message)
    check(status, message)
    try:
        check(core.jn_mesh_view(mesh, view, message), message)
        found = view.surface
        return (array.array("d", found.positions[:3 * found.vertex_count]),
                array.array("I", found.face_vertices[:found.corner_count]))
    finally:
        core.jn_mesh_free(mesh)
