"""The kinds of bodies in Blender, each from Add to playback and job: cloth, girders, hair curves, spring solids."""
import array
import os
import subprocess
from unittest import mock

from blender_scene import (Recorder, baked_range, check_playback, core_frames, environment, keyframe, played_frames,
                           start_blender)
from harness import largest_difference, message_of, run

import bpy

FRAMES = 8


def new_scene():
    addon = start_blender()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    return addon


def paint(obj, chosen, name="Held"):
    group = obj.vertex_groups.new(name=name)
    group.add([vertex.index for vertex in obj.data.vertices if chosen(vertex.co)], 1.0, "REPLACE")
    obj.jounce.pin_group = name


def bake_by_job(addon, obj):
    """Plays what the command line makes of the object's job."""
    bpy.ops.jounce.write_job()
    scene = os.path.join(addon.job_operators.job_folder(obj), "scene.json")
    subprocess.check_call([os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", scene, "--quiet"])
    assert bpy.ops.jounce.attach_result() == {"FINISHED"}
    assert addon.state.of(bpy.context, obj).changed == ()


def draw_panels(addon, obj):
    """Draws every panel of the active object; returns the names of the properties that are shown."""
    log = []
    for panel in addon.panel.CLASSES:
        if hasattr(panel, "draw") and panel.poll(bpy.context):
            with mock.patch.object(addon.panel_text, "wrapped", lambda text, *_: [text]):
                panel.draw(mock.Mock(layout=Recorder(log)), bpy.context)
    return {arguments[1] for name, arguments, _ in log if name == "prop"}


def add_cloth():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=8, y_subdivisions=8, size=1)
    cloth = bpy.context.object
    bpy.ops.jounce.add()
    settings = cloth.jounce
    settings.kind, settings.steps_per_frame, settings.damping_way = "textile", 8, "coefficient"
    settings.structural, settings.mass_per_area, settings.stiffness_damping = 1000, 0.2, 0.002
    paint(cloth, lambda co: co.x < -0.49)
    return cloth


def check_cloth_hangs_from_its_pins():
    addon = new_scene()
    cloth = add_cloth()
    assert {"structural", "bending", "mass_per_area", "young_modulus"} <= draw_panels(addon, cloth)
    assert bpy.ops.jounce.bake() == {"FINISHED"} and cloth.jounce.message == "", cloth.jounce.message
    played = check_playback(addon, cloth)
    assert min(played[-1][2::3]) < -0.2
    bake_by_job(addon, cloth)
    assert played_frames(cloth) == played


def check_girders_of_faces_and_of_wires():
    for wire in (False, True):
        addon = new_scene()
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=1, radius=0.5)
        tower = bpy.context.object
        if wire:
            bpy.ops.object.mode_set(mode="EDIT")
            bpy.ops.mesh.select_all(action="SELECT")
            bpy.ops.mesh.delete(type="ONLY_FACE")
            bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.jounce.add()
        tower.jounce.kind, tower.jounce.steps_per_frame = "girders", 8
        tower.jounce.damping_way, tower.jounce.young_modulus = "coefficient", 1e6
        paint(tower, lambda co: co.z < -0.4)
        assert bpy.ops.jounce.bake() == {"FINISHED"}
        assert tower.modifiers[0].type == ("MESH_CACHE" if wire else "MESH_SEQUENCE_CACHE")
        assert largest_difference(*[played_frames(tower)[frame] for frame in (0, -1)]) > 1e-4, wire
        if wire:
            check_wires(addon, tower)
        else:
            played = check_playback(addon, tower)
            bake_by_job(addon, tower)
            assert played_frames(tower) == played


def check_wires(addon, tower):
    """The core has the two ends of every edge, in their order."""
    ends = [vertex for edge in tower.data.edges for vertex in edge.vertices]
    for shown, computed in zip(played_frames(tower), core_frames(addon, tower)):
        assert array.array("f", computed) == array.array("f", (shown[3 * end + axis] for end in ends for axis in range(3)))
    tower.data.vertices.add(1)
    assert "without an edge" in message_of(RuntimeError, bpy.ops.jounce.bake)


