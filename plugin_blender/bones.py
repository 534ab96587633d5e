"""The bones of an armature as rigid parts inside a body."""
import bpy

from .jounce.host.scene_checks import SceneError
from .mesh_reader import rows


def armature_of(obj):
    """The armature that deforms the object, None: there is none."""
    return next((modifier.object for modifier in obj.modifiers if modifier.type == "ARMATURE" and modifier.object), None)


class BoneReader:
    """Holds armature and bones by name: each is described once and then read at each frame."""

    def __init__(self, obj):
        """Raises SceneError."""
        self._armature_name, self._names = None, []
        self._from_described = []  # inverse of each bone's matrix where it was described
        if not obj.jounce.use_bones:
            return
        armature = armature_of(obj)
        if armature is None:
            raise SceneError("{} has no Armature modifier, so there are no Bones to hold it. Add one, or switch Bones "
                             "off.".format(obj.name))
        self._armature_name = armature.name
        self._names = [bone.name for bone in armature.data.bones if bone.use_deform and bone.length > 0]

    def describe(self, settings):
        """Bones as jounce.Bake takes them, as they are at the current frame."""
        found, self._from_described = [], []
        for bone, matrix in self._bones():
            point, end = matrix.translation, matrix @ bone.bone.matrix_local.inverted() @ bone.bone.tail_local
            self._from_described.append(matrix.inverted())
            found.append({"name": bone.name, "point": tuple(point), "end": tuple(end), "strength": 1.0,
                          "radius": settings["bone_radius"] * (end - point).length})
        return found

    def inputs(self):
        """The motion of each bone from where it is described, 12 numbers each; None: there are no bones."""
        moved = [matrix @ start for (_, matrix), start in zip(self._bones(), self._from_described)]
        return [number for matrix in moved for number in rows(matrix)] or None

    def _bones(self):
        """[(pose bone, its matrix in the scene)]"""
        if not self._names:
            return []
        armature = bpy.data.objects.get(self._armature_name)
        if armature is None:
            raise SceneError("The armature {} was removed or renamed during the bake.".format(self._armature_name))
        missing = [name for name in self._names if name not in armature.pose.bones]
        if missing:
            raise SceneError("The bone {} was removed or renamed during the bake.".format(missing[0]))
        world = armature.matrix_world
        return [(armature.pose.bones[name], world @ armature.pose.bones[name].matrix) for name in self._names]
