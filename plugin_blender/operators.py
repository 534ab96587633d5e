"""What the buttons do. Every button is an operator that scripts can call too, also without a window."""
import bpy

from . import cache_attach, properties
from .bake_session import BakeSession
from .jounce import tables
from .jounce.host import transition
from .jounce.host.scene_checks import SceneError

TIMER_SECONDS = 0.01


def _simulated(context):
    obj = context.object
    return obj is not None and obj.type == "MESH" and obj.jounce.enabled


class JOUNCE_OT_add(bpy.types.Operator):
    """Make the active mesh wobble"""
    bl_idname = "jounce.add"
    bl_label = "Add Jounce"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj is not None and obj.type == "MESH" and obj.library is None and not obj.jounce.enabled

    def execute(self, context):
        context.object.jounce.enabled = True
        return {"FINISHED"}


class JOUNCE_OT_remove(bpy.types.Operator):
    """Remove Jounce from the active mesh, and its cache"""
    bl_idname = "jounce.remove"
    bl_label = "Remove Jounce"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _simulated(context)

    def execute(self, context):
        cache_attach.detach(context.object)
        context.object.property_unset("jounce")
        return {"FINISHED"}


class JOUNCE_OT_apply_preset(bpy.types.Operator):
    """Use the numbers of a ready-made material"""
    bl_idname = "jounce.apply_preset"
    bl_label = "Material Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(name="Preset", items=lambda self, context: preset_items())

    @classmethod
    def poll(cls, context):
        return _simulated(context)

    def execute(self, context):
        found = next(preset for preset in tables.presets() if preset.name == self.preset)
        properties.apply_preset(context.object.jounce, found)
        return {"FINISHED"}


_preset_items = []


def preset_items():
    """Blender calls this repeatedly and needs the strings to stay alive."""
    if not _preset_items:
        _preset_items.extend(properties.menu_items(tables.presets()))
    return _preset_items


class JOUNCE_OT_bake(bpy.types.Operator):
    """Simulate the scene's frames and play them on the object. Esc stops and keeps the finished frames"""
    bl_idname = "jounce.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    # Of the bake that runs in the window, if any; one at a time.
    running = None
    # Events that reach Blender while a bake runs: looking around is allowed, changing the scene is not.
    VIEW_EVENTS = {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "TRACKPADPAN", "TRACKPADZOOM",
                   "NDOF_MOTION", "WINDOW_DEACTIVATE"}

    @classmethod
    def poll(cls, context):
        if cls.running is not None:
            cls.poll_message_set("A bake is running")
            return False
        return _simulated(context) and context.mode != "EDIT_MESH"

    def invoke(self, context, event):
        if not self._open(context):
            return {"CANCELLED"}
        JOUNCE_OT_bake.running = self._session
        self._shown_state = None
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.progress_begin(0, self._session.world.frame_count)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self._session.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in self.VIEW_EVENTS else {"RUNNING_MODAL"}
        if not self._session.step(context):
            self._show_progress(context)
            return {"RUNNING_MODAL"}
        self._close_window_parts(context)
        return self._finish(context)

    def execute(self, context):
        """Without a window, and from scripts: returns when the bake is over."""
        if not self._open(context):
            return {"CANCELLED"}
        while not self._session.step(context, timeout=0.1):
            pass
        return self._finish(context)

    def cancel(self, context):
        """Blender closes while the bake runs: stop, and keep the frames."""
        self._session.cancel()
        while not self._session.step(context, timeout=0.1):
            pass
        self._close_window_parts(context)
        self._finish(context)

    def _open(self, context):
        if not bpy.app.build_options.alembic:
            self.report({"ERROR"}, "This Blender was built without Alembic and cannot play the cache.")
            return False
        try:
            self._session = BakeSession(context, context.object)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return False
        if not bpy.data.is_saved:
            self.report({"WARNING"}, "The file is not saved: the cache goes to the temporary files and will be lost.")
        return True

    def _finish(self, context):
        level, sentence = self._session.finish(context)
        self.report({level}, sentence)
        return {"FINISHED"} if self._session.state.frames_done else {"CANCELLED"}

    def _show_progress(self, context):
        state = self._session.state
        if state == self._shown_state:
            return
        self._shown_state = state
        context.window_manager.progress_update(state.frames_done)
        for area in context.screen.areas:
            if area.type == "PROPERTIES":
                area.tag_redraw()
        text = "Jounce: preparing {}".format(self._session.object_name)
        if state.phase != transition.STARTING:
            text = "Jounce: frame {} of {}, Esc stops".format(state.frames_done, state.frame_count)
        context.workspace.status_text_set(text)

    def _close_window_parts(self, context):
        JOUNCE_OT_bake.running = None
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


class JOUNCE_OT_free(bpy.types.Operator):
    """Remove the cache from the object and delete its file"""
    bl_idname = "jounce.free"
    bl_label = "Free Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return _simulated(context) and cache_attach.find_modifier(context.object) is not None

    def execute(self, context):
        try:
            cache_attach.detach(context.object)
        except OSError as error:
            self.report({"ERROR"}, "The cache file cannot be deleted: {}.".format(error))
        settings = context.object.jounce
        for name in ("cache_path", "baked_first", "baked_last"):
            settings.property_unset(name)
        return {"FINISHED"}


CLASSES = (JOUNCE_OT_add, JOUNCE_OT_remove, JOUNCE_OT_apply_preset, JOUNCE_OT_bake, JOUNCE_OT_free)
