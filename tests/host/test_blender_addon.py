"""The add-on around the bake: install, panels, words for what is wrong, Esc, free, remove, disable."""
import os
import types

from blender_scene import (HOME, MODULE, Recorder, WindowBake, add_ball, bake_error, baked_range, cache_folder, check_playback,
                           evaluated_vertices, start_blender)
from harness import largest_difference, run

import addon_utils
import bmesh
import bpy


def test_blender_free_removes_modifier_and_file():
    start_blender()
    ball = add_ball(frame_count=3)
    rest = evaluated_vertices(ball)
    bpy.ops.jounce.bake()
    assert bpy.ops.jounce.free() == {"FINISHED"}
    assert not ball.modifiers and not bpy.data.cache_files
    bpy.ops.wm.save_mainfile()
    assert os.listdir(cache_folder()) == []
    bpy.context.scene.frame_set(3)
    assert largest_difference(evaluated_vertices(ball), rest) == 0
    assert not bpy.ops.jounce.free.poll()


def test_blender_remove_leaves_the_object_as_it_was():
    start_blender()
    ball = add_ball(frame_count=3)
    bpy.ops.jounce.bake()
    assert bpy.ops.jounce.remove() == {"FINISHED"}
    assert not ball.modifiers and not ball.jounce.enabled and ball.jounce.pin_group == ""
    assert bpy.ops.jounce.add.poll() and not bpy.ops.jounce.bake.poll()


def test_blender_open_mesh_is_baked():
    start_blender()
    ball = add_ball(frame_count=3)
    mesh = bmesh.new()
    mesh.from_mesh(ball.data)
    mesh.faces.ensure_lookup_table()
    bmesh.ops.delete(mesh, geom=[mesh.faces[20]], context="FACES_ONLY")
    mesh.to_mesh(ball.data)
    mesh.free()
    bpy.ops.jounce.bake()
    assert [modifier.type for modifier in ball.modifiers] == ["MESH_SEQUENCE_CACHE"]


def test_blender_pin_group_missing_or_empty_is_refused_in_words():
    start_blender()
    ball = add_ball(frame_count=3)
    ball.vertex_groups.new(name="Nothing")
    ball.jounce.pin_group = "Nothing"
    assert "No vertex of Sphere has a weight in the vertex group \"Nothing\"" in bake_error()
    ball.jounce.pin_group = "Gone"
    assert "has no vertex group \"Gone\"" in bake_error()


def test_blender_hidden_object_bakes_or_says_why_not():
    addon = start_blender()
    ball = add_ball(frame_count=3)
    ball.hide_set(True)
    assert bpy.ops.jounce.bake() == {"FINISHED"}, "the eye icon does not matter"
    ball.hide_set(False)
    check_playback(addon, ball)
    ball.hide_viewport = True
    assert "Sphere is disabled in viewports" in bake_error()


def test_blender_settings_come_from_the_core():
    addon = start_blender()
    ball = add_ball(frame_count=3)
    presets = addon.jounce.tables.presets()
    for preset in presets:
        bpy.ops.jounce.apply_preset(preset=preset.name)
        values = addon.properties.values(ball.jounce)
        assert addon.forecast.matching_preset(values, presets).name == preset.name
        assert values["young_modulus"] == preset.young_modulus, "the number as written in the table"
    ball.jounce.young_modulus *= 1.5
    assert addon.forecast.matching_preset(addon.properties.values(ball.jounce), presets) is None


def test_blender_panels_show_properties_and_operators_that_exist():
    addon = start_blender()
    ball = add_ball(frame_count=3)
    ball.jounce.use_ground = ball.jounce.use_rest_frame = ball.jounce.use_bones = True
    ball.jounce.follow_frequency = 1
    bpy.ops.jounce.region_add(effect="stiffness")
    log = []
    panels = [cls for cls in addon.panel.CLASSES if issubclass(cls, bpy.types.Panel)]
    for way in ("modulus", "wobble", "sag"):
        ball.jounce.stiffness_way = way
        ball.jounce.damping_way = "seconds" if way == "sag" else "coefficient"
        ball.jounce.use_preview = way == "sag"
        ball.jounce.law = "linear" if way == "sag" else "stable_neohooke"
        for panel in panels:
            assert panel.poll(bpy.context)
            panel.draw(types.SimpleNamespace(layout=Recorder(log)), bpy.context)
    for kind in ("textile", "girders", "spring_solid"):
        ball.jounce.kind = kind
        addon.body_panels.JOUNCE_PT_material.draw(types.SimpleNamespace(layout=Recorder(log)), bpy.context)
    shown = [arguments[:2] for name, arguments, _ in log if name in ("prop", "prop_search")]
    pressed = [arguments[0] for name, arguments, _ in log if name.startswith("operator")]
    names = {name for target, name in shown if target == ball.jounce}
    elsewhere = {"regions", "tip_thickness", "torsion_modulus"}  # in a list of its own, and of hair
    assert names >= set(addon.properties.values(ball.jounce)) - elsewhere, "every setting has its place"
    assert names >= set(addon.jounce.host.artist_settings.KEYED)
    assert all(hasattr(target, name) for target, name in shown)
    for name in pressed:
        assert hasattr(bpy.types, "JOUNCE_OT_" + name.split(".")[1]), name
    assert {"jounce.bake", "jounce.free", "jounce.resume", "jounce.attach", "jounce.check"} <= set(pressed)


