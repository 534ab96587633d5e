"""The panels of what a body is made of: its material, and its regions."""
import bpy

from . import properties, region_overlay
from .jounce import tables
from .jounce.host.artist_settings import REGION_VALUES, SOLID, SPRING_NUMBERS, WARPED_LAW
from .jounce.host.bake_description import matching_preset
from .mesh_reader import HAIR
from .panel_parts import SubPanel, draw_properties, draw_property, search_weights


class JOUNCE_PT_material(SubPanel, bpy.types.Panel):
    bl_label = "Material"

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        preset = matching_preset(properties.values(settings), tables.presets())
        layout.operator_menu_enum("jounce.apply_preset", "preset", text=preset.label if preset else "Custom")
        kind = "fibres" if context.object.type == HAIR else settings.kind
        if context.object.type != HAIR:
            draw_property(layout, settings, "kind")
        if kind == SOLID:
            _draw_law(layout, settings)
        else:
            draw_property(layout, settings, "young_modulus")
        draw_property(layout, settings, "damping_way")
        draw_property(layout, settings, "settle_seconds" if settings.damping_way == "seconds" else "stiffness_damping")
        draw_properties(layout, settings, ("density", "poisson_ratio", "mass_damping"))
        if kind != SOLID:
            layout.label(text="Springs; 0 is left to the material")
            draw_properties(layout, settings, SPRING_NUMBERS[kind])


def _draw_law(layout, settings):
    draw_property(layout, settings, "law")
    if settings.law == WARPED_LAW:
        draw_property(layout, settings, "warp")
    draw_property(layout, settings, "stiffness_way")
    ways = {"wobble": "wobble_frequency", "sag": "sag_percent", "modulus": "young_modulus"}
    draw_property(layout, settings, ways[settings.stiffness_way])


class JOUNCE_UL_regions(bpy.types.UIList):
    """Vertex groups and what each does"""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.row(align=True)
        row.label(text=item.group or "(no vertex group)", icon="GROUP_VERTEX" if item.group else "ERROR")
        row.label(text=item.bl_rna.properties["effect"].enum_items[item.effect].name)
        colour = row.row()
        colour.ui_units_x = 1.5
        colour.prop(item, "colour", text="")


class JOUNCE_PT_regions(SubPanel, bpy.types.Panel):
    bl_label = "Regions"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, obj = self.layout, context.object
        settings = obj.jounce
        row = layout.row()
        row.template_list("JOUNCE_UL_regions", "", settings, "regions", settings, "region_index", rows=3)
        column = row.column(align=True)
        column.operator_menu_enum("jounce.region_add", "effect", text="", icon="ADD")
        column.operator("jounce.region_remove", text="", icon="REMOVE")
        layout.operator("jounce.show_regions", icon="BRUSH_DATA", depress=region_overlay.overlay.is_shown(obj))
        if not 0 <= settings.region_index < len(settings.regions):
            return
        region = settings.regions[settings.region_index]
        layout.use_property_split = True
        search_weights(layout, region, "group", obj)
        draw_property(layout, region, "effect")
        if region.effect in REGION_VALUES:
            draw_property(layout, region, "value")
