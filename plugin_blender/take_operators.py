"""Free and Attach: which take plays on an object."""
import bpy

from . import cache_attach, state, take_folder
from .bake_operators import can_press, running, why_not_simulated
from .cache_attach import AttachError
from .jounce.host import cache_state


class JOUNCE_OT_free(bpy.types.Operator):
    """Stop playing the cache. Its file is removed when you save; until then Undo brings it back"""
    bl_idname = "jounce.free"
    bl_label = "Free Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_not_simulated(context)
        return can_press(cls, reason or cache_state.why_not_free(state.of(context, context.object, running())))

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
        return can_press(cls, reason or cache_state.why_not_attach(state.of(context, context.object, running())))

    def execute(self, context):
        obj = context.object
        try:
            cache_attach.attach(context, obj, state.of(context, obj).loose)
        except AttachError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        obj.jounce.message = ""
        return {"FINISHED"}


CLASSES = (JOUNCE_OT_free, JOUNCE_OT_attach)
