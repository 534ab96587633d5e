"""What the artist can set, in a real Blender without a window: painted weights, following, keys, colliders, motion blur."""
import os
from unittest import mock

from blender_scene import (HOME, FLOAT_PRECISION, add_ball, baked_range, check_playback, evaluated_vertices, keyframe,
                           played_frames, start_blender)
from harness import largest_difference, message_of, run

import bmesh
import bpy
from mathutils import Vector


def lowest(frame):
    return min(frame[2::3])


def firm_ball(frame_count=12):
    """A ball that holds its shape."""
    addon, ball = start_blender(), add_ball(frame_count=frame_count)
    ball.jounce.stiffness_way, ball.jounce.sag_percent = "sag", 3
    ball.jounce.damping_way, ball.jounce.settle_seconds = "seconds", 2
    return addon, ball


def check_sub_frames_interpolate_and_velocities_blur():
    addon, ball = start_blender(), add_ball(frame_count=8)
    bpy.ops.jounce.bake()
    scene, frames = bpy.context.scene, played_frames(ball)
    scene.frame_set(5, subframe=0.25)
    between = [0.75 * a + 0.25 * b for a, b in zip(frames[4], frames[5])]
    assert largest_difference(evaluated_vertices(ball), between) < 1e-5
    scene.frame_set(5)
    attribute = ball.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes["velocity"]
    moved = [(c - a) / 2 * scene.render.fps for a, c in zip(frames[3], frames[5])]
    velocities = [component for item in attribute.data for component in item.vector]
    assert max(map(abs, moved)) > 1
    assert largest_difference(velocities, moved) < 0.1 * max(map(abs, moved)), "in units per second"


def rendered(path, **motion_blur):
    """Brightness of the pixels at the current frame."""
    render = bpy.context.scene.render
    for name, value in motion_blur.items():
        setattr(render, name, value)
    render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    found = list(image.pixels)[0::4]
    bpy.data.images.remove(image)
    return found


def mean_difference(first, second):
    return sum(abs(a - b) for a, b in zip(first, second)) / len(first)


def check_blurred_render_is_the_mean_of_many_sharp_ones():
    addon, ball = start_blender(), add_ball(frame_count=12)
    bpy.ops.jounce.bake()
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 64
    scene.render.resolution_x = scene.render.resolution_y = 40
    scene.view_settings.view_transform = "Raw"
    scene.world = bpy.data.worlds.new("World")
    shine = bpy.data.materials.new("Shine")
    shine.use_nodes = True
    nodes = shine.node_tree.nodes
    shine.node_tree.links.new(nodes.new("ShaderNodeEmission").outputs[0], nodes["Material Output"].inputs["Surface"])
    ball.data.materials.append(shine)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 1.0
    camera.location, camera.rotation_euler = (0, -9, 2 + lowest(played_frames(ball)[9])), (1.5708, 0, 0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    path, count = os.path.join(HOME.name, "blur.png"), 8
    sharp = []
    for step in range(count):
        # half a shutter before and after frame 10
        offset = (step + 0.5) / count - 0.5
        scene.frame_set(10 + (0 if offset >= 0 else -1), subframe=offset % 1.0)
        sharp.append(rendered(path, use_motion_blur=False))
    mean = [sum(values) / count for values in zip(*sharp)]
    scene.frame_set(10)
    still = rendered(path, use_motion_blur=False)
    blurred = rendered(path, use_motion_blur=True, motion_blur_shutter=1.0)
    assert mean_difference(blurred, mean) < 0.25 * mean_difference(still, mean)


def sag_of_weight(weight):
    """How far the ball's lowest point is from its place after it has settled, if its top is painted with the weight."""
    addon, ball = firm_ball(frame_count=2)
    ball.jounce.settle, ball.jounce.damping_way = True, "coefficient"
    ball.jounce.stiffness_way, ball.jounce.young_modulus = "modulus", 3e5
    ball.vertex_groups["Top"].add([vertex.index for vertex in ball.data.vertices if vertex.co.z > 0.6], weight, "REPLACE")
    rest = lowest(evaluated_vertices(ball))
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    return rest - lowest(played_frames(ball)[0])


def check_weights_between_loose_and_rigid_act_smoothly():
    sags = [sag_of_weight(weight) for weight in (0.4, 0.45, 0.5, 0.55, 1.0)]
    assert sags == sorted(sags, reverse=True), sags
    assert all(a < 2 * b for a, b in zip(sags, sags[1:4])) and sags[4] < 0.1, sags


def swung_ball():
    """A ball that a shape key carries up and aside; nothing is pinned."""
    addon, ball = firm_ball(frame_count=24)
    ball.jounce.pin_group = ""
    ball.jounce.stiffness_way, ball.jounce.young_modulus = "modulus", 3e5
    ball.shape_key_add(name="Basis")
    lifted = ball.shape_key_add(name="Lifted")
    for point in lifted.data:
        point.co += Vector((1.0, 0, 0.5))
    keyframe(lifted, "value", {1: 0.0, 12: 1.0})
    return addon, ball


def check_what_is_not_pinned_follows_its_animation_softly():
    addon, ball = swung_ball()
    bpy.ops.jounce.bake()
    assert lowest(played_frames(ball)[-1]) < -2, "without it, it falls"
    ball.jounce.follow_frequency = 3
    bpy.ops.jounce.bake()
    check_playback(addon, ball)
    played = played_frames(ball)
    ball.modifiers["Jounce Cache"].show_viewport = False
    led = played_frames(ball)
    ball.modifiers["Jounce Cache"].show_viewport = True
    assert 0.01 < largest_difference(played[-1], led[-1]) < 0.2, "it hangs a little below its place, and swings"


def check_add_lets_posed_meshes_follow_and_picks_a_material_for_the_size():
    start_blender()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8)
    ball = bpy.context.object
    ball.modifiers.new("Rig", "ARMATURE")
    bpy.ops.jounce.add()
    assert ball.jounce.follow_frequency > 0 and ball.jounce.rest_follows_animation == 1
    large = ball.jounce.young_modulus
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.05)
    bpy.ops.jounce.add()
    small = bpy.context.object.jounce
    assert small.follow_frequency == 0 and small.young_modulus < large


