"""The job that the add-on writes gives, by the command line, the cache that the add-on bakes, bit for bit."""
import json
import os
import subprocess

from blender_scene import (add_ball, animate_object, baked_range, check_playback, environment, keyframe, played_frames,
                           start_blender)
from characters import asset
from harness import largest_difference, message_of, run

import addon_utils
import bpy
from mathutils import Vector


def character():
    """A ball that a shape key carries aside, pinned, soft-following and with a stiff region, above a moving block."""
    addon, ball = start_blender(), add_ball(frame_count=10)
    settings = ball.jounce
    settings.stiffness_way, settings.sag_percent = "sag", 4
    settings.follow_frequency, settings.use_ground, settings.ground_height = 2, True, -3
    ball.rotation_euler.x = 0.3
    ball.shape_key_add(name="Basis")
    lifted = ball.shape_key_add(name="Lifted")
    for point in lifted.data:
        point.co += Vector((1.0, 0, 0.5))
    keyframe(lifted, "value", {1: 0.0, 8: 1.0})
    keyframe(settings, "key_goal", {1: 1.0, 10: 0.2})
    bpy.ops.jounce.region_add(effect="stiffness")
    return addon, ball


def check_job_gives_the_same_cache_by_the_command_line():
    addon, ball = character()
    bpy.ops.jounce.bake()
    baked = played_frames(ball)
    bpy.ops.jounce.free()
    assert "press Write Job first" in message_of(RuntimeError, bpy.ops.jounce.copy_command)
    assert bpy.ops.jounce.write_job() == {"FINISHED"}
    assert "no result yet" in message_of(RuntimeError, bpy.ops.jounce.attach_result)
    folder = addon.job_operators.job_folder(ball)
    command = os.path.join(environment("JN_TEST_BUILD"), "jounce")
    subprocess.check_call([command, "bake", os.path.join(folder, "scene.json"), "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"}
    assert played_frames(ball) == baked
    assert baked_range(addon, ball) == (1, 10) and addon.state.of(bpy.context, ball).changed == ()


def cesium_man():
    """The walking man as he is, split at his seams, with bones inside, a stiff head and a loose belly, beside a wall."""
    addon = start_blender()
    addon_utils.enable("io_scene_gltf2")
    bpy.ops.import_scene.gltf(filepath=asset("rig", "CesiumMan.glb"))
    man = next(obj for obj in bpy.data.objects if obj.type == "MESH" and obj.modifiers)
    bpy.context.view_layer.objects.active = man
    bpy.context.scene.frame_end = 8
    bpy.ops.jounce.add()
    man.jounce.use_bones, man.jounce.resolution, man.jounce.settle_seconds = True, 12, 3
    man.vertex_groups.active = man.vertex_groups["Skeleton_neck_joint_2"]
    bpy.ops.jounce.region_add(effect="stiffness")
    man.jounce.follow_group = "Skeleton_torso_joint_1"
    bpy.ops.mesh.primitive_plane_add(size=3, location=(0, 0, -0.05))
    floor = bpy.context.object
    obstacles = bpy.data.collections.new("Obstacles")
    obstacles.objects.link(floor)
    man.jounce.collider_collection = obstacles
    bpy.context.view_layer.objects.active = man
    return addon, man


def test_blender_job_of_an_animated_character_is_its_bake():  # slow
    addon, man = cesium_man()
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    baked = check_playback(addon, man)
    assert addon.state.of(bpy.context, man).changed == ()
    bpy.ops.jounce.write_job()
    folder = addon.job_operators.job_folder(man)
    command = os.path.join(environment("JN_TEST_BUILD"), "jounce")
    subprocess.check_call([command, "bake", os.path.join(folder, "scene.json"), "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"}
    assert played_frames(man) == baked
    man.modifiers["Jounce Cache"].show_viewport = False
    led = played_frames(man)
    away = largest_difference(baked[-1], led[-1]) / max(man.dimensions)
    assert 0.01 < away < 0.2, "he jiggles: {:.1%} of his size".format(away)


def check_job_of_an_object_that_moves_and_is_posed_elsewhere_at_rest():
    addon, ball = character()
    animate_object(ball)
    ball.jounce.use_rest_frame, ball.jounce.rest_frame = True, 6
    bpy.ops.jounce.bake()
    baked = check_playback(addon, ball)
    bpy.ops.jounce.write_job()
    folder = addon.job_operators.job_folder(ball)
    subprocess.check_call([os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", os.path.join(folder, "scene.json"),
                           "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"}
    assert played_frames(ball) == baked


def check_job_has_colliders_as_they_move():
    addon, ball = character()
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, -1))
    block = bpy.context.object
    keyframe(block, "location", {1: (0, 0, -1), 10: (0, 0, 0)})
    obstacles = bpy.data.collections.new("Obstacles")
    obstacles.objects.link(block)
    ball.jounce.collider_collection = obstacles
    bpy.context.view_layer.objects.active = ball
    bpy.ops.jounce.write_job()
    folder = addon.job_operators.job_folder(ball)
    with open(os.path.join(folder, "scene.json"), encoding="utf-8") as file:
        colliders = json.load(file)["colliders"]
    assert [collider["kind"] for collider in colliders] == ["mesh", "plane"] and "animation" in colliders[0]
    command = os.path.join(environment("JN_TEST_BUILD"), "jounce")
    subprocess.check_call([command, "check", os.path.join(folder, "scene.json")], stdout=subprocess.DEVNULL)


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_job_is_the_bake():
    check_job_gives_the_same_cache_by_the_command_line()
    check_job_of_an_object_that_moves_and_is_posed_elsewhere_at_rest()
    check_job_has_colliders_as_they_move()


run(globals())
