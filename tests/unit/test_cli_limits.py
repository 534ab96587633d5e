"""The jounce command and its machine: short address space, interrupts that must end it, kernels of another processor.

Run by CTest as `test_cli_limits.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import json
import platform
import resource
import signal
import subprocess
import time

from test_cli import CANCELLED, DONE, JOUNCE, CommandTest, run_tests

MEMORY = 6
CANNOT_LOAD = 127  # said by the system's loader, before the command starts
MEGABYTE = 1000 * 1000


def has_sanitizer():
    with open(JOUNCE, "rb") as file:
        program = file.read()
    return b"__asan_init" in program or b"__tsan_init" in program


class ShortMemory(CommandTest):
    def setUp(self):
        super().setUp()
        if has_sanitizer():
            self.skipTest("sanitizers need more addresses than a limit leaves them")

    def bake_within(self, megabytes, *words):
        limit = megabytes * MEGABYTE

        def set_limits():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        return subprocess.run([JOUNCE, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120, preexec_fn=set_limits)

    def check_limits(self, limits, scene):
        codes = []
        for megabytes in limits:
            result = self.bake_within(megabytes, "bake", scene, "-o", "out.abc")
            with self.subTest(megabytes=megabytes):
                self.assertIn(result.returncode, (DONE, MEMORY, CANNOT_LOAD), result.stderr)
                if result.returncode == MEMORY:
                    self.assertRegex(result.stderr, "out of memory|[Nn]ot enough memory")
            codes.append(result.returncode)
        # from the loader's refusal over the command's to a bake
        self.assertEqual([code for code in (CANNOT_LOAD, MEMORY, DONE) if code in codes][-2:], [MEMORY, DONE])
        loaded = codes[codes.count(CANNOT_LOAD):]
        self.assertNotIn(CANNOT_LOAD, loaded)
        return codes

    def test_bake_ends_at_every_limit(self):  # slow
        codes = self.check_limits([*range(50, 200, 10), *range(200, 216), *range(220, 1001, 60)],
                                  self.write_scene(3))
        self.assertEqual(codes[-1], DONE)

    def test_bake_of_many_vertices_ends_at_every_limit(self):  # slow
        self.check_limits(range(240, 1001, 40), self.write_scene(2, [36, 18, 18]))

    def test_missing_addresses_are_named_with_the_remedy(self):
        result = self.bake_within(150, "bake", self.write_scene(2))
        self.assertEqual(result.returncode, MEMORY, result.stderr)
        self.assertIn("OpenBLAS needs 128 MB of addresses", result.stderr)
        self.assertIn("ulimit -v", result.stderr)


class Interrupts(CommandTest):
    def start_long_bake(self, seconds):
        """A bake of a large body some seconds after its start; for the most part of the next six it looks for modes."""
        name = self.write_scene(1000, [60, 24, 24])
        with open(self.path(name)) as file:
            scene = json.load(file)
        scene["integrator"] = {"method": "auto"}
        with open(self.path(name), "w") as file:
            json.dump(scene, file)
        bake = subprocess.Popen([JOUNCE, "bake", name], cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        self.addCleanup(bake.communicate)
        self.addCleanup(bake.kill)
        time.sleep(seconds)
        self.assertIsNone(bake.poll())
        return bake

    def check_second(self, number):
        """The first signal lets a bake end in order, which it may have done before the second comes: then again."""
        for seconds in (0.5, 1, 1.5, 2, 3, 4):
            bake = self.start_long_bake(seconds)
            bake.send_signal(number)
            time.sleep(0.3)
            if bake.poll() is None:
                bake.send_signal(number)
            if bake.wait(timeout=120) == -number:
                return
            self.assertEqual(bake.returncode, CANCELLED)
        self.fail("every bake had ended before the second signal")

    def test_second_terminate_ends_the_process_at_once(self):
        if has_sanitizer():
            self.skipTest("sanitizers take signals themselves, and METIS loses some then")
        self.check_second(signal.SIGTERM)

    def test_second_interrupt_ends_the_process_at_once(self):
        self.check_second(signal.SIGINT)


class Kernels(CommandTest):
    """Of OpenBLAS, which takes those of any older processor if told to."""
    OLD = "Prescott"

    def setUp(self):
        super().setUp()
        if platform.machine() not in ("x86_64", "AMD64"):
            self.skipTest("the kernels named here are those of x86-64")
        self.environment.pop("OPENBLAS_CORETYPE", None)

    def stop(self, scene, *words):
        """Bakes some frames; the line that the bake began with."""
        bake = subprocess.Popen([JOUNCE, "bake", scene, "--json", *words], cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        begin = json.loads(bake.stdout.readline())
        bake.stdout.readline()
        bake.send_signal(signal.SIGINT)
        bake.communicate(timeout=120)
        self.assertEqual(bake.returncode, CANCELLED)
        return begin

    def kernels(self):
        return self.run_json("info", "scene.abc")[0]["receipt"]["kernels"]

    def test_receipt_names_the_kernels(self):
        scene = self.write_scene(2)
        self.run_jounce("bake", scene)
        usual = self.kernels()
        self.assertRegex(usual, r"^OpenBLAS [0-9.]+\S* \w+$")
        self.environment["OPENBLAS_CORETYPE"] = self.OLD
        self.run_jounce("bake", scene)
        self.assertTrue(self.kernels().endswith(" " + self.OLD))
        self.assertNotEqual(self.kernels(), usual)

    def test_resume_with_other_kernels_goes_on_and_says_so(self):
        scene = self.write_scene(2000)
        self.assertNotIn("note", self.stop(scene))
        self.assertNotIn("note", self.stop(scene, "--resume"))
        usual = self.kernels()
        self.environment["OPENBLAS_CORETYPE"] = self.OLD
        self.assertIn(usual, self.stop(scene, "--resume")["note"])
        both = self.kernels()
        self.assertEqual(both.split(", ")[0], usual)
        self.assertTrue(both.endswith(" " + self.OLD))
        # back on the first: what is in the cache stays mixed, and is named once
        del self.environment["OPENBLAS_CORETYPE"]
        self.assertIn(self.OLD, self.stop(scene, "--resume")["note"])
        self.assertEqual(self.kernels(), both)


if __name__ == "__main__":
    run_tests()