def check_panel_says_before_the_bake_that_a_large_jelly_collapses():
    addon = start_blender()
    ball = add_ball()
    assert bpy.ops.jounce.check() == {"FINISHED"}
    found = addon.forecast.of(bpy.context, ball)
    warnings = found.warnings
    assert ball.jounce.integrator == "auto" and found.integrator == "ssdirk" and found.steps_per_frame > 1
    assert addon.panel._integrator_line(bpy.context).startswith("Semi-implicit SDIRK")
    assert "Jelly of this size sags by" in warnings[0] and "will not hold its shape" in warnings[0]
    ball.jounce.stiffness_way, ball.jounce.sag_percent = "sag", 5
    assert addon.forecast.of(bpy.context, ball) is None, "what is said is of the inputs as they are"
    bpy.ops.jounce.check()
    found = addon.forecast.of(bpy.context, ball)
    assert found.warnings == [] and found.lines[0].startswith("Sags by 5 %"), found
    ball.jounce.stiffness_way, ball.jounce.wobble_frequency = "wobble", 2
    bpy.ops.jounce.check()
    assert "wobbles at 2 Hz" in addon.forecast.of(bpy.context, ball).lines[0]
    assert bpy.ops.jounce.estimate() == {"FINISHED"}
    assert "About" in addon.forecast.cost(bpy.context, ball)


def check_keys_act_and_what_cannot_be_keyed_is_not_offered():
    addon, ball = firm_ball()
    keyframe(ball.jounce, "key_simulation", {1: 1.0, 6: 1.0, 12: 0.0})
    bpy.ops.jounce.bake()
    check_playback(addon, ball)
    rest = [component for vertex in ball.data.vertices for component in vertex.co]
    played = played_frames(ball)
    assert largest_difference(played[5], rest) > 0.005
    assert largest_difference(played[-1], rest) <= FLOAT_PRECISION, "keyed to the animation"
    assert "not animatable" in message_of(TypeError, lambda: ball.jounce.keyframe_insert("young_modulus"))


def check_keyed_pins_release():
    addon, ball = firm_ball(frame_count=16)
    ball.jounce.key_pin = 1.0
    keyframe(ball.jounce, "key_pin", {1: 1.0, 4: 1.0, 5: 0.0})
    bpy.ops.jounce.bake()
    top = max(range(len(ball.data.vertices)), key=lambda index: ball.data.vertices[index].co.z)
    played = played_frames(ball)
    assert abs(played[3][3 * top + 2] - 1) < 1e-3 and played[-1][3 * top + 2] < 0, "it falls after frame 5"


