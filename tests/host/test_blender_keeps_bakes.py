"""A bake is never lost: whatever is pressed, saved, undone or fails, the panel says what plays, and bakes are there."""
import os
import shutil

from blender_scene import (HOME, WindowBake, add_ball, bake_error, baked_range, cache_folder, check_playback, keyframe,
                           played_frames, start_blender)
from harness import largest_difference, run

import bpy


def state_of(addon, obj):
    return addon.state.of(bpy.context, obj, addon.bake_operators.running())


def baked_ball(frame_count=4):
    addon, ball = start_blender(), add_ball(frame_count=frame_count)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.jounce.bake()
    bpy.ops.ed.undo_push(message="Bake")
    return addon, ball


def break_at(ball, frame):
    """From this frame on the mesh has other vertices: a bake fails there."""
    mask = ball.modifiers.new("Mask", "MASK")
    ball.modifiers.move(len(ball.modifiers) - 1, 0)
    mask.vertex_group, mask.invert_vertex_group = "Top", True
    keyframe(mask, "show_viewport", {1: False, frame - 1: False, frame: True})
    return mask


def check_failed_bake_leaves_the_cache_before_and_offers_the_new_frames():
    addon, ball = baked_ball()
    before = played_frames(ball)
    ball.jounce.young_modulus *= 4
    mask = break_at(ball, 3)
    assert "The cache from before plays on; Attach shows the new frames" in bake_error()
    ball.modifiers.remove(mask)
    assert played_frames(ball) == before
    state = state_of(addon, ball)
    assert (state.first, state.last, state.kind) == (1, 4, "baked") and "settings" in state.changed
    assert "Frames 1 to 2 of another bake are on the disk" in state.sentence
    assert bpy.ops.jounce.attach() == {"FINISHED"}
    assert baked_range(addon, ball) == (1, 2)
    assert largest_difference(played_frames(ball)[1], before[1]) > 0
    bpy.ops.wm.save_mainfile()
    assert len([name for name in os.listdir(cache_folder()) if name.endswith(".abc")]) == 2, "nothing was freed"


def check_cancelled_bake_leaves_the_cache_before():
    addon, ball = baked_ball()
    before = played_frames(ball)
    bpy.context.scene.frame_end = 3000
    bake = WindowBake(addon)
    while bake.session.state.frames_done < 2:
        bake.send("TIMER")
    bake.send("ESC")
    bake.run()
    bpy.context.scene.frame_end = 4
    assert played_frames(ball) == before and baked_range(addon, ball) == (1, 4)
    assert "plays on" in ball.jounce.message, "and the panel still says so"


def check_free_and_undo_bring_the_cache_back():
    addon, ball = baked_ball()
    before = played_frames(ball)
    bpy.ops.jounce.free()
    assert state_of(addon, ball).kind == "empty"
    bpy.ops.ed.undo_push(message="Free")
    bpy.ops.ed.undo()
    ball = bpy.data.objects["Sphere"]
    assert baked_range(addon, ball) == (1, 4) and played_frames(ball) == before
    bpy.ops.wm.save_mainfile()
    assert os.path.isfile(addon.cache_attach.attached_take(ball)), "it is in use again"
    bpy.ops.jounce.free()
    bpy.ops.wm.save_mainfile()
    assert os.listdir(cache_folder()) == []


def check_bake_again_and_undo_play_the_cache_before():
    addon, ball = baked_ball()
    before = played_frames(ball)
    ball.jounce.young_modulus *= 4
    bpy.ops.ed.undo_push(message="Stiffer")
    bpy.ops.jounce.bake()
    bpy.ops.ed.undo_push(message="Bake")
    after = played_frames(ball)
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    ball = bpy.data.objects["Sphere"]
    assert played_frames(ball) == before and state_of(addon, ball).changed == ()
    bpy.ops.ed.redo()
    bpy.ops.ed.redo()
    assert played_frames(bpy.data.objects["Sphere"]) == after


def check_missing_file_is_said():
    addon, ball = baked_ball()
    shutil.rmtree(cache_folder())
    state = state_of(addon, ball)
    assert state.kind == "missing" and "missing" in state.sentence and state.first is None


def check_file_saved_in_mid_bake_opens_in_a_true_state():
    addon, ball = start_blender(), add_ball(frame_count=3000)
    ball.modifiers.new("Smooth", "SUBSURF").levels = 1
    bake = WindowBake(addon)
    while bake.session.state.frames_done < 5:
        bake.send("TIMER")
    assert not ball.modifiers["Smooth"].show_viewport
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert addon.bake_operators.running() is None
    ball = bpy.data.objects["Sphere"]
    assert ball.modifiers["Smooth"].show_viewport and not ball.jounce.hidden_modifiers
    state = state_of(addon, ball)
    assert state.kind == "empty" and "Frames 1 to" in state.sentence
    bpy.ops.jounce.attach()
    first, last = baked_range(addon, ball)
    assert first == 1 and last >= 5
    ball.modifiers["Smooth"].show_viewport = False
    bpy.context.scene.frame_end = last
    check_playback(addon, ball)


