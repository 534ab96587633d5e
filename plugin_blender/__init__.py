"""Jounce for Blender: bakes jiggle and secondary motion to Alembic.

blender_manifest.toml is what Blender reads when the zip is installed as an extension, bl_info when as an old-style
add-on. All modules except modifier_stack use bpy. `jounce` is the bridge to the core, with the core beside it;
`jounce.host` is shared by the add-ons for all hosts and holds everything that does not touch bpy.

    properties, panel, body_panels, panel_parts, panel_text   what the artist sets and sees
    operators, bake_operators, take_operators, job_operators   what the buttons do
    overlay, object_overlay, tet_overlay, region_overlay   what is seen over the viewport
    scene_reader, body_reader, mesh_reader, weights, colliders, bones, force_fields, animation_curves   the scene
    bake_session, cache_attach, take_folder   a bake, what plays it, and where its files are
    state, fingerprint, forecast       what is baked, from what, and what would be
    suggest                            weights from bones and shapes
    live, live_simulation, live_display   the simulation while the timeline plays
    handlers                           opening, saving, undoing
"""
import bpy

from . import (bake_operators, forecast, handlers, job_operators, jounce, live, operators, panel, properties,
               region_overlay, suggest, take_operators, tet_overlay)

bl_info = {
    "name": "Jounce",
    "author": "Jounce contributors",
    "version": (0, 1, 0),
    "blender": (4, 2, 0),
    "location": "Properties > Physics",
    "description": "Bakes jiggle and secondary motion to Alembic",
    "category": "Physics",
}

_registered = []


class JOUNCE_PT_unavailable(bpy.types.Panel):
    """Stands in for all panels when the core cannot be loaded"""
    bl_label = "Jounce"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"
    reason = ""

    def draw(self, context):
        self.layout.label(text=self.reason, icon="ERROR")


def register():
    try:
        jounce.load()
    except jounce.LibraryError as error:
        JOUNCE_PT_unavailable.reason = str(error)
        _register_classes([JOUNCE_PT_unavailable])
        return
    region, settings = properties.create_classes()
    buttons = [*operators.CLASSES, *bake_operators.CLASSES, *take_operators.CLASSES, *job_operators.CLASSES,
               *suggest.CLASSES]
    _register_classes([region, settings, *buttons, *panel.CLASSES, *live.CLASSES])
    bpy.types.Object.jounce = bpy.props.PointerProperty(type=settings, override=properties.OVERRIDABLE)
    handlers.register()
    live.register()


def unregister():
    if hasattr(bpy.types.Object, "jounce"):
        live.unregister()
        handlers.unregister()
        forecast.unregister()
        tet_overlay.overlay.unregister()
        region_overlay.overlay.unregister()
        del bpy.types.Object.jounce
    while _registered:
        bpy.utils.unregister_class(_registered.pop())


def _register_classes(classes):
    for cls in classes:
        bpy.utils.register_class(cls)
        _registered.append(cls)
