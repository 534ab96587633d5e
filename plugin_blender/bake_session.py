"""One bake in Blender, of one object or of several that touch: a new take, read and fed frame by frame, attached when it
has succeeded."""
import bpy

from . import cache_attach, fingerprint, live_display, scene_reader, take_folder
from .cache_attach import AttachError
from .jounce.host import takes, transition
from .jounce.host.bake_description import corners_of_lines
from .jounce.host.bake_drive import BakeDrive
from .jounce.host.scene_checks import SceneError
from .jounce.host.take_writer import TakeWriter


def new_record(context, objects, world):
    """takes.Record of a bake that has not begun."""
    inputs = {obj.name: fingerprint.of(context, obj, objects, fresh=True) for obj in objects}
    first, *others = inputs
    return takes.Record(first, world.first_frame, world.frame_count, 0, inputs[first], False, {},
                        {name: inputs[name] for name in others})


class BakeSession:
    """Construct, call step() until it returns True, then finish(). Only finish() restores what the bake changed.

    The caches from before play on unless this bake succeeds; then all of its objects play the new one.
    """

    def __init__(self, context, objects, resumed=None):
        """resumed: path of an incomplete take of these objects to go on with, None: a new one.

        Raises SceneError with a message, with everything restored.
        """
        self.object_names = [obj.name for obj in objects]
        self._transforms = {}  # frame: the objects' matrices, of frames that were read and not yet shown
        self.shown = []  # (positions, rows of the object's matrix) of the frame that is to be seen, for each object
        for obj in objects:
            live_display.detach(obj)  # what is baked shall be seen
        self._plays_points = any(cache_attach.plays_points(obj) for obj in objects)
        self._before = {obj.name: cache_attach.attached_take(obj) for obj in objects}
        record = new_record(context, objects, scene_reader.read_world(context.scene))
        self._reader = scene_reader.BakeReader(context, *objects)
        try:
            self.world = self._reader.world
            description = self._reader.description(context)
            self._writer = self._open_take(record, resumed, corners_of_lines(description))
            self.path = self._writer.path
            description.update(output_path=self.path, resume=int(resumed is not None), input_tag=_tag(record))
            self._drive = BakeDrive(" and ".join(self.object_names), description, self._writer)
        except BaseException:
            self._reader.close()
            raise
        for obj in objects:
            obj.jounce.message = ""

    def _open_take(self, record, resumed, corners):
        if resumed:
            record = takes.read_record(resumed)
            if record is None:
                raise SceneError("The stopped bake {} has no record: bake anew.".format(resumed))
            gone = [name for name in takes.objects_of(record) if name not in self.object_names]
            if record.others and gone:
                raise SceneError("The stopped bake has {} in it, which is gone: bake anew.".format(gone[0]))
        else:
            resumed = takes.reserve(take_folder.folder(), record.object, record)
        return TakeWriter(resumed, record, self._plays_points, corners)

    @property
    def state(self):
        return self._drive.state

    def step(self, context, timeout=0.0, seconds_ahead=0.0):
        """See BakeDrive.step."""
        return self._drive.step(lambda frame: self._read(context, frame), timeout, seconds_ahead)

    def _read(self, context, frame):
        inputs = self._reader.inputs(context, frame)
        self._transforms[frame] = [body["transform"] for body in inputs["bodies"]]
        return inputs

    def show_last_frame(self, context):
        """Sets the scene to the frame that was finished last, and gives it to the overlay: both show the same until the next
        call. Not if something in the scene has to be evaluated frame after frame: then only the overlay shows it."""
        frame, positions = self._writer.last_frame
        if frame not in self._transforms:
            return
        self.shown = list(zip(positions, self._transforms[frame]))
        for done in [known for known in self._transforms if known < frame]:
            del self._transforms[done]
        if frame != context.scene.frame_current and not scene_reader.remembers_frames(context.scene):
            context.scene.frame_set(frame)

    def cancel(self):
        self._drive.cancel()

    def finish(self, context):
        """Attaches the frames if they are to be seen now. Returns (level, sentence) for the artist."""
        level, sentence = self.close()
        objects = [bpy.data.objects.get(name) for name in self.object_names]
        objects = [obj for obj in objects if obj is not None and obj.jounce.enabled]
        if not objects:
            return level, sentence
        try:
            sentence += self._attach(context, objects)
        except AttachError as error:
            level, sentence = "ERROR", str(error)
        for obj in objects:
            obj.jounce.message, obj.jounce.message_level = ("", "") if level == "INFO" else (sentence, level)
        return level, sentence

    def close(self):
        """Ends the bake and restores the scene, without attaching anything; the take stays on the disk."""
        level, sentence = self._drive.finish()
        self._reader.close()
        try:
            self._writer.close()
        except OSError as error:
            level, sentence = "ERROR", "{} The record of the cache cannot be written: {}.".format(sentence, error)
        return level, sentence

    def _attach(self, context, objects):
        """A complete bake replaces the caches from before; an incomplete one is seen only where there was none."""
        kept = {path for path in self._before.values() if path and path != self.path and takes.exists(path)}
        if not self.state.frames_done:
            return " The cache from before plays on." if kept else ""
        if self.state.phase != transition.DONE and kept:
            return " The cache from before plays on; Attach shows the new frames."
        cache_attach.attach_all(context, objects, self.path)
        for path in kept:
            take_folder.free(path)
        return ""


def _tag(record):
    """Of all inputs, see fingerprint.tag."""
    return fingerprint.tag({name: takes.fingerprint_of(record, name) for name in takes.objects_of(record)}
                           if record.others else record.fingerprint)