def check_undo_in_mid_bake_goes_on():
    addon, ball = start_blender(), add_ball(frame_count=40)
    ball.modifiers.new("Smooth", "SUBSURF").levels = 1
    bpy.ops.ed.undo_push(message="before")
    ball.location.x += 1
    bpy.ops.ed.undo_push(message="Move")
    bake = WindowBake(addon)
    while bake.session.state.frames_done < 3:
        bake.send("TIMER")
    bpy.ops.ed.undo()
    assert bake.run() == {"FINISHED"}
    ball = bpy.data.objects["Sphere"]
    assert baked_range(addon, ball) == (1, 40)
    assert ball.modifiers["Smooth"].show_viewport


def check_undo_of_add_in_mid_bake_ends_in_words():
    addon = start_blender()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6)
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.jounce.add()
    bpy.ops.ed.undo_push(message="Add")
    bake = WindowBake(addon)
    while bake.session.state.frames_done < 1:
        bake.send("TIMER")
    bpy.ops.ed.undo()
    bake.run()
    assert "Jounce was removed from Sphere during its bake" in str(bake.log)


def check_two_versions_of_a_file_in_one_folder_have_their_own_caches():
    addon, ball = baked_ball()
    bpy.ops.wm.save_mainfile()
    first, before = bpy.data.filepath, played_frames(ball)
    second = first.replace("scene", "scene_v2")
    bpy.ops.wm.save_as_mainfile(filepath=second)
    assert "jounce_cache/scene_v2/" in addon.cache_attach.attached_take(ball)
    bpy.ops.jounce.free()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=first)
    ball = bpy.data.objects["Sphere"]
    assert played_frames(ball) == before and baked_range(addon, ball) == (1, 4)


def check_saved_copy_leaves_the_open_file_as_it_is():
    addon, ball = baked_ball()
    path = addon.cache_attach.attached_take(ball)
    copy = os.path.join(HOME.name, "elsewhere", "copy.blend")
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=copy, copy=True)
    assert addon.cache_attach.attached_take(ball) == path
    bpy.ops.wm.open_mainfile(filepath=copy)
    ball = bpy.data.objects["Sphere"]
    assert addon.cache_attach.attached_take(ball).startswith(os.path.join(os.path.dirname(copy), "jounce_cache", "copy"))
    assert baked_range(addon, ball) == (1, 4)


def check_bake_before_the_first_save_moves_beside_the_file():
    addon = start_blender()
    bpy.ops.wm.read_homefile(use_empty=True)
    ball = add_ball(frame_count=3)
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    assert addon.cache_attach.attached_take(ball).startswith(bpy.app.tempdir), "which Blender empties when it closes"
    before = played_frames(ball)
    path = os.path.join(HOME.name, "first", "shot.blend")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    ball = bpy.data.objects["Sphere"]
    assert ball.modifiers[0].cache_file.filepath == "//jounce_cache/shot/Sphere.001.abc"
    assert played_frames(ball) == before


def check_resume_goes_on_to_the_same_frames():
    addon, ball = start_blender(), add_ball(frame_count=60)
    bake = WindowBake(addon)
    while bake.session.state.frames_done < 5:
        bake.send("TIMER")
    bake.send("ESC")
    bake.run()
    first, last = baked_range(addon, ball)
    if last < 60:
        assert bpy.ops.jounce.resume() == {"FINISHED"}
    assert baked_range(addon, ball) == (1, 60) and not bpy.ops.jounce.resume.poll()
    check_playback(addon, ball)


def check_changes_after_the_bake_are_said():
    addon, ball = baked_ball()
    assert state_of(addon, ball).changed == ()
    ball.jounce.density *= 2
    assert state_of(addon, ball).changed == ("settings",)
    ball.data.vertices[0].co.z += 0.1
    ball.data.update()
    ball.vertex_groups["Top"].add([3], 0.5, "REPLACE")
    bpy.context.view_layer.update()
    assert set(state_of(addon, ball).changed) >= {"mesh", "settings"}
    keyframe(ball, "location", {1: (0, 0, 2), 4: (1, 0, 2)})
    bpy.context.scene.gravity[2] = -5
    ball.modifiers.new("Twist", "SIMPLE_DEFORM")
    ball.modifiers.move(1, 0)
    bpy.context.view_layer.update()
    state = state_of(addon, ball)
    assert set(state.changed) >= {"mesh", "modifiers", "settings", "animation", "scene"}
    assert "Out of date: mesh" in state.sentence


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_stopped_and_failed_bakes_lose_nothing():
    check_failed_bake_leaves_the_cache_before_and_offers_the_new_frames()
    check_cancelled_bake_leaves_the_cache_before()
    check_resume_goes_on_to_the_same_frames()


def test_blender_undo_loses_nothing():
    check_free_and_undo_bring_the_cache_back()
    check_bake_again_and_undo_play_the_cache_before()
    check_undo_in_mid_bake_goes_on()
    check_undo_of_add_in_mid_bake_ends_in_words()


def test_blender_files_have_their_own_caches():
    check_two_versions_of_a_file_in_one_folder_have_their_own_caches()
    check_saved_copy_leaves_the_open_file_as_it_is()
    check_bake_before_the_first_save_moves_beside_the_file()


def test_blender_state_is_what_is_there():
    check_missing_file_is_said()
    check_file_saved_in_mid_bake_opens_in_a_true_state()
    check_changes_after_the_bake_are_said()


run(globals())
