"""What the buttons do, but for those of the bake itself. Every button is an operator that scripts can call too."""
import functools

import bpy

from . import cache_attach, forecast, live, properties, region_overlay, scene_reader, take_folder, tet_overlay
from .bake_operators import (can_press, running, together_with, why_not_a_body_of_mesh, why_not_a_mesh, why_not_bake,
                             why_not_simulated)
from .jounce import JounceError, tables
from .jounce.host import artist_settings, foresight
from .jounce.host.region_colours import colour_of
from .jounce.host.scene_checks import SceneError
from .mesh_reader import HAIR as HAIR_TYPE

# Modifiers that pose a mesh: what they lead is drawn softly to its place from the start.
POSING_TYPES = {"ARMATURE", "LATTICE", "MESH_DEFORM", "SURFACE_DEFORM", "CURVE", "HOOK"}
POSED_FOLLOW_FREQUENCY = 3.0


class JOUNCE_OT_add(bpy.types.Operator):
    """Make the active mesh, or hair curves, wobble, with a material that holds its shape at this size"""
    bl_idname = "jounce.add"
    bl_label = "Add Jounce"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_not_a_mesh(context)
        return can_press(cls, reason or ("The object has Jounce already" if context.object.jounce.enabled else ""))

    def execute(self, context):
        obj = context.object
        obj.jounce.enabled = True
        if obj.type == HAIR_TYPE:
            for name, value in artist_settings.HAIR.items():
                setattr(obj.jounce, name, value)
            obj.jounce.stiffness_way, obj.jounce.damping_way = "modulus", "coefficient"
            return {"FINISHED"}
        preset, seconds = forecast.starting_material(context, obj)
        properties.apply_preset(obj.jounce, preset)
        obj.jounce.damping_way, obj.jounce.settle_seconds = "seconds", seconds
        if any(modifier.type in POSING_TYPES for modifier in obj.modifiers) or obj.data.shape_keys:
            obj.jounce.rest_follows_animation = 1.0
            obj.jounce.follow_frequency = POSED_FOLLOW_FREQUENCY
        return {"FINISHED"}


class SimulatedOperator:
    """Needs an active object with Jounce, and no bake of it."""
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_simulated(context) or ("A bake is running: Esc stops it" if running() else ""))


class JOUNCE_OT_remove(SimulatedOperator, bpy.types.Operator):
    """Remove Jounce and its cache from the active mesh. The file is removed when you save"""
    bl_idname = "jounce.remove"
    bl_label = "Remove Jounce"

    def execute(self, context):
        live.switch_off(context.object)
        take_folder.free(cache_attach.detach(context.object))
        context.object.property_unset("jounce")
        return {"FINISHED"}


class JOUNCE_OT_apply_preset(SimulatedOperator, bpy.types.Operator):
    """Use the numbers of a ready-made material"""
    bl_idname = "jounce.apply_preset"
    bl_label = "Material Preset"

    preset: bpy.props.EnumProperty(name="Preset", items=lambda self, context: preset_items())

    def execute(self, context):
        found = next(preset for preset in tables.presets() if preset.name == self.preset)
        properties.apply_preset(context.object.jounce, found)
        return {"FINISHED"}


@functools.cache
def preset_items():
    """Blender calls this repeatedly and needs the strings to stay alive."""
    return properties.menu_items(tables.presets())


class JOUNCE_OT_region_add(SimulatedOperator, bpy.types.Operator):
    """Add a region: a vertex group and what it does"""
    bl_idname = "jounce.region_add"
    bl_label = "Add Region"

    effect: bpy.props.EnumProperty(name="Effect", items=lambda self, context: effect_items())

    def execute(self, context):
        obj = context.object
        region = obj.jounce.regions.add()
        active = obj.vertex_groups.active if obj.type != HAIR_TYPE else None
        region.group = active.name if active else ""
        region.effect = self.effect
        region.colour = colour_of(len(obj.jounce.regions) - 1)
        obj.jounce.region_index = len(obj.jounce.regions) - 1
        return {"FINISHED"}


@functools.cache
def effect_items():
    """As preset_items."""
    return properties.menu_items(properties.effect_entries())


class JOUNCE_OT_region_remove(SimulatedOperator, bpy.types.Operator):
    """Remove the chosen region; its vertex group stays"""
    bl_idname = "jounce.region_remove"
    bl_label = "Remove Region"

    @classmethod
    def poll(cls, context):
        reason = why_not_simulated(context)
        return can_press(cls, reason or ("" if context.object.jounce.regions else "There is no region"))

    def execute(self, context):
        settings = context.object.jounce
        settings.regions.remove(settings.region_index)
        settings.region_index = max(0, min(settings.region_index, len(settings.regions) - 1))
        return {"FINISHED"}