def add_hair():
    """Three hairs of six points that grow along x, on an object that moves."""
    data = bpy.data.hair_curves.new("Hair")
    hair = bpy.data.objects.new("Hair", data)
    bpy.context.scene.collection.objects.link(hair)
    bpy.context.view_layer.objects.active = hair
    data.add_curves([6, 6, 4])
    points = [(0.04 * k, 0.1 * row, 0) for row, count in enumerate((6, 6, 4)) for k in range(count)]
    data.points.foreach_set("position", [number for point in points for number in point])
    assert bpy.ops.jounce.add() == {"FINISHED"}
    hair.jounce.spring_thickness, hair.jounce.steps_per_frame = 0.001, 8
    return hair


def hair_points(hair):
    """x y z of the curves that Blender shows at this frame."""
    data = hair.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    found = array.array("f", bytes(12 * len(data.points)))
    data.points.foreach_get("position", found)
    return found


def played_hair(hair):
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        found.append(hair_points(hair))
    return found


def check_hair_swings_from_its_roots():
    addon = new_scene()
    hair = add_hair()
    keyframe(hair, "rotation_euler", {1: (0, 0, 0), FRAMES: (0, 0, 1)})
    assert {"spring_thickness", "torsion_modulus"} <= draw_panels(addon, hair)
    assert bpy.ops.jounce.bake() == {"FINISHED"} and hair.jounce.message == "", hair.jounce.message
    assert baked_range(addon, hair) == (1, FRAMES)
    played, core = played_hair(hair), core_frames(addon, hair)
    assert played == [array.array("f", frame) for frame in core]
    roots = [index for index in (0, 6, 12)]
    assert all(played[-1][3 * root + axis] == played[0][3 * root + axis] for root in roots for axis in range(3))
    assert largest_difference(played[0], played[-1]) > 0.01
    assert addon.state.of(bpy.context, hair).changed == ()
    hair.data.points[5].position.z += 0.01
    addon.fingerprint.forget()
    assert addon.state.of(bpy.context, hair).changed == ("mesh",)


def check_hair_is_pinned_by_an_attribute_and_goes_to_a_job():
    addon = new_scene()
    hair = add_hair()
    held = hair.data.attributes.new("held", "FLOAT", "POINT")
    held.data.foreach_set("value", [float(index % 6 < 3) for index in range(16)])
    hair.jounce.pin_group = "held"
    bpy.ops.jounce.bake()
    played = played_hair(hair)
    assert played[-1][6:9] == played[0][6:9] and played[-1][15:18] != played[0][15:18]
    bake_by_job(addon, hair)
    assert played_hair(hair) == played
    hair.jounce.pin_group = "gone"
    assert "no attribute" in message_of(RuntimeError, bpy.ops.jounce.bake)
    for name in ("suggest", "live", "show_tets"):
        assert "for meshes" in message_of(RuntimeError, getattr(bpy.ops.jounce, name))


def check_hair_without_alembic_says_why_not():
    addon = new_scene()
    hair = add_hair()
    with mock.patch.object(addon.cache_attach, "has_alembic", lambda: False):
        assert "no Alembic" in message_of(RuntimeError, bpy.ops.jounce.bake)
        assert "no Alembic" in hair.jounce.message


def check_spring_solid_bakes():
    addon = new_scene()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=10, ring_count=8)
    ball = bpy.context.object
    bpy.ops.jounce.add()
    ball.jounce.kind, ball.jounce.resolution, ball.jounce.damping_way = "spring_solid", 4, "coefficient"
    paint(ball, lambda co: co.z > 0.6)
    assert bpy.ops.jounce.bake() == {"FINISHED"}
    check_playback(addon, ball)


# Blender takes longer to start than most checks take: those of one kind share a start.
def test_blender_cloth_and_girders_bake():
    check_cloth_hangs_from_its_pins()
    check_girders_of_faces_and_of_wires()
    check_spring_solid_bakes()


def test_blender_hair_bakes():
    check_hair_swings_from_its_roots()
    check_hair_is_pinned_by_an_attribute_and_goes_to_a_job()
    check_hair_without_alembic_says_why_not()


run(globals())
