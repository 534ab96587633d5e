"""Suggest in a real Blender: Add, Suggest, Bake and nothing else, on a rigged character and on meshes without bones."""
import math
import os

from blender_scene import keyframe, played_frames, start_blender
from harness import Skip, environment, message_of, run

import bpy


def asset(*parts):
    path = os.path.join(environment("JN_TEST_ASSETS"), *parts)
    if not os.path.exists(path):
        raise Skip("there is no " + path)
    return path


def painted(obj, name):
    """The weight of every vertex."""
    group = obj.vertex_groups[name].index
    return [sum(element.weight for element in vertex.groups if element.group == group) for vertex in obj.data.vertices]


def walking_man(last_frame):
    """A man who walks for 48 frames and then stands still."""
    addon = start_blender()
    bpy.ops.import_scene.gltf(filepath=asset("rig", "CesiumMan.glb"))
    bpy.context.scene.frame_end = last_frame
    man = next(obj for obj in bpy.context.scene.objects if obj.type == "MESH" and obj.find_armature())
    bpy.context.view_layer.objects.active = man
    return addon, man


def test_blender_suggest_a_character_jiggles_after_one_click():
    addon, man = walking_man(last_frame=66)
    led = played_frames(man)
    assert bpy.ops.jounce.add() == bpy.ops.jounce.suggest() == bpy.ops.jounce.bake() == {"FINISHED"}
    baked, weights, size = played_frames(man), painted(man, man.jounce.pin_group), max(man.dimensions)
    free = [index for index, weight in enumerate(weights) if weight < 0.2]
    held = [index for index, weight in enumerate(weights) if weight > 0.999]
    assert len(free) > 50 and len(held) > 500

    def farthest(frame, among):
        return max(math.dist(baked[frame][3 * i:3 * i + 3], led[frame][3 * i:3 * i + 3]) for i in among) / size

    off = [farthest(frame, free) for frame in range(len(led))]
    assert off[0] < 1e-3, "the modelled shape carries its weight"
    assert 0.01 < max(off) < 0.2, "it jiggles"
    assert off[-1] < 0.1 * max(off), "and comes back"
    assert max(farthest(frame, held) for frame in range(len(led))) < 1e-3


def test_blender_suggest_is_not_needed_for_a_character_that_follows_its_rig():
    addon, man = walking_man(last_frame=12)
    led = played_frames(man)
    assert bpy.ops.jounce.add() == bpy.ops.jounce.bake() == {"FINISHED"}
    off = [max(math.dist(a[i:i + 3], b[i:i + 3]) for i in range(0, len(a), 3)) for a, b in zip(led, played_frames(man))]
    # tr_bdf2 with 32 steps a frame: 0.242
    assert 0.1 < max(off) / max(man.dimensions) < 0.3, max(off) / max(man.dimensions)


def test_blender_suggest_paints_the_belly_free_and_head_hands_and_feet_held():
    addon, man = walking_man(last_frame=2)
    bpy.ops.jounce.add()
    bpy.ops.jounce.suggest()
    weights, positions = painted(man, "Jounce Pin"), [man.matrix_world @ vertex.co for vertex in man.data.vertices]
    top = max(position.z for position in positions)
    assert min(weight for weight, position in zip(weights, positions) if position.z > 0.9 * top) > 0.99, "head"
    assert min(weight for weight, position in zip(weights, positions) if position.z < 0.05 * top) > 0.9, "feet"
    assert man.jounce.pin_group == "Jounce Pin" and man.jounce.follow_group == "Jounce Follow"
    before = weights
    bpy.ops.jounce.suggest()
    assert painted(man, "Jounce Pin") == before and [group.name for group in man.vertex_groups].count("Jounce Pin") == 1