class JOUNCE_OT_check(SimulatedOperator, bpy.types.Operator):
    """Look at the mesh and say what the bake will do: sag, wobble, and what was found in the mesh"""
    bl_idname = "jounce.check"
    bl_label = "Check"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_simulated(context) or why_not_bake(context))

    def execute(self, context):
        try:
            found = forecast.check(context, context.object)
        except (SceneError, JounceError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for text in found.warnings:
            self.report({"WARNING"}, text)
        for text in found.lines:
            self.report({"INFO"}, text)
        return {"FINISHED"}


class JOUNCE_OT_estimate(SimulatedOperator, bpy.types.Operator):
    """Simulate the first frames to see how long the bake will take and how large its cache will be"""
    bl_idname = "jounce.estimate"
    bl_label = "Estimate"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_simulated(context) or why_not_bake(context))

    def execute(self, context):
        reader = None
        try:
            objects = [bpy.data.objects[name] for name in together_with(context, context.object)]
            reader = scene_reader.BakeReader(context, *objects)
            text = foresight.cost(reader.description(context))
        except (SceneError, JounceError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            if reader is not None:
                reader.close()
        forecast.keep_cost(context.object, text)
        self.report({"INFO"}, text)
        return {"FINISHED"}


class MeshOperator(SimulatedOperator):
    """Needs an active mesh with Jounce, and no bake of it."""

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_a_body_of_mesh(context) or ("A bake is running: Esc stops it" if running() else ""))


class JOUNCE_OT_select_places(MeshOperator, bpy.types.Operator):
    """Select the vertices that this concerns, in Edit Mode"""
    bl_idname = "jounce.select_places"
    bl_label = "Select the Places"

    finding: bpy.props.StringProperty(name="Finding", description="What was found, as the core names it")

    def execute(self, context):
        obj = context.object
        found = forecast.of(context, obj)
        places = next((finding for finding in found.findings if finding["name"] == self.finding), None) if found else None
        if places is None:
            self.report({"ERROR"}, "Nothing of that kind is known of this mesh: press Check.")
            return {"CANCELLED"}
        marked = {vertex for vertex in places["vertices"] if vertex < len(obj.data.vertices)}
        bpy.ops.object.mode_set(mode="OBJECT")
        for part in (obj.data.polygons, obj.data.edges):
            part.foreach_set("select", [False] * len(part))
        obj.data.vertices.foreach_set("select", [index in marked for index in range(len(obj.data.vertices))])
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_mode(type="VERT")
        return {"FINISHED"}


class ShowOverlay(MeshOperator):
    """Shows an object_overlay.ObjectOverlay over the active object, or hides it."""
    bl_options = {"REGISTER"}
    overlay = None

    def execute(self, context):
        obj = context.object
        if self.overlay.is_shown(obj):
            self.overlay.hide(obj)
            return {"FINISHED"}
        try:
            self.overlay.show(obj)
        except (JounceError, SceneError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class JOUNCE_OT_show_tets(ShowOverlay, bpy.types.Operator):
    """Show the simulation mesh over the object, as it is at this resolution; press again to hide it"""
    bl_idname = "jounce.show_tets"
    bl_label = "Show Simulation Mesh"
    overlay = tet_overlay.overlay


class JOUNCE_OT_show_regions(ShowOverlay, bpy.types.Operator):
    """Show the painted regions over the object, each in its colour; press again to hide them"""
    bl_idname = "jounce.show_regions"
    bl_label = "Show Regions"
    overlay = region_overlay.overlay


class JOUNCE_OT_jump(bpy.types.Operator):
    """Go to this frame"""
    bl_idname = "jounce.jump"
    bl_label = "Go to Frame"

    frame: bpy.props.IntProperty(name="Frame")

    def execute(self, context):
        context.scene.frame_set(self.frame)
        return {"FINISHED"}


CLASSES = (JOUNCE_OT_add, JOUNCE_OT_remove, JOUNCE_OT_apply_preset, JOUNCE_OT_region_add, JOUNCE_OT_region_remove,
           JOUNCE_OT_check, JOUNCE_OT_estimate, JOUNCE_OT_select_places,
           JOUNCE_OT_show_tets, JOUNCE_OT_show_regions, JOUNCE_OT_jump)
