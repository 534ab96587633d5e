"""Scenes as artists have them: mirrored, constrained, renamed, instanced, linked, with n-gons and odd names; and the small
things of the panel, each as it says."""
import math
import os
from unittest import mock

from blender_scene import (HOME, WindowBake, add_ball, baked_range, check_playback, evaluated_vertices, keyframe,
                           played_frames, start_blender)
from harness import largest_difference, message_of, run

import bpy


def small_ball(frame_count=4):
    addon, ball = start_blender(), add_ball(frame_count=frame_count, segments=10, rings=6)
    ball.jounce.resolution = 4
    return addon, ball


def check_mirrored_and_stretched_objects_play():
    for scale in ((-1, 1, 1), (2, -0.5, 0.7), (-1, -1, -1)):
        addon, ball = small_ball()
        ball.scale = scale
        bpy.ops.jounce.bake()
        frames = check_playback(addon, ball)
        assert largest_difference(frames[0], frames[-1]) > 1e-3


def check_constrained_and_parented_objects_play():
    addon, ball = small_ball(frame_count=6)
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    keyframe(leader, "location", {1: (0, 0, 0), 6: (1, 0, 0.5)})
    constraint = ball.constraints.new("COPY_LOCATION")
    constraint.target, constraint.use_offset = leader, True
    bpy.ops.jounce.bake()
    still = check_playback(addon, ball)
    keyframe(leader, "location", {6: (2, 0, 0.5)})
    assert addon.state.of(bpy.context, ball).changed == ("animation",)
    bpy.ops.jounce.bake()
    assert largest_difference(check_playback(addon, ball)[-1], still[-1]) > 1e-3, "the leader's motion is felt"


def check_n_gons_bake_and_keep_their_faces():
    addon = start_blender()
    bpy.context.scene.frame_end = 3
    bpy.ops.mesh.primitive_cylinder_add(vertices=9, end_fill_type="NGON")
    drum = bpy.context.object
    bpy.ops.jounce.add()
    drum.jounce.resolution = 4
    drum.jounce.use_ground, drum.jounce.ground_height = True, -1.5
    bpy.ops.jounce.bake()
    check_playback(addon, drum)
    mesh = drum.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert sorted({face.loop_total for face in mesh.polygons}) == [4, 9]


def check_odd_names_bake_alone_and_together():
    for names in (("Bäll/one: <2>", "Ball; two"), ("A\\b|c?*\"", "  spaced . ")):
        addon = start_blender()
        balls = []
        for number, name in enumerate(names):
            ball = add_ball(frame_count=2, segments=8, rings=6)
            ball.location.x, ball.name, ball.jounce.resolution = 5 * number, name, 3
            ball.jounce.touch_bodies = True
            balls.append(ball)
        assert bpy.ops.jounce.bake() == {"FINISHED"}, names
        check_playback(addon, *balls)
        balls[0].jounce.touch_bodies = False
        bpy.context.view_layer.objects.active = balls[0]
        assert bpy.ops.jounce.bake() == {"FINISHED"}
        check_playback(addon, balls[0])


def check_renamed_object_keeps_its_bake():
    addon, ball = small_ball()
    bpy.ops.jounce.bake()
    ball.name = "Another"
    assert baked_range(addon, ball) == (1, 4) and addon.state.of(bpy.context, ball).changed == ()
    check_playback(addon, ball)
    bpy.ops.jounce.bake()
    bpy.ops.wm.save_mainfile()
    assert baked_range(addon, ball) == (1, 4)
    check_playback(addon, ball)


def check_object_renamed_in_mid_bake_ends_in_words():
    addon, ball = small_ball(frame_count=3000)  # more than are read ahead
    window = WindowBake(addon)
    while window.session.state.frames_done < 2:
        window.send("TIMER")
    ball.name = "Another"
    assert window.run() == {"FINISHED"}
    assert any("removed or renamed" in str(entry) for entry in window.log)
    assert addon.bake_operators.running() is None and not ball.jounce.hidden_modifiers


def check_instances_show_the_bake():
    addon, ball = small_ball()
    family = bpy.data.collections.new("Family")
    family.objects.link(ball)
    instance = bpy.data.objects.new("Instance", None)
    instance.instance_type, instance.instance_collection, instance.location = "COLLECTION", family, (5, 0, 0)
    bpy.context.scene.collection.objects.link(instance)
    bpy.ops.jounce.bake()
    bpy.context.scene.frame_set(4)
    shown = evaluated_vertices(ball)
    graph = bpy.context.evaluated_depsgraph_get()
    copies = [list(found.object.data.vertices[0].co) for found in graph.object_instances
              if found.is_instance and found.object.original == ball]
    assert copies and largest_difference(copies[0], shown[:3]) < 1e-6


def check_shared_mesh_of_two_objects_bakes_each():
    addon, ball = small_ball()
    twin = bpy.data.objects.new("Twin", ball.data)
    bpy.context.scene.collection.objects.link(twin)
    twin.location = (4, 0, 2)
    bpy.context.view_layer.objects.active = twin
    bpy.ops.jounce.add()
    twin.jounce.resolution, twin.jounce.use_ground = 4, True
    bpy.ops.jounce.bake()
    check_playback(addon, twin)
    assert baked_range(addon, ball) is None


