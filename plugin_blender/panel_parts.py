"""What the panels are made of: where they are, and how they show properties."""
import bpy

from . import panel_text
from .jounce.host.wrapping import USUAL_SHARE, label_share
from .mesh_reader import BODY_TYPES, HAIR


class JouncePanel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"


class SubPanel(JouncePanel):
    bl_parent_id = "JOUNCE_PT_main"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in BODY_TYPES and context.object.jounce.enabled


# Points of a panel's width that are not its fields', and that a field needs beside its text.
_MARGIN, _LABEL_GAP, _NUMBER, _CHECK_BOX, _MENU_ARROW = 38, 12, 60, 28, 32


def draw_properties(layout, settings, names):
    """One below the other."""
    for name in names:
        draw_property(layout, settings, name)


def draw_property(layout, settings, name, **options):
    """A field with its label. Where Blender would cut one of them at the panel's width, each gets the room that it needs."""
    context, rna = bpy.context, settings.bl_rna.properties[name]
    label, value = _widths(context, settings, rna)
    room = panel_text.room(context, _MARGIN)
    share = label_share(label, value, room)
    if rna.type in {"POINTER", "STRING"} or getattr(rna, "is_array", False) or rna.is_animatable or share == USUAL_SHARE:
        layout.prop(settings, name, **options)
        return
    split = layout.split(factor=share)
    split.use_property_split = False
    title = split.row()
    title.alignment = "RIGHT"
    title.label(text="" if rna.type == "BOOLEAN" else rna.name)
    split.prop(settings, name, **options, **({} if rna.type == "BOOLEAN" else {"text": ""}))


def _widths(context, settings, rna):
    """Pixels that the label and the value of a field take."""
    scale, label = context.preferences.system.ui_scale, panel_text.width(context, rna.name)
    if rna.type == "BOOLEAN":  # its label is beside the box
        return 0, label + _CHECK_BOX * scale
    if rna.type == "ENUM":
        chosen = rna.enum_items.get(getattr(settings, rna.identifier))
        return label + _LABEL_GAP * scale, panel_text.width(context, chosen.name if chosen else "") + _MENU_ARROW * scale
    return label + _LABEL_GAP * scale, _NUMBER * scale


def search_weights(layout, owner, name, obj):
    """A field for a vertex group, or of hair for an attribute of its points."""
    if obj.type == HAIR:
        layout.prop_search(owner, name, obj.data, "attributes")
    else:
        layout.prop_search(owner, name, obj, "vertex_groups")


def has_weights(obj, name):
    return name in (obj.data.attributes if obj.type == HAIR else obj.vertex_groups)


def in_sidebar(panel):
    """The same panel in the sidebar of the 3D view."""
    places = {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Jounce", "bl_context": ""}
    if hasattr(panel, "bl_parent_id"):
        places["bl_parent_id"] = "JOUNCE_PT_view_main"
        places["bl_options"] = {"DEFAULT_CLOSED"}
    parts = {name: getattr(panel, name) for name in ("draw", "poll", "bl_label")}
    parts["poll"] = classmethod(panel.poll.__func__)
    name = panel.__name__.replace("_PT_", "_PT_view_")
    return type(name, (bpy.types.Panel,), dict(parts, **places))
