"""Write Job, Copy Command, Attach Result: the bake by the command line, here or on a farm."""
import os

import bpy

from . import cache_attach, fingerprint, scene_reader, take_folder
from .bake_operators import can_press, why_not_bake, why_not_simulated
from .cache_attach import AttachError
from .jounce import JounceError
from .jounce.host import job, takes
from .jounce.host.scene_checks import SceneError

FOLDER = "jounce_jobs"


def job_folder(obj):
    """Where the job of the object is, or goes."""
    stem = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
    return os.path.join(os.path.dirname(bpy.data.filepath), FOLDER, stem, takes.file_stem(obj.name))


def why_no_job(context):
    return why_not_simulated(context) or ("" if bpy.data.is_saved else "Save the file first: the job goes beside it")


class JOUNCE_OT_write_job(bpy.types.Operator):
    """Write a folder that `jounce bake` runs elsewhere, with the same result as Bake here"""
    bl_idname = "jounce.write_job"
    bl_label = "Write Job"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_no_job(context) or why_not_bake(context))

    def execute(self, context):
        obj = context.object
        try:
            path = write_job(context, obj)
        except (SceneError, JounceError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, "Written: {}".format(path))
        return {"FINISHED"}


def write_job(context, obj):
    """The path of the scene file. Raises SceneError, JounceError, OSError."""
    inputs = fingerprint.of(context, obj, fresh=True)
    reader = scene_reader.BakeReader(context, obj)
    try:
        world = reader.world
        record = takes.Record(obj.name, world.first_frame, world.frame_count, 0, inputs, False, {})
        return job.write_job(job_folder(obj), reader.description(context, None),
                             lambda frame: reader.inputs(context, frame), record)
    finally:
        reader.close()


class JOUNCE_OT_copy_command(bpy.types.Operator):
    """Copy the command that runs the job of this object"""
    bl_idname = "jounce.copy_command"
    bl_label = "Copy Command"

    @classmethod
    def poll(cls, context):
        reason = why_no_job(context)
        if not reason and not os.path.isfile(os.path.join(job_folder(context.object), job.SCENE)):
            reason = "There is no job: press Write Job first"
        return can_press(cls, reason)

    def execute(self, context):
        text = job.command(os.path.join(job_folder(context.object), job.SCENE))
        context.window_manager.clipboard = text
        self.report({"INFO"}, text)
        return {"FINISHED"}


class JOUNCE_OT_attach_result(bpy.types.Operator):
    """Play the result of the job that was run elsewhere"""
    bl_idname = "jounce.attach_result"
    bl_label = "Attach Result"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        reason = why_no_job(context)
        return can_press(cls, reason or job.result_of(job_folder(context.object))[1])

    def execute(self, context):
        obj = context.object
        result, reason = job.result_of(job_folder(obj))
        if result is None:
            self.report({"ERROR"}, reason)
            return {"CANCELLED"}
        before = cache_attach.attached_take(obj)
        try:
            taken = takes.adopt(result, take_folder.folder())
            cache_attach.attach(context, obj, taken)
        except (OSError, AttachError) as error:
            self.report({"ERROR"}, "The result cannot be attached: {}.".format(str(error).rstrip(".")))
            return {"CANCELLED"}
        take_folder.free(before)
        obj.jounce.message = ""
        return {"FINISHED"}


CLASSES = (JOUNCE_OT_write_job, JOUNCE_OT_copy_command, JOUNCE_OT_attach_result)
