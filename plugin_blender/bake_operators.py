"""Bake, Resume, Free, Attach. Every button is an operator that scripts can call too, also without a window."""
import time

import bpy

from . import cache_attach, overlay, state, take_folder
from .bake_session import BakeSession
from .cache_attach import AttachError
from .jounce.host import cache_state, foresight, pacing, transition
from .jounce.host.scene_checks import SceneError

TIMER_SECONDS = 0.01
# Events that reach Blender while a bake runs: looking around is allowed, changing the scene is not.
VIEW_EVENTS = {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE", "INBETWEEN_MOUSEMOVE", "TRACKPADPAN",
               "TRACKPADZOOM", "NDOF_MOTION", "WINDOW_DEACTIVATE"}

_running = None  # the BakeSession that runs, if any; one at a time


def running():
    return _running


def stop():
    """Ends the bake that runs, if any, before its scene goes away; the finished frames stay on the disk."""
    global _running
    session, _running = _running, None
    overlay.hide()
    if session is not None:
        session.cancel()
        while not session.step(bpy.context, timeout=0.1):
            pass
        session.close()


def why_not_a_mesh(context):
    """Why the active object cannot have Jounce; "" if it can."""
    obj = context.object
    if obj is None or obj.type != "MESH":
        return "Select a mesh"
    return "" if obj.library is None else "The object is linked from another file: make a library override"


def why_not_simulated(context):
    """Why the active object has no bake to speak of; "" if it has."""
    return why_not_a_mesh(context) or ("" if context.object.jounce.enabled else "Press Add Jounce first")


def can_press(cls, why_not):
    """For poll(): whether there is no reason against it; the reason is what the greyed button says."""
    if why_not:
        cls.poll_message_set(why_not)
    return not why_not


def why_not_bake(context):
    if _running is not None:
        return "A bake is running: Esc stops it"
    if context.mode == "EDIT_MESH":
        return "Leave Edit Mode first"
    return ""


