"""Live in a real Blender without a window: frames that are set one after the other are the timeline that plays."""
import os

from blender_scene import HOME, MODULE, add_ball, animate_object, check_playback, evaluated_vertices, keyframe, start_blender
from harness import largest_difference, message_of, run

import addon_utils
import bpy


def live_ball(frame_count=12, steps_per_frame=0):
    """A ball that is carried about, live."""
    addon, ball = start_blender(), add_ball(frame_count=frame_count)
    ball.jounce.steps_per_frame = steps_per_frame
    animate_object(ball)
    bpy.context.scene.frame_set(1)
    assert bpy.ops.jounce.live() == {"FINISHED"}
    return addon, ball


def play(obj, frames):
    """{frame: vertices that are shown}."""
    found = {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[frame] = evaluated_vertices(obj)
    return found


def modelled(obj):
    return [component for vertex in obj.data.vertices for component in vertex.co]


def traces():
    """What Live has in the file."""
    kept = [*bpy.data.objects, *bpy.data.meshes, *bpy.data.node_groups]
    return [block.name for block in kept if "Live" in block.name] + [
        modifier.name for obj in bpy.data.objects for modifier in obj.modifiers if "Live" in modifier.name]


def test_blender_live_plays_what_the_bake_plays_and_starts_anew():
    addon, ball = live_ball(steps_per_frame=4)
    first = play(ball, range(1, 13))
    assert largest_difference(first[12], modelled(ball)) > 0.05, "it wobbles"
    assert play(ball, range(1, 13)) == first, "from the first frame on it is the same again"
    bpy.ops.jounce.live()
    assert play(ball, [6])[6] == evaluated_vertices(ball) and not traces()
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    assert play(ball, range(1, 13)) == first, "on a mesh as fine as the bake's, to the last bit"


def test_blender_live_keeps_pace_when_frames_are_left_out_and_starts_where_the_timeline_goes_on():
    addon, ball = live_ball()
    every = play(ball, range(1, 13))
    some = play(ball, [1, 2, 5, 6, 12])
    assert all(some[frame] == every[frame] for frame in some), "what Blender leaves out is simulated"
    jumped = play(ball, [9, 3])
    assert largest_difference(jumped[3], modelled(ball)) < 1e-6, "after a jump the animation is shown as it is"
    gone_on = play(ball, range(4, 10))
    assert largest_difference(gone_on[4], modelled(ball)) > 1e-4 and gone_on[9] != every[9]


def test_blender_live_simulates_a_coarser_mesh_with_the_same_stiffness():
    addon, ball = live_ball()
    ball.jounce.resolution, ball.jounce.live_vertices = 12, 150
    ball.jounce.stiffness_way, ball.jounce.sag_percent = "sag", 4
    ball.jounce.damping_way, ball.jounce.settle_seconds = "seconds", 1
    shown = play(ball, range(1, 13))
    simulation = addon.live._simulations[ball.name]
    assert 75 < simulation.vertex_count <= 150 and "simulated vertices" in addon.live.status_lines(ball)[0][0]
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    baked = play(ball, range(1, 13))
    wobble = largest_difference(baked[12], modelled(ball))
    assert wobble > 0.02 and largest_difference(baked[12], shown[12]) < 0.5 * wobble


def test_blender_live_leaves_no_trace():
    addon, ball = live_ball()
    before = bytes(evaluated_vertices(ball)), len(ball.data.attributes)
    play(ball, range(1, 5))
    assert traces() and [modifier.show_viewport for modifier in ball.modifiers] == [True]
    path = os.path.join(HOME.name, "live.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert addon.live.is_live(ball), "a save does not end it"
    play(ball, range(1, 5))
    bpy.ops.jounce.live()
    assert not traces() and not ball.modifiers and len(ball.data.attributes) == before[1]
    bpy.ops.wm.open_mainfile(filepath=path)
    assert not traces(), "files are saved without it"


def test_blender_live_ends_with_the_add_on_and_with_jounce():
    addon, ball = live_ball()
    play(ball, range(1, 4))
    bpy.ops.jounce.remove()
    assert not traces()
    bpy.ops.jounce.add()
    bpy.ops.jounce.live()
    play(ball, range(1, 4))
    counts = {name: len(getattr(bpy.app.handlers, name)) for name in addon.live._HANDLERS}
    addon_utils.disable(MODULE)
    assert not traces()
    assert all(len(getattr(bpy.app.handlers, name)) < count for name, count in counts.items())
    addon_utils.enable(MODULE)


def test_blender_live_survives_undo_renaming_copies_and_removal():
    addon, ball = live_ball()
    bpy.ops.ed.undo_push(message="Live")
    play(ball, range(1, 4))
    ball.name = "Belly"
    every = play(ball, range(1, 6))
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    keyframe(twin, "location", {1: (5, 0, 2), 6: (5, 0, 3)})
    both = [play(obj, range(1, 6))[5] for obj in (ball, twin)]
    assert both[0] == every[5] and both[1] != both[0], "each has its own points"
    bpy.data.objects.remove(twin)
    assert play(ball, range(1, 6)) == every
    assert len(traces()) == 4, traces()
    bpy.ops.ed.undo_push(message="Copies")
    bpy.ops.ed.undo()
    ball = bpy.context.scene.objects[0]
    play(ball, range(1, 4))
    bpy.data.objects.remove(ball)
    bpy.context.scene.frame_set(5)
    assert not traces()


def test_blender_live_ends_when_its_object_is_baked_and_lies_over_an_older_cache():
    addon, ball = start_blender(), add_ball(frame_count=6)
    ball.jounce.steps_per_frame = 4  # given ones are those of Live too
    ball.modifiers.new("Smooth", "SUBSURF")
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    ball.modifiers["Smooth"].show_viewport = False
    baked = play(ball, range(1, 7))
    ball.jounce.young_modulus *= 4
    assert bpy.ops.jounce.live() == {"FINISHED"}
    assert [modifier.type for modifier in ball.modifiers] == ["MESH_SEQUENCE_CACHE", "NODES", "SUBSURF"]
    live = play(ball, range(1, 7))
    assert largest_difference(live[6], baked[6]) > 1e-4
    assert "mesh" not in addon.state.of(bpy.context, ball).sentence
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    assert [modifier.type for modifier in ball.modifiers] == ["MESH_SEQUENCE_CACHE", "SUBSURF"]
    assert play(ball, range(1, 7)) == live
    check_playback(addon, ball)


def test_blender_live_stays_out_of_renders_and_says_what_is_wrong():
    addon, ball = live_ball()
    shown = play(ball, range(1, 4))
    for handler in bpy.app.handlers.render_init:
        handler(bpy.context.scene)
    assert play(ball, [8])[8] == shown[3], "while a render sets frames nothing is simulated"
    for handler in bpy.app.handlers.render_complete:
        handler(bpy.context.scene)
    assert not ball.modifiers["Jounce Live"].show_render
    ball.jounce.pin_group = "Gone"
    assert largest_difference(play(ball, [1])[1], modelled(ball)) < 1e-6
    text, icon = addon.live.status_lines(ball)[0]
    assert "no vertex group \"Gone\"" in text and icon == "ERROR"
    ball.jounce.pin_group = "Top"
    assert play(ball, range(1, 4)) == shown
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Leave Edit Mode" in message_of(RuntimeError, bpy.ops.jounce.live)
    bpy.ops.object.mode_set(mode="OBJECT")


run(globals())
