"""The bridge against the built library: tables, arrays, descriptions, errors in words, a small bake."""
import array
import ctypes
import math
import os
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, largest_difference, message_of, run  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce import (Bake, Cancelled, JounceError, LibraryError, estimate, layout, library, modes,  # noqa: E402
                    tables, tet_boundary)
from jounce.arrays import c_array  # noqa: E402
from jounce.describe import describe  # noqa: E402

CUBE = {
    "positions": [-.5, -.5, 0, .5, -.5, 0, .5, .5, 0, -.5, .5, 0, -.5, -.5, 1, .5, -.5, 1, .5, .5, 1, -.5, .5, 1],
    "face_sizes": [4] * 6,
    "face_vertices": [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7],
}


def cube_description(**changes):
    """A soft cube, its base pinned, z up."""
    body = {"name": "Cube", "surface": CUBE, "resolution": 3, "material": {"young_modulus": 1e4},
            "regions": [{"name": "base", "effect": "pin", "weights": [1, 1, 1, 1, 0, 0, 0, 0]}]}
    body.update(changes.pop("body", {}))
    description = {"bodies": [body], "frame_count": 4, "gravity": (0, 0, -9.81), "up_axis": layout.JN_UP_Z}
    description.update(changes)
    return description


def test_bridge_tables_are_filled_and_unique():
    for entries in (tables.materials(), tables.integrators(), tables.contact_methods(), tables.colliders(),
                    tables.meshers(), tables.region_effects(), tables.shapes(), tables.presets()):
        names = [entry.name for entry in entries]
        assert names and len(set(names)) == len(names)
        assert all(entry.label and entry.summary for entry in entries)
    assert tables.version().count(".") == 2


def test_bridge_presets_name_known_laws_and_real_numbers():
    laws = {entry.name for entry in tables.materials()}
    for preset in tables.presets():
        assert preset.law in laws
        assert preset.young_modulus > 0 and preset.density > 0 and 0 <= preset.poisson_ratio < 0.5


def test_bridge_setting_found_by_scope_and_key():
    stiffness = tables.setting("material", "young_modulus")
    assert stiffness.unit == "Pa" and stiffness.minimum > 0 and stiffness in tables.settings()
    assert "material.softness" in message_of(KeyError, tables.setting, "material", "softness")


def test_bridge_arrays_contiguous_buffers_share_their_memory():
    for code, c_type in (("d", ctypes.c_double), ("f", ctypes.c_float), ("I", ctypes.c_uint32), ("i", ctypes.c_uint32)):
        source = array.array(code, [1, 2, 3])
        shared = c_array(source, c_type)
        source[1] = 7
        assert list(shared) == [1, 7, 3], code


def test_bridge_arrays_everything_else_is_copied():
    expected = [1.0, 2.0, 3.0, 4.0]
    rows = [(1, 2), (3, 4)]
    strided = memoryview(array.array("d", [1, 9, 2, 9, 3, 9, 4, 9]))[::2]
    read_only = memoryview(array.array("d", expected).tobytes()).cast("d")
    matrix = memoryview(array.array("d", expected)).cast("B").cast("d", [2, 2])
    singles = array.array("f", expected)
    for values in (expected, tuple(expected), rows, iter(expected), singles, strided, read_only, matrix):
        assert list(c_array(values, ctypes.c_double)) == expected, values
    assert len(c_array([], ctypes.c_double)) == 0 and len(c_array(array.array("d"), ctypes.c_double)) == 0


def test_bridge_describe_takes_counts_from_arrays_and_keeps_defaults():
    desc = describe("JnBakeDesc", cube_description())
    defaults = describe("JnBakeDesc", {})
    body = desc.bodies[0]
    assert (body.surface.vertex_count, body.surface.face_count, body.surface.corner_count) == (8, 6, 24)
    assert (desc.body_count, body.region_count, body.regions[0].weight_count) == (1, 1, 8)
    assert desc.contact.struct_size == ctypes.sizeof(layout.JnContact)
    assert desc.fps == defaults.fps > 0 and desc.integrator == defaults.integrator
    assert body.material.young_modulus == 1e4 and body.material.density > 0


def test_bridge_describe_wrong_fields_are_named():
    cases = [
        ({"body": {"stifness": 1}}, "JnBakeDesc.bodies[0] has no field stifness"),
        ({"body": {"material": {"young_modul": 1}}}, "Did you mean young_modulus?"),
        ({"body_count": 2}, "no field body_count to set"),
        ({"gravity": (0, 0)}, "gravity has 2 numbers, it needs 3"),
        ({"body": {"start_positions": [0.0] * 3}}, "start_positions has 3 numbers, it needs 24"),
        ({"body": {"surface": dict(CUBE, uvs=[0.0] * 4)}}, "uvs has 4 numbers, it needs 48"),
        ({"body": {"surface": dict(CUBE, positions=[0.0] * 25)}}, "25 numbers, which is not a multiple of 3"),
    ]
    for changes, words in cases:
        text = message_of(ValueError, describe, "JnBakeDesc", cube_description(**changes))
        assert words in text, text


