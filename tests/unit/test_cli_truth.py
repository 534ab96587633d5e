"""What the jounce command shows of modes and errors, and what it leaves to auto.

Run by CTest as `test_cli_truth.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import json
import math
import os

from test_cli import FILE, SCENE, USAGE, run_tests
from test_cli_plots import PlotCommandTest

GRAVITY = 9.81


class SceneTest(PlotCommandTest):
    def write(self, name, **changes):
        """SCENE with some of its keys replaced; those of its body by body=..."""
        scene = json.loads(json.dumps(SCENE))
        scene["bodies"][0].update(changes.pop("body", {}))
        scene.update(changes)
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        return name

    def read_json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)


class ModesFilm(SceneTest):
    def test_film_plays_each_mode_about_the_rest_shape(self):
        scene = self.write("scene.json")
        told = self.run_json("modes", scene, "-n", "4", "-o", "modes.abc")[0]
        spans, modes = told["film"], told["modes"]
        self.assertEqual(len(spans), 4)
        self.assertEqual([span["frequency"] for span in spans], [mode["frequency"] for mode in modes][:4])
        # one after the other, at least half a second a swing, two swings each; the last frame is at rest again
        frame = 1
        for span in spans:
            self.assertEqual(span["first_frame"], frame)
            frame = span["last_frame"] + 1
            swing = round((frame - span["first_frame"]) / 2)
            self.assertTrue(12 <= swing <= 48, swing)
            self.assertAlmostEqual(span["slowed"], swing * span["frequency"] / 24, 9)
        info = self.run_json("info", "modes.abc")[0]
        self.assertEqual(info["user_properties"]["jounce_modes"], spans)
        shape = next(item for item in info["objects"] if item["kind"] == "mesh")
        self.assertEqual(shape["samples"], frame - 1)
        # a bending bar of length 1 moves by a tenth of it, across and not along it; the first frame is the rest shape
        self.run_jounce("mesh", "modes.abc", "-o", "rest.obj")
        with open(self.path("rest.obj"), encoding="utf-8") as file:
            rest = [[float(word) for word in line.split()[1:4]] for line in file if line.startswith("v ")]
        for axis, reach in ((1, 0.1), (2, 0.1)):
            self.assertAlmostEqual(shape["bounds_max"][axis], max(p[axis] for p in rest) + reach, 2)
            self.assertAlmostEqual(shape["bounds_min"][axis], min(p[axis] for p in rest) - reach, 2)
        self.assertAlmostEqual(min(p[1] for p in rest), 0.9, 6)

    def test_text_names_the_frames_of_each_mode(self):
        text = self.run_jounce("modes", self.write("scene.json"), "-n", "2", "-o", "modes.abc").stdout
        self.assertRegex(text, r"(?m)^  frames 1 to \d+ +mode 1, [\d.]+ Hz, ")
        self.run_jounce("show", "modes.abc", "-o", "modes.png")

    def test_free_body_shows_no_rigid_motion(self):
        scene = self.write("free.json", body={"regions": []})
        told = self.run_json("modes", scene, "-n", "1", "-o", "modes.abc")[0]
        self.assertEqual(sum(mode["rigid"] for mode in told["modes"]), 6)
        self.assertTrue(all(span["frequency"] > 0.5 for span in told["film"]))

    def test_cloth_and_fibres_have_films_too(self):
        cloth = {"kind": "textile", "mesh": {"shape": "cloth", "size": [1, 1, 1], "cells": [4, 4, 1]}}
        fibres = {"kind": "fibres", "mesh": {"shape": "fibres", "size": [1, 1, 1], "cells": [4, 2, 2]}}
        for name, body, kind in (("cloth", cloth, "mesh"), ("fibres", fibres, "curves")):
            told = self.run_json("modes", self.write(name + ".json", body=body), "-n", "3", "-o", name + ".abc")[0]
            self.assertEqual(len(told["film"]), 3, "equal bristles do not make it longer")
            objects = self.run_json("info", name + ".abc")[0]["objects"]
            self.assertIn(kind, [item["kind"] for item in objects])

    def test_film_replaces_only_a_film(self):
        scene = self.write("scene.json")
        self.run_jounce("bake", scene, "--frames", "2", "-o", "bar.abc")
        before = self.read_bytes("bar.abc")
        self.assertIn("no film of modes", self.run_jounce("modes", scene, "-o", "bar.abc", code=FILE).stderr)
        self.assertEqual(self.read_bytes("bar.abc"), before)
        self.run_jounce("modes", scene, "-n", "1", "-o", "modes.abc")
        before = self.read_bytes("modes.abc")
        self.run_jounce("modes", scene, "-n", "1", "-o", "modes.abc")
        self.assertEqual(self.read_bytes("modes.abc"), before)
        self.assertIn(".abc", self.run_jounce("modes", scene, "-o", "modes.obj", code=USAGE).stderr)
        self.run_jounce("modes", scene, "-o", "no/such/place.abc", code=FILE)
        self.assertFalse(any("unfinished" in name for name in os.listdir(self.folder)))


class Truth(SceneTest):
    def error_work(self, scene, *words):
        """The lines of --truth: of the truth itself, of the runs, and of the cheapest."""
        lines = self.run_json("compare", scene, "--truth", *words)
        self.assertEqual([line["event"] for line in lines], ["truth"] + ["run"] * (len(lines) - 2) + ["cheapest"])
        return lines[0], lines[1:-1], lines[-1]["cheapest"]

    def test_errors_of_a_fall_are_those_of_theory(self):
        """In free fall every method of second order is exact, and si is off by g h t / 2 at the time t."""
        scene = self.write("fall.json", colliders=[],
                           body={"regions": [], "mesh": {"shape": "beam", "size": [1, 0.2, 0.2], "cells": [2, 1, 1]}})
        truth, runs, cheapest = self.error_work(scene, "--methods", "si,sdirk", "--steps", "1,2", "--frames", "6")
        times = [frame / 24 for frame in range(1, 6)]
        motion = math.sqrt(sum((GRAVITY * t * t / 2) ** 2 for t in times) / 5)
        self.assertAlmostEqual(truth["motion"], motion, delta=1e-6 * motion)
        self.assertLess(truth["own_error_share"], 1e-6)
        for run in runs:
            h = 1 / (24 * run["steps_per_frame"])
            off = math.sqrt(sum((GRAVITY * h * t / 2) ** 2 for t in times) / 5)
            if run["method"] == "si":
                self.assertAlmostEqual(run["error"], off, delta=1e-4 * off)
                self.assertTrue(run["error_is_known"])
            else:
                self.assertLess(run["error"], 1e-6 * motion)
            self.assertGreater(run["processor_seconds"], 0)
        self.assertEqual(cheapest[-1]["method"], "sdirk")

    def test_error_falls_with_the_order_of_the_method_and_is_the_same_again(self):
        scene = self.write("scene.json", colliders=[], body={"mesh": {"shape": "beam", "size": [1, 0.2, 0.2],
                                                                      "cells": [4, 1, 1]},
                                                             "material": {"young_modulus": 2e5}})
        words = (scene, "--methods", "si,ssdirk,sdirk", "--frames", "8", "--steps", "4,8")
        truth, runs, cheapest = self.error_work(*words, "-o", "out")
        self.assertTrue(truth["is_known"])
        self.assertLess(truth["own_error_share"], 2e-3)
        coarse, fine = runs[0::2], runs[1::2]
        for first, second, least in zip(coarse, fine, (1.6, 3, 3)):
            self.assertGreater(first["error"], least * second["error"], first["method"])
        rows = self.rows("out/error_work.csv")
        for row, run in zip(rows, runs):
            self.assertEqual((row["method"], int(row["steps_per_frame"])), (run["method"], run["steps_per_frame"]))
            self.assertAlmostEqual(float(row["error"]), run["error"], delta=1e-14 * run["error"])
        self.assertEqual(self.read_json("out/compare.json")["truth"]["own_error"], truth["own_error"])
        self.assertEqual(self.read_json("out/compare.json")["truth"]["cheapest"], cheapest)
        self.assertEqual(list(self.series("out/error_work.svg")), ["si", "ssdirk", "sdirk", "the truth's own error"])
        self.assert_is_picture("out/error_work.png")
        # what is marked is cheaper than all that are as near
        for row in (row for row in rows if row["cheapest"] == "1"):
            for other in rows:
                if float(other["error_share"]) < float(row["error_share"]):
                    self.assertGreater(float(other["processor_seconds_per_frame"]),
                                       float(row["processor_seconds_per_frame"]))
        again, more, _ = self.error_work(*words)
        self.assertEqual(again, truth)
        for key in ("error", "error_share", "steps", "factorizations", "newton_iterations", "iterations"):
            self.assertEqual([run[key] for run in more], [run[key] for run in runs], key)

    def test_extrapolated_truth_agrees_better_with_one_of_higher_order(self):
        scene = self.write("scene.json", colliders=[], body={"mesh": {"shape": "beam", "size": [1, 0.2, 0.2],
                                                                      "cells": [3, 1, 1]},
                                                             "material": {"young_modulus": 2e5}})
        words = (scene, "--methods", "si", "--frames", "5", "--steps", "1", "--truth-steps", "32", "--truth-check", "rk4")
        plain, runs, _ = self.error_work(*words)
        better, again, _ = self.error_work(*words, "--extrapolate")
        self.assertEqual((plain["check_method"], plain["extrapolated"], better["extrapolated"]), ("rk4", False, True))
        self.assertLess(better["own_error"], 0.1 * plain["own_error"])
        self.assertAlmostEqual(again[0]["error"], runs[0]["error"], delta=1.01 * plain["own_error"])
        text = self.run_jounce("compare", "--truth", *words, "--extrapolate").stdout
        self.assertIn("The truth is tr_bdf2, 32 steps, extrapolated; rk4, 17 steps differs", text)
        for wrong in (("--truth", "--extrapolate", "--truth-steps", "33"), ("--extrapolate",), ("--truth-check", "rk4"),
                      ("--truth", "--truth-check", "auto"), ("--truth", "--truth-check", "si,be"),
                      ("--truth", "--truth-check", "rk5")):
            self.run_jounce("compare", scene, "--steps", "1", *wrong, code=USAGE)

    def test_table_names_the_truth_and_the_cheapest(self):
        scene = self.write("scene.json", colliders=[], body={"mesh": {"shape": "beam", "cells": [3, 1, 1]}})
        text = self.run_jounce("compare", scene, "--truth", "--methods", "si,auto", "--frames", "4", "--steps", "1,2").stdout
        self.assertRegex(text, r"The truth is tr_bdf2, 16 steps; sdirk, 9 steps differs from it by [\d.e-]+ % of the motion")
        self.assertRegex(text, r"(?m)^[ *] auto, 8 steps +")
        self.assertRegex(text, r"(?m)^auto takes ssdirk with 8 time steps a frame: .*\.$")
        self.assertRegex(text, r"(?m)^ +30 %   \w+, \d steps? ")

    def test_truth_that_is_none_is_refused_or_told(self):
        scene = self.write("scene.json")
        self.assertIn("--truth", self.run_jounce("compare", scene, "--truth-steps", "64", code=USAGE).stderr)
        few = self.run_jounce("compare", scene, "--truth", "--steps", "8", "--truth-steps", "16", code=USAGE).stderr
        self.assertIn("more than twice the 8 steps", few)
        self.run_jounce("compare", scene, "--truth", "--frames", "1", code=USAGE)
        # nothing moves without gravity
        still = self.write("still.json", world={"gravity": [0, 0, 0]}, colliders=[],
                           body={"mesh": {"shape": "beam", "cells": [2, 1, 1]}})
        text = self.run_jounce("compare", still, "--truth", "--methods", "si", "--frames", "3").stdout
        self.assertIn("Nothing moves in still.json", text)
        self.assertNotIn("nan", text)


class Auto(SceneTest):
    SMALL = {"shape": "beam", "size": [1, 0.2, 0.2], "cells": [3, 1, 1]}
    FRAMES = {key: value for key, value in SCENE["frames"].items() if key != "steps_per_frame"}

    def test_scene_that_names_neither_method_nor_steps_is_left_to_auto(self):
        named = self.write("named.json", integrator={"method": "auto"}, frames=self.FRAMES, body={"mesh": self.SMALL})
        silent = self.write("silent.json", integrator={}, frames=self.FRAMES, body={"mesh": self.SMALL})
        told = [self.run_json("check", scene)[0] for scene in (named, silent)]
        self.assertRegex(told[0]["choice"], "^auto takes ")
        self.assertEqual(told[0]["choice"], told[1]["choice"])

    def test_steps_that_are_given_are_kept(self):
        scene = self.write("scene.json", integrator={"method": "auto"}, frames=dict(self.FRAMES, steps_per_frame=3),
                           body={"mesh": self.SMALL})
        checked = self.run_json("check", scene)[0]
        self.assertEqual(checked["steps_per_frame"], 3)
        self.assertRegex(checked["choice"], "^auto takes ssdirk with the given 3 time steps a frame: ")

    def test_method_that_is_named_without_steps_takes_the_usual_four(self):
        scene = self.write("scene.json", integrator={"method": "si"}, frames=dict(self.FRAMES, samples_per_frame=3),
                           body={"mesh": self.SMALL})
        self.assertEqual(self.run_json("check", scene)[0]["steps_per_frame"], 6)

    def test_check_and_bake_say_what_and_why(self):
        scene = self.write("scene.json", integrator={"method": "auto"}, frames=self.FRAMES, colliders=[],
                           body={"mesh": self.SMALL})
        checked = self.run_json("check", scene)[0]
        self.assertEqual((checked["integrator"], checked["steps_per_frame"]), ("ssdirk", 8))
        self.assertRegex(checked["choice"], r"^auto takes ssdirk with 8 time steps a frame: it is held, and moves with "
                                            r"what holds it; its slowest wobble has [\d.]+ Hz$")
        self.assertIn(checked["choice"], self.run_jounce("check", scene, "--modes").stdout)
        self.assertIn(checked["choice"], self.run_jounce("bake", scene, "-o", "bar.abc").stdout)
        begin = self.run_json("bake", scene, "-o", "bar.abc")[0]
        self.assertEqual(begin["choice"], checked["choice"])
        receipt = self.run_json("info", "bar.abc")[0]["receipt"]["integrator"]
        self.assertEqual(receipt["method"], "auto")
        self.assertEqual(receipt["chosen"], {"method": "ssdirk", "steps_per_frame": 8, "modes": 0,
                                             "why": checked["choice"]})

    def test_strongly_damped_bodies_come_nearer_to_the_truth_by_auto_than_by_one_newton_step(self):
        scene = self.write("scene.json", colliders=[], body={"mesh": self.SMALL,
                                                             "material": {"young_modulus": 2e5, "damping_ratio": 0.2}})
        told = self.run_json("compare", scene, "--truth", "--methods", "auto,ssdirk", "--steps", "4", "--frames", "12")
        chosen, given = told[1:3]
        self.assertRegex(chosen["choice"], r"^auto takes sdirk with 4 time steps a frame: it is strongly damped, and ")
        self.assertLess(chosen["error"], 0.1 * given["error"])

    def test_motion_is_that_of_what_was_chosen(self):
        chosen = self.write("auto.json", integrator={"method": "auto"}, frames=self.FRAMES, body={"mesh": self.SMALL})
        frames = dict(SCENE["frames"], steps_per_frame=8)
        given = self.write("given.json", integrator={"method": "ssdirk"}, frames=frames, body={"mesh": self.SMALL})
        for scene in (chosen, given):
            self.run_jounce("bake", scene, "--history", scene + ".csv")
        self.assertEqual(self.read_bytes("auto.json.csv"), self.read_bytes("given.json.csv"))

    def test_steps_fit_the_samples_of_the_cache(self):
        frames = dict(self.FRAMES, count=3, samples_per_frame=3)
        scene = self.write("scene.json", integrator={"method": "auto"}, frames=frames, body={"mesh": self.SMALL})
        self.assertEqual(self.run_json("check", scene)[0]["steps_per_frame"], 9)
        self.run_jounce("bake", scene, "-o", "bar.abc")

    def test_damping_is_that_of_what_auto_takes(self):
        scene = self.write("scene.json", integrator={"method": "auto"}, frames=self.FRAMES, colliders=[],
                           body={"mesh": self.SMALL})
        self.assertIn("ssdirk at 8 steps", self.run_jounce("damping", scene).stdout)
        self.assertIn("ssdirk at 8 steps", self.run_jounce("damping", scene, "--methods", "auto").stdout)
        self.run_jounce("damping", "--methods", "auto", code=USAGE)


if __name__ == "__main__":
    run_tests()