def check_settings_of_library_overrides_are_kept():
    start_blender()
    ball = add_ball(frame_count=3)
    crew = bpy.data.collections.new("Crew")
    crew.objects.link(ball)
    bpy.context.scene.collection.children.link(crew)
    library = os.path.join(HOME.name, "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library, copy=True)
    addon = start_blender()
    bpy.context.scene.frame_end = 3
    with bpy.data.libraries.load(library, link=True) as (_, chosen):
        chosen.collections = ["Crew"]
    linked = chosen.collections[0]
    bpy.context.scene.collection.children.link(linked)
    own = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    ball = next(obj for obj in own.all_objects if obj.override_library)
    ball.jounce.density = 1234.0
    ball.jounce.resolution = 5
    ball.jounce.regions.add().group = "Top"
    bpy.context.view_layer.objects.active = ball
    ball.jounce.regions.clear()
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    ball = next(obj for obj in bpy.data.objects if obj.override_library)
    assert (ball.jounce.density, ball.jounce.resolution, ball.jounce.pin_group) == (1234.0, 5, "Top")
    assert baked_range(addon, ball) == (1, 3)


def check_the_first_wobble_of_the_docs_holds_its_shape():
    """A sphere as Blender adds it, two metres across, its top painted: nothing else is set."""
    addon = start_blender()
    bpy.context.scene.frame_end = 24
    bpy.ops.mesh.primitive_uv_sphere_add()
    ball = bpy.context.object
    bpy.ops.jounce.add()
    assert addon.forecast.matching_preset(addon.properties.values(ball.jounce), addon.jounce.tables.presets())
    top = [vertex.index for vertex in ball.data.vertices if vertex.co.z > 0.7]
    ball.vertex_groups.new(name="Top").add(top, 1.0, "REPLACE")
    ball.jounce.pin_group = "Top"
    bpy.ops.jounce.check()
    assert addon.forecast.of(bpy.context, ball).warnings == []
    assert bpy.ops.jounce.bake() == {"FINISHED"} and not ball.jounce.message
    frames = played_frames(ball)
    assert all(-1.3 < lowest(frame) < -0.9 for frame in frames), "it does not become a tube"
    assert max(largest_difference(frame, frames[0]) for frame in frames) > 0.002, "and wobbles"


def check_greyed_buttons_say_why():
    start_blender()
    ball = add_ball(frame_count=3)
    assert "Nothing is baked" in message_of(RuntimeError, bpy.ops.jounce.free)
    assert "no stopped bake" in message_of(RuntimeError, bpy.ops.jounce.resume)
    assert "on the disk" in message_of(RuntimeError, bpy.ops.jounce.attach)
    assert "has Jounce already" in message_of(RuntimeError, bpy.ops.jounce.add)
    bpy.ops.object.mode_set(mode="EDIT")
    assert "Leave Edit Mode" in message_of(RuntimeError, bpy.ops.jounce.bake)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.jounce.remove()
    assert "Press Add Jounce first" in message_of(RuntimeError, bpy.ops.jounce.bake)
    bpy.context.view_layer.objects.active = None
    assert "Select a mesh" in message_of(RuntimeError, bpy.ops.jounce.bake)
    assert ball


def check_without_alembic_plays_a_point_cache():
    addon, ball = firm_ball(frame_count=6)
    ball.modifiers.new("Smooth", "SUBSURF")
    with mock.patch.object(addon.cache_attach, "has_alembic", lambda: False):
        for _ in range(2):
            assert bpy.ops.jounce.bake() == {"FINISHED"}
            assert [modifier.type for modifier in ball.modifiers] == ["MESH_CACHE", "SUBSURF"]
    ball.modifiers["Smooth"].show_viewport = False
    check_playback(addon, ball)
    assert baked_range(addon, ball) == (1, 6)
    bpy.ops.jounce.free()
    assert [modifier.type for modifier in ball.modifiers] == ["SUBSURF"]


def check_regions_act_where_they_are_painted():
    addon, ball = firm_ball(frame_count=8)
    bpy.ops.jounce.bake()
    soft = lowest(played_frames(ball)[-1])
    bpy.ops.jounce.region_add(effect="stiffness")
    region = ball.jounce.regions[0]
    assert region.group == "Top" and region.effect == "stiffness" and region.value > 1
    ball.vertex_groups.new(name="All").add(range(len(ball.data.vertices)), 1.0, "REPLACE")
    region.group, region.value = "All", 50
    ball.jounce.stiffness_way, ball.jounce.young_modulus = "modulus", 1e5
    bpy.ops.jounce.bake()
    check_playback(addon, ball)
    assert lowest(played_frames(ball)[-1]) > soft, "fifty times as stiff hangs less"
    bpy.ops.jounce.region_remove()
    assert not ball.jounce.regions


def check_mesh_colliders_hold_and_push():
    addon, ball = firm_ball(frame_count=30)
    ball.jounce.pin_group, ball.jounce.resolution = "", 5
    ball.jounce.stiffness_way, ball.jounce.young_modulus = "modulus", 5e5
    bpy.ops.mesh.primitive_cube_add(size=4, location=(0, 0, -1.5))
    block = bpy.context.object
    keyframe(block, "location", {15: (0, 0, -1.5), 30: (0, 0, -1.0)})
    obstacles = bpy.data.collections.new("Obstacles")
    obstacles.objects.link(block)
    ball.jounce.collider_collection = obstacles
    bpy.context.view_layer.objects.active = ball
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    frames = played_frames(ball)
    assert lowest(frames[14]) + 2 > 0.5 - 0.02, "it lies on the block"
    assert lowest(frames[-1]) + 2 > 1.0 - 0.02, "and is lifted by it"


def check_loose_edges_ride_along():
    addon, ball = firm_ball(frame_count=12)
    mesh = bmesh.new()
    mesh.from_mesh(ball.data)
    side = max(mesh.verts, key=lambda vertex: vertex.co.x)
    anchor = side.index
    tip = mesh.verts.new(side.co + Vector((0.5, 0, 0)))
    mesh.edges.new((side, tip))
    mesh.to_mesh(ball.data)
    mesh.free()
    bpy.ops.jounce.bake()
    last = len(ball.data.vertices) - 1
    for frame in played_frames(ball):
        length = (Vector(frame[3 * last:3 * last + 3]) - Vector(frame[3 * anchor:3 * anchor + 3])).length
        assert abs(length - 0.5) < 0.1, length


def check_preview_and_overlay_have_the_resolution_that_is_set():
    addon, ball = firm_ball(frame_count=3)
    ball.jounce.resolution, ball.jounce.preview_resolution = 10, 4
    assert bpy.ops.jounce.show_tets() == {"FINISHED"}
    fine = len(addon.tet_overlay.edges_of(ball))
    bpy.ops.jounce.show_tets()
    assert not addon.tet_overlay.overlay.is_shown(ball)
    ball.jounce.use_preview = True
    bpy.ops.jounce.show_tets()
    assert 0 < len(addon.tet_overlay.edges_of(ball)) < fine / 2
    bpy.ops.jounce.bake()
    check_playback(addon, ball)
    ball.jounce.use_preview = False
    assert addon.state.of(bpy.context, ball).changed == ("settings",)


def check_check_finds_a_hole_and_selects_its_rim():
    addon, ball = firm_ball(frame_count=3)
    mesh = bmesh.new()
    mesh.from_mesh(ball.data)
    mesh.faces.ensure_lookup_table()
    rim = {vertex.index for vertex in mesh.faces[20].verts}
    bmesh.ops.delete(mesh, geom=[mesh.faces[20]], context="FACES_ONLY")
    mesh.to_mesh(ball.data)
    mesh.free()
    bpy.ops.jounce.check()
    names = [finding["name"] for finding in addon.forecast.of(bpy.context, ball).findings]
    assert "open_loops" in names, names
    assert bpy.ops.jounce.select_places(finding="open_loops") == {"FINISHED"} and bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert {vertex.index for vertex in ball.data.vertices if vertex.select} == rim


def check_bake_all_bakes_each_into_its_own_cache():
    addon, ball = firm_ball(frame_count=3)
    bpy.ops.object.duplicate()
    twin = bpy.context.object
    assert bpy.ops.jounce.bake_all() == {"FINISHED"}
    assert baked_range(addon, ball) == baked_range(addon, twin) == (1, 3)
    assert addon.cache_attach.attached_take(ball) != addon.cache_attach.attached_take(twin)


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_cache_plays_between_frames_and_blurs():
    check_sub_frames_interpolate_and_velocities_blur()
    check_blurred_render_is_the_mean_of_many_sharp_ones()


def test_blender_painted_weights_act():
    check_weights_between_loose_and_rigid_act_smoothly()
    check_regions_act_where_they_are_painted()


def test_blender_animation_leads():
    check_what_is_not_pinned_follows_its_animation_softly()
    check_keys_act_and_what_cannot_be_keyed_is_not_offered()
    check_keyed_pins_release()
    check_add_lets_posed_meshes_follow_and_picks_a_material_for_the_size()


def test_blender_panel_foresees_and_explains():
    check_the_first_wobble_of_the_docs_holds_its_shape()
    check_panel_says_before_the_bake_that_a_large_jelly_collapses()
    check_check_finds_a_hole_and_selects_its_rim()
    check_greyed_buttons_say_why()
    check_preview_and_overlay_have_the_resolution_that_is_set()


def test_blender_scenes_of_many_kinds_bake():
    check_settings_of_library_overrides_are_kept()
    check_without_alembic_plays_a_point_cache()
    check_mesh_colliders_hold_and_push()
    check_loose_edges_ride_along()
    check_bake_all_bakes_each_into_its_own_cache()


run(globals())
