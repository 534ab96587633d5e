"""Jounce for Blender: bakes jiggle and secondary motion to Alembic.

blender_manifest.toml is what Blender reads when the zip is installed as an extension, bl_info when as an old-style
add-on. All modules except modifier_stack use bpy. `jounce` is the bridge to the core, with the core beside it;
`jounce.host` is shared by the add-ons for all hosts.
"""
import bpy

from . import jounce, operators, panel, properties

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
    settings = properties.create_settings_class()
    _register_classes([settings, *operators.CLASSES, *panel.CLASSES])
    bpy.types.Object.jounce = bpy.props.PointerProperty(type=settings)


def unregister():
    if hasattr(bpy.types.Object, "jounce"):
        del bpy.types.Object.jounce
    while _registered:
        bpy.utils.unregister_class(_registered.pop())


def _register_classes(classes):
    for cls in classes:
        bpy.utils.register_class(cls)
        _registered.append(cls)
