"""Live: an object wobbles as the timeline plays, without a bake.

An object is live if it has the modifier of live_display; simulations are kept beside it, by the object's name.
"""
import bpy
from bpy.app.handlers import persistent

from . import bake_operators, cache_attach, live_display
from .bake_operators import can_press, why_not_a_body_of_mesh, why_not_bake
from .live_simulation import LiveSimulation
from .panel_parts import SubPanel, draw_property, in_sidebar
from .panel_text import sentence

_simulations = {}   # object name: LiveSimulation
_is_busy = False    # a simulation sets frames itself
_is_rendering = False
_saved_without = []  # names of objects whose modifier was taken off for a save


def is_live(obj):
    return live_display.find_modifier(obj) is not None


def switch_on(obj):
    if not is_live(obj):
        live_display.attach(obj, _index(obj))


def switch_off(obj):
    """Leaves nothing behind. Of no effect if the object is not live."""
    _forget(obj.name)
    if is_live(obj):
        live_display.detach(obj)


def _index(obj):
    """After the cache if there is one, else where it would be."""
    modifiers, after = list(obj.modifiers), cache_attach.modifiers_after_input(obj)
    index = len(modifiers) - len(after)
    return index + 1 if cache_attach.find_modifier(obj) else index


def _live_objects(scene):
    return [obj for obj in scene.objects if obj.type == "MESH" and is_live(obj) and obj.jounce.enabled]


def _simulation(obj):
    found = _simulations.get(obj.name)
    if found is None or found.vertex_budget != obj.jounce.live_vertices:
        _forget(obj.name)
        found = _simulations[obj.name] = LiveSimulation(obj.name, obj.jounce.live_vertices)
    return found


def _forget(name):
    found = _simulations.pop(name, None)
    if found is not None:
        found.end()


def _is_idle(scene):
    """Frames that are set by a bake, a render, a check or for another window's scene are not played."""
    return (_is_busy or _is_rendering or bake_operators.running() is not None or scene != bpy.context.scene
            or any(obj.jounce.hidden_modifiers for obj in scene.objects))


def _forget_ended():
    """Simulations whose object was removed, renamed or is no longer live."""
    live = {obj.name for obj in bpy.data.objects if obj.type == "MESH" and is_live(obj)}
    ended = [name for name in _simulations if name not in live]
    for name in ended:
        _forget(name)
    if ended:
        live_display.remove_unused()


@persistent
def _before_frame(scene, *_):
    if not _is_idle(scene):
        for obj in _live_objects(scene):
            _simulation(obj).before_frame(obj)


@persistent
def _after_frame(scene, *_):
    global _is_busy
    _forget_ended()
    if _is_idle(scene):
        return
    first_frame = scene.frame_preview_start if scene.use_preview_range else scene.frame_start
    shown, _is_busy = {}, True
    try:
        for obj in _live_objects(scene):  # all are read before any is shown, which makes Blender evaluate them again
            shown[obj.name] = _simulation(obj).read_frame(bpy.context, obj, first_frame)
    finally:
        _is_busy = False
        for obj in _live_objects(scene):
            if shown.get(obj.name) is not None:
                live_display.show(obj, shown[obj.name])
            _simulation(obj).after_frame(obj)


@persistent
def _before_render(*_):
    global _is_rendering
    _is_rendering = True


@persistent
def _after_render(*_):
    global _is_rendering
    _is_rendering = False


@persistent
def _before_save(*_):
    """Files are saved without it."""
    _saved_without[:] = [obj.name for obj in bpy.data.objects if obj.type == "MESH" and is_live(obj)]
    for name in _saved_without:
        live_display.detach(bpy.data.objects[name])
    live_display.remove_unused()


@persistent
def _after_save(*_):
    for name in _saved_without:
        obj = bpy.data.objects.get(name)
        if obj is not None:
            switch_on(obj)
            _forget(name)
    _saved_without.clear()


def end_all(*_):
    for name in list(_simulations):
        _forget(name)


@persistent
def _before_load(*_):
    end_all()


@persistent
def _after_load(*_):
    """What was saved by itself while an object was live."""
    for obj in bpy.data.objects:
        if obj.type == "MESH" and obj.library is None:
            switch_off(obj)
    live_display.remove_unused()


@persistent
def _after_undo(*_):
    """The scene is another one: simulations start anew."""
    end_all()
    live_display.remove_unused()


class JOUNCE_OT_live(bpy.types.Operator):
    """Simulate as the timeline plays, on a coarser mesh and without a cache: press Play and it wobbles. It starts anew at
    the first frame. Renders do not show it"""
    bl_idname = "jounce.live"
    bl_label = "Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_a_body_of_mesh(context) or why_not_bake(context))

    def execute(self, context):
        obj = context.object
        if is_live(obj):
            switch_off(obj)
        else:
            switch_on(obj)
        return {"FINISHED"}


class JOUNCE_PT_live(SubPanel, bpy.types.Panel):
    bl_label = "Live"

    def draw(self, context):
        layout, obj = self.layout, context.object
        layout.use_property_split = True
        live = is_live(obj)
        layout.operator("jounce.live", icon="PLAY", depress=live)
        draw_property(layout, obj.jounce, "live_vertices")
        for text, icon in status_lines(obj):
            sentence(context, layout, text, icon)


def status_lines(obj):
    """[(sentence, icon)] on what Live does with the object now."""
    if not is_live(obj):
        return []
    found = _simulations.get(obj.name)
    if found is None or not (found.message or found.vertex_count):
        return [("Press Play.", "INFO")]
    if found.message:
        return [(found.message, "ERROR")]
    return [("{} simulated vertices, {:.0f} ms a frame.".format(found.vertex_count, 1e3 * found.frame_seconds), "INFO")]


_HANDLERS = {"frame_change_pre": _before_frame, "frame_change_post": _after_frame, "render_init": _before_render,
             "render_complete": _after_render, "render_cancel": _after_render, "save_pre": _before_save,
             "save_post": _after_save, "save_post_fail": _after_save, "load_pre": _before_load, "load_post": _after_load,
             "undo_post": _after_undo, "redo_post": _after_undo}

CLASSES = (JOUNCE_OT_live, JOUNCE_PT_live, in_sidebar(JOUNCE_PT_live))


def register():
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    for obj in bpy.data.objects:
        if obj.type == "MESH" and obj.library is None:
            switch_off(obj)
    live_display.remove_unused()
    end_all()
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
