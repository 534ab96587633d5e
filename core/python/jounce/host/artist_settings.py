"""What the artist sets on an object, by the core's tables: the same labels, tooltips and limits for every host."""
import zlib

from .. import describe, tables

# Property: scope and key of the core's setting.
NUMBERS = {
    "young_modulus": ("material", "young_modulus"),
    "wobble_frequency": ("material", "wobble_frequency"),
    "poisson_ratio": ("material", "poisson_ratio"),
    "density": ("material", "density"),
    "stiffness_damping": ("material", "stiffness_damping"),
    "settle_seconds": ("material", "settle_seconds"),
    "mass_damping": ("material", "mass_damping"),
    "resolution": ("body", "resolution"),
    "rest_follows_animation": ("body", "rest_follows_animation"),
    "travel_influence": ("body", "travel_influence"),
    "cut_distance": ("body", "cut_distance"),
    "steps_per_frame": ("frames", "steps_per_frame"),
    "samples_per_frame": ("frames", "samples_per_frame"),
    "preroll": ("frames", "preroll"),
    "error_tolerance": ("integrator", "error_tolerance"),
    "friction": ("collider", "friction"),
    "contact_thickness": ("body", "contact_thickness"),
    "air_density": ("world", "air_density"),
}
# Numbers of the springs that bodies of other kinds than solid are made of; 0 leaves each to the core.
SPRINGS = {
    "spring_thickness": ("springs", "thickness"),
    "tip_thickness": ("springs", "tip_thickness"),
    "structural": ("springs", "structural"),
    "shear": ("springs", "shear"),
    "bending": ("springs", "bending"),
    "cubic": ("springs", "cubic"),
    "torsion_modulus": ("springs", "torsion_modulus"),
    "mass_per_area": ("springs", "mass_per_area"),
    "mass_per_length": ("springs", "mass_per_length"),
}
# Kind of body: those that it has.
SOLID = "solid"
SPRING_NUMBERS = {
    "textile": ("spring_thickness", "structural", "shear", "bending", "cubic", "mass_per_area"),
    "spring_solid": ("structural", "shear", "cubic"),
    "girders": ("spring_thickness", "structural", "cubic", "mass_per_length"),
    "fibres": ("spring_thickness", "tip_thickness", "torsion_modulus", "mass_per_length"),
}
# The material of hair.
HAIR = {"young_modulus": 3.6e9, "poisson_ratio": 0.4, "density": 1300.0, "stiffness_damping": 1e-4, "mass_damping": 0.0}
# Numbers that the artist may key, and the field of JnBodyInput that each becomes.
KEYED = {
    "key_stiffness": ("body_key", "stiffness"),
    "key_goal": ("body_key", "goal"),
    "key_pin": ("body_key", "pin"),
    "key_simulation": ("body_key", "simulation"),
}
KEYED_FIELDS = {"key_stiffness": "stiffness", "key_goal": "goal_strength", "key_pin": "pin_strength",
                "key_simulation": "simulation"}
# Of numbers for which the core has none, because it may go without: 0 leaves the choice to the core.
DEFAULTS = {"preview_resolution": 6.0, "wobble_frequency": 3.0, "settle_seconds": 1.0, "contact_thickness": 0.0,
            "key_stiffness": 1.0, "key_goal": 1.0, "key_pin": 1.0, "key_simulation": 1.0}
# Property: scope and key of the core's setting, a check box.
SWITCHES = {
    "settle": ("body", "settle"),
    "keep_shape": ("body", "keep_shape"),
    "warp": ("material", "warp"),
    "self_contact": ("body", "self_contact"),
    "keep_pieces_apart": ("body", "keep_pieces_apart"),
    "strict": ("contact", "strict"),
}
# Property: scope and key of the core's setting, the table that its menu shows.
MENUS = {
    "kind": ("body", "kind", lambda: [kind for kind in tables.body_kinds() if kind.name in MESH_KINDS]),
    "law": ("material", "law", tables.materials),
    "integrator": ("integrator", "method", tables.integrators),
    "contact_method": ("contact", "method", tables.contact_methods),
}
# Kinds of body that a mesh can be; fibres are curves.
MESH_KINDS = ("solid", "textile", "spring_solid", "girders")

# How stiffness and damping are given: name, label, tooltip.
STIFFNESS_WAYS = (
    ("wobble", "Wobble (Hz)", "How often a second the slowest wobble swings, whatever the size of the object"),
    ("sag", "Sag (%)", "How far the object sags under its own weight, in percent of its longest side"),
    ("modulus", "Stiffness (Pa)", "Young's modulus of the material, as in physics books"),
)
DAMPING_WAYS = (
    ("seconds", "Settle (s)", "The time in which a wobble decays to a hundredth"),
    ("coefficient", "Damping (s)", "The coefficient of the material: fast wobbles die first"),
)

# What a new region does at first where its weight is 1, by the effect; effects without a value are not here.
REGION_VALUES = {"goal": 100.0, "stiffness": 4.0, "density": 2.0, "damping": 4.0, "rest_follows": 1.0, "simulation": 0.0,
                 "fast": 4.0}


def default_of(name, setting):
    """Of a number: the core's, or ours where it has none."""
    return DEFAULTS.get(name, setting.default_value)


# The law whose bodies can be warped: the switch is shown with it alone, and does nothing without it.
WARPED_LAW = "linear"


def menu_defaults():
    """{property: name of the entry} of MENUS, as the core has them."""
    body = describe.describe("JnBody", {})
    desc = describe.describe("JnBakeDesc", {})
    defaults = {"kind": body.kind, "law": body.material.law, "integrator": desc.integrator,
                "contact_method": desc.contact.method}
    return {name: value.decode() for name, value in defaults.items()}


def menu_number(name):
    """The number of a menu's entry in the host's files: it depends on the name, not on the place in the table."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF
