"""What the artist sets, stored on the object. Labels, tooltips, limits and defaults come from the core's tables.

Only the numbers that are meant to be keyed can be: a key on any other would be ignored by the bake. All of them can be set
on library overrides.
"""
import math

import bpy

from .jounce import layout, tables
from .jounce.host.artist_settings import (DAMPING_WAYS, KEYED, MENUS, NUMBERS, REGION_VALUES, SPRINGS, STIFFNESS_WAYS, SWITCHES,
                                          default_of, menu_defaults, menu_number)
from .jounce.host.bake_description import MATERIAL_KEYS, typed_number
from .jounce.host.region_colours import colour_of

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
# Options of properties that cannot be keyed.
STILL = {"options": set(), "override": OVERRIDABLE}
# Effects on the object itself; `attach` holds two bodies together, and a bake here has one.
_OTHER_EFFECTS = ("attach",)


def menu_items(entries):
    """Items of an EnumProperty."""
    return [(entry.name, entry.label, entry.summary, menu_number(entry.name)) for entry in entries]


def effect_entries():
    """What a region may do."""
    return [entry for entry in tables.region_effects() if entry.name not in _OTHER_EFFECTS]


def _number(name, scope, key, **more):
    setting = tables.setting(scope, key)
    label = "{} ({})".format(setting.label, setting.unit) if setting.unit else setting.label
    options = dict({"name": label, "description": setting.summary}, **more)
    default = options.pop("default", default_of(name, setting))
    if setting.type == layout.JN_SETTING_INTEGER:
        return bpy.props.IntProperty(default=int(default), min=int(setting.minimum), max=int(setting.maximum), **options)
    if math.isfinite(setting.minimum):
        options.setdefault("min", setting.minimum)
    if math.isfinite(setting.maximum):
        options["max"] = setting.maximum
    digits = 1 if default >= 10 else 3
    options.setdefault("precision", digits)
    return bpy.props.FloatProperty(default=default, **options)


def _switch(scope, key):
    setting = tables.setting(scope, key)
    return bpy.props.BoolProperty(name=setting.label, description=setting.summary, default=bool(setting.default_value),
                                  **STILL)


def _menu(scope, key, entries, default):
    setting = tables.setting(scope, key)
    return bpy.props.EnumProperty(name=setting.label, description=setting.summary, items=menu_items(entries()),
                                  default=default, **STILL)


def _ways(name, description, ways):
    return bpy.props.EnumProperty(name=name, description=description, default=ways[0][0], **STILL,
                                  items=[(way, label, text, menu_number(way)) for way, label, text in ways])


def _group(name, description):
    return bpy.props.StringProperty(name=name, description=description, **STILL)


def _region_annotations():
    return {
        "group": _group("Vertex Group", "Where it acts: fully where the weight is 1, not at all where it is 0"),
        "effect": bpy.props.EnumProperty(name="Effect", description=tables.setting("region", "effect").summary,
                                         items=menu_items(effect_entries()), update=_set_usual_value, **STILL),
        "value": bpy.props.FloatProperty(name="Value", description=tables.setting("region", "value").summary, min=0.0,
                                         max=1e12, default=REGION_VALUES["goal"], **STILL),
        "colour": bpy.props.FloatVectorProperty(name="Colour", description="In the viewport, with Show Regions", size=3,
                                                subtype="COLOR", min=0.0, max=1.0, default=colour_of(0), **STILL),
    }


def _set_usual_value(region, context):
    region.value = REGION_VALUES.get(region.effect, 1.0)


