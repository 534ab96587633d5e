"""What the artist sets, stored on the object. Labels, tooltips, limits and defaults come from the core's tables."""
import math
import zlib

import bpy

from .bake_description import MATERIAL_KEYS, typed_number
from .jounce import describe, layout, tables

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


def menu_items(entries):
    """Items of an EnumProperty. Files store the number: it hangs on the name, not on the place in the table."""
    return [(entry.name, entry.label, entry.summary, zlib.crc32(entry.name.encode()) & 0x7FFFFFFF) for entry in entries]


def _number(scope, key):
    setting = tables.setting(scope, key)
    name = "{} ({})".format(setting.label, setting.unit) if setting.unit else setting.label
    options = {"name": name, "description": setting.summary}
    if setting.type == layout.JN_SETTING_INTEGER:
        return bpy.props.IntProperty(default=int(setting.default_value), min=int(setting.minimum),
                                     max=int(setting.maximum), **options)
    if math.isfinite(setting.minimum):
        options["min"] = setting.minimum
    if math.isfinite(setting.maximum):
        options["max"] = setting.maximum
    digits = 1 if setting.default_value >= 10 else 3
    return bpy.props.FloatProperty(default=setting.default_value, precision=digits, **options)


def _switch(scope, key):
    setting = tables.setting(scope, key)
    return bpy.props.BoolProperty(name=setting.label, description=setting.summary, default=bool(setting.default_value))


def _menu(scope, key, entries, default):
    setting = tables.setting(scope, key)
    return bpy.props.EnumProperty(name=setting.label, description=setting.summary, items=menu_items(entries()),
                                  default=default)


def _annotations():
    body = describe.describe("JnBody", {})
    desc = describe.describe("JnBakeDesc", {})
    defaults = {"law": body.material.law, "integrator": desc.integrator, "contact_method": desc.contact.method}
    found = {name: _number(*place) for name, place in NUMBERS.items()}
    found.update((name, _switch(*place)) for name, place in SWITCHES.items())
    found.update((name, _menu(*place, defaults[name].decode())) for name, place in MENUS.items())
    found.update(
        enabled=bpy.props.BoolProperty(name="Jounce", description="This object is simulated"),
        pin_group=bpy.props.StringProperty(
            name="Pin Group", description="Vertex group whose vertices follow the animation exactly; the rest wobbles"),
        use_ground=bpy.props.BoolProperty(name="Ground", description="Collide with an endless level floor"),
        ground_height=bpy.props.FloatProperty(name="Height", description="Height of the floor in the scene",
                                              subtype="DISTANCE"),
        cache_path=bpy.props.StringProperty(name="Cache", description="The baked Alembic file"),
        baked_first=bpy.props.IntProperty(name="First Frame", description="First frame in the cache"),
        baked_last=bpy.props.IntProperty(name="Last Frame", description="Last frame in the cache", default=-1),
    )
    return found


def create_settings_class():
    """The PropertyGroup; made when the add-on is registered, because the core's tables decide what is in it."""
    return type("JounceSettings", (bpy.types.PropertyGroup,), {
        "__doc__": "Jounce settings of an object", "__annotations__": _annotations()})


def values(settings):
    """The settings as a plain dict, numbers as the artist typed them."""
    numbers = {name: getattr(settings, name) for name in list(NUMBERS) + ["ground_height"]}
    found = {name: typed_number(value) if isinstance(value, float) else value for name, value in numbers.items()}
    found.update((name, getattr(settings, name)) for name in [*MENUS, *SWITCHES, "pin_group", "use_ground"])
    return found


def apply_preset(settings, preset):
    for key in MATERIAL_KEYS:
        setattr(settings, key, getattr(preset, key))


def baked_range(settings):
    """(first, last) frame of the cache, None: there is none."""
    return (settings.baked_first, settings.baked_last) if settings.baked_last >= settings.baked_first else None
