"""Bake and Resume. Every button is an operator that scripts can call too, also without a window."""
import time

import bpy

from . import cache_attach, overlay, state
from .bake_session import BakeSession
from .jounce.host import cache_state, foresight, pacing, takes, transition
from .jounce.host.scene_checks import SceneError
from .mesh_reader import BODY_TYPES

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
    if obj is None or obj.type not in BODY_TYPES:
        return "Select a mesh, or hair curves"
    return "" if obj.library is None else "The object is linked from another file: make a library override"


def why_not_simulated(context):
    """Why the active object has no bake to speak of; "" if it has."""
    return why_not_a_mesh(context) or ("" if context.object.jounce.enabled else "Press Add Jounce first")


def why_not_a_body_of_mesh(context):
    """Why what works with meshes alone cannot be done with the active object; "" if it can."""
    reason = why_not_simulated(context)
    return reason or ("" if context.object.type == "MESH" else "Hair curves have none of this: it is for meshes")


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


def _leave_painting(obj):
    """While one paints or sculpts a mesh, Blender leaves out modifiers: neither what is baked nor the cache is as it plays."""
    if obj.mode not in {"OBJECT", "EDIT"}:
        bpy.ops.object.mode_set(mode="OBJECT")


class BakeOperator:
    """Makes the bakes of targets() one after the other, in the window as a modal operator."""
    bl_options = {"REGISTER", "UNDO"}

    def targets(self, context):
        """[(names of the objects of one bake, path of the take to go on with or None)]"""
        raise NotImplementedError

    def invoke(self, context, event):
        self._begin(context)
        if not self._open_next(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(TIMER_SECONDS, window=context.window)
        context.window_manager.progress_begin(0, 100)
        overlay.show(self._session)
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
        ahead = self._pacer.seconds_ahead
        if not self._pacer.run_slice(lambda timeout: self._session.step(context, timeout, ahead)):
            self._show_progress(context)
            return {"RUNNING_MODAL"}
        self._finish_one(context)
        if self._open_next(context):
            overlay.show(self._session)
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
        """Starts the next bake; False: there is none that can be made."""
        global _running
        while self._waiting:
            names, resumed = self._waiting.pop(0)
            objects = [bpy.data.objects[name] for name in names if name in bpy.data.objects]
            if not objects:
                continue
            for obj in objects:
                _leave_painting(obj)
            try:
                self._session = _running = BakeSession(context, objects, resumed)
            except SceneError as error:
                for obj in objects:
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
        if self._pacer.is_text_due():
            context.window_manager.progress_update(100 * found.frames_done // max(found.frame_count, 1))
            context.workspace.status_text_set("Jounce: " + progress_text(self._session, time.monotonic() - self._started))
        if found == self._shown or not self._pacer.is_picture_due():
            return
        self._shown = found
        self._session.show_last_frame(context)
        state.redraw_editors()

    def _close_window_parts(self, context):
        overlay.hide()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


def progress_text(session, seconds):
    """seconds: since the bake began."""
    found = session.state
    if found.phase == transition.STARTING:
        return "preparing {}, Esc stops".format(" and ".join(session.object_names))
    left = ""
    if found.frames_done > 1:
        left = ", {} left".format(foresight.duration(seconds / found.frames_done * (found.frame_count - found.frames_done)))
    return "frame {} of {}{}, Esc stops".format(found.frames_done, found.frame_count, left)


class JOUNCE_OT_bake(BakeOperator, bpy.types.Operator):
    """Simulate the scene's frames and play them on the object, and on the others that it touches. Esc stops and keeps the
    finished frames"""
    bl_idname = "jounce.bake"
    bl_label = "Bake"

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_simulated(context) or why_not_bake(context))

    def targets(self, context):
        return [(together_with(context, context.object), None)]


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
        record = takes.read_record(stopped)
        return [(takes.objects_of(record) if record and record.others else [obj.name], stopped)]


class _BakeSeveral(BakeOperator):
    """Bakes objects that have Jounce: those that touch each other together, the others one after the other."""

    @classmethod
    def poll(cls, context):
        reason = why_not_bake(context)
        return can_press(cls, reason or ("" if cls.objects(context) else "None of them has Jounce"))

    def targets(self, context):
        objects = self.objects(context)
        touching = sorted(obj.name for obj in objects if obj.jounce.touch_bodies)
        alone = [[obj.name] for obj in objects if not obj.jounce.touch_bodies]
        return [(names, None) for names in ([touching] if touching else []) + alone]


def _simulated(objects):
    return [obj for obj in objects if obj.type in BODY_TYPES and obj.library is None and obj.jounce.enabled]


def together_with(context, obj):
    """Names of the objects of one bake with this one: in the same order whichever of them is asked for."""
    if not obj.jounce.touch_bodies:
        return [obj.name]
    touching = [other for other in _simulated(context.scene.objects) if other.jounce.touch_bodies]
    return sorted({obj.name, *(other.name for other in touching if other.visible_get() or other.hide_get())})


class JOUNCE_OT_bake_selected(_BakeSeveral, bpy.types.Operator):
    """Bake the selected objects that have Jounce: those that touch other bodies together, the others one after the other"""
    bl_idname = "jounce.bake_selected"
    bl_label = "Bake Selected"

    @staticmethod
    def objects(context):
        return _simulated(context.selected_objects)


class JOUNCE_OT_bake_all(_BakeSeveral, bpy.types.Operator):
    """Bake all objects of the scene that have Jounce: those that touch other bodies together, the others one after the
    other"""
    bl_idname = "jounce.bake_all"
    bl_label = "Bake All"

    @staticmethod
    def objects(context):
        return _simulated(context.scene.objects)


CLASSES = (JOUNCE_OT_bake, JOUNCE_OT_resume, JOUNCE_OT_bake_selected, JOUNCE_OT_bake_all)
