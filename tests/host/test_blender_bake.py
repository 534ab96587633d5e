"""The add-on in a real Blender without a window: install the zip, bake by the operators, and look at what plays."""
import os

from blender_scene import (FLOAT_PRECISION, add_ball, animate_object, bake_error, baked_range, cache_folder,
                           check_playback, evaluated_vertices, keyframe, played_frames, start_blender)
from harness import largest_difference, run

import bpy
from mathutils import Vector


def test_blender_bake_plays_what_the_core_computed():
    addon = start_blender()
    ball = add_ball()
    rest = evaluated_vertices(ball)
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    modifier = ball.modifiers["Jounce Cache"]
    assert modifier.type == "MESH_SEQUENCE_CACHE" and modifier.read_data == {"VERT"}
    assert modifier.cache_file.filepath == "//jounce_cache/scene/Sphere.001.abc"
    assert os.listdir(cache_folder()) == ["Sphere.001.abc", "Sphere.001.abc.json"]
    assert baked_range(addon, ball) == (1, 24)
    played = check_playback(addon, ball)
    assert largest_difference(played[0], rest) <= FLOAT_PRECISION, "the first frame is the start pose"
    pinned = [index for index, vertex in enumerate(ball.data.vertices) if vertex.co.z > 0.6]
    lowest = min(range(len(ball.data.vertices)), key=lambda index: ball.data.vertices[index].co.z)
    assert largest_difference([played[-1][3 * i + k] for i in pinned for k in range(3)],
                              [rest[3 * i + k] for i in pinned for k in range(3)]) <= FLOAT_PRECISION
    assert played[-1][3 * lowest + 2] < rest[3 * lowest + 2] - 0.01, "the free end hangs down"


def test_blender_bake_of_a_moved_turned_and_stretched_object_plays_in_its_own_space():
    addon = start_blender()
    ball = add_ball()
    animate_object(ball)
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    played = check_playback(addon, ball)
    assert largest_difference(played[0], played[-1]) > 0.01


def test_blender_bake_of_a_free_body_rests_in_the_world_while_its_object_moves():
    start_blender()
    ball = add_ball()
    animate_object(ball)
    ball.jounce.pin_group = ""
    scene = bpy.context.scene
    scene.use_gravity = False
    bpy.ops.jounce.bake()
    scene.frame_set(1)
    start = [ball.matrix_world @ vertex.co for vertex in ball.data.vertices]
    for frame, played in enumerate(played_frames(ball), start=1):
        scene.frame_set(frame)
        points = zip(played[0::3], played[1::3], played[2::3])
        drift = max((ball.matrix_world @ Vector(point) - where).length for point, where in zip(points, start))
        assert drift < 1e-5, "frame {}: {}".format(frame, drift)
    assert largest_difference(played, [value for vertex in ball.data.vertices for value in vertex.co]) > 0.5


def test_blender_bake_follows_deformers_and_comes_before_subdivision():
    addon = start_blender()
    ball = add_ball(frame_count=8)
    ball.shape_key_add(name="Basis")
    bent = ball.shape_key_add(name="Bent")
    for point in bent.data:
        point.co.x += 0.3 * point.co.z
    keyframe(bent, "value", {1: 0.0, 8: 1.0})
    ball.modifiers.new("Smooth", "SUBSURF").levels = 1
    count = len(ball.data.vertices)
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    assert [modifier.name for modifier in ball.modifiers] == ["Jounce Cache", "Smooth"]
    assert len(played_frames(ball)[0]) > 3 * count, "the subdivision still works on top"
    ball.modifiers["Smooth"].show_viewport = False
    played = check_playback(addon, ball)
    top = max(range(count), key=lambda index: ball.data.vertices[index].co.z)
    assert abs(played[-1][3 * top] - 0.3) <= FLOAT_PRECISION, "the pinned top follows the shape key"


def test_blender_bake_in_centimetres_falls_as_in_metres():
    addon = start_blender()
    scene = bpy.context.scene
    small = add_ball(frame_count=6)
    bpy.ops.jounce.bake()
    metres = played_frames(small)
    small.scale = (100, 100, 100)
    small.location.z *= 100
    scene.unit_settings.scale_length = 0.01
    scene.gravity = (0, 0, -981)
    bpy.ops.jounce.bake()
    centimetres = check_playback(addon, small)
    assert largest_difference(metres[0], metres[-1]) > 1e-3
    assert largest_difference(metres[-1], centimetres[-1]) < 1e-5


def test_blender_bake_again_replaces_the_cache_and_keeps_the_modifier():
    addon = start_blender()
    ball = add_ball(frame_count=6)
    bpy.ops.jounce.bake()
    soft = played_frames(ball)[-1]
    modifier = ball.modifiers["Jounce Cache"]
    modifier.name = "My Wobble"
    ball.jounce.young_modulus = 1e6
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    assert [modifier.name for modifier in ball.modifiers] == ["My Wobble"]
    assert len(bpy.data.cache_files) == 1
    stiff = check_playback(addon, ball)[-1]
    assert largest_difference(soft, stiff) > 1e-3


def test_blender_bake_refused_keeps_the_cache_before():
    start_blender()
    ball = add_ball(frame_count=3)
    bpy.ops.jounce.bake()
    before = played_frames(ball)
    resolution, ball.jounce.resolution = ball.jounce.resolution, 4000
    assert "lower the resolution" in bake_error(), "said by the core, when the bake has begun"
    ball.jounce.resolution = resolution
    assert played_frames(ball) == before
    ball.jounce.pin_group = "Gone"
    assert "no vertex group" in bake_error(), "said by the add-on, before"
    assert played_frames(ball) == before


def test_blender_bake_of_a_duplicate_gets_its_own_file():
    addon = start_blender()
    ball = add_ball(frame_count=3)
    bpy.ops.jounce.bake()
    before = played_frames(ball)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    twin.jounce.young_modulus = 1e6
    bpy.ops.jounce.bake()
    assert addon.cache_attach.attached_take(twin) != addon.cache_attach.attached_take(ball)
    assert [largest_difference(a, b) for a, b in zip(before, played_frames(ball))] == [0, 0, 0]


def test_blender_vertices_that_change_in_number_keep_the_frames_before():
    addon = start_blender()
    ball = add_ball(frame_count=6)
    array = ball.modifiers.new("Twice", "ARRAY")
    array.relative_offset_displace = (1.5, 0, 0)
    keyframe(array, "count", {3: 1, 4: 2})
    text = bake_error()
    assert "vertices at frame 4" in text and "Frames 1 to 3 are kept" in text, text
    assert baked_range(addon, ball) == (1, 3)


def test_blender_cache_survives_saving_and_loading():
    addon = start_blender()
    ball = add_ball(frame_count=4)
    bpy.ops.jounce.bake()
    before = played_frames(ball)
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    ball = bpy.data.objects["Sphere"]
    assert ball.jounce.enabled and baked_range(addon, ball) == (1, 4)
    assert [largest_difference(a, b) for a, b in zip(before, played_frames(ball))] == [0, 0, 0, 0]


run(globals())
