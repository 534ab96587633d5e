"""What the tests of the Blender add-on share: a clean Blender with the built zip installed, small scenes, playback.

A Python without Blender's bpy package skips: exit code 77.
"""
import array
import glob
import math
import os
import sys
import tempfile
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, largest_difference, message_of  # noqa: E402

# An own home for Blender, so that nothing of this machine's takes part; removed when the test ends.
HOME = tempfile.TemporaryDirectory(prefix="jounce-blender-")
os.environ["BLENDER_USER_RESOURCES"] = os.path.join(HOME.name, "blender")

try:
    import bpy
except ImportError:
    print("skipped: this Python has no bpy package; set JN_BPY_PYTHON to one that has")
    sys.exit(77)
import addon_utils  # noqa: E402

MODULE = "bl_ext.user_default.jounce"
# Positions of a few metres in 32-bit numbers.
FLOAT_PRECISION = 1e-6


def start_blender():
    """An empty saved scene in a Blender into which the zip was installed as an artist does. Returns the add-on."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if MODULE not in sys.modules:
        zips = glob.glob(os.path.join(environment("JN_TEST_BUILD"), "jounce_blender-*.zip"))
        assert len(zips) == 1, zips
        bpy.ops.extensions.package_install_files(filepath=zips[0], repo="user_default", enable_on_install=True)
    assert addon_utils.check(MODULE) == (True, True), "the add-on is not installed and enabled"
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(tempfile.mkdtemp(dir=HOME.name), "scene.blend"))
    return sys.modules[MODULE]


def cache_folder():
    stem = os.path.splitext(os.path.basename(bpy.data.filepath))[0]
    return os.path.join(os.path.dirname(bpy.data.filepath), "jounce_cache", stem)


def add_ball(frame_count=24, segments=16, rings=8):
    """A ball at z = 2 with Jounce, its upper third in the group "Top". The scene has frame_count frames."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frame_count
    bpy.ops.mesh.primitive_uv_sphere_add(segments=segments, ring_count=rings, location=(0, 0, 2))
    ball = bpy.context.object
    group = ball.vertex_groups.new(name="Top")
    group.add([vertex.index for vertex in ball.data.vertices if vertex.co.z > 0.6], 1.0, "REPLACE")
    bpy.ops.jounce.add()
    bpy.ops.jounce.apply_preset(preset="jelly")
    ball.jounce.pin_group = "Top"
    ball.jounce.resolution = 6
    return ball


def keyframe(target, path, frames):
    """Keys target.path at {frame: value}."""
    for frame, value in frames.items():
        setattr(target, path, value)
        target.keyframe_insert(path, frame=frame)


def animate_object(obj):
    """Moves, turns and stretches the object, unevenly."""
    keyframe(obj, "location", {1: (0, 0, 2), 12: (1, -0.5, 2.5), 24: (-0.5, 1, 2)})
    keyframe(obj, "rotation_euler", {1: (0.3, 0, 0), 24: (0.2, math.radians(100), -0.7)})
    keyframe(obj, "scale", {1: (1, 1.5, 0.8), 24: (1.2, 0.9, 1)})


def evaluated_vertices(obj):
    """x y z of the mesh that Blender shows and renders at this frame, in the object's own space."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    found = array.array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", found)
    evaluated.to_mesh_clear()
    return found


def played_frames(obj):
    """evaluated_vertices at every frame of the scene."""
    scene, found = bpy.context.scene, []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found.append(evaluated_vertices(obj))
    return found


def core_frames(addon, obj, *others):
    """The core's own positions of the object at every frame, from a bake of the same inputs without a cache, together with
    others."""
    context, found = bpy.context, []
    objects = sorted([obj, *others], key=lambda other: other.name)
    reader = addon.scene_reader.BakeReader(context, *objects)
    description = addon.jounce.host.stiffness.resolved(reader.description(context))
    with addon.jounce.Bake(description) as bake:
        for frame in bake.frames():
            bake.advance(frame, **reader.inputs(context, int(frame)))
            found.append(bake.positions(objects.index(obj)))
    reader.close()
    return found


def baked_range(addon, obj):
    """(first, last) frame that the panel says to be baked, None."""
    found = addon.state.of(bpy.context, obj)
    return None if found.first is None else (found.first, found.last)


class Recorder:
    """Stands where Blender gives a layout, a window manager or a workspace: takes every call and remembers it."""

    def __init__(self, log):
        self.log = log

    def __getattr__(self, name):
        def call(*arguments, **options):
            self.log.append((name, arguments, options))
            return Recorder(self.log)
        return call


class WindowBake:
    """The modal Bake operator, with its events and its window stood in for: this Blender has no window."""

    def __init__(self, addon, operator="JOUNCE_OT_bake"):
        self.log = []
        kind = getattr(addon.bake_operators, operator)
        self._operator = type("Bake", (addon.bake_operators.BakeOperator,), {
            "targets": kind.targets, "report": Recorder(self.log).report})()
        self._running = addon.bake_operators.running
        self.result = self._operator.invoke(self._context(), None)

    @property
    def session(self):
        return self._running()

    def _context(self):
        """As Blender makes it for every event: undo replaces what it refers to."""
        scene, view_layer = bpy.context.scene, bpy.context.view_layer
        return types.SimpleNamespace(
            scene=scene, view_layer=view_layer, object=view_layer.objects.active, window=None,
            evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get, window_manager=Recorder(self.log),
            workspace=Recorder(self.log), screen=types.SimpleNamespace(areas=[]))

    def send(self, event):
        return self._operator.modal(self._context(), types.SimpleNamespace(type=event))

    def run(self):
        """To its end."""
        while self.result == {"RUNNING_MODAL"}:
            self.result = self.send("TIMER")
        return self.result


def bake_error():
    """What the artist reads when the bake is refused."""
    return message_of(RuntimeError, bpy.ops.jounce.bake)


def check_playback(addon, obj, *others):
    """What plays at each frame is what the core computed there, rounded to 32 bits, to the last bit. Returns it.

    others: baked together with it. Where a coordinate is 0 Blender's interpolation between samples leaves a part of 1e-16 of
    the next one.
    """
    played, core = played_frames(obj), core_frames(addon, obj, *others)
    assert len(played) == len(core) == bpy.context.scene.frame_end
    for frame, (shown, computed) in enumerate(zip(played, core), start=1):
        rounded = array.array("f", computed)
        off = largest_difference(shown, rounded)
        assert off < 1e-15, "frame {}: off by {}".format(frame, off)
    return played
