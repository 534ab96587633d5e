"""The panels, in the Physics tab of the Properties editor and in the sidebar of the 3D view."""
import math

import bpy

from . import bake_operators, cache_attach, force_fields, forecast, panel_text, scene_reader, state, tet_overlay
from .body_panels import JOUNCE_PT_material, JOUNCE_PT_regions, JOUNCE_UL_regions
from .jounce.host import cache_state, hints
from .jounce.host.artist_settings import KEYED
from .mesh_reader import BODY_TYPES, HAIR
from .panel_parts import JouncePanel, SubPanel, draw_properties, draw_property, has_weights, in_sidebar, search_weights
from .panel_text import sentence


class JOUNCE_PT_main(JouncePanel, bpy.types.Panel):
    bl_label = "Jounce"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in BODY_TYPES

    def draw(self, context):
        obj, layout = context.object, self.layout
        settings = obj.jounce
        layout.use_property_split = True
        if not settings.enabled:
            layout.operator("jounce.add", icon="ADD")
            return
        found = state.of(context, obj, bake_operators.running())
        for step in hints.next_steps(_facts(context, obj, found)):
            sentence(context, layout, step, "INFO")
        _draw_message(context, layout, settings)
        _draw_foresight(context, layout, obj, found)
        if obj.type != HAIR:
            layout.operator("jounce.suggest")
        search_weights(layout, settings, "pin_group", obj)
        draw_property(layout, settings, "follow_frequency")
        if settings.follow_frequency > 0:
            search_weights(layout, settings, "follow_group", obj)
        _draw_buttons(layout, found)


def _draw_message(context, layout, settings):
    if settings.message:
        box = layout.box()
        box.alert = settings.message_level == "ERROR"
        sentence(context, box, settings.message, "ERROR")


def _draw_foresight(context, layout, obj, found):
    """What will go wrong, before the bake; the rest of it has its own panel."""
    if found.kind == cache_state.BAKING:
        return
    foresight = forecast.of(context, obj)
    for text in foresight.warnings if foresight else ():
        box = layout.box()
        sentence(context, box, text, "ERROR")


def _draw_buttons(layout, found):
    row = layout.row(align=True)
    row.operator("jounce.bake", text=_bake_text(found), icon="PHYSICS")
    row.operator("jounce.free", text="Free")
    row = layout.row(align=True)
    row.operator("jounce.resume")
    row.operator("jounce.attach")
    row = layout.row(align=True)
    row.operator("jounce.bake_selected")
    row.operator("jounce.bake_all")
    layout.operator("jounce.remove", icon="X")


def _bake_text(found):
    if found.kind == cache_state.BAKING:
        return "Baking"
    return "Bake" if found.kind == cache_state.EMPTY else "Bake Again"


class JOUNCE_PT_forecast(SubPanel, bpy.types.Panel):
    bl_label = "Before the Bake"

    def draw(self, context):
        layout, obj = self.layout, context.object
        found = forecast.of(context, obj)
        for text in found.lines if found else ():
            sentence(context, layout, text + ".", "INFO")
        for finding in found.findings if found else ():
            sentence(context, layout, finding["text"], "ERROR" if finding["warning"] else "DOT")
            layout.operator("jounce.select_places").finding = finding["name"]
        cost = forecast.cost(context, obj)
        if cost:
            sentence(context, layout, cost + ".", "TIME")
        row = layout.row(align=True)
        row.operator("jounce.check")
        row.operator("jounce.estimate")


class JOUNCE_PT_simulation(SubPanel, bpy.types.Panel):
    bl_label = "Simulation"

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        draw_property(layout, settings, "use_preview")
        resolution = "preview_resolution" if settings.use_preview else "resolution"
        draw_property(layout, settings, resolution, slider=settings.use_preview)
        layout.operator("jounce.show_tets", icon="MESH_ICOSPHERE", depress=tet_overlay.overlay.is_shown(context.object))
        draw_properties(layout, settings, ("keep_pieces_apart", "integrator", "steps_per_frame"))
        line = _integrator_line(context)
        if line:
            sentence(context, layout, line + ".", "INFO")
        draw_properties(layout, settings, ("error_tolerance", "samples_per_frame"))


