"""What the artist sets, stored on the object. Labels, tooltips, limits and defaults come from the core's tables."""
import math

import bpy

from .jounce import layout, tables
from .jounce.host.artist_settings import MENUS, NUMBERS, SWITCHES, menu_defaults, menu_number
from .jounce.host.bake_description import MATERIAL_KEYS, typed_number


def menu_items(entries):
    """Items of an EnumProperty."""
    return [(entry.name, entry.label, entry.summary, menu_number(entry.name)) for entry in entries]


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
    defaults = menu_defaults()
    found = {name: _number(*place) for name, place in NUMBERS.items()}
    found.update((name, _switch(*place)) for name, place in SWITCHES.items())
    found.update((name, _menu(*place, defaults[name])) for name, place in MENUS.items())
    found.update(
        enabled=bpy.props.BoolProperty(name="Jounce", description="This object is simulated"),
        pin_group=bpy.props.StringProperty(
            name="Pin Group",
            description="Vertex group: weight 1 follows the animation exactly, lower weights yield more, the rest wobbles"),
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
