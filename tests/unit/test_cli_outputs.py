"""What the jounce command writes, resumes and replaces, and what it leaves alone.

Run by CTest as `test_cli_outputs.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import os
import signal
import subprocess
import sys

from test_cli import CANCELLED, DONE, FILE, INPUT, JOUNCE, SOURCE, USAGE, CommandTest, run_tests

sys.path.insert(0, os.path.join(SOURCE, "tests"))
from kill_loop import KillLoop  # noqa: E402: the path comes first


class Kills(CommandTest):
    def test_bake_killed_36_times_resumes_to_the_same_cache(self):  # slow
        KillLoop(JOUNCE, self.folder, seed=1).run(36)


class OutputTest(CommandTest):
    """A finished cache, and a bake that is stopped."""

    def bake_stopped(self, *words):
        """Bakes a long scene and stops it at its first frame. Returns what it said on standard error."""
        bake = subprocess.Popen([JOUNCE, "bake", *words, "--json"], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in bake.stdout:
            if '"done":1' in line:
                bake.send_signal(signal.SIGINT)
                break
        errors = bake.communicate(timeout=120)[1]
        self.assertEqual(bake.returncode, CANCELLED, errors)
        return errors

    def bake_on_full_disk(self, kilobytes, *words):
        """Bakes where no file can grow beyond a size. Returns what it said on standard error."""
        limit = "ulimit -f {}; trap '' XFSZ; exec \"$@\"".format(kilobytes)
        bake = subprocess.run(["bash", "-c", limit, "-", JOUNCE, "bake", *words], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(bake.returncode, FILE, bake.stderr)
        return bake.stderr

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if name != "leaks")


class Resumes(OutputTest):
    def test_resume_before_the_first_checkpoint_begins_at_the_first_frame(self):
        scene = self.write_scene(cells=[24, 5, 5])
        self.run_jounce("bake", scene, "-o", "whole.abc")
        said = self.bake_on_full_disk(28, scene)
        self.assertIn("before the first frame", said)
        self.assertIn("--resume", said)
        self.assertEqual(self.files(), ["scene.abc", "scene.json", "whole.abc"])
        self.assertIn("Nothing to resume", self.run_jounce("bake", "--resume", scene).stdout)
        self.assertTrue(self.read_bytes("scene.abc") == self.read_bytes("whole.abc"))

    def test_resume_on_a_finished_cache_of_another_scene_says_why(self):
        self.run_jounce("bake", self.write_scene())
        before = self.read_bytes("scene.abc")
        scene = self.write_scene(8)
        said = self.run_jounce("bake", "--resume", scene, code=INPUT).stderr
        self.assertIn("finished bake of other inputs or settings", said)
        self.assertTrue(before == self.read_bytes("scene.abc"))


class Replacements(OutputTest):
    def test_finished_cache_stays_until_the_new_one_is_complete(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        before = self.read_bytes("out.abc")
        scene = self.write_scene(60, [24, 5, 5])
        said = self.bake_stopped(scene, "-o", "out.abc")
        self.assertIn("frames are kept in out.unfinished.abc", said)
        self.assertIn("out.abc is still the finished bake from before", said)
        self.assertTrue(before == self.read_bytes("out.abc"))
        self.assertGreater(self.run_json("info", "out.unfinished.abc")[0]["objects"][0]["samples"], 0)
        self.assertIn("Going on after", self.run_jounce("bake", "--resume", scene, "-o", "out.abc").stdout)
        self.assertEqual(self.run_json("info", "out.abc")[0]["objects"][0]["samples"], 60)
        self.assertEqual(self.files(), ["out.abc", "scene.json"])

    def test_unfinished_bake_moved_to_its_place_by_hand_is_resumed_there(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        scene = self.write_scene(60, [24, 5, 5])
        self.bake_stopped(scene, "-o", "out.abc")
        os.replace(self.path("out.unfinished.abc"), self.path("out.abc"))
        self.assertIn("Going on after", self.run_jounce("bake", "--resume", scene, "-o", "out.abc").stdout)
        self.assertEqual(self.files(), ["out.abc", "scene.json"])

    def test_bake_that_fails_leaves_the_finished_cache(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        before = self.read_bytes("out.abc")
        self.bake_on_full_disk(40, self.write_scene(20), "-o", "out.abc")
        self.assertTrue(before == self.read_bytes("out.abc"))


if __name__ == "__main__":
    run_tests()