def test_bridge_method_damping_is_that_of_the_formula():
    for x in (0.1, 1.0, 20.0):
        assert abs(tables.method_damping("si", x) - math.log1p(x * x) / x) < 1e-8
    assert "h_omega" in message_of(JounceError, tables.method_damping, "si", float("nan"))
    assert "leap" in message_of(JounceError, tables.method_damping, "leap", 1.0)


def test_bridge_bake_moves_free_points_and_holds_pinned_ones():
    with Bake(cube_description()) as bake:
        assert bake.note == ""
        frames = []
        for frame in bake.frames():
            bake.advance(frame)
            frames.append(bake.positions())
        assert bake.statistics()["frames_done"] == 4
    assert largest_difference(frames[0], CUBE["positions"]) < 1e-12
    assert largest_difference(frames[-1][:12], CUBE["positions"][:12]) < 1e-9, "the pinned base stays"
    assert frames[-1][14] < frames[0][14] - 1e-4, "the free top sags"
    assert message_of(ValueError, bake.advance, 5) == "The bake has ended."


def test_bridge_motion_tells_energies_and_momenta():
    with Bake(cube_description()) as bake:
        assert "advance first" in message_of(JounceError, bake.motion)
        for frame in bake.frames():
            bake.advance(frame)
        motion = bake.motion()
    assert motion["kinetic_energy"] > 0 and motion["elastic_energy"] > 0 and motion["steps_done"] > 0
    assert motion["momentum"][2] < 0 and len(motion["angular_momentum"]) == 3, "the top sags"


def test_bridge_contact_tells_what_touches_and_what_overlaps():
    floor = {"name": "floor", "normal": (0, 0, 1), "point": (0, 0, -2)}
    with Bake(cube_description(colliders=[floor])) as bake:
        assert "advance first" in message_of(JounceError, bake.contact)
        bake.advance(1)
        contact = bake.contact()
    assert contact["contact_count"] == contact["overlap_count"] == 0 and contact["overlap_first"] is None
    assert math.isinf(contact["smallest_distance"]) and math.isnan(contact["overlap_place"][2])

    sunk = cube_description(colliders=[dict(floor, point=(0, 0, 0.5))])
    with Bake(sunk) as bake:
        bake.advance(1)
        contact = bake.contact()
    assert contact["overlap_count"] > 0 and abs(contact["deepest_penetration"] - 0.5) < 1e-9
    assert (contact["overlap_first"], contact["overlap_second"]) == ("Cube", "floor")
    assert abs(contact["overlap_place"][2]) < 1e-9
    with Bake(dict(sunk, contact={"strict": 1})) as bake:
        try:
            bake.advance(1)
            raise AssertionError("a strict bake took what overlaps")
        except JounceError as error:
            assert error.status == layout.JN_ERR_OVERLAP and "'floor' overlap in frame 1" in error.message


def test_bridge_bake_pins_follow_targets_in_object_space():
    moved = [value + (0.25 if index % 3 == 0 else 0) for index, value in enumerate(CUBE["positions"])]
    with Bake(cube_description(frame_count=2)) as bake:
        bake.advance(1)
        bake.advance(2, bodies=[{"targets": moved}])
        assert largest_difference(bake.positions()[:12], moved[:12]) < 1e-9


def test_bridge_bake_shows_its_damping_before_the_first_frame():
    description = cube_description()
    description["bodies"][0]["material"] = {"young_modulus": 1e4, "settle_seconds": 1.5}
    with Bake(description) as bake:
        damping = bake.damping()
        ratio = math.log(100) / (2 * math.pi * damping["frequency"] * 1.5)
        assert abs(damping["material_ratio"] - ratio) < 1e-6 and damping["stiffness_damping"] > 0
        assert damping["method_ratio"] > 0 and damping["settle_seconds"] < 1.5


def test_bridge_bake_shows_its_sag_before_the_first_frame():
    description = cube_description(gravity=(0, 0, -9.81))
    description["bodies"][0]["material"] = {"young_modulus": 1e4}
    with Bake(description) as bake:
        soft = bake.sag()
    description["bodies"][0]["material"] = {"young_modulus": 1e5}
    with Bake(description) as bake:
        firm = bake.sag()
    assert soft["note"] == "" and soft["size"] > 0 and firm["young_modulus"] == 1e5
    assert abs(soft["sag"] / firm["sag"] - 10) < 1e-6