def _annotations(region_class):
    defaults = menu_defaults()
    found = {name: _number(name, *place, **STILL) for name, place in NUMBERS.items()}
    found.update((name, _number(name, *place, override=OVERRIDABLE)) for name, place in KEYED.items())
    found.update((name, _number(name, *place, min=0.0, default=0.0, precision=6, **STILL)) for name, place in SPRINGS.items())
    found.update((name, _switch(*place)) for name, place in SWITCHES.items())
    found.update((name, _menu(*place, defaults[name])) for name, place in MENUS.items())
    found.update(
        enabled=bpy.props.BoolProperty(name="Jounce", description="This object is simulated", **STILL),
        stiffness_way=_ways("Stiffness by", "How the stiffness is given", STIFFNESS_WAYS),
        sag_percent=bpy.props.FloatProperty(
            name="Sag (%)", description="How far it sags under its own weight, in percent of its longest side: 1 firm, "
            "5 soft, 20 very soft", min=0.001, max=100.0, default=3.0, **STILL),
        damping_way=_ways("Damping by", "How the damping is given", DAMPING_WAYS),
        pin_group=_group("Pin Group", "Vertex group: weight 1 follows the animation exactly, lower weights yield more, "
                         "the rest wobbles"),
        follow_group=_group("Follow Group", "Vertex group that is drawn softly to the animation, by its weights; none: all "
                            "of the object"),
        follow_frequency=bpy.props.FloatProperty(
            name="Follow (Hz)", description="How firmly what is not pinned is drawn to the animation: 0 not at all, 1 "
            "loosely, 3 as soft flesh on a rig, 10 firmly", min=0.0, max=100.0, default=0.0, **STILL),
        regions=bpy.props.CollectionProperty(type=region_class, name="Regions",
                                             description="Vertex groups and what each does",
                                             override=OVERRIDABLE | {"USE_INSERTION"}),
        region_index=bpy.props.IntProperty(name="Region", **STILL),
        use_ground=bpy.props.BoolProperty(name="Ground", description="Collide with an endless level floor", **STILL),
        ground_height=bpy.props.FloatProperty(name="Height", description="Height of the floor in the scene",
                                              subtype="DISTANCE", **STILL),
        touch_bodies=bpy.props.BoolProperty(
            name="Touch Other Bodies", description="Baked together with all others that have this on: they touch each other",
            **STILL),
        collider_collection=bpy.props.PointerProperty(
            type=bpy.types.Collection, name="Colliders", description="Every mesh in this collection is an obstacle, as it "
            "is animated and deformed", override=OVERRIDABLE),
        use_fields=bpy.props.BoolProperty(
            name="Force Fields", description="The force fields of the scene act on it: a strength of 9.81 is as strong as "
            "gravity", default=True, **STILL),
        field_collection=bpy.props.PointerProperty(
            type=bpy.types.Collection, name="Fields", description="Only the force fields of this collection act; none: all of "
            "the scene", override=OVERRIDABLE),
        wind=bpy.props.FloatVectorProperty(name=tables.setting("world", "wind").label,
                                           description=tables.setting("world", "wind").summary, **STILL),
        use_rest_frame=bpy.props.BoolProperty(name="Rest Frame", description=tables.setting("body", "rest_frame").summary,
                                              **STILL),
        rest_frame=bpy.props.IntProperty(name="Frame", description=tables.setting("body", "rest_frame").summary, default=1,
                                         **STILL),
        cuts=bpy.props.StringProperty(name=tables.setting("body", "cuts").label,
                                      description=tables.setting("body", "cuts").summary + " With commas: 24, 90", **STILL),
        use_bones=bpy.props.BoolProperty(
            name="Bones", description="The deforming bones of the armature are rigid parts inside, which hold and move what "
            "they cover", **STILL),
        bone_radius=bpy.props.FloatProperty(name="Bone Radius", description="Of each bone's length: 0.1 slim, 0.3 stout",
                                            min=0.01, max=2.0, default=0.15, **STILL),
        use_preview=bpy.props.BoolProperty(
            name="Quick Preview", description="Bake on a coarser simulation mesh, to see the motion soon", **STILL),
        preview_resolution=_number("preview_resolution", *NUMBERS["resolution"], **STILL),
        live_vertices=bpy.props.IntProperty(
            name="Live Vertices", description="About as many vertices are simulated while Live plays, on a mesh that is "
            "never finer than the bake's: fewer keep the frame rate", min=50, max=100000, default=800, **STILL),
        # What a bake has switched off while it runs, so that a file saved meanwhile can be put right when it is opened.
        hidden_modifiers=bpy.props.StringProperty(options={"HIDDEN"}, override=OVERRIDABLE),
        message=bpy.props.StringProperty(name="Last Message", description="How the last bake ended", **STILL),
        message_level=bpy.props.StringProperty(options={"HIDDEN"}, override=OVERRIDABLE),
    )
    return found


def create_classes():
    """(region class, settings class), PropertyGroups; made when the add-on is registered, because the core's tables
    decide what is in them."""
    region = type("JounceRegion", (bpy.types.PropertyGroup,), {
        "__doc__": "A vertex group and what it does", "__annotations__": _region_annotations()})
    settings = type("JounceSettings", (bpy.types.PropertyGroup,), {
        "__doc__": "Jounce settings of an object", "__annotations__": _annotations(region)})
    return region, settings


# Settings that are neither numbers nor menus nor check boxes of the core's tables.
_OWN_NUMBERS = ("ground_height", "sag_percent", "follow_frequency", "bone_radius", "preview_resolution")
_OWN_VALUES = ("pin_group", "follow_group", "use_ground", "stiffness_way", "damping_way", "use_rest_frame", "rest_frame",
               "cuts", "use_bones", "use_preview", "touch_bodies",
               "use_fields")


def values(settings):
    """The settings as a plain dict, numbers as the artist typed them; keyed ones are not here."""
    numbers = {name: getattr(settings, name) for name in [*NUMBERS, *SPRINGS, *_OWN_NUMBERS]}
    found = {name: typed_number(value) if isinstance(value, float) else value for name, value in numbers.items()}
    found.update((name, getattr(settings, name)) for name in [*MENUS, *SWITCHES, *_OWN_VALUES])
    found["wind"] = tuple(typed_number(component) for component in settings.wind)
    found["regions"] = [{"group": region.group, "effect": region.effect, "value": typed_number(region.value)}
                        for region in settings.regions]
    found["field_collection"] = settings.field_collection.name if settings.field_collection else ""
    found["collider_collection"] = settings.collider_collection.name if settings.collider_collection else ""
    return found


def resolution(values_of_settings):
    """Of the simulation mesh that a bake would have now."""
    return values_of_settings["preview_resolution" if values_of_settings["use_preview"] else "resolution"]


def apply_preset(settings, preset):
    for key in MATERIAL_KEYS:
        setattr(settings, key, getattr(preset, key))
    settings.stiffness_way, settings.damping_way = "modulus", "coefficient"