class JOUNCE_PT_animation(SubPanel, bpy.types.Panel):
    bl_label = "Animation"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        draw_property(layout, settings, "rest_follows_animation", slider=True)
        draw_property(layout, settings, "use_rest_frame")
        if settings.use_rest_frame:
            draw_property(layout, settings, "rest_frame")
        draw_property(layout, settings, "use_bones")
        if settings.use_bones:
            draw_property(layout, settings, "bone_radius")
        draw_properties(layout, settings, ("settle", "keep_shape", "preroll"))
        draw_property(layout, settings, "travel_influence", slider=True)
        draw_properties(layout, settings, ("cut_distance", "cuts"))
        layout.label(text="Keys")
        draw_properties(layout, settings, KEYED)


class JOUNCE_PT_contact(SubPanel, bpy.types.Panel):
    bl_label = "Contact"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.object.jounce
        layout.use_property_split = True
        draw_property(layout, settings, "use_ground")
        if settings.use_ground:
            draw_property(layout, settings, "ground_height")
        draw_properties(layout, settings, ("collider_collection", "touch_bodies", "self_contact", "friction",
                                           "contact_method", "contact_thickness", "strict"))


class JOUNCE_PT_world(SubPanel, bpy.types.Panel):
    bl_label = "World"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, scene = self.layout, context.scene
        layout.use_property_split = True
        draw_properties(layout, scene, ("use_gravity", "gravity"))
        gravity = math.hypot(*scene_reader.read_gravity(scene))
        sentence(context, layout, "That is {:.3g} m/s2 where one unit is {:.3g} m.".format(
            gravity, scene_reader.metres_per_unit(scene)), "INFO")
        settings = context.object.jounce
        draw_properties(layout, settings, ("air_density", "wind", "use_fields"))
        if settings.use_fields:
            draw_property(layout, settings, "field_collection")
            names = [obj.name for obj in force_fields.field_objects(scene, [context.object])]
            sentence(context, layout, "Force fields: {}.".format(", ".join(names) or "none"), "FORCE_FORCE")
            for text in force_fields.notes_on(scene, context.object):
                sentence(context, layout, text, "ERROR")


class JOUNCE_PT_job(SubPanel, bpy.types.Panel):
    bl_label = "Job"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        for name in ("jounce.write_job", "jounce.copy_command", "jounce.attach_result"):
            self.layout.operator(name)


class JOUNCE_PT_report(SubPanel, bpy.types.Panel):
    bl_label = "Last Bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, report = self.layout, state.report(context.object)
        if not report:
            layout.label(text="Nothing is baked")
            return
        for line in panel_text.energy_lines(report):
            layout.label(text=line)
        if report.get("choice"):
            sentence(context, layout, report["choice"] + ".", "INFO")
        for frame, text in report.get("warnings", [])[:panel_text.SHOWN_WARNINGS]:
            row = layout.row()
            row.label(text=text, icon="ERROR")
            row.operator("jounce.jump", text="Frame {}".format(frame)).frame = frame


def _facts(context, obj, found):
    settings, scene = obj.jounce, context.scene
    return hints.Facts(
        pin_group=settings.pin_group,
        pin_group_exists=has_weights(obj, settings.pin_group),
        follows=settings.follow_frequency > 0 or obj.type == HAIR,  # roots are held
        use_ground=settings.use_ground,
        gravity=math.hypot(*scene_reader.read_gravity(scene)),
        frame_range=(scene.frame_start, scene.frame_end),
        state=found,
        file_is_saved=bpy.data.is_saved,
        hides_cache=obj.mode != "OBJECT" and not cache_attach.plays_points(obj),
        has_alembic=cache_attach.has_alembic(),
    )


def _integrator_line(context):
    """Of the integrator that the bake will take, as far as that is known."""
    settings, fps = context.object.jounce, scene_reader.read_fps(context.scene)
    found = forecast.of(context, context.object)
    if settings.integrator == hints.AUTOMATIC and found and found.integrator:
        return hints.chosen_integrator_line(found.integrator, found.steps_per_frame, fps)
    return hints.core_integrator_line(settings.integrator, settings.steps_per_frame, fps)


_PHYSICS = (JOUNCE_PT_main, JOUNCE_PT_material, JOUNCE_PT_forecast, JOUNCE_PT_regions, JOUNCE_PT_simulation,
            JOUNCE_PT_animation, JOUNCE_PT_contact, JOUNCE_PT_world, JOUNCE_PT_report, JOUNCE_PT_job)


CLASSES = (JOUNCE_UL_regions, *_PHYSICS, *map(in_sidebar, _PHYSICS))
