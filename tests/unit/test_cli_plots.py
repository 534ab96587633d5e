"""What the jounce command writes about a motion: history, plots, comparison of methods, damping.

Run by CTest as `test_cli_plots.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import csv
import json
import signal
import subprocess
import xml.etree.ElementTree

from test_cli import CANCELLED, FILE, JOUNCE, USAGE, CommandTest, read_png, run_tests

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
        width, height, rows = read_png(self.path(name))
        self.assertGreater(width, 800)
        colours = {pixel for row in rows[::3] for pixel in row[::3]}
        self.assertGreater(len(colours), 20, "a picture with lines in colour")

    def rows(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class History(PlotCommandTest):
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


if __name__ == "__main__":
    run_tests()
