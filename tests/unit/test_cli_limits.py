"""The jounce command where the machine gives it little: short address space, and interrupts that must end it.

Run by CTest as `test_cli_limits.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import resource
import signal
import subprocess
import time

from test_cli import DONE, JOUNCE, CommandTest, run_tests

MEMORY = 6
CANNOT_LOAD = 127  # said by the system's loader, before the command starts
MEGABYTE = 1000 * 1000


class ShortMemory(CommandTest):
    def setUp(self):
        super().setUp()
        with open(JOUNCE, "rb") as file:
            program = file.read()
            if b"__asan_init" in program or b"__tsan_init" in program:
                self.skipTest("sanitizers need more addresses than a limit leaves them")

    def bake_within(self, megabytes, *words):
        limit = megabytes * MEGABYTE

        def set_limits():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        return subprocess.run([JOUNCE, *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=20, preexec_fn=set_limits)

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
    def start_long_bake(self):
        """A bake that is in the factorizations of a large body when this returns."""
        bake = subprocess.Popen([JOUNCE, "bake", self.write_scene(1000, [60, 24, 24])], cwd=self.folder,
                                env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(bake.communicate)
        self.addCleanup(bake.kill)
        time.sleep(0.5)
        self.assertIsNone(bake.poll())
        return bake

    def check_second(self, number):
        bake = self.start_long_bake()
        bake.send_signal(number)
        time.sleep(0.4)
        if bake.poll() is None:
            bake.send_signal(number)
            self.assertEqual(bake.wait(timeout=2), -number)

    def test_second_terminate_ends_the_process_at_once(self):
        self.check_second(signal.SIGTERM)

    def test_second_interrupt_ends_the_process_at_once(self):
        self.check_second(signal.SIGINT)


if __name__ == "__main__":
    run_tests()
