"""What the jounce command writes, resumes and replaces, and what it leaves alone.

Run by CTest as `test_cli_outputs.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import json
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
        self.assertIn("Resuming after", self.run_jounce("bake", "--resume", scene, "-o", "out.abc").stdout)
        self.assertEqual(self.run_json("info", "out.abc")[0]["objects"][0]["samples"], 60)
        self.assertEqual(self.files(), ["out.abc", "scene.json"])

    def test_unfinished_bake_moved_to_its_place_by_hand_is_resumed_there(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        scene = self.write_scene(60, [24, 5, 5])
        self.bake_stopped(scene, "-o", "out.abc")
        os.replace(self.path("out.unfinished.abc"), self.path("out.abc"))
        self.assertIn("Resuming after", self.run_jounce("bake", "--resume", scene, "-o", "out.abc").stdout)
        self.assertEqual(self.files(), ["out.abc", "scene.json"])

    def test_bake_that_fails_leaves_the_finished_cache(self):
        self.run_jounce("bake", self.write_scene(), "-o", "out.abc")
        before = self.read_bytes("out.abc")
        self.bake_on_full_disk(40, self.write_scene(20), "-o", "out.abc")
        self.assertTrue(before == self.read_bytes("out.abc"))


class Guards(OutputTest):
    """What is not ours, or is read, stays as it is."""

    def assert_left_alone(self, name, *words, said, code=FILE):
        before = self.read_bytes(name)
        self.assertIn(said, self.run_jounce(*words, code=code).stderr)
        self.assertTrue(before == self.read_bytes(name), name)

    def write(self, name, text="mine"):
        with open(self.path(name), "w") as file:
            file.write(text)

    def test_files_that_are_not_ours_are_left_alone(self):
        scene = self.write_scene()
        self.write("notes.abc")
        self.assert_left_alone("notes.abc", "bake", scene, "-o", "notes.abc", said="no cache of Jounce")
        self.assert_left_alone("notes.abc", "bake", "--resume", scene, "-o", "notes.abc", said="no cache of Jounce")
        for name in ("table.csv", "table.json"):
            self.write(name)
            self.assert_left_alone(name, "bake", scene, "--history", name, said="no history of a bake")
        self.assertEqual(self.files(), ["notes.abc", "scene.json", "table.csv", "table.json"])

    def test_files_that_are_read_are_left_alone(self):
        scene = self.write_scene()
        reads = "is what"
        self.assert_left_alone(scene, "bake", scene, "-o", scene, said=reads)
        self.assert_left_alone(scene, "bake", scene, "--history", scene, said=reads)
        self.run_jounce("bake", scene, "-o", "in.abc")
        self.write("follower.json", json.dumps({
            "jounce": 1, "frames": {"count": 3},
            "bodies": [{"name": "bar", "mesh": "in.abc", "kind": "textile", "animation": {"cache": "in.abc"}}]}))
        self.assert_left_alone("in.abc", "bake", "follower.json", "-o", "in.abc", said=reads)
        os.symlink("in.abc", self.path("link.abc"))
        self.assert_left_alone("in.abc", "bake", "follower.json", "-o", "link.abc", said=reads)
        self.run_jounce("mesh", "--shape", "beam", "-o", "beam.obj")
        self.assert_left_alone("beam.obj", "mesh", "beam.obj", "-o", "beam.obj", said=reads)

    def test_show_writes_pictures_only_and_never_its_cache(self):
        self.run_jounce("bake", self.write_scene(2), "-o", "c.abc")
        self.assert_left_alone("c.abc", "show", "c.abc", "-o", "c.abc", said=".png", code=USAGE)
        os.symlink("c.abc", self.path("c.png"))
        self.assert_left_alone("c.abc", "show", "c.abc", said="is what this command reads")

    def test_write_protected_files_are_left_alone(self):
        scene = self.write_scene(3)
        self.run_jounce("bake", scene, "-o", "c.abc")
        self.run_jounce("show", "c.abc", "-o", "c.png", "--size", "32,32")
        for name in ("c.abc", "c.png"):
            os.chmod(self.path(name), 0o444)
        self.assert_left_alone("c.abc", "bake", scene, "-o", "c.abc", said="write-protected")
        self.assert_left_alone("c.png", "show", "c.abc", "-o", "c.png", said="write-protected")
        self.assertIn("Baked 0 frames", self.run_jounce("bake", "--resume", scene, "-o", "c.abc").stdout)

    def test_symbolic_link_stands_for_the_file_it_leads_to(self):
        scene = self.write_scene(3)
        os.mkdir(self.path("disk"))
        os.symlink("disk/real.abc", self.path("link.abc"))
        for _ in range(2):  # to a file that is not there yet, then over a finished one
            self.run_jounce("bake", scene, "-o", "link.abc")
            self.assertTrue(os.path.islink(self.path("link.abc")))
            self.assertEqual(os.listdir(self.path("disk")), ["real.abc"])
        os.symlink("circle.abc", self.path("circle.abc"))
        self.assertIn("circle.abc", self.run_jounce("bake", scene, "-o", "circle.abc", code=FILE).stderr)

    def test_second_bake_to_one_output_is_told(self):
        scene = self.write_scene(200, [24, 5, 5])
        for _ in range(2):  # where nothing was, then over what a killed bake left
            first = subprocess.Popen([JOUNCE, "bake", scene, "-o", "out.abc", "--json"], cwd=self.folder,
                                     env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            while '"done":1' not in first.stdout.readline():
                pass
            for words in ((), ("--resume",)):
                said = self.run_jounce("bake", *words, scene, "-o", "out.abc", code=FILE).stderr
                self.assertTrue("another bake is writing" in said or "being written" in said, said)
            self.assertIsNone(first.poll())
            first.kill()
            first.communicate()


if __name__ == "__main__":
    run_tests()
