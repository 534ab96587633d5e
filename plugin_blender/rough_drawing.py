"""Drawing in one pass while a bake runs and drawing is slow: Blender smooths edges by drawing a view eight times and more."""
import bpy

_before = None  # (what the artist prefers, whether preferences were changed)


def begin():
    """Until end(). May be called again."""
    global _before
    if _before is None and not bpy.app.background:
        preferences = bpy.context.preferences
        _before = (preferences.system.viewport_aa, preferences.is_dirty)
        preferences.system.viewport_aa = "OFF"


def end():
    global _before
    if _before is not None:
        preferences = bpy.context.preferences
        preferences.system.viewport_aa, preferences.is_dirty = _before
        _before = None
