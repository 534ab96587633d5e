"""The jounce command as a shell sees it: output, exit codes, pictures, Ctrl-C and resume.

Run by CTest as `test_cli.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import csv
import fcntl
import json
import math
import os
import pty
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
import zlib

JOUNCE, SOURCE, ASSETS = (os.path.abspath(path) for path in sys.argv[1:4])

DONE, INPUT, USAGE, CANCELLED, FILE, DIVERGED = 0, 1, 2, 3, 4, 5

SCENE = {
    "jounce": 1,
    "frames": {"first": 1, "count": 12, "fps": 24, "steps_per_frame": 4},
    "integrator": {"method": "si"},
    "bodies": [{
        "name": "bar",
        "mesh": {"shape": "beam", "size": [1, 0.2, 0.2], "cells": [10, 2, 2]},
        "transform": {"translate": [0, 1, 0]},
        "material": {"young_modulus": 2e5, "density": 1000, "stiffness_damping": 0.01},
        "weights": {"clamp": {"field": "start"}},
        "regions": [{"weights": "clamp", "effect": "pin"}],
    }],
    "colliders": [{"name": "ground", "kind": "plane"}],
}


def read_png(path):
    """Width, height and rows of bytes of an 8-bit PNG without interlace."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    assert depth == 8 and interlace == 0
    channels = {0: 1, 2: 3, 6: 4}[kind]
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, stride, rows = zlib.decompress(packed), width * channels, []
    for y in range(height):
        code, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        above = rows[-1] if rows else bytes(stride)
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            guess = left + above[i] - corner
            paeth = min((left, above[i], corner), key=lambda value: abs(guess - value))
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, paeth)[code]) & 255
        rows.append(bytes(line))
    return width, height, [[row[i:i + 3] for i in range(0, stride, channels)] for row in rows]


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # what fontconfig keeps until the end is not ours to free
        self.environment = dict(os.environ, LSAN_OPTIONS="print_suppressions=0:suppressions=" + self.path("leaks"))
        with open(self.path("leaks"), "w") as file:
            file.write("leak:libfontconfig\n")

    def path(self, name):
        return os.path.join(self.folder, name)

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write_scene(self, frame_count=None, cells=None, name="scene.json"):
        scene = json.loads(json.dumps(SCENE))
        scene["frames"]["count"] = frame_count or scene["frames"]["count"]
        scene["bodies"][0]["mesh"]["cells"] = cells or scene["bodies"][0]["mesh"]["cells"]
        with open(self.path(name), "w") as file:
            json.dump(scene, file)
        return name

    def run_jounce(self, *words, code=DONE):
        result = subprocess.run([JOUNCE, *words], cwd=self.folder, env=self.environment, capture_output=True,
                                text=True, timeout=240)
        self.assertEqual(result.returncode, code, f"{words}: {result.stdout[-500:]}{result.stderr[-2000:]}")
        return result

    def run_json(self, *words, code=DONE):
        lines = self.run_jounce(*words, "--json", code=code).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def command_names(self):
        listed = self.run_jounce("help").stdout.split("Commands\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines()]


class Usage(CommandTest):
    def test_no_command_prints_overview_and_fails(self):
        self.assertIn("Usage", self.run_jounce(code=USAGE).stdout)

    def test_help_lists_every_command_with_its_file(self):
        names = self.command_names()
        for name in ("bake", "check", "modes", "compare", "damping", "info", "show", "mesh", "list", "schema", "completion",
                     "version"):
            self.assertIn(name, names)
        for name in names:
            self.assertIn(f"Usage: jounce {name}", self.run_jounce("help", name).stdout)
            self.assertEqual(self.run_jounce("help", name).stdout, self.run_jounce(name, "--help").stdout)

    def test_unknown_words_suggest_the_nearest(self):
        self.assertIn("`jounce bake`", self.run_jounce("bkae", code=USAGE).stderr)
        self.assertIn("--frames", self.run_jounce("bake", "a.json", "--frame", "3", code=USAGE).stderr)
        self.assertIn("'integrators'", self.run_jounce("list", "integratros", code=USAGE).stderr)
        self.assertIn("'beam'", self.run_jounce("mesh", "--shape", "baem", code=USAGE).stderr)
        self.assertIn("'bake'", self.run_jounce("help", "bka", code=USAGE).stderr)

    def test_bad_values_are_named(self):
        for words in (["bake"], ["bake", "a", "b"], ["bake", "a", "--frames", "0"], ["bake", "a", "--frames", "2x"],
                      ["bake", "a", "--frames"], ["bake", "a", "--quiet=1"], ["bake", "a", "-x"],
                      ["show", "a", "--frames", "1,,2"], ["mesh"], ["mesh", "a.obj", "--cells", "2"],
                      ["mesh", "--shape", "beam", "--size", "1,2"], ["mesh", "--shape", "beam", "--cells", "1.5"],
                      ["mesh", "--shape", "beam", "--size", "nan,1,1"], ["completion", "tcsh"]):
            result = self.run_jounce(*words, code=USAGE)
            self.assertRegex(result.stderr, f"^jounce {words[0]}: .+\n$")
            self.assertEqual(result.stdout, "")

    def test_missing_files_are_file_errors(self):
        for words in (["bake", "none.json"], ["check", "none.json"], ["info", "none.abc"], ["show", "none.abc"],
                      ["mesh", "none.obj"]):
            self.assertIn(words[1], self.run_jounce(*words, code=FILE).stderr)

    def test_what_is_no_plain_file_is_refused_and_not_waited_for(self):
        for ending in ("json", "abc", "obj", "vtk", "node", "csv"):
            os.mkfifo(self.path(f"pipe.{ending}"))
            os.mkdir(self.path(f"folder.{ending}"))
            os.symlink("/dev/zero", self.path(f"device.{ending}"))
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(self.path(f"socket.{ending}"))
        kinds = {"pipe": "plain file", "folder": "directory", "device": "plain file", "socket": "plain file"}
        for kind, reason in kinds.items():
            for words in (["bake", f"{kind}.json"], ["check", f"{kind}.json"], ["modes", f"{kind}.json"],
                          ["compare", f"{kind}.json"], ["damping", f"{kind}.json"], ["info", f"{kind}.abc"],
                          ["show", f"{kind}.abc"], ["mesh", f"{kind}.obj"], ["mesh", f"{kind}.vtk"],
                          ["mesh", f"{kind}.node"], ["mesh", f"{kind}.abc"]):
                self.assertRegex(self.run_jounce(*words, code=FILE).stderr, f"{kind}.+{reason}")

    def test_what_is_no_plain_file_is_refused_in_scenes_and_on_resume(self):
        os.mkfifo(self.path("pipe.abc"))
        os.mkfifo(self.path("pipe.txt"))
        scene = self.write_scene()
        for key, value in (("mesh", "pipe.abc"), ("weights", {"clamp": {"file": "pipe.txt"}}),
                           ("animation", {"cache": "pipe.abc"})):
            with open(self.path(scene)) as file:
                parts = json.load(file)
            parts["bodies"][0][key] = value
            with open(self.path("other.json"), "w") as file:
                json.dump(parts, file)
            result = subprocess.run([JOUNCE, "check", "other.json"], cwd=self.folder, env=self.environment,
                                    capture_output=True, text=True, timeout=60)
            self.assertIn(result.returncode, (INPUT, FILE))
            self.assertRegex(result.stderr, "pipe.+plain file")
        os.rename(self.path("pipe.abc"), self.path("bar.abc.resume"))
        told = self.run_jounce("bake", scene, "-o", "bar.abc", "--frames", "2", "--resume").stdout
        self.assertIn("Nothing to resume", told)

    def test_error_with_json_is_json_too(self):
        error = self.run_json("check", "none.json", code=FILE)[0]["error"]
        self.assertEqual((error["status"], error["exit_code"]), ("JN_ERR_FILE", FILE))
        self.assertIn("none.json", error["message"])

    def test_docs_hold_the_generated_tables(self):
        with open(os.path.join(SOURCE, "docs/command-line.md"), encoding="utf-8") as file:
            docs = file.read()
        tables = self.run_jounce("help", "--markdown").stdout
        self.assertTrue(docs.endswith(tables), "docs/command-line.md must end with the output of `jounce help --markdown`")

    def test_full_disk_behind_standard_output_is_an_error(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full here")
        with open("/dev/full", "w") as full:
            result = subprocess.run([JOUNCE, "version"], stdout=full, stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual(result.returncode, FILE)


class Lists(CommandTest):
    def test_painted_factors_say_how_they_blend(self):
        effects = {entry["name"]: entry["summary"] for entry in self.run_json("list", "region_effects")[0]["region_effects"]}
        self.assertIn("power of the weight", effects["stiffness"])
        self.assertIn("linearly", effects["density"])
        self.assertIn("linearly", effects["damping"])

    def test_version_is_the_librarys(self):
        version = self.run_json("version")[0]
        self.assertEqual(self.run_jounce("--version").stdout, f"jounce {version['version']}\n")
        self.assertEqual(version["api_version"], 4)

    def test_every_list_has_named_entries(self):
        everything = self.run_json("list")[0]
        self.assertEqual(len(everything), 11)
        for topic, entries in everything.items():
            self.assertTrue(entries, topic)
            self.assertEqual(self.run_json("list", topic)[0], {topic: entries})
            for entry in entries:
                self.assertTrue(entry["summary"])
                self.assertIn(entry.get("name") or entry["key"], self.run_jounce("list", topic).stdout)

    def test_topics_may_be_shortened(self):
        self.assertEqual(self.run_jounce("list", "contact").stdout, self.run_jounce("list", "contact_methods").stdout)
        self.assertEqual(self.run_jounce("list", "regions").stdout, self.run_jounce("list", "region_effects").stdout)

    def test_schema_is_json(self):
        self.assertIn("$schema", json.loads(self.run_jounce("schema").stdout))

    def test_completion_scripts_know_every_command(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.run_jounce("completion", shell).stdout
            for name in self.command_names():
                self.assertIn(name, script)
            for option in ("bodies", "frames"):
                self.assertEqual("--" + option in script or f"-l {option}" in script, option == "frames")

    def test_bash_completes_commands_options_names_and_files(self):
        with open(self.path("completion"), "w") as file:
            file.write(self.run_jounce("completion", "bash").stdout)
        subprocess.run(["bash", "-n", self.path("completion")], check=True)
        for name in ("my scene.json", "cache.abc", "notes.txt"):
            open(self.path(name), "w").close()
        for line, expected in (("jounce ba", "bake"), ("jounce bake --fr", "--frames"), ("jounce mesh --shape be", "beam"),
                               ("jounce list pre", "presets"), ("jounce bake my", "my scene.json"),
                               ("jounce info ", "cache.abc"), ("jounce bake -o ", "cache.abc")):
            words = line.split(" ")
            script = (f". ./completion; COMP_WORDS=({' '.join(words[:-1])} '{words[-1]}'); COMP_CWORD={len(words) - 1}; "
                      "_jounce; printf '%s\\n' \"${COMPREPLY[@]}\"")
            answer = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=True)
            self.assertEqual(answer.stdout.splitlines(), [expected], line)


class Meshes(CommandTest):
    def test_shape_is_written_and_read_back(self):
        made = self.run_json("mesh", "--shape", "beam", "--size", "1,0.1,0.1", "--cells", "8,2,2", "-o", "beam.msh")[0]
        self.assertEqual(made["vertices"], 9 * 3 * 3)
        self.assertEqual(made["bytes"], os.path.getsize(self.path("beam.msh")))
        read = self.run_json("mesh", "beam.msh")[0]
        for key in ("vertices", "tets", "faces", "fields"):
            self.assertEqual(made[key], read[key])
        self.assertIn("start", made["fields"])

    def test_every_shape_can_be_made(self):
        for shape in self.run_json("list", "shapes")[0]["shapes"]:
            mesh = self.run_json("mesh", "--shape", shape["name"])[0]
            self.assertGreater(mesh["tets"] + mesh["faces"] + mesh["curves"], 0)

    def test_surface_is_converted(self):
        with open(self.path("tet.obj"), "w") as file:
            file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        self.run_jounce("mesh", "tet.obj", "-o", "tet.ply")
        mesh = self.run_json("mesh", "tet.ply")[0]
        self.assertEqual((mesh["vertices"], mesh["faces"], mesh["tets"]), (4, 4, 0))

    def test_open_surface_is_filled_with_tets_and_a_report(self):
        with open(self.path("cup.obj"), "w") as file:  # a cube without its lid, and a loose vertex
            file.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 2 2 2\n"
                       "f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n")
        made = self.run_json("mesh", "cup.obj", "--resolution", "6", "-o", "cup.msh", "--picture", "cup.png")[0]
        filling = made["filling"]
        self.assertGreater(made["tets"], 100)
        self.assertGreater(filling["smallest_angle"], 10)
        self.assertLess(abs(filling["volume_error_percent"]), 4)
        found = {finding["name"]: finding for finding in filling["findings"]}
        self.assertEqual((found["open_loops"]["count"], found["loose_vertices"]["place"]), (1, [2, 2, 2]))
        self.assertEqual(self.run_json("mesh", "cup.msh")[0]["tets"], made["tets"])
        with open(self.path("cup.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        said = self.run_jounce("mesh", "cup.obj", "--vertices", "300").stdout
        self.assertIn("against the surface's", said)
        self.assertIn("open rims", said)
        self.run_jounce("mesh", "cup.obj", "--picture", "cup.txt", code=USAGE)
        self.run_jounce("mesh", "cup.obj", "--resolution", "0", code=INPUT)

    def test_unwritable_output_is_a_file_error(self):
        self.run_jounce("mesh", "--shape", "beam", "-o", "nowhere/beam.msh", code=FILE)

    def test_output_says_what_a_file_cannot_hold_and_what_was_mended(self):
        self.assertEqual(self.run_json("mesh", "--shape", "beam", "-o", "held.ply")[0]["left_out"], "")
        self.assertEqual(self.run_json("mesh", "held.ply")[0]["fields"], ["start", "end"])
        self.assertEqual(self.run_json("mesh", "held.ply", "-o", "held.obj")[0]["left_out"], "start, end")
        self.assertIn("left out  start, end: ", self.run_jounce("mesh", "held.ply", "-o", "held.obj").stdout)
        with open(self.path("inside_out.mesh"), "w") as file:
            file.write(
                "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\nTetrahedra 2\n"
                "1 2 3 4 0\n2 4 3 5 0\nEnd\n")
        self.assertEqual(self.run_json("mesh", "inside_out.mesh")[0]["reversed_tets"], 1)
        self.assertIn("of these 1 were inverted", self.run_jounce("mesh", "inside_out.mesh").stdout)


class Bakes(CommandTest):
    def test_check_says_what_gravity_does_and_what_looks_wrong(self):
        scene = json.loads(json.dumps(SCENE))
        scene["units"] = {"metres_per_unit": 100}
        with open(self.path("huge.json"), "w") as file:
            json.dump(scene, file)
        check = self.run_json("check", "huge.json")[0]
        self.assertEqual(len(check["gravity"]), len(scene["bodies"]))
        self.assertGreater(check["gravity"][0]["sag"], check["gravity"][0]["size"])
        self.assertIn("set units.metres_per_unit, 100 now", check["warnings"][0])
        self.assertIn("\nNote: ", self.run_jounce("check", "huge.json").stdout)

    def test_check_says_what_the_mesher_found(self):
        with open(self.path("open_box.obj"), "w") as file:
            file.write("".join(f"v {i & 1} {i >> 1 & 1} {i >> 2}\n" for i in range(8)))
            file.write("f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\n")
        scene = {"jounce": 1, "frames": {"count": 2}, "units": {"metres_per_unit": 0.1},
                 "bodies": SCENE["bodies"] + [{"name": "box", "mesh": "open_box.obj", "resolution": 4}]}
        with open(self.path("boxes.json"), "w") as file:
            json.dump(scene, file)
        mesh, = self.run_json("check", "boxes.json")[0]["meshes"]
        self.assertEqual((mesh["body"], mesh["pieces"], mesh["cell"]), ("box", 1, 0.25))
        loop, = [finding for finding in mesh["findings"] if finding["name"] == "open_loops"]
        self.assertEqual((loop["count"], loop["place"][2]), (1, 1))
        said = self.run_jounce("check", "boxes.json").stdout
        self.assertIn("- 1 open rims are closed smoothly in the simulation.", said)
        self.assertIn("first at (0, 1, 1)" if loop["place"][1] else "first at (", said)

    def test_check_predicts(self):
        scene = self.write_scene()
        estimate = self.run_json("check", scene)[0]
        self.assertEqual((estimate["frames"], estimate["vertices"]), (12, 11 * 3 * 3))
        for key in ("tets", "unknowns", "seconds_per_frame", "total_seconds", "memory_bytes", "cache_bytes"):
            self.assertGreater(estimate[key], 0, key)
        self.assertTrue(1 <= estimate["trial_frames"] <= 6)
        said = self.run_jounce("check", scene).stdout
        self.assertIn("is valid", said)
        self.assertEqual(os.listdir(self.folder).count("scene.abc"), 0)

    def test_check_lists_fast_regions_and_what_they_cost(self):
        scene = json.loads(json.dumps(SCENE))
        body = scene["bodies"][0]
        scene["integrator"] = {"method": "si"}
        body["material"] = {"law": "linear"}
        body.setdefault("weights", {})["tip"] = {"field": "end"}
        body.setdefault("regions", []).append({"weights": "tip", "effect": "fast", "value": 10})
        with open(self.path("fast.json"), "w") as file:
            json.dump(scene, file)
        region, = self.run_json("check", "fast.json")[0]["fast_regions"]
        self.assertEqual((region["ratio"], region["vertices"], region["border"], region["pieces"]), (10, 9, 9, 1))
        self.assertGreater(region["cost_of_large"], 1)
        self.assertLess(region["cost_of_small"], 1)
        said = self.run_jounce("check", "fast.json").stdout
        self.assertIn("10  steps     9 vertices, a border of 9; a step costs", said)
        self.assertNotIn("fast_regions", self.run_json("check", self.write_scene())[0])

    def test_check_says_what_becomes_of_every_kind_of_fast_region(self):
        def box(start, end):
            return {"box": [[start, -1, -1], [end, 1, 1]]}

        def check(law="linear", **painted):
            """painted: for each region where it starts and ends, and its value."""
            weights = {name: box(*place[:2]) for name, place in painted.items()}
            regions = [{"weights": name, "effect": "fast", "value": place[2]} for name, place in painted.items()]
            scene = {"jounce": 1, "frames": {"count": 1}, "integrator": {"method": "si"},
                     "bodies": [{"name": "bar", "mesh": {"shape": "beam", "size": [1, 0.1, 0.1], "cells": [40, 2, 2]},
                                 "material": {"law": law, "young_modulus": 1e7},
                                 "weights": dict(weights, root={"field": "start"}),
                                 "regions": [{"weights": "root", "effect": "pin"}] + regions}]}
            with open(self.path("kinds.json"), "w") as file:
                json.dump(scene, file)
            return self.run_json("check", "kinds.json")[0]

        touching, = check(a=(0.5, 0.7, 8), b=(0.69, 2, 15))["fast_regions"]
        self.assertEqual((touching["ratio"], touching["vertices"]), (15, 21 * 9))
        self.assertIn("touches what asks for these", touching["note"])
        everything, = check(a=(-1, 2, 10))["fast_regions"]
        self.assertEqual((everything["vertices"], everything["border"]), (40 * 9, 0))
        self.assertIn("all that can move", everything["note"])
        islands, = check(a=(0.3, 0.4, 10), b=(0.6, 0.7, 10), c=(0.9, 2, 10))["fast_regions"]
        self.assertEqual((islands["pieces"], islands["vertices"]), (3, 15 * 9))
        self.assertNotIn("note", islands)
        pinned = check(a=(-1, 0.005, 10))
        self.assertEqual(pinned["fast_regions"], [])
        self.assertIn("it is pinned", pinned["fast_note"])
        layers = {"w{}".format(k): (0.05 * k - 0.01, 0.05 * k + 0.01, 10) for k in range(1, 20)}
        long, = check("stable_neohooke", **layers)["fast_regions"]
        self.assertTrue(long["for_all"])
        self.assertIn("border is so long", long["note"])

    def test_regions_that_are_suggested_can_be_loaded(self):
        # a stiff beam that is held at its start, with a soft tip
        scene = {"jounce": 1, "frames": {"count": 3, "steps_per_frame": 1}, "integrator": {"method": "si"},
                 "bodies": [{"name": "a/b", "mesh": {"shape": "beam", "size": [1, 0.1, 0.1], "cells": [40, 4, 4]},
                             "material": {"law": "linear", "young_modulus": 5e5},
                             "weights": {"root": {"field": "start"}, "stiff": {"box": [[-1, -1, -1], [0.7, 1, 1]]}},
                             "regions": [{"weights": "root", "effect": "pin"},
                                         {"weights": "stiff", "effect": "stiffness", "value": 1000}]}]}

        def write(name):
            with open(self.path(name), "w") as file:
                json.dump(scene, file)

        write("plain.json")
        os.mkdir(self.path("weights"))
        advice = self.run_json("regions", "plain.json", "--suggest", "-o", "weights")[0]
        part, = advice["parts"]
        self.assertEqual((part["body"], part["file"], part["weights"]), ("a/b", "weights/a_b_fast.txt", "fast"))
        self.assertTrue(2 <= part["ratio"] <= 150 and advice["cost_of_small"] < 0.6)
        self.assertGreater(advice["kept_with"], advice["kept_for_all"] + 0.1)
        # the soft part, and little more
        self.assertTrue(0.28 * 41 * 25 < part["vertices"] < 0.4 * 41 * 25, part)
        said = self.run_jounce("regions", "plain.json", "--suggest").stdout
        self.assertIn('"effect": "fast", "value": {}}}'.format(part["ratio"]), said)
        scene["bodies"][0]["weights"]["fast"] = {"file": part["file"]}
        scene["bodies"][0]["regions"].append({"weights": "fast", "effect": "fast", "value": part["ratio"]})
        write("fast.json")
        region, = self.run_json("check", "fast.json")[0]["fast_regions"]
        self.assertEqual((region["ratio"], region["vertices"]), (part["ratio"], part["vertices"]))
        # it does not count what is painted already
        self.assertEqual(self.run_json("regions", "fast.json", "--suggest")[0]["parts"][0]["ratio"], part["ratio"])
        # with steps that short, nothing more is needed
        scene["frames"]["steps_per_frame"] = 200
        write("short.json")
        self.assertIn("no part needs smaller steps", self.run_jounce("regions", "short.json", "--suggest").stdout)
        self.assertIn("give --suggest", self.run_jounce("regions", "plain.json", code=USAGE).stderr)
        self.assertIn("cannot be written",
                      self.run_jounce("regions", "plain.json", "--suggest", "-o", "none", code=FILE).stderr)

    def test_regions_of_a_ball_are_not_suggested_but_more_steps_are(self):
        scene = {"jounce": 1, "frames": {"count": 3, "steps_per_frame": 1}, "integrator": {"method": "si"},
                 "bodies": [{"name": "ball", "mesh": {"shape": "ball", "size": [0.6, 0.6, 0.6], "cells": [8, 1, 1]},
                             "material": {"law": "linear", "young_modulus": 1e5}}]}
        with open(self.path("ball.json"), "w") as file:
            json.dump(scene, file)
        advice = self.run_json("regions", "ball.json", "--suggest")[0]
        self.assertGreater(advice["wobbles"], 4)
        self.assertEqual(advice["parts"], [])
        self.assertGreater(advice["steps_for_all"], 5)
        self.assertIn("use about {} steps_per_frame".format(advice["steps_for_all"]), advice["note"])
        self.assertIn("siere", self.run_jounce("regions", "ball.json", "--suggest").stdout)

    def test_check_finds_modes_only_when_asked(self):
        scene = self.write_scene()
        self.assertNotIn("damping", self.run_json("check", scene)[0])
        self.assertNotIn("Damping of the slowest wobble", self.run_jounce("check", scene).stdout)
        damping = self.run_json("check", scene, "--modes")[0]["damping"][0]
        self.assertTrue(damping["frequency"] > 0 and damping["method_ratio"] > 0)
        said = self.run_jounce("check", scene, "--modes").stdout
        self.assertIn(" Hz: ", said)
        self.assertIn("% from si at ", said)

    def test_check_takes_and_predicts_the_memory_of_the_bake(self):
        body = dict(SCENE["bodies"][0], mesh={"shape": "beam", "size": [1, 0.4, 0.4], "cells": [40, 12, 12]})
        with open(self.path("scene.json"), "w") as file:
            json.dump(dict(SCENE, bodies=[body]), file)
        predicted = self.run_json("check", "scene.json", "--frames", "3")[0]["memory_bytes"]
        peak = self.run_json("bake", "scene.json", "--frames", "3")[-1]["peak_bytes"]
        self.assertGreater(peak, 5e7)
        self.assertTrue(0.9 * peak < predicted < 1.1 * peak, (predicted, peak))

    def test_check_simulates_the_animation(self):
        keys = [{"frame": 1}, {"frame": 2, "translate": [1e4, 0, 0]}]
        body = dict(SCENE["bodies"][0], animation={"keys": keys}, cut_distance=0)
        with open(self.path("scene.json"), "w") as file:
            json.dump(dict(SCENE, bodies=[body], integrator={"method": "si", "safeguards": False}), file)
        for command in ("check", "bake"):
            self.assertIn("in frame 2", self.run_jounce(command, "scene.json", code=DIVERGED).stderr)

    def test_wrong_scene_is_an_input_error(self):
        with open(self.path("scene.json"), "w") as file:
            json.dump(dict(SCENE, bodys=[]), file)
        for command in ("check", "bake"):
            self.assertIn("bodies", self.run_jounce(command, "scene.json", code=INPUT).stderr)

    def test_bake_says_where_the_cache_is(self):
        result = self.run_jounce("bake", self.write_scene())
        self.assertIn("scene.abc: 12 frames", result.stdout)
        self.assertTrue(os.path.exists(self.path("scene.abc")))
        self.assertEqual(self.run_jounce("bake", "scene.json", "--quiet").stdout, "")

    def test_bake_json_has_begin_frames_and_end(self):
        events = self.run_json("bake", self.write_scene(), "-o", "out.abc", "--frames", "5", "--threads", "1")
        self.assertEqual([event["event"] for event in events], ["begin"] + 5 * ["frame"] + ["end"])
        self.assertEqual([event["frame"] for event in events[1:-1]], [1, 2, 3, 4, 5])
        self.assertTrue(events[-1]["complete"])
        self.assertEqual(events[-1]["bytes"], os.path.getsize(self.path("out.abc")))

    def test_cache_is_the_same_for_any_number_of_threads(self):
        scene = self.write_scene()
        for threads in ("1", "2", "3"):
            self.run_jounce("bake", scene, "-o", threads + ".abc", "--threads", threads)
        contents = {self.read_bytes(threads + ".abc") for threads in ("1", "2", "3")}
        self.assertEqual(len(contents), 1)

    def test_info_tells_what_was_baked(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        info = self.run_json("info", "out.abc")[0]
        mesh = info["objects"][0]
        self.assertEqual(len(info["objects"]), 1)
        self.assertEqual((info["fps"], mesh["samples"], mesh["kind"]), (24, 12, "mesh"))
        self.assertAlmostEqual(info["first_frame"], 1)
        self.assertAlmostEqual(info["last_frame"], 12)
        self.assertTrue(mesh["velocities"])
        self.assertLess(mesh["bounds_min"][1], mesh["bounds_max"][1])
        self.assertEqual(info["receipt"]["jounce"], self.run_json("version")[0]["version"])
        text = self.run_jounce("info", "out.abc").stdout
        self.assertIn("frames 1 to 12", text)
        self.assertRegex(text, r"(?m)^ +rest_follows_animation  (0|no)$")

    def test_info_reads_caches_of_other_programs(self):
        path = os.path.join(ASSETS, "abc", "houdini180_sphere_noise.abc")
        if not os.path.exists(path):
            self.skipTest("no caches of other programs here")
        info = self.run_json("info", path)[0]
        self.assertIn("Houdini", info["application"])
        self.assertGreater(info["objects"][0]["vertices"], 0)

    def test_not_a_cache_is_an_input_error(self):
        scene = self.write_scene()
        self.run_jounce("info", scene, code=INPUT)
        with open(os.path.join(self.folder, "text.abc"), "w", encoding="utf-8") as file:
            file.write("not a cache")
        self.run_jounce("show", "text.abc", code=INPUT)


class Modes(CommandTest):
    def test_modes_say_frequency_damping_and_what_moves(self):
        scene = self.write_scene()
        found = self.run_json("modes", scene, "-n", "4")[0]["modes"]
        self.assertGreaterEqual(len(found), 4)
        for mode in found:
            rate = 2 * math.pi * mode["frequency"]
            self.assertAlmostEqual(mode["eigenvalue"] / rate ** 2, 1, 9)
            # the scene has stiffness damping of 0.01 s only
            self.assertAlmostEqual(mode["damping_ratio"] / (0.005 * rate), 1, 6)
            self.assertEqual((mode["body"], mode["body_share"], mode["rigid"]), ("bar", 1, False))
        # near an Euler-Bernoulli beam's first frequency, which two linear tets across make too stiff
        theory = 1.8751 ** 2 / (2 * math.pi) * math.sqrt(2e5 * 0.2 ** 2 / 12 / 1000)
        self.assertTrue(theory < found[0]["frequency"] < 2 * theory, found[0]["frequency"])
        text = self.run_jounce("modes", scene).stdout
        self.assertIn("%.4g Hz" % found[0]["frequency"], text)
        self.assertIn("bar", text)

    def test_modes_of_a_wrong_scene_or_count_fail_in_words(self):
        self.run_jounce("modes", "nowhere.json", code=FILE)
        self.run_jounce("modes", self.write_scene(), "-n", "0", code=USAGE)
        self.assertIn("1 to 1000", self.run_jounce("modes", "scene.json", "-n", "1001", code=INPUT).stderr)


class Progress(CommandTest):
    def bake_on_terminal(self, columns):
        """What a bake draws on a terminal of that width."""
        try:
            screen, terminal = pty.openpty()
        except OSError as error:
            self.skipTest("this machine gives no terminal: %s" % error)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        subprocess.run([JOUNCE, "bake", self.write_scene()], cwd=self.folder, env=self.environment, stderr=terminal,
                       stdout=subprocess.DEVNULL, check=True, timeout=240)
        os.close(terminal)
        drawn = os.read(screen, 1 << 16).decode()
        os.close(screen)
        return drawn

    def test_bar_shows_frames_speed_and_time_left(self):
        drawn = self.bake_on_terminal(100)
        self.assertRegex(drawn, r"\[#+\.*\] frame 12/12, [\d.]+ frames/s, .+ left")
        self.assertTrue(drawn.endswith("\r\x1b[K"), "the bar is cleared at the end")

    def test_bar_fits_a_narrow_terminal(self):
        for line in self.bake_on_terminal(60).split("\r"):
            self.assertLess(len(line.replace("\x1b[K", "")), 60)


class Overlaps(CommandTest):
    def write_block(self, height, **contact):
        """A block of 0.2 m whose lowest points are so high above a floor."""
        block = {"name": "block", "mesh": {"shape": "beam", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]},
                 "transform": {"translate": [3, 0.1 + height, 0]}}
        scene = {"jounce": 1, "frames": {"count": 4}, "contact": contact, "bodies": [block],
                 "colliders": [{"name": "floor"}]}
        with open(self.path("block.json"), "w") as file:
            json.dump(scene, file)
        return "block.json"

    def test_overlaps_that_were_tolerated_are_told_at_the_end(self):
        scene = self.write_block(-0.05)
        told = self.run_jounce("bake", scene, "--history", "motion.csv").stdout
        self.assertRegex(told, r"(?m)^Frames 1 to 4: .* of 50 mm between 'block' and 'floor' in frame 1 near \([23]")
        _, first, second, third, fourth, end = self.run_json("bake", scene)
        self.assertEqual(first["contact"]["objects"], ["block", "floor"])
        self.assertAlmostEqual(first["contact"]["place"][1], -0.05)
        self.assertGreater(second["contact"]["rounds"], 0)
        self.assertLess(fourth["contact"]["deepest_penetration"], third["contact"]["deepest_penetration"])
        self.assertEqual((end["overlap_frames"], end["worst_overlap"]["frame"]), (4, 1))
        self.assertAlmostEqual(end["worst_overlap"]["depth"], 0.05)
        with open(self.path("motion.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertTrue(all(int(row["overlaps"]) > 0 and int(row["contacts"]) == 9 for row in rows))
        self.assertAlmostEqual(float(rows[0]["overlap_y"]), -0.05)
        self.assertAlmostEqual(float(rows[0]["smallest_distance"]), -0.05)

    def test_overlap_of_two_bodies_is_told_without_a_depth(self):
        beam = {"name": "arm", "mesh": {"shape": "beam", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]}}
        scene = {"jounce": 1, "frames": {"count": 2}, "world": {"gravity": [0, 0, 0]}, "integrator": {"method": "si"},
                 "bodies": [beam, dict(beam, name="belly", transform={"translate": [0.17, 0.03, 0.02]})]}
        with open(self.path("two.json"), "w") as file:
            json.dump(scene, file)
        told = self.run_jounce("bake", "two.json").stdout
        self.assertRegex(told, r"(?m)^Frames 1 to 2: .* tolerated,( one)? between 'arm' and 'belly' in frame 1 near ")
        end = self.run_json("bake", "two.json")[-1]
        self.assertEqual((end["worst_overlap"]["objects"], end["overlap_frames"]), (["arm", "belly"], 2))
        self.assertNotIn("depth", end["worst_overlap"])
        scene["bodies"][0]["ignore_groups"] = scene["bodies"][1]["ignore_groups"] = ["skin"]
        with open(self.path("two.json"), "w") as file:
            json.dump(scene, file)
        self.assertEqual(self.run_json("bake", "two.json")[-1]["overlap_frames"], 0)

    def test_strict_bake_stops_at_the_first_overlap(self):
        refused = self.run_jounce("bake", self.write_block(-0.05, strict=True), code=INPUT)
        self.assertIn("'block' and 'floor' overlap in frame 1", refused.stderr)
        self.assertNotIn("--resume", refused.stderr)
        self.run_jounce("bake", self.write_block(0, strict=True))

    def test_bake_without_overlaps_tells_of_none(self):
        self.assertNotIn("overlap", self.run_jounce("bake", self.write_block(0)).stdout)
        events = self.run_json("bake", self.write_block(5))
        self.assertEqual(events[-1]["overlap_frames"], 0)
        self.assertFalse(any("contact" in event or "worst_overlap" in event for event in events))


class HardFrames(CommandTest):
    def write_jump(self, **parts):
        """A bar whose clamped end jumps by ten times its length from frame 3 to 4."""
        scene = json.loads(json.dumps(SCENE))
        scene["frames"]["count"] = 8
        scene["bodies"][0]["mesh"]["cells"] = [6, 2, 2]
        del scene["bodies"][0]["material"]["stiffness_damping"]
        scene["bodies"][0]["animation"] = {"keys": [{"frame": 3}, {"frame": 4, "translate": [10, 0, 0]}]}
        scene["bodies"][0]["cut_distance"] = 0
        scene.update(parts)
        with open(self.path("jump.json"), "w") as file:
            json.dump(scene, file)
        return "jump.json"

    def test_bake_that_had_to_cut_its_steps_names_the_frames(self):
        scene = self.write_jump()
        self.assertRegex(self.run_jounce("bake", scene).stdout, "Frames? [45].* hard to simulate: .*cut [0-9]+ times")
        end = self.run_json("bake", scene)[-1]
        frames = [frame["frame"] for frame in end["hard_frames"]]
        self.assertTrue(frames and set(frames) <= {4, 5, 6, 7, 8})
        self.assertLessEqual(sum(frame["cut_steps"] for frame in end["hard_frames"]), end["cut_steps"])
        self.assertIn("loose_steps", end)

    def test_frame_to_which_the_animation_jumps_is_told(self):
        scene = self.write_jump()
        self.assertNotIn("carried over", self.run_jounce("bake", scene).stdout)
        with open(self.path(scene)) as file:
            parts = json.load(file)
        del parts["bodies"][0]["cut_distance"]
        with open(self.path(scene), "w") as file:
            json.dump(parts, file)
        self.assertRegex(self.run_jounce("bake", scene).stdout, "Frame 4: the animation of '.*' jumps .*cut_distance to 0")
        self.assertEqual(self.run_json("bake", scene)[-1]["cut_frames"], 1)

    def test_easy_bake_names_no_frames(self):
        scene = self.write_scene()
        self.assertEqual(self.run_json("bake", scene)[-1]["cut_frames"], 0)
        self.assertNotIn("hard to simulate", self.run_jounce("bake", scene).stdout)
        self.assertEqual(self.run_json("bake", scene)[-1]["hard_frames"], [])

    def test_frame_that_takes_long_says_why_while_it_does(self):  # long
        scene = self.write_jump(integrator={"method": "si", "error_tolerance": 1e-12})
        with open(self.path(scene)) as file:
            parts = json.load(file)
        parts["bodies"][0]["mesh"]["cells"] = [12, 4, 4]
        with open(self.path(scene), "w") as file:
            json.dump(parts, file)
        cuts = [line for line in self.run_json("bake", scene, "--frames", "2") if line.get("event") == "cut"]
        self.assertTrue(cuts)
        self.assertEqual((cuts[0]["frame"], cuts[0]["parts"]), (2, 1024))
        self.assertIn("error tolerance", cuts[0]["reason"])
        self.assertRegex(self.run_jounce("bake", scene, "--frames", "2").stderr,
                         "frame 2: [0-9]+ % done; its time steps are cut into 1024 parts, because longer ones")


class Stops(CommandTest):
    FRAMES = 60

    def stop(self, scene, number, options):
        """Stops a bake by signal `number`, sent twice after five frames: its exit code, last line and errors."""
        with open(self.path("errors.txt"), "w+", encoding="utf-8") as error_file:
            bake = subprocess.Popen([JOUNCE, "bake", scene, "-o", "my cache.abc", "--json", *options], cwd=self.folder,
                                    env=self.environment, stdout=subprocess.PIPE, stderr=error_file, text=True)
            for line in bake.stdout:
                end = json.loads(line)
                if end["event"] == "frame" and end["done"] == 5:
                    bake.send_signal(number)
                    bake.send_signal(number)
            bake.wait(timeout=120)
            bake.stdout.close()
            error_file.seek(0)
            return bake.returncode, end, error_file.read()

    def stop_and_resume(self, number, *options):
        """Stops a bake and goes on by the command that it prints."""
        scene = self.write_scene(self.FRAMES, [24, 5, 5])
        # on a busy machine the bake may be done before this program has read that five frames are
        for _ in range(10):
            code, end, errors = self.stop(scene, number, options)
            if not end.get("complete"):
                break
        self.assertEqual(code, CANCELLED, errors)
        self.assertEqual((end["event"], end["complete"]), ("end", False))
        self.assertTrue(5 <= end["done"] < self.FRAMES, end["done"])
        self.assertIn(f"{end['done']} of {self.FRAMES} frames are kept in my cache.abc", errors)
        self.assertIn("Resume with: " + end["resume_command"], errors)
        kept = self.run_json("info", "my cache.abc")[0]["objects"][0]
        self.assertEqual(kept["samples"], end["done"])
        resumed = subprocess.run(["sh", "-c", end["resume_command"]], cwd=self.folder, env=self.environment,
                                 capture_output=True, text=True, timeout=240)
        self.assertEqual(resumed.returncode, DONE, resumed.stderr)
        self.assertEqual(json.loads(resumed.stdout.splitlines()[0])["done"], end["done"])
        self.run_jounce("bake", scene, "-o", "whole.abc")
        self.assertTrue(self.read_bytes("my cache.abc") == self.read_bytes("whole.abc"),
                        "a resumed bake must equal one that was never stopped")

    def test_interrupted_bake_resumes_to_the_same_cache(self):
        self.stop_and_resume(signal.SIGINT)

    def test_terminated_bake_resumes_to_the_same_cache(self):
        self.stop_and_resume(signal.SIGTERM, "--threads", "1")

    def test_resume_of_a_complete_bake_says_so_and_keeps_it(self):
        scene = self.write_scene()
        self.run_jounce("bake", scene)
        before = self.read_bytes("scene.abc")
        self.assertIn("Baked 0 frames", self.run_jounce("bake", "--resume", scene).stdout)
        self.assertTrue(before == self.read_bytes("scene.abc"))

    def test_resume_of_another_scene_is_refused_and_keeps_it(self):
        scene = self.write_scene(self.FRAMES)
        bake = subprocess.Popen([JOUNCE, "bake", scene, "--json"], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        bake.stdout.readline()
        bake.stdout.readline()
        bake.send_signal(signal.SIGINT)
        bake.communicate(timeout=120)
        if bake.returncode == DONE:
            self.skipTest("the bake was done before the signal came")
        self.write_scene(self.FRAMES, [12, 2, 2])
        self.assertIn("other inputs", self.run_jounce("bake", "--resume", scene, code=INPUT).stderr)
        self.assertGreater(self.run_json("info", "scene.abc")[0]["objects"][0]["samples"], 0)

    def test_resume_without_a_cache_starts_at_the_first_frame(self):
        self.assertIn("Baked 12 frames", self.run_jounce("bake", "--resume", self.write_scene()).stdout)


class Pictures(CommandTest):
    def test_strip_shows_the_body_in_every_frame(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        said = self.run_json("show", "out.abc", "-o", "strip.png", "--frames", "1,6,12", "--size", "160,120")[0]
        width, height, rows = read_png(self.path("strip.png"))
        self.assertEqual((width, height), (said["width"], said["height"]))
        self.assertEqual((width, height), (3 * 160 + 4 * 8, 120 + 2 * 8))
        tiles = []
        for tile in range(3):
            left = 8 + tile * (160 + 8)
            pixels = [pixel for row in rows[8:128] for pixel in row[left:left + 160]]
            coral = sum(red > blue + 60 for red, green, blue in pixels)
            self.assertGreater(coral, 0.01 * len(pixels), "the body fills a part of the picture")
            self.assertGreater(len(set(pixels)), 200, "the body is shaded")
            tiles.append(pixels)
        self.assertNotEqual(tiles[0], tiles[2], "the body moves")

    def test_count_columns_and_default_name(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        said = self.run_json("show", "out.abc", "--count", "4", "--columns", "2", "--size", "40,30", "--view", "0,0,1")[0]
        self.assertEqual(said["frames"], [1, 5, 8, 12])
        self.assertEqual(read_png(self.path("out.png"))[:2], (2 * 40 + 3 * 8, 2 * 30 + 3 * 8))

    def test_frames_that_the_cache_does_not_hold_are_refused(self):
        self.run_jounce("bake", self.write_scene(4), "-o", "bar.abc")
        self.run_jounce("show", "bar.abc", "--frames", "1,4")
        for frames in ("5", "0", "1,2,99"):
            self.assertRegex(self.run_jounce("show", "bar.abc", "--frames", frames, code=USAGE).stderr,
                             "frame [0-9]+, but bar.abc holds frames 1 to 4")

    def test_unwritable_picture_is_a_file_error(self):
        self.run_jounce("bake", self.write_scene(2), "-o", "out.abc")
        self.run_jounce("show", "out.abc", "-o", "nowhere/strip.png", "--size", "40,30", code=FILE)

    def test_caches_of_other_programs_are_drawn(self):
        path = os.path.join(ASSETS, "abc", "maya2016_sphere_facesets.abc")
        if not os.path.exists(path):
            self.skipTest("no caches of other programs here")
        self.run_jounce("show", path, "-o", "other.png", "--size", "60,60")
        pixels = {pixel for row in read_png(self.path("other.png"))[2] for pixel in row}
        self.assertGreater(len(pixels), 100)


def run_tests():
    """Runs the tests of the main program that the command line names, or all."""
    program = unittest.main(argv=[sys.argv[0], *sys.argv[4:]], exit=False, verbosity=2)
    skipped_all = program.result.testsRun == len(program.result.skipped) > 0
    sys.exit(1 if not program.result.wasSuccessful() else 77 if skipped_all else 0)


if __name__ == "__main__":
    run_tests()