def test_blender_panel_texts_fit_the_usual_width():
    """276 pixels, Blender's own width of the Properties editor."""
    addon = start_blender()
    add_ball(frame_count=3)
    log = []
    preferences = types.SimpleNamespace(system=types.SimpleNamespace(ui_scale=1.0))
    context = types.SimpleNamespace(preferences=preferences, region=types.SimpleNamespace(width=276))
    text = "Paint a vertex group where the animation leads and choose it as Pin Group."
    addon.panel_text.sentence(context, Recorder(log), text, "INFO")
    lines = [options["text"] for name, _, options in log if name == "label"]
    assert " ".join(lines) == text and 2 <= len(lines) <= 5


def test_blender_esc_in_the_window_stops_and_keeps_the_finished_frames():
    """The modal operator, with its events and its window stood in for: this Blender has no window."""
    addon = start_blender()
    ball = add_ball(frame_count=5000)
    bake = WindowBake(addon)
    assert not bpy.ops.jounce.bake.poll(), "one bake at a time"
    while bake.session.state.frames_done < 5:
        assert bake.send("TIMER") == {"RUNNING_MODAL"}
    assert bake.send("MOUSEMOVE") == {"PASS_THROUGH"} and bake.send("G") == {"RUNNING_MODAL"}
    result = bake.send("ESC")
    while result == {"RUNNING_MODAL"}:
        result = bake.send("TIMER")
    assert result == {"FINISHED"} and addon.bake_operators.running() is None
    first, last = baked_range(addon, ball)
    assert first == 1 and 5 <= last < 5000
    assert "stopped. Frames 1 to {} are kept.".format(last) in str(bake.log)
    assert any("Esc stops" in str(arguments) for name, arguments, _ in bake.log if name == "status_text_set")
    bpy.context.scene.frame_end = last
    check_playback(addon, ball)
    bpy.ops.jounce.free()
    bpy.ops.wm.save_mainfile()
    assert os.listdir(cache_folder()) == [], "nor is anything left of the bake that could have been resumed"


def test_blender_disabling_leaves_nothing_behind():
    start_blender()
    add_ball(frame_count=3)
    assert hasattr(bpy.types.Object, "jounce") and hasattr(bpy.types, "JOUNCE_PT_main")
    addon_utils.disable(MODULE)
    assert not hasattr(bpy.types.Object, "jounce")
    assert [name for name in dir(bpy.types) if name.upper().startswith("JOUNCE")] == []
    addon_utils.enable(MODULE)
    assert hasattr(bpy.types, "JOUNCE_PT_main") and bpy.context.object.jounce.enabled


def test_blender_core_missing_shows_why_and_breaks_nothing():
    addon = start_blender()
    addon_utils.disable(MODULE)
    library = addon.jounce.library
    kept, library._loaded = library._loaded, None
    path, library.default_path = library.default_path, lambda: os.path.join(HOME.name, "libjounce.so")
    addon_utils.enable(MODULE)
    assert "there is no file" in bpy.types.JOUNCE_PT_unavailable.reason
    assert not hasattr(bpy.types, "JOUNCE_PT_main")
    addon_utils.disable(MODULE)
    library._loaded, library.default_path = kept, path
    addon_utils.enable(MODULE)


def test_blender_libraries_come_from_the_add_on_alone():
    addon = start_blender()
    folder = os.path.join(os.path.dirname(addon.__file__), "jounce", "lib")
    with open("/proc/self/maps", encoding="utf-8") as file:
        loaded = {line.split()[-1] for line in file if ".so" in line}
    names = set(os.listdir(folder)) - {"licenses"}
    assert "libjounce.so" in names and len(names) > 5
    found = {name for name in names if os.path.join(folder, name) in loaded}
    # Blender 4.2 brings an OpenMP runtime of its own, which then serves both
    assert names - found <= {"libgomp.so.1"}


run(globals())