def check_linked_objects_say_why_not_and_overrides_bake():
    addon, ball = small_ball()
    ball.name = "Linked Ball"
    library = os.path.join(HOME.name, "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    start_blender()
    bpy.context.scene.frame_end = 4
    with bpy.data.libraries.load(library, link=True) as (there, here):
        here.objects = ["Linked Ball"]
    linked = here.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    assert "make a library override" in message_of(RuntimeError, bpy.ops.jounce.bake)
    own = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = own
    own.jounce.resolution = 3
    assert own.jounce.enabled and bpy.ops.jounce.bake() == {"FINISHED"}
    check_playback(addon, own)
    path = bpy.data.filepath
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=path)
    own = bpy.context.view_layer.objects.active
    assert own.override_library and baked_range(addon, own) == (1, 4) and own.jounce.resolution == 3
    check_playback(addon, own)


def check_regions_have_colours_that_follow_the_paint():
    addon, ball = small_ball()
    bpy.ops.jounce.region_add(effect="stiffness")
    group = ball.vertex_groups.new(name="Low")
    group.add([vertex.index for vertex in ball.data.vertices if vertex.co.z < 0], 0.5, "REPLACE")
    bpy.ops.jounce.region_add(effect="density")
    top, low = ball.jounce.regions
    assert tuple(top.colour) != tuple(low.colour)
    assert bpy.ops.jounce.show_regions() == {"FINISHED"} and addon.region_overlay.overlay.is_shown(ball)
    colours = addon.region_overlay.colours_of(ball)
    for vertex, colour in zip(ball.data.vertices, colours):
        expected = 0.7 if vertex.co.z > 0.6 else 0.35 if vertex.co.z < 0 else 0.0
        assert abs(colour[3] - expected) < 1e-6, (vertex.co, colour)
    assert addon.state.of(bpy.context, ball).changed == ()
    bpy.ops.jounce.show_regions()
    assert not addon.region_overlay.overlay.is_shown(ball)
    low.group = "gone"
    assert "no vertex group" in message_of(RuntimeError, bpy.ops.jounce.show_regions)


def check_report_has_plots_and_warnings_that_lead_to_their_frame():
    addon, ball = small_ball(frame_count=6)
    ball.jounce.cuts = "4"
    keyframe(ball, "location", {1: (0, 0, 2), 3: (0, 0, 2), 4: (50, 0, 2)})
    bpy.ops.jounce.bake()
    report = addon.state.report(ball)
    assert [frame[0] for frame in report["frames"]] == [1, 2, 3, 4, 5, 6]
    lines = addon.panel_text.energy_lines(report)
    assert len(lines) == 4 and "6 frames in" in lines[3]
    assert [4, "Sphere jumps and is carried over"] in report["warnings"], report["warnings"]
    bpy.ops.jounce.jump(frame=4)
    assert bpy.context.scene.frame_current == 4


def check_command_is_copied():
    addon, ball = small_ball()
    assert bpy.ops.jounce.write_job() == {"FINISHED"}
    taken = []
    with mock.patch.object(addon.job_operators.job, "command", lambda path: taken.append(path) or "jounce bake"):
        assert bpy.ops.jounce.copy_command() == {"FINISHED"}
    assert taken and os.path.isfile(taken[0])
    assert addon.jounce.host.job.command("a b/scene.json") == 'jounce bake --resume "a b/scene.json"'


def check_unit_scale_and_frame_range_are_the_scenes():
    addon, ball = small_ball(frame_count=8)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 3, 7
    scene.render.fps, scene.render.fps_base = 30, 1.001
    bpy.ops.jounce.bake()
    assert baked_range(addon, ball) == (3, 7)
    scene.frame_set(5)
    moved = evaluated_vertices(ball)
    scene.frame_set(3)
    assert largest_difference(moved, evaluated_vertices(ball)) > 1e-3
    assert math.isclose(addon.scene_reader.read_fps(scene), 30 / 1.001, rel_tol=1e-6)


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_objects_bake_however_they_are_placed():
    check_mirrored_and_stretched_objects_play()
    check_constrained_and_parented_objects_play()
    check_n_gons_bake_and_keep_their_faces()
    check_unit_scale_and_frame_range_are_the_scenes()


def test_blender_objects_bake_whatever_they_are_called():
    check_odd_names_bake_alone_and_together()
    check_renamed_object_keeps_its_bake()
    check_object_renamed_in_mid_bake_ends_in_words()


def test_blender_shared_instanced_and_linked_objects_bake():
    check_instances_show_the_bake()
    check_shared_mesh_of_two_objects_bakes_each()
    check_linked_objects_say_why_not_and_overrides_bake()


def test_blender_panel_does_what_it_says():
    check_regions_have_colours_that_follow_the_paint()
    check_report_has_plots_and_warnings_that_lead_to_their_frame()
    check_command_is_copied()


run(globals())
