"""What the artist sets on an object, by the core's tables: the same labels, tooltips and limits for every host."""
import zlib

from .. import describe, tables

# Property: scope and key of the core's setting.
NUMBERS = {
    "young_modulus": ("material", "young_modulus"),
    "poisson_ratio": ("material", "poisson_ratio"),
    "density": ("material", "density"),
    "stiffness_damping": ("material", "stiffness_damping"),
    "mass_damping": ("material", "mass_damping"),
    "resolution": ("body", "resolution"),
    "rest_follows_animation": ("body", "rest_follows_animation"),
    "steps_per_frame": ("frames", "steps_per_frame"),
    "friction": ("collider", "friction"),
}
# Property: scope and key of the core's setting, a check box.
SWITCHES = {
    "settle": ("body", "settle"),
    "keep_shape": ("body", "keep_shape"),
}
# Property: scope and key of the core's setting, the table that its menu shows.
MENUS = {
    "law": ("material", "law", tables.materials),
    "integrator": ("integrator", "method", tables.integrators),
    "contact_method": ("contact", "method", tables.contact_methods),
}


def menu_defaults():
    """{property: name of the entry} of MENUS, as the core has them."""
    body = describe.describe("JnBody", {})
    desc = describe.describe("JnBakeDesc", {})
    defaults = {"law": body.material.law, "integrator": desc.integrator, "contact_method": desc.contact.method}
    return {name: value.decode() for name, value in defaults.items()}


def menu_number(name):
    """The number of a menu's entry in the host's files: it depends on the name, not on the place in the table."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF
