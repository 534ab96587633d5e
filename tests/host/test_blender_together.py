"""Several objects that touch each other in one bake: played back, resumed, freed and sent to a farm."""
import os
import subprocess
from unittest import mock

from blender_scene import (WindowBake, baked_range, cache_folder, check_playback, environment, evaluated_vertices,
                           played_frames, start_blender)
from harness import message_of, run

import bpy


def add_ball(name, height, frame_count, segments=12, rings=8):
    """A ball of rubber that touches others."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frame_count
    bpy.ops.mesh.primitive_uv_sphere_add(segments=segments, ring_count=rings, radius=0.5, location=(0, 0, height))
    ball = bpy.context.object
    ball.name = name
    bpy.ops.jounce.add()
    settings = ball.jounce
    settings.stiffness_way, settings.young_modulus, settings.resolution = "modulus", 3e5, 4
    settings.touch_bodies, settings.steps_per_frame = True, 4
    return ball


def two_balls(frame_count=16):
    """The upper one falls on the lower one, which lies on the ground."""
    addon = start_blender()
    lower, upper = add_ball("Lower", 0.5, frame_count), add_ball("Upper", 1.7, frame_count, segments=16)
    lower.jounce.use_ground, lower.jounce.ground_height = True, -0.01
    return addon, lower, upper


def bottom_in_scene(ball):
    return ball.location.z + min(evaluated_vertices(ball)[2::3])


def check_one_bake_lets_them_touch():
    addon, lower, upper = two_balls()
    assert bpy.ops.jounce.bake_all() == {"FINISHED"}
    check_playback(addon, lower, upper)
    check_playback(addon, upper, lower)
    takes = {addon.cache_attach.attached_take(ball) for ball in (lower, upper)}
    assert len(takes) == 1 and baked_range(addon, lower) == baked_range(addon, upper) == (1, 16)
    bpy.context.scene.frame_set(16)
    assert bottom_in_scene(upper) > 0.7, "it lies on the other"
    for ball in (lower, upper):
        ball.jounce.touch_bodies = False
    assert "settings" in addon.state.of(bpy.context, upper).changed
    bpy.ops.jounce.bake_all()
    bpy.context.scene.frame_set(16)
    assert bottom_in_scene(upper) < 0.5, "alone, it falls through"


def check_change_of_one_makes_both_out_of_date():
    addon, lower, upper = two_balls(frame_count=3)
    bpy.ops.jounce.bake()
    assert [addon.state.of(bpy.context, ball).changed for ball in (lower, upper)] == [(), ()]
    lower.data.vertices[0].co.z -= 0.01
    lower.data.update()
    addon.fingerprint.forget()
    assert addon.state.of(bpy.context, lower).changed == ("mesh",)
    assert addon.state.of(bpy.context, upper).changed == ("what it touches",)


def check_all_are_swapped_or_none():
    addon, lower, upper = two_balls(frame_count=3)
    bpy.ops.jounce.bake()
    first = addon.cache_attach.attached_take(lower)
    frames = [played_frames(ball) for ball in (lower, upper)]
    upper.jounce.young_modulus = 2e5
    attach = addon.cache_attach.attach

    def fail_on_lower(context, obj, path):
        if obj == lower and path != first:
            raise addon.cache_attach.AttachError("no")
        attach(context, obj, path)
    with mock.patch.object(addon.cache_attach, "attach", fail_on_lower):
        message_of(RuntimeError, bpy.ops.jounce.bake)
    assert {addon.cache_attach.attached_take(ball) for ball in (lower, upper)} == {first}
    assert [played_frames(ball) for ball in (lower, upper)] == frames


def check_stopped_bake_goes_on_from_any_of_them():
    addon, lower, upper = two_balls(frame_count=12)
    bpy.ops.jounce.bake()
    whole = [played_frames(ball) for ball in (lower, upper)]
    for ball in (lower, upper):
        bpy.context.view_layer.objects.active = ball
        bpy.ops.jounce.free()
    bpy.ops.wm.save_mainfile()
    assert os.listdir(cache_folder()) == []
    window = WindowBake(addon)
    while window.session.state.frames_done < 3:
        window.send("TIMER")
    window.send("ESC")
    window.run()
    assert baked_range(addon, lower) == baked_range(addon, upper) != (1, 12)
    bpy.context.view_layer.objects.active = lower
    bpy.ops.jounce.resume()
    assert [played_frames(ball) for ball in (lower, upper)] == whole


def check_free_of_one_leaves_the_other():
    addon, lower, upper = two_balls(frame_count=3)
    bpy.ops.jounce.bake()
    bpy.context.view_layer.objects.active = lower
    bpy.ops.jounce.free()
    bpy.ops.wm.save_mainfile()
    assert baked_range(addon, lower) is None and baked_range(addon, upper) == (1, 3)
    played_frames(upper)


def check_what_differs_is_named():
    addon, lower, upper = two_balls(frame_count=3)
    upper.jounce.steps_per_frame = 5
    assert '"Substeps"' in message_of(RuntimeError, bpy.ops.jounce.bake)
    assert "Substeps" in lower.jounce.message and baked_range(addon, lower) is None


def check_job_of_both_is_their_bake():
    addon, lower, upper = two_balls(frame_count=8)
    bpy.ops.jounce.bake()
    baked = [played_frames(ball) for ball in (lower, upper)]
    bpy.ops.jounce.write_job()
    scene = os.path.join(addon.job_operators.job_folder(bpy.context.object), "scene.json")
    subprocess.check_call([os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", scene, "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"}
    assert [played_frames(ball) for ball in (lower, upper)] == baked
    assert addon.state.of(bpy.context, lower).changed == ()


def check_point_caches_of_each():
    addon, lower, upper = two_balls(frame_count=4)
    with mock.patch.object(addon.cache_attach, "has_alembic", lambda: False):
        bpy.ops.jounce.bake()
        assert [ball.modifiers[0].type for ball in (lower, upper)] == ["MESH_CACHE", "MESH_CACHE"]
        check_playback(addon, upper, lower)
        check_playback(addon, lower, upper)
        bpy.ops.wm.save_as_mainfile(filepath=bpy.data.filepath.replace("scene", "copy"))
        check_playback(addon, lower, upper)
        assert len([name for name in os.listdir(cache_folder()) if name.endswith(".pc2")]) == 2


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_bodies_touch_in_one_bake():
    check_one_bake_lets_them_touch()
    check_change_of_one_makes_both_out_of_date()
    check_what_differs_is_named()


def test_blender_bakes_of_several_are_never_lost():
    check_all_are_swapped_or_none()
    check_stopped_bake_goes_on_from_any_of_them()
    check_free_of_one_leaves_the_other()


def test_blender_bakes_of_several_elsewhere():
    check_job_of_both_is_their_bake()
    check_point_caches_of_each()


run(globals())
