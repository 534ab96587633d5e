"""The force fields of the scene, as the core takes them.

A field accelerates all that it reaches alike: a strength of 9.81 is as strong as gravity. What a field has and the core does
not know is told to the artist, see notes_on().
"""
import bpy

from .jounce.host.bake_description import typed_number
from .jounce.host.scene_checks import SceneError
from .mesh_reader import rows

# Blender's type of a field: its kind in the core's table.
KINDS = {"FORCE": "force", "WIND": "wind", "VORTEX": "vortex", "HARMONIC": "harmonic", "TURBULENCE": "turbulence",
         "DRAG": "drag"}


def field_objects(scene, bodies):
    """The objects whose fields act on these bodies, sorted by name: the same for all of them."""
    if not any(obj.jounce.use_fields for obj in bodies):
        return []
    found = {obj for body in bodies if body.jounce.use_fields for obj in _candidates(scene, body)}
    return sorted((obj for obj in found if _acts(obj) and obj not in bodies), key=lambda obj: obj.name)


def _candidates(scene, body):
    collection = body.jounce.field_collection
    return collection.all_objects if collection else scene.objects


def _acts(obj):
    field = obj.field
    return (field is not None and field.type in KINDS and field.apply_to_location
            and not obj.hide_viewport and (obj.visible_get() or obj.hide_get()))


def notes_on(scene, body):
    """Sentences on what of the fields does not act as it does in Blender."""
    found = []
    for obj in sorted(_candidates(scene, body) if body.jounce.use_fields else (), key=lambda obj: obj.name):
        field = obj.field
        if obj == body or field is None or field.type == "NONE":
            continue
        if field.type not in KINDS:
            found.append("The field {} does not act: there is no {} here.".format(obj.name, _label(field, "type")))
        elif not _acts(obj):
            found.append("The field {} does not act: it is disabled in viewports, or does not apply to "
                         "location.".format(obj.name))
        else:
            left = [label for label, differs in _left_out(field) if differs]
            if left:
                found.append("The field {} acts without its {}.".format(obj.name, ", ".join(left)))
    return found


def _label(field, name):
    return field.bl_rna.properties[name].enum_items[getattr(field, name)].name


def _left_out(field):
    """[(what the core does not know, whether the field has it)]"""
    weakens = field.falloff_power > 0 or field.use_max_distance
    has_middle = field.type not in {"WIND", "TURBULENCE", "DRAG"}
    return (("shape", field.shape != "POINT" and (weakens or has_middle)),
            ("falloff as a {}".format(_label(field, "falloff_type").lower()), weakens and field.falloff_type != "SPHERE"),
            ("direction", field.z_direction != "BOTH"),
            ("noise", field.type != "TURBULENCE" and field.noise > 0),
            ("rest length", field.type == "HARMONIC" and field.rest_length > 0))


class FieldReader:
    """Holds the fields by name: each is described once and then read at each frame."""

    def __init__(self, scene, bodies):
        self._names = [obj.name for obj in field_objects(scene, bodies)]

    def describe(self, context):
        """Fields as jounce.Bake takes them, as they are at the current frame."""
        return [dict(_description(self._object(name).field), name=name, **values)
                for name, values in zip(self._names, self.inputs(context))]

    def inputs(self, context):
        """Fields of JnFieldInput at the current frame, in the order of describe(). Raises SceneError."""
        graph = context.evaluated_depsgraph_get()
        return [_input(self._object(name).evaluated_get(graph)) for name in self._names]

    def _object(self, name):
        obj = bpy.data.objects.get(name)
        if obj is None:
            raise SceneError("The force field {} was removed or renamed during the bake.".format(name))
        return obj


def _description(field):
    return {
        "kind": KINDS[field.type],
        "falloff": typed_number(field.falloff_power),
        "nearest": typed_number(field.distance_min) if field.use_min_distance else 0.0,
        "farthest": typed_number(field.distance_max) if field.use_max_distance else None,
        "size": typed_number(field.size) or 1.0,  # 0 is no scale, as in Blender
        "seed": field.seed,
    }


def _input(evaluated):
    field = evaluated.field
    strength, damping = {
        "DRAG": (field.quadratic_drag, field.linear_drag),
        "HARMONIC": (field.strength, field.harmonic_damping),
    }.get(field.type, (field.strength, 0.0))
    return {"transform": rows(evaluated.matrix_world), "strength": typed_number(strength),
            "damping": max(typed_number(damping), 0.0)}