def test_blender_suggest_softens_the_ends_of_a_mesh_without_bones():
    start_blender()
    bpy.ops.wm.obj_import(filepath=asset("surface", "spot_low.obj"))
    cow = bpy.context.object
    bpy.context.view_layer.objects.active = cow
    bpy.ops.jounce.add()
    assert bpy.ops.jounce.suggest() == {"FINISHED"}
    weights = painted(cow, "Jounce Pin")

    def mean(chosen):
        found = [weight for weight, vertex in zip(weights, cow.data.vertices) if chosen(*vertex.co)]
        return sum(found) / len(found)

    assert mean(lambda x, y, z: y < -0.65) < 0.3, "hooves"
    assert mean(lambda x, y, z: -0.1 < y < 0.3 and 0 < z < 0.5) > 0.95, "trunk"
    bpy.context.scene.frame_end, cow.jounce.resolution = 2, 8
    assert bpy.ops.jounce.bake() == {"FINISHED"}


def two_cubes(at):
    """A cube of a metre, and another one whose lowest corner is at `at`, as one mesh."""
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new("Cubes")
    mesh.from_pydata(corners + [tuple(p + x for p, x in zip(at, corner)) for corner in corners], [],
                     faces + [tuple(8 + index for index in face) for face in faces])
    cubes = bpy.data.objects.new("Cubes", mesh)
    bpy.context.scene.collection.objects.link(cubes)
    return cubes


def test_blender_suggest_holds_parts_that_hang_by_an_edge_or_a_corner():
    for at in ((1, 0, 1), (1, 1, 1)):
        start_blender()
        cubes = two_cubes(at)
        bpy.context.view_layer.objects.active = cubes
        bpy.context.scene.frame_end = 3
        bpy.ops.jounce.add()
        settings = cubes.jounce
        settings.resolution = 6
        assert bpy.ops.jounce.suggest() == {"FINISHED"} and settings.follow_frequency > 1
        first = (settings.young_modulus, settings.follow_frequency, settings.keep_shape)
        bpy.ops.jounce.suggest()
        assert (settings.young_modulus, settings.follow_frequency, settings.keep_shape) == first
        assert bpy.ops.jounce.bake() == {"FINISHED"}


def test_blender_suggest_lets_a_penguin_jiggle_and_come_back():
    start_blender()
    bpy.ops.wm.obj_import(filepath=asset("surface", "penguin_control_mesh.obj"))
    penguin = bpy.context.object
    bpy.context.view_layer.objects.active = penguin
    bpy.context.scene.frame_end = 48
    bpy.ops.jounce.add()
    penguin.jounce.resolution = 8
    assert bpy.ops.jounce.suggest() == {"FINISHED"}
    keyframe(penguin, "location", {1: (0, 0, 0), 6: (0.3, 0, 0), 12: (-0.3, 0, 0), 18: (0, 0, 0)})
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    baked, size = played_frames(penguin), max(penguin.dimensions)
    away = [max(math.dist(frame[i:i + 3], baked[0][i:i + 3]) for i in range(0, len(frame), 3)) / size for frame in baked]
    assert 0.01 < max(away) < 0.2 and away[-1] < 0.2 * max(away), away


def test_blender_suggest_lets_all_of_a_snake_follow_softly():
    start_blender()
    bpy.ops.mesh.primitive_cylinder_add(vertices=16, radius=0.1, depth=2, end_fill_type="TRIFAN")
    snake = bpy.context.object
    bpy.ops.object.armature_add(location=(0, 0, -1))
    spine = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    spine.data.edit_bones[0].tail = (0, 0, 2)
    bpy.ops.object.mode_set(mode="OBJECT")
    snake.modifiers.new("Rig", "ARMATURE").object = spine
    bpy.context.view_layer.objects.active = snake
    bpy.ops.jounce.add()
    assert bpy.ops.jounce.suggest() == {"FINISHED"}
    settings = snake.jounce
    assert (settings.pin_group, settings.follow_group) == ("", "") and settings.follow_frequency > 0
    bpy.context.scene.frame_end, settings.resolution = 2, 6
    assert bpy.ops.jounce.bake() == {"FINISHED"}


def test_blender_suggest_says_why_not():
    start_blender()
    bpy.ops.mesh.primitive_cube_add()
    assert "Press Add Jounce first" in message_of(RuntimeError, bpy.ops.jounce.suggest)
    bpy.ops.jounce.add()
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Leave Edit Mode" in message_of(RuntimeError, bpy.ops.jounce.suggest)
    bpy.ops.mesh.delete(type="ONLY_FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "no faces" in message_of(RuntimeError, bpy.ops.jounce.suggest)


run(globals())