class BakeOperator:
    """Bakes the objects of targets() one after the other, in the window as a modal operator."""
    bl_options = {"REGISTER", "UNDO"}

    def targets(self, context):
        """[(object name, path of the take to go on with or None)]"""
        raise NotImplementedError

    def invoke(self, context, event):
        self._begin(context)
        if not self._open_next(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.progress_begin(0, 100)
        overlay.show(self._session, bpy.data.objects[self._session.object_name])
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if _running is not self._session:  # the scene has gone away under it
            self._close_window_parts(context)
            return {"CANCELLED"}
        if event.type == "ESC":
            self._waiting = []
            self._session.cancel()
        elif event.type != "TIMER":
            return {"PASS_THROUGH"} if event.type in VIEW_EVENTS else {"RUNNING_MODAL"}
        if not self._pacer.run_slice(lambda timeout: self._session.step(context, timeout)):
            self._show_progress(context)
            return {"RUNNING_MODAL"}
        self._finish_one(context)
        if self._open_next(context):
            overlay.show(self._session, bpy.data.objects[self._session.object_name])
            return {"RUNNING_MODAL"}
        self._close_window_parts(context)
        return self._result()

    def execute(self, context):
        """Without a window, and from scripts: returns when the bake is over."""
        self._begin(context)
        while self._open_next(context):
            while not self._session.step(context, timeout=0.1):
                pass
            self._finish_one(context)
        return self._result()

    def cancel(self, context):
        """Blender closes while the bake runs: stop, and keep the frames."""
        if _running is self._session:
            stop()
        self._close_window_parts(context)

    def _begin(self, context):
        self._waiting = self.targets(context)
        self._frames_done = 0
        self._session = None
        self._shown = None
        self._pacer = pacing.Pacer()

    def _open_next(self, context):
        """Starts the bake of the next object; False: there is none that can be baked."""
        global _running
        while self._waiting:
            name, resumed = self._waiting.pop(0)
            obj = bpy.data.objects.get(name)
            if obj is None:
                continue
            try:
                self._session = _running = BakeSession(context, obj, resumed)
            except SceneError as error:
                obj.jounce.message, obj.jounce.message_level = str(error), "ERROR"
                self.report({"ERROR"}, str(error))
                continue
            self._started = time.monotonic()
            if not bpy.data.is_saved:
                self.report({"WARNING"}, "The file is not saved: the cache is among the temporary files until you save.")
            return True
        return False

    def _finish_one(self, context):
        global _running
        session, _running = _running, None
        level, sentence = session.finish(context)
        self._frames_done += session.state.frames_done
        self.report({level}, sentence)

    def _result(self):
        return {"FINISHED"} if self._frames_done else {"CANCELLED"}

    def _show_progress(self, context):
        found = self._session.state
        if found == self._shown:
            return
        self._shown = found
        context.window_manager.progress_update(100 * found.frames_done // max(found.frame_count, 1))
        context.workspace.status_text_set("Jounce: " + progress_text(self._session, time.monotonic() - self._started))
        for area in context.screen.areas:
            if area.type in {"PROPERTIES", "VIEW_3D"}:
                area.tag_redraw()

    def _close_window_parts(self, context):
        overlay.hide()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


def progress_text(session, seconds):
    """seconds: since the bake began."""
    found = session.state
    if found.phase == transition.STARTING:
        return "preparing {}, Esc stops".format(session.object_name)
    left = ""
    if found.frames_done > 1:
        left = ", {} left".format(foresight.duration(seconds / found.frames_done * (found.frame_count - found.frames_done)))
    return "frame {} of {}{}, Esc stops".format(found.frames_done, found.frame_count, left)


class JOUNCE_OT_bake(BakeOperator, bpy.types.Operator):
    """Simulate the scene's frames and play them on the object. Esc stops and keeps the finished frames"""
    bl_idname = "jounce.bake"
    bl_label = "Bake"

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_simulated(context) or why_not_bake(context))

    def targets(self, context):
        return [(context.object.name, None)]


class JOUNCE_OT_resume(BakeOperator, bpy.types.Operator):
    """Go on with the bake that was stopped, after its last finished frame"""
    bl_idname = "jounce.resume"
    bl_label = "Resume"

    @classmethod
    def poll(cls, context):
        reason = why_not_simulated(context) or why_not_bake(context)
        return can_press(cls, reason or cache_state.why_not_resume(state.of(context, context.object, _running)))

    def targets(self, context):
        obj = context.object
        found = state.of(context, obj)
        stopped = cache_attach.attached_take(obj) if found.kind == cache_state.PARTIAL else found.loose
        return [(obj.name, stopped)]


class _BakeSeveral(BakeOperator):
    """Bakes objects that have Jounce, one after the other."""

    @classmethod
    def poll(cls, context):
        reason = why_not_bake(context)
        return can_press(cls, reason or ("" if cls.objects(context) else "None of them has Jounce"))

    def targets(self, context):
        return [(obj.name, None) for obj in self.objects(context)]


def _simulated(objects):
    return [obj for obj in objects if obj.type == "MESH" and obj.library is None and obj.jounce.enabled]


class JOUNCE_OT_bake_selected(_BakeSeveral, bpy.types.Operator):
    """Bake the selected objects that have Jounce, one after the other"""
    bl_idname = "jounce.bake_selected"
    bl_label = "Bake Selected"

    @staticmethod
    def objects(context):
        return _simulated(context.selected_objects)


class JOUNCE_OT_bake_all(_BakeSeveral, bpy.types.Operator):
    """Bake all objects of the scene that have Jounce, one after the other"""
    bl_idname = "jounce.bake_all"
    bl_label = "Bake All"

    @staticmethod
    def objects(context):
        return _simulated(context.scene.objects)


class JOUNCE_OT_free(bpy.types.Operator):
    """Stop playing the cache. Its file is removed when you save; until then Undo brings it back"""
    bl_idname = "jounce.free"
    bl_label = "Free Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_not_simulated(context)
        return can_press(cls, reason or cache_state.why_not_free(state.of(context, context.object, _running)))

    def execute(self, context):
        take_folder.free(cache_attach.detach(context.object))
        context.object.jounce.message = ""
        return {"FINISHED"}


class JOUNCE_OT_attach(bpy.types.Operator):
    """Play the frames of another bake of this object that are on the disk: of one that was stopped, undone or computed
    elsewhere"""
    bl_idname = "jounce.attach"
    bl_label = "Attach"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_not_simulated(context)
        return can_press(cls, reason or cache_state.why_not_attach(state.of(context, context.object, _running)))

    def execute(self, context):
        obj = context.object
        try:
            cache_attach.attach(context, obj, state.of(context, obj).loose)
        except AttachError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        obj.jounce.message = ""
        return {"FINISHED"}


CLASSES = (JOUNCE_OT_bake, JOUNCE_OT_resume, JOUNCE_OT_bake_selected, JOUNCE_OT_bake_all, JOUNCE_OT_free,
           JOUNCE_OT_attach)
