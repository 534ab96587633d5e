"""The meshes of a collection as obstacles of a bake."""
import bpy

from .jounce.host.bake_description import typed_number
from .jounce.host.scene_checks import SceneError, check_vertex_count
from .mesh_reader import EvaluatedMesh, integers, positions_of, rows

# Objects that Blender can turn into a mesh.
MESH_TYPES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}


def collider_objects(obj):
    """The obstacles of an object, sorted by name; Blender does not animate what is disabled in viewports."""
    collection = obj.jounce.collider_collection
    found = collection.all_objects if collection else []
    return sorted((other for other in found if other != obj and other.type in MESH_TYPES and not other.hide_viewport),
                  key=lambda other: other.name)


class ColliderReader:
    """Holds the obstacles by name: each is described once and then read at each frame."""

    def __init__(self, bodies):
        """bodies: the objects that are simulated; what hits one of them hits all, and none of them is an obstacle."""
        self._frictions = {}  # name: friction
        for obj in bodies:
            for other in collider_objects(obj):
                if other not in bodies:
                    self._frictions.setdefault(other.name, typed_number(obj.jounce.friction))
        self._names = sorted(self._frictions)
        self._last = {}  # name: positions as last read

    def describe(self, context, has_floor):
        """Colliders as jounce.Bake takes them, as they are at the current frame. Raises SceneError."""
        found = []
        for name in self._names:
            with EvaluatedMesh(context, self._object(name)) as (_, mesh):
                if not mesh.polygons:
                    raise SceneError("The collider {} has no faces. Take it out of the collection of "
                                     "colliders.".format(name))
                self._last[name] = positions_of(mesh)
                surface = {"positions": self._last[name],
                           "face_sizes": integers(mesh.polygons, "loop_total"),
                           "face_vertices": integers(mesh.loops, "vertex_index")}
                found.append({"name": name, "kind": "mesh", "surface": surface, "friction": self._frictions[name]})
        if found and has_floor and "Ground" in self._names:
            raise SceneError("An object named Ground collides beside the floor of the same name: rename it.")
        return found

    def inputs(self, context):
        """Inputs of the obstacles at the current frame, in the order of describe()."""
        return [self._input(context, name) for name in self._names]

    def _input(self, context, name):
        with EvaluatedMesh(context, self._object(name)) as (evaluated, mesh):
            found = {"transform": rows(evaluated.matrix_world)}
            positions = positions_of(mesh)
        before = self._last[name]
        check_vertex_count(name, len(positions) // 3, len(before) // 3, context.scene.frame_current, "a modifier")
        if positions != before:
            found["positions"] = positions
            self._last[name] = positions
        return found

    def _object(self, name):
        obj = bpy.data.objects.get(name)
        if obj is None:
            raise SceneError("The collider {} was removed or renamed during the bake.".format(name))
        return obj
