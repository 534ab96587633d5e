"""Write Job, Copy Command, Attach Result: the bake by the command line, here or on a farm."""
import os

import bpy

from . import cache_attach, scene_reader, take_folder
from .bake_operators import can_press, together_with, why_not_bake, why_not_simulated
from .bake_session import new_record
from .cache_attach import AttachError
from .jounce import JounceError
from .jounce.host import job, takes
from .jounce.host.scene_checks import SceneError

FOLDER = "jounce_jobs"


def job_folder(obj):
    """Where the job of the object, and of what it touches, is or goes."""
    name = together_with(bpy.context, obj)[0]
    stem = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
    return os.path.join(os.path.dirname(bpy.data.filepath), FOLDER, stem, takes.file_stem(name))


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
    """The path of the scene file, with all that the object touches. Raises SceneError, JounceError, OSError."""
    objects = [bpy.data.objects[name] for name in together_with(context, obj)]
    record = new_record(context, objects, scene_reader.read_world(context.scene))
    reader = scene_reader.BakeReader(context, *objects)
    try:
        return job.write_job(job_folder(obj), reader.description(context),
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
        objects = [bpy.data.objects[name] for name in takes.objects_of(takes.read_record(result))
                   if name in bpy.data.objects]
        before = [cache_attach.attached_take(found) for found in objects]
        try:
            taken = takes.adopt(result, take_folder.folder())
            cache_attach.attach_all(context, objects, taken)
        except (OSError, AttachError) as error:
            self.report({"ERROR"}, "The result cannot be attached: {}.".format(str(error).rstrip(".")))
            return {"CANCELLED"}
        for path in before:
            take_folder.free(path)
        for found in objects:
            found.jounce.message = ""
        return {"FINISHED"}


CLASSES = (JOUNCE_OT_write_job, JOUNCE_OT_copy_command, JOUNCE_OT_attach_result)
