"""The panels in the Physics tab."""
import math

import bpy

from . import operators, properties, scene_reader
from .jounce import tables
from .jounce.host import hints
from .jounce.host.bake_description import matching_preset


class JouncePanel:
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"


class JOUNCE_PT_main(JouncePanel, bpy.types.Panel):
    bl_label = "Jounce"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        obj, layout = context.object, self.layout
        settings = obj.jounce
        layout.use_property_split = True
        if not settings.enabled:
            layout.operator("jounce.add", icon="ADD")
            return
        for step in hints.next_steps(_facts(context, obj)):
            layout.label(text=step, icon="INFO")
        layout.prop_search(settings, "pin_group", obj, "vertex_groups")
        row = layout.row(align=True)
        row.operator("jounce.bake", text=_bake_text(settings), icon="PHYSICS")
        row.operator("jounce.free", text="Free")
        layout.operator("jounce.remove", icon="X")


class SubPanel(JouncePanel):
    bl_parent_id = "JOUNCE_PT_main"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH" and context.object.jounce.enabled


class JOUNCE_PT_material(SubPanel, bpy.types.Panel):
    bl_label = "Material"

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        preset = matching_preset(properties.values(settings), tables.presets())
        layout.operator_menu_enum("jounce.apply_preset", "preset", text=preset.label if preset else "Custom")
        for name in ("law", "young_modulus", "density", "poisson_ratio", "stiffness_damping", "mass_damping"):
            layout.prop(settings, name)


class JOUNCE_PT_simulation(SubPanel, bpy.types.Panel):
    bl_label = "Simulation"

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        for name in ("resolution", "integrator", "steps_per_frame"):
            layout.prop(settings, name)
        line = _integrator_line(settings, scene_reader.read_fps(context.scene))
        if line:
            layout.label(text=line, icon="INFO")
        layout.prop(settings, "rest_follows_animation", slider=True)
        for name in ("settle", "keep_shape"):
            layout.prop(settings, name)


class JOUNCE_PT_ground(SubPanel, bpy.types.Panel):
    bl_label = "Ground"

    def draw_header(self, context):
        self.layout.prop(context.object.jounce, "use_ground", text="")

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        layout.active = settings.use_ground
        for name in ("ground_height", "friction", "contact_method"):
            layout.prop(settings, name)


def _facts(context, obj):
    settings, scene = obj.jounce, context.scene
    return hints.Facts(
        pin_group=settings.pin_group,
        pin_group_exists=settings.pin_group in obj.vertex_groups,
        use_ground=settings.use_ground,
        gravity=math.hypot(*scene_reader.read_gravity(scene)),
        frame_range=(scene.frame_start, scene.frame_end),
        baked=properties.baked_range(settings),
        file_is_saved=bpy.data.is_saved,
    )


def _integrator_line(settings, fps):
    return hints.core_integrator_line(settings.integrator, 1 / (fps * settings.steps_per_frame))


def _bake_text(settings):
    session = operators.JOUNCE_OT_bake.running
    if session is not None:
        return "Baking {} of {}".format(session.state.frames_done, session.state.frame_count)
    return "Bake Again" if properties.baked_range(settings) else "Bake"


CLASSES = (JOUNCE_PT_main, JOUNCE_PT_material, JOUNCE_PT_simulation, JOUNCE_PT_ground)
