"""Every sample scene for Blender is made by its script, and does what it shows."""
import glob
import os
import runpy
import subprocess
import tempfile

from blender_scene import HOME, baked_range, environment, played_frames, start_blender
from harness import largest_difference, run

import bpy

FOLDER = os.path.join(environment("JN_TEST_SOURCE"), "sample_scenes", "blender")
FRAMES = 6


def make(name):
    """Runs the script of a sample, and cuts its scene to a few frames. Returns (add-on, active object)."""
    addon, before = start_blender(), os.getcwd()
    os.chdir(tempfile.mkdtemp(dir=HOME.name))
    try:
        runpy.run_path(os.path.join(FOLDER, name + ".py"), run_name="__main__")
        assert os.path.isfile(name + ".blend") and bpy.data.is_saved
    finally:
        os.chdir(before)
    bpy.context.scene.frame_end = FRAMES
    return addon, bpy.context.view_layer.objects.active


def baked(name):
    """The sample, baked. Returns (add-on, object)."""
    addon, obj = make(name)
    assert bpy.ops.jounce.bake() == {"FINISHED"}, name
    assert obj.jounce.message == "", (name, obj.jounce.message)
    assert baked_range(addon, obj) == (1, FRAMES), name
    return addon, obj


def check_moves(name):
    _, obj = baked(name)
    frames = played_frames(obj)
    assert largest_difference(frames[0], frames[-1]) > 1e-3, name


def check_live_plays():
    addon, jelly = make("live")
    bpy.ops.jounce.live()
    for frame in range(1, 5):
        bpy.context.scene.frame_set(frame)
    assert not addon.live._simulations[jelly.name].message and addon.live._simulations[jelly.name].vertex_count > 0
    bpy.ops.jounce.live()


def check_job_runs():
    addon, jelly = make("job")
    bpy.ops.jounce.write_job()
    scene = os.path.join(addon.job_operators.job_folder(jelly), "scene.json")
    subprocess.check_call([os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", scene, "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"} and baked_range(addon, jelly) == (1, FRAMES)


SOLIDS = ("regions", "following", "collider", "fast_tail", "force_fields")
OTHERS = ("cloth", "girders", "touching")


def test_blender_samples_of_solids_bake():
    for name in SOLIDS:
        check_moves(name)


def test_blender_samples_of_other_kinds_bake():
    for name in OTHERS:
        check_moves(name)
    addon, hair = baked("hair")
    assert hair.modifiers[0].type == "MESH_SEQUENCE_CACHE"
    check_live_plays()
    check_job_runs()


def test_blender_samples_are_all_tried_and_described():
    scripts = {os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(FOLDER, "*.py"))} - {"sample"}
    assert scripts == {*SOLIDS, *OTHERS, "hair", "live", "job"}
    with open(os.path.join(FOLDER, "README.md"), encoding="utf-8") as file:
        text = file.read()
    assert all("`{}.py`".format(name) in text for name in scripts)


run(globals())
