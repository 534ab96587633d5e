"""What the panels are made of: where they are, and how they show properties."""
import bpy

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


def draw_properties(layout, settings, names):
    """One below the other."""
    for name in names:
        layout.prop(settings, name)


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