def test_bridge_mesh_report_names_the_vertices_of_what_was_found():
    faces = CUBE["face_vertices"]
    opened = dict(CUBE, positions=CUBE["positions"] + [3, 3, 3], face_sizes=[4] * 5,
                  face_vertices=faces[:4] + faces[8:])
    with Bake(cube_description(body={"surface": opened, "regions": []}, metres_per_unit=0.01)) as bake:
        report = bake.mesh_report()
    found = {finding["name"]: finding for finding in report["findings"]}
    assert report["tet_count"] > 0 and report["piece_count"] == 1 and abs(report["cell"] - 1 / 3) < 1e-9
    assert found["open_loops"]["vertices"] == [4, 5, 6, 7] and found["open_loops"]["count"] == 1
    assert found["open_loops"]["place"] in [tuple(CUBE["positions"][3 * v:3 * v + 3]) for v in (4, 5, 6, 7)]
    assert found["loose_vertices"]["vertices"] == [8] and "ride with the nearest" in found["loose_vertices"]["text"]
    tets = {"positions": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], "tet_vertices": [0, 1, 2, 3]}
    with Bake({"bodies": [{"name": "Tet", "tets": tets}], "frame_count": 1}) as bake:
        assert bake.mesh_report() is None
        try:
            bake.mesh_report(1)
            assert False
        except JounceError as error:
            assert "body_index is 1" in str(error)


def test_bridge_bake_keyed_numbers_need_no_flags():
    tops = []
    for stiffness in (None, 0.2):
        with Bake(cube_description()) as bake:
            for frame in bake.frames():
                bake.advance(frame, bodies=[{"stiffness": stiffness}])
            tops.append(bake.positions()[14])
    assert tops[1] < tops[0] - 1e-4, "the softer one sags further"


def test_bridge_bake_wrong_frame_inputs_are_named():
    with Bake(cube_description()) as bake:
        text = message_of(ValueError, lambda: bake.advance(1, bodies=[{"targets": [0.0] * 21}]))
        assert "bodies[0].targets has 21 numbers, it needs 24" in text
        text = message_of(ValueError, lambda: bake.advance(1, bodies=[{}, {}]))
        assert "bodies has 2 entries, it needs 1" in text


def test_bridge_error_carries_status_name_and_sentence():
    try:
        Bake(cube_description(integrator="leap_of_faith"))
    except JounceError as error:
        assert error.status == layout.JN_ERR_UNKNOWN_NAME and error.status_name == "JN_ERR_UNKNOWN_NAME"
        assert "leap_of_faith" in error.message and str(error) == error.message
    else:
        raise AssertionError("an unknown integrator was accepted")


def test_bridge_cancel_from_another_thread_keeps_the_finished_frames():
    with Bake(cube_description(frame_count=100000, body={"resolution": 6})) as bake:
        bake.advance(1)
        timer = threading.Timer(0.3, bake.cancel)
        timer.start()
        try:
            for frame in bake.frames():
                bake.advance(frame)
        except Cancelled as error:
            assert error.status_name == "JN_ERR_CANCELLED"
        else:
            raise AssertionError("the bake was not cancelled")
        finally:
            timer.join()
        assert 1 <= bake.statistics()["frames_done"] < 100000
    bake.cancel()  # harmless after the end


def test_bridge_estimate_predicts_without_writing():
    with tempfile.TemporaryDirectory() as folder:
        costs = estimate(cube_description(output_path=os.path.join(folder, "cube.abc")))
        assert costs["point_count"] == 8 and costs["seconds_per_frame"] > 0 and costs["cache_bytes"] > 0
        assert os.listdir(folder) == []


def test_bridge_library_missing_or_foreign_is_said_in_words():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "libjounce.so")
        assert "there is no file " + path in message_of(LibraryError, library._open, path)
        with open(path, "w", encoding="utf-8") as file:
            file.write("not a library")
        assert "cannot be loaded" in message_of(LibraryError, library._open, path)
        assert "not the Jounce core" in message_of(LibraryError, library._check_version, ctypes.CDLL(None), "other.so")


def test_bridge_tet_boundary_encloses_the_surface():
    positions, triangles = tet_boundary(CUBE, resolution=4)
    assert len(triangles) % 3 == 0 and max(triangles) < len(positions) // 3
    assert min(positions) < -0.4 and max(positions) > 0.9
    assert "faces" in message_of(JounceError, tet_boundary, {"positions": [], "face_sizes": [], "face_vertices": []})


def test_bridge_modes_of_a_cube():
    found = modes(cube_description(), 3)
    assert len(found) >= 3 and not any(mode["rigid"] for mode in found)
    assert found[0]["frequency"] > 0.1 and found[0]["residual"] < 1e-6 * found[0]["eigenvalue"]
    assert [mode["frequency"] for mode in found] == sorted(mode["frequency"] for mode in found)
    assert all(len(mode["shapes"]) == 1 and len(mode["shapes"][0]) == 24 for mode in found)
    # the pinned base stays, the top sways
    assert max(map(abs, found[0]["shapes"][0][:12])) < 1e-12 < 0.5 < max(map(abs, found[0]["shapes"][0][12:])) <= 1
    floating = modes(cube_description(body={"regions": []}), 3)
    assert [mode["rigid"] for mode in floating[:7]] == [1] * 6 + [0]
    assert "1 to 1000" in message_of(JounceError, modes, cube_description(), 0)


run(globals())
