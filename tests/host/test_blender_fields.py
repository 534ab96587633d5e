"""Blender's force fields act on bodies, as they are keyed and moved, and a job of them is the bake."""
import os
import subprocess

from blender_scene import add_ball, check_playback, environment, keyframe, played_frames, start_blender
from harness import run

import bpy


def loose_ball(frame_count=12):
    """A ball that nothing holds, in a scene without gravity."""
    addon, ball = start_blender(), add_ball(frame_count=frame_count, segments=8, rings=6)
    bpy.context.scene.use_gravity = False
    settings = ball.jounce
    settings.pin_group, settings.resolution, settings.steps_per_frame = "", 3, 4
    settings.stiffness_way, settings.young_modulus = "modulus", 1e6
    return addon, ball


def add_field(ball, kind, **values):
    """An empty with a field, at the origin; the ball is active again."""
    bpy.ops.object.effector_add(type=kind, location=(0, 0, 0))
    field = bpy.context.object
    for name, value in values.items():
        setattr(field.field, name, value)
    bpy.context.view_layer.objects.active = ball
    return field


def mean(frame):
    return [sum(frame[axis::3]) / (len(frame) // 3) for axis in range(3)]


def moved(ball):
    """How far the middle of the ball has moved at each frame."""
    frames = played_frames(ball)
    start = mean(frames[0])
    return [[a - b for a, b in zip(mean(frame), start)] for frame in frames]


def check_each_kind_moves_the_ball_as_it_says():
    for kind, expected in (("FORCE", (0, 0, 1)), ("WIND", (0, 0, 1)), ("HARMONIC", (0, 0, -1)), ("TURBULENCE", None)):
        addon, ball = loose_ball(frame_count=8)
        add_field(ball, kind, strength=5.0)
        assert addon.force_fields.notes_on(bpy.context.scene, ball) == []
        assert bpy.ops.jounce.bake() == {"FINISHED"}
        way = moved(ball)[-1]
        assert max(map(abs, way)) > 0.01, (kind, way)
        if expected:
            seconds = 7 / 24
            strength = 10 if kind == "HARMONIC" else 5  # at a distance of 2
            assert abs(way[2] * expected[2] - strength * seconds ** 2 / 2) < 0.2 * strength * seconds ** 2 / 2, (kind, way)
            assert max(abs(way[0]), abs(way[1])) < 0.01


def check_drag_slows_the_fall():
    addon, ball = loose_ball()
    bpy.context.scene.use_gravity = True
    bpy.ops.jounce.bake()
    free = moved(ball)[-1][2]
    add_field(ball, "DRAG", linear_drag=5.0, quadratic_drag=0.0)
    bpy.ops.jounce.bake()
    # g / c (t - (1 - exp(-c t)) / c), against g t^2 / 2
    assert free < -0.9 and abs(moved(ball)[-1][2] / free - 0.53) < 0.04
    assert addon.state.of(bpy.context, ball).changed == ()


def check_keyed_and_moved_fields_play_and_go_to_a_job():
    addon, ball = loose_ball(frame_count=10)
    wind = add_field(ball, "WIND", strength=0.0)
    keyframe(wind.field, "strength", {1: 0.0, 5: 0.0, 6: 20.0})
    keyframe(wind, "rotation_euler", {1: (0, 0, 0), 10: (0, 1.2, 0)})
    add_field(ball, "VORTEX", strength=3.0, falloff_power=1.0)
    bpy.ops.jounce.bake()
    played = check_playback(addon, ball)
    ways = moved(ball)
    assert max(map(abs, ways[4])) < 0.5 * max(map(abs, ways[9])) and ways[9][2] > 0.05, ways
    bpy.ops.jounce.write_job()
    scene = os.path.join(addon.job_operators.job_folder(ball), "scene.json")
    subprocess.check_call([os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", scene, "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"}
    assert played_frames(ball) == played
    assert addon.state.of(bpy.context, ball).changed == ()
    wind.field.falloff_power = 2.0
    assert addon.state.of(bpy.context, ball).changed == ("force fields",)


def check_only_chosen_fields_act_and_others_are_named():
    addon, ball = loose_ball(frame_count=4)
    add_field(ball, "WIND", strength=50.0)
    magnet = add_field(ball, "MAGNET", strength=50.0)
    notes = addon.force_fields.notes_on(bpy.context.scene, ball)
    assert len(notes) == 1 and magnet.name in notes[0] and "Magnetic" in notes[0]
    ball.jounce.field_collection = bpy.data.collections.new("None of them")
    bpy.ops.jounce.bake()
    assert max(map(abs, moved(ball)[-1])) < 1e-6
    ball.jounce.field_collection = None
    ball.jounce.use_fields = False
    bpy.ops.jounce.bake()
    assert max(map(abs, moved(ball)[-1])) < 1e-6
    ball.jounce.use_fields = True
    bpy.ops.jounce.bake()
    assert moved(ball)[-1][2] > 0.1


def check_what_the_core_does_not_know_is_told():
    addon, ball = loose_ball(frame_count=2)
    add_field(ball, "FORCE", shape="PLANE", falloff_type="CONE", falloff_power=1.0)
    note = addon.force_fields.notes_on(bpy.context.scene, ball)[0]
    assert "shape" in note and "cone" in note


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_force_fields_act():
    check_each_kind_moves_the_ball_as_it_says()
    check_drag_slows_the_fall()
    check_keyed_and_moved_fields_play_and_go_to_a_job()
    check_only_chosen_fields_act_and_others_are_named()
    check_what_the_core_does_not_know_is_told()


run(globals())
