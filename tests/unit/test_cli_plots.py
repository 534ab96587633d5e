"""What the jounce command writes about a motion: history, plots, comparison of methods, damping.

Run by CTest as `test_cli_plots.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import csv
import json
import math
import os
import re
import signal
import struct
import subprocess
import xml.etree.ElementTree
import zlib

from test_cli import CANCELLED, FILE, JOUNCE, SOURCE, USAGE, CommandTest, run_tests

SVG = "{http://www.w3.org/2000/svg}"


class PlotCommandTest(CommandTest):
    """Reads what the command has drawn and written."""

    def series(self, name):
        """Name and path of every series of an SVG plot."""
        root = xml.etree.ElementTree.parse(self.path(name)).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        return {group.find(SVG + "title").text: group.find(SVG + "path").get("d") for group in root.iter(SVG + "g")}

    def texts(self, name):
        root = xml.etree.ElementTree.parse(self.path(name)).getroot()
        return [text.text for text in root.iter(SVG + "text")]

    def assert_is_picture(self, name):
        """A whole PNG, every part with its checksum, of more than two shades."""
        data, packed, at = self.read_bytes(name), b"", 8
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
        while at < len(data):
            length, part = struct.unpack(">I4s", data[at:at + 8])
            content, checksum = data[at + 8:at + 8 + length], data[at + 8 + length:at + 12 + length]
            self.assertEqual(struct.pack(">I", zlib.crc32(part + content)), checksum)
            packed += content if part == b"IDAT" else b""
            at += length + 12
        self.assertEqual((part, depth), (b"IEND", 8))
        pixels = zlib.decompress(packed)
        self.assertEqual(len(pixels), height * (1 + width * {2: 3, 6: 4}[kind]))
        self.assertGreater(width, 800)
        self.assertGreater(len(set(pixels)), 50, "lines with smooth edges in several colours")

    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class History(PlotCommandTest):
    def test_steps_that_a_damped_integrator_took_are_told(self):
        with open(os.path.join(SOURCE, "sample_scenes", "uncoiling_rope", "scene.json"), encoding="utf-8") as file:
            scene = json.load(file)
        scene["bodies"][0]["mesh"].update(cells=[2, 16, 1], turns=2)
        scene["integrator"]["method"] = "trapezoidal"
        scene["frames"]["count"] = 16
        with open(self.path("rope.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        told = self.run_jounce("bake", "rope.json", "--history", "motion.csv").stdout
        count = int(self.rows("motion.csv")[-1]["damped_steps"])
        self.assertGreater(count, 0)
        self.assertRegex(told, rf"(?m)^{count} steps? of trapezoidal failed even when cut")
        end = json.loads(self.run_jounce("bake", "rope.json", "--json").stdout.splitlines()[-1])
        self.assertEqual(end["damped_steps"], count)
        scene["integrator"]["method"] = "be"
        with open(self.path("rope.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        self.assertNotIn("failed", self.run_jounce("bake", "rope.json").stdout)

    def test_elements_that_had_to_be_stabilized_are_told(self):
        # jelly as soft as this falls flat under its own weight
        scene = {"jounce": 1, "frames": {"count": 12}, "integrator": {"method": "si"},
                 "colliders": [{"name": "floor", "kind": "plane", "normal": [0, 1, 0]}],
                 "bodies": [{"name": "jelly", "mesh": {"shape": "cuboid", "size": [0.2, 1, 0.2], "cells": [2, 10, 2]},
                             "transform": {"translate": [0, 0.6, 0]},
                             "material": {"law": "neohooke", "young_modulus": 1000, "poisson_ratio": 0.4}}]}
        with open(self.path("jelly.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        told = self.run_jounce("bake", "jelly.json").stdout
        end = json.loads(self.run_jounce("bake", "jelly.json", "--json").stdout.splitlines()[-1])
        self.assertGreater(end["projected_elements"], end["projected_steps"])
        self.assertIn(f"stabilized {end['projected_elements']} times, in {end['projected_steps']} solves", told)
        scene["bodies"][0]["material"]["young_modulus"] = 1e6
        with open(self.path("jelly.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        self.assertNotIn("stabilized", self.run_jounce("bake", "jelly.json").stdout)

    def test_csv_and_json_hold_the_same_row_for_every_frame(self):
        scene = self.write_scene()
        self.run_jounce("bake", scene, "--history", "motion.csv")
        self.run_jounce("bake", scene, "--history", "motion.json")
        rows = self.rows("motion.csv")
        with open(self.path("motion.json"), encoding="utf-8") as file:
            frames = json.load(file)["frames"]
        self.assertEqual([float(row["frame"]) for row in rows], list(range(1, 13)))
        self.assertEqual(len(frames), 12)
        for row, frame in zip(rows, frames):
            self.assertEqual(list(row), list(frame))
            for key, text in row.items():
                self.assertEqual(float(text) if text else None, frame[key], key)

    def test_energies_add_up_and_a_damped_beam_loses_some(self):
        self.run_jounce("bake", self.write_scene(), "--history", "motion.csv")
        rows = [{key: float(text or "nan") for key, text in row.items()} for row in self.rows("motion.csv")]
        for row in rows:
            parts = sum(row[kind + "_energy"] for kind in ("kinetic", "elastic", "gravity", "force", "goal", "contact"))
            self.assertAlmostEqual(row["total_energy"], parts, delta=1e-9 * abs(parts))
        self.assertGreater(rows[-1]["kinetic_energy"], 0.1)
        self.assertGreater(rows[-1]["elastic_energy"], 0.1)
        self.assertLess(rows[-1]["total_energy"], rows[0]["total_energy"] - 0.1)
        self.assertEqual(rows[-1]["steps"], 11 * 4)

    def test_plot_has_a_named_line_for_each_energy(self):
        self.run_jounce("bake", self.write_scene(), "--plot", "energy.svg")
        series = self.series("energy.svg")
        self.assertEqual(list(series), ["total", "kinetic", "elastic", "gravity"])
        for path in series.values():
            self.assertEqual(path.count("L"), 11, "one point for each of 12 frames")
        self.assertIn("time (s)", self.texts("energy.svg"))
        self.assertIn("energy (J)", self.texts("energy.svg"))
        self.run_jounce("bake", self.write_scene(), "--plot", "energy.png")
        self.assert_is_picture("energy.png")

    def test_pictures_need_no_fonts(self):
        self.environment["FONTCONFIG_FILE"] = self.path("no such file")
        self.run_jounce("bake", self.write_scene(2), "--plot", "energy.png")
        bare = self.read_bytes("energy.png")
        del self.environment["FONTCONFIG_FILE"]
        self.run_jounce("bake", self.write_scene(2), "--plot", "energy.png")
        self.assertTrue(bare == self.read_bytes("energy.png"))

    def test_other_endings_and_places_are_refused_before_the_bake(self):
        scene = self.write_scene()
        self.assertIn(".csv", self.run_jounce("bake", scene, "--history", "motion.txt", code=USAGE).stderr)
        self.assertIn(".svg", self.run_jounce("bake", scene, "--plot", "plot.jpg", code=USAGE).stderr)
        self.assertIn("nowhere", self.run_jounce("bake", scene, "--history", "nowhere/m.csv", code=FILE).stderr)

    def test_plot_that_cannot_be_written_is_an_error_but_the_cache_is_kept(self):
        self.run_jounce("bake", self.write_scene(), "--plot", "nowhere/plot.svg", code=FILE)
        self.assertEqual(self.run_json("info", "scene.abc")[0]["objects"][0]["samples"], 12)

    def stop_after_five(self, *options):
        """Stops a bake after five frames or some more. Returns how many are kept."""
        scene = self.write_scene(30, [20, 4, 4])
        for _ in range(10):
            bake = subprocess.Popen([JOUNCE, "bake", scene, "--json", *options], cwd=self.folder, env=self.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in bake.stdout:
                event = json.loads(line)
                if event.get("done") == 5:
                    bake.send_signal(signal.SIGINT)
            bake.wait(timeout=120)
            bake.stdout.close()
            if bake.returncode == CANCELLED:
                return event["done"]
        self.skipTest("the bake was always done before the signal came")

    def test_resumed_history_equals_one_that_was_never_stopped(self):
        for name in ("motion.csv", "motion.json"):
            kept = self.stop_after_five("--history", name)
            stopped = self.read_bytes(name).count(b"\n")
            self.assertEqual(stopped, kept + (1 if name.endswith("csv") else 2))
            self.run_jounce("bake", "--resume", "scene.json", "--history", name, "--plot", "energy.svg")
            self.run_jounce("bake", "scene.json", "-o", "whole.abc", "--history", "whole" + name)
            self.assertTrue(self.read_bytes(name) == self.read_bytes("whole" + name))
            self.assertEqual(self.series("energy.svg")["total"].count("L"), 29, "earlier frames are in the plot too")

    def test_rows_after_the_last_kept_frame_are_dropped(self):
        kept = self.stop_after_five("--history", "motion.csv")
        with open(self.path("motion.csv"), "a", encoding="utf-8") as file:
            file.write(",".join([str(kept + 1)] + ["7"] * 18) + "\nnot a row\n")
        self.run_jounce("bake", "--resume", "scene.json", "--history", "motion.csv")
        self.run_jounce("bake", "scene.json", "-o", "whole.abc", "--history", "whole.csv")
        self.assertTrue(self.read_bytes("motion.csv") == self.read_bytes("whole.csv"))

    def test_resume_without_the_earlier_rows_says_so(self):
        kept = self.stop_after_five()
        result = self.run_jounce("bake", "--resume", "scene.json", "--history", "motion.csv")
        self.assertIn(f"Of the {kept} frames baked before, 0 are in the history", result.stderr)
        self.assertEqual([float(row["frame"]) for row in self.rows("motion.csv")], list(range(kept + 1, 31)))

    def test_resume_of_a_complete_bake_keeps_its_history(self):
        self.run_jounce("bake", self.write_scene(), "--history", "motion.csv")
        before = self.read_bytes("motion.csv")
        self.run_jounce("bake", "--resume", "scene.json", "--history", "motion.csv", "--plot", "energy.svg")
        self.assertTrue(before == self.read_bytes("motion.csv"))
        self.assertEqual(self.series("energy.svg")["total"].count("L"), 11)


class Compare(PlotCommandTest):
    def test_every_method_has_its_line_table_and_curve(self):
        runs = self.run_json("compare", self.write_scene(), "--methods", "si,sdirk,be", "-o", "side by side")
        self.assertEqual([run["method"] for run in runs], ["si", "sdirk", "be"])
        self.assertEqual(runs[0]["time_ratio"], 1)
        for run in runs:
            self.assertEqual((run["status"], run["frames"]), ("JN_OK", 12))
            self.assertGreater(run["seconds_per_step"], 0)
            self.assertGreater(run["factorizations"], 0)
        self.assertGreater(runs[1]["newton_iterations"], 0)
        self.assertGreater(runs[0]["energy_lost"], runs[1]["energy_lost"], "si damps more than sdirk")
        for kind in ("potential_energy", "total_energy"):
            series = self.series(f"side by side/{kind}.svg")
            self.assertEqual(list(series), ["si", "sdirk", "be"])
            self.assertTrue(all(path.count("L") == 11 for path in series.values()))
            self.assert_is_picture(f"side by side/{kind}.png")
        rows = self.rows("side by side/compare.csv")
        self.assertEqual(len(rows), 3 * 12)
        with open(self.path("side by side/compare.json"), encoding="utf-8") as file:
            for run in json.load(file)["runs"]:
                values = [float(row["total_energy"]) for row in rows if row["method"] == run["method"]]
                self.assertEqual(values, [row["total_energy"] for row in run["history"]])

    def test_all_methods_print_a_table(self):
        names = [entry["name"] for entry in self.run_json("list", "integrators")[0]["integrators"]]
        table = self.run_jounce("compare", self.write_scene(3, [4, 1, 1]), "--methods", "all", "--frames", "2").stdout
        for name in names:
            # auto takes its own number of steps
            self.assertRegex(table, rf"(?m)^  {name}(, \d+ steps)? +[\d.]+ m?s ")
        self.assertEqual(sorted(os.listdir(self.folder)), ["leaks", "scene.json"], "nothing is written without -o")
        self.run_jounce("compare", "scene.json", "--caches", code=USAGE)

    def test_methods_are_those_of_the_help_unless_told(self):
        given = re.search(r"Default:\s+([a-z0-9_,]+);", self.run_jounce("help", "compare").stdout).group(1)
        names = given.split(",")
        runs = self.run_json("compare", self.write_scene(3, [4, 1, 1]), "--frames", "2")
        self.assertEqual([run["method"] for run in runs], names)
        self.assertLess({"auto", "si", "siere", "be"}, set(names))
        self.assertFalse({"rk4", "ere", "epirk4s3"} & set(names), "slow ones are asked for by name")

    def test_number_of_kept_modes_may_be_given(self):
        runs = self.run_json("compare", self.write_scene(), "--methods", "siere:1,siere:4,siere:1,si", "-o", "out",
                             "--caches")
        self.assertEqual([run["method"] for run in runs], ["siere:1", "siere:4", "si"])
        self.assertNotEqual(runs[0]["energy_lost"], runs[1]["energy_lost"])
        self.assertTrue(all(run["energy_lost"] < runs[2]["energy_lost"] for run in runs[:2]))
        self.assertEqual(list(self.series("out/total_energy.svg")), ["siere:1", "siere:4", "si"])
        self.assertEqual({row["method"] for row in self.rows("out/compare.csv")}, {"siere:1", "siere:4", "si"})
        self.assertIn("siere_4_modes_4.abc", os.listdir(self.path("out")))
        for wrong in ("siere:", "siere:0", "siere:-1", "siere:5x", "siere:99999999999"):
            self.assertIn("siere:5", self.run_jounce("compare", "scene.json", "--methods", wrong, code=USAGE).stderr)
        self.assertIn("'siere'", self.run_jounce("damping", "--methods", "siere:5", code=USAGE).stderr)

    def test_more_steps_lose_less_energy(self):
        runs = self.run_json("compare", self.write_scene(), "--methods", "si", "--steps", "2,8", "-o", "out", "--caches")
        self.assertEqual([run["steps_per_frame"] for run in runs], [2, 8])
        self.assertGreater(runs[0]["energy_lost"], 1.5 * runs[1]["energy_lost"])
        self.assertEqual(list(self.series("out/total_energy.svg")), ["si, 2 steps", "si, 8 steps"])
        self.assertEqual(self.run_json("info", "out/si_2.abc")[0]["objects"][0]["samples"], 12)

    def test_method_that_diverges_has_its_sentence_and_the_others_go_on(self):
        """A cuboid wound up by two turns, the safeguards off: one Newton step a time step does not hold it, many small
        explicit ones do."""
        scene = {"jounce": 1, "frames": {"count": 6, "steps_per_frame": 1, "fps": 24},
                 "integrator": {"safeguards": False}, "world": {"gravity": [0, 0, 0]},
                 "bodies": [{"name": "wound", "mesh": {"shape": "cuboid", "turns": 2, "cells": [8, 2, 2]},
                             "start": {"pose": {"field": "pose"}}, "material": {"young_modulus": 1e5}}]}
        with open(self.path("wound.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        failed, held = self.run_json("compare", "wound.json", "--methods", "si,rk4", "-o", "out")
        self.assertEqual((failed["status"], held["status"]), ("JN_ERR_DIVERGED", "JN_OK"))
        self.assertIn("diverge", failed["message"])
        self.assertEqual((failed["frames"], held["frames"]), (failed["failed_frame"] - 1, 6))
        self.assertEqual(list(self.series("out/total_energy.svg")), ["si", "rk4"])
        table = self.run_jounce("compare", "wound.json", "--methods", "si,rk4", "-o", "out").stdout
        self.assertIn("si failed in frame %d: " % failed["failed_frame"], table)
        self.assertNotIn("nan", table)

    def test_wrong_names_numbers_and_places_are_refused(self):
        scene = self.write_scene()
        self.assertIn("'sdirk'", self.run_jounce("compare", scene, "--methods", "si,sdrik", code=USAGE).stderr)
        self.run_jounce("compare", scene, "--methods", "si,,be", code=USAGE)
        self.run_jounce("compare", scene, "--steps", "1.5", code=USAGE)
        self.run_jounce("compare", scene, "--steps", "0", code=USAGE)
        self.run_jounce("compare", scene, "--frames", "13", code=USAGE)
        self.run_jounce("compare", scene, "-o", "no/such/place", code=FILE)

    def test_interrupt_keeps_what_is_done(self):
        scene = self.write_scene(60, [24, 5, 5])
        bake = subprocess.Popen([JOUNCE, "compare", scene, "--json", "--methods", "si,sbdf2,be,tr_bdf2", "-o", "out"],
                                cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        first = json.loads(bake.stdout.readline())
        bake.send_signal(signal.SIGINT)
        bake.communicate(timeout=120)
        self.assertEqual(bake.returncode, CANCELLED)
        self.assertEqual((first["method"], first["status"]), ("si", "JN_OK"))
        self.assertEqual(self.series("out/total_energy.svg")["si"].count("L"), 59)


class Damping(PlotCommandTest):
    def test_euler_curves_are_those_of_the_formula(self):
        curves = self.run_json("damping")[0]
        methods = {method["name"]: method["damping"] for method in curves["methods"]}
        for name in ("si", "be"):
            for x, damping in zip(curves["h_omega"], methods[name]):
                self.assertAlmostEqual(damping, math.log1p(x * x) / x, delta=1e-8)
        for name in ("trapezoidal", "midpoint"):
            self.assertTrue(all(abs(damping) < 1e-8 for damping in methods[name]))

    def test_every_method_is_printed_and_drawn(self):
        names = [entry["name"] for entry in self.run_json("list", "integrators")[0]["integrators"]]
        names.remove("auto")  # it is no method of its own
        table = self.run_jounce("damping", "--plot", "damping.svg").stdout
        drawn = ", ".join(self.series("damping.svg")).split(", ")
        self.assertEqual(sorted(drawn), sorted(names))
        for name in names:
            self.assertRegex(table, rf"(?m)^  {name} ")
        self.run_jounce("damping", "--methods", "be,sdirk", "--plot", "damping.png")
        self.assert_is_picture("damping.png")

    def test_docs_name_every_integrator(self):
        with open(os.path.join(SOURCE, "docs/integrators.md"), encoding="utf-8") as file:
            docs = file.read()
        for entry in self.run_json("list", "integrators")[0]["integrators"]:
            self.assertIn(f"`{entry['name']}`", docs)

    def test_wrong_options_are_refused(self):
        self.assertIn("'be'", self.run_jounce("damping", "--methods", "bee", code=USAGE).stderr)
        self.run_jounce("damping", "--plot", "damping.pdf", code=USAGE)
        self.run_jounce("damping", "--steps", "2", code=USAGE)
        self.run_jounce("damping", "--plot", "nowhere/damping.svg", code=FILE)
        self.run_jounce("damping", "none.json", code=FILE)

    def test_modes_of_a_scene_lose_what_the_curve_says(self):
        scene = self.write_scene()
        said = self.run_json("damping", scene, "--methods", "si,sdirk", "--steps", "2", "--count", "4")[0]
        self.assertEqual(said["steps_per_frame"], 2)
        self.assertGreaterEqual(len(said["modes"]), 4)
        for mode in said["modes"]:
            x = 2 * math.pi * mode["frequency"] / (24 * 2)
            si, sdirk = mode["methods"]
            self.assertAlmostEqual(si["damping"], math.log1p(x * x) / x, delta=1e-8)
            lost = 1 - math.exp(-0.5 * math.log1p(x * x) * 24 * 2)
            self.assertAlmostEqual(si["lost_per_second"], lost, delta=1e-7)
            self.assertLess(sdirk["lost_per_second"], si["lost_per_second"])
        text = self.run_jounce("damping", scene, "--plot", "lost.svg").stdout
        self.assertRegex(text, r"The [\d.]+ Hz mode of .*'bar' loses [\d.]+ % a second to si at 4 steps a frame")
        self.assertEqual(list(self.series("lost.svg")), ["si"])


if __name__ == "__main__":
    run_tests()
