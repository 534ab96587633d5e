"""The runner itself: a failed test, a crash, a missing record or an empty run must fail the whole run."""

import os
import subprocess
import sys
import tempfile

TESTS = os.path.join(os.environ["JN_TEST_SOURCE"], "tests")
sys.path.insert(0, TESTS)

from harness import run  # noqa: E402

PROGRAM = """
#include "harness.h"
TEST(sum_of_one_and_one_is_two) { CHECK(1 + 1 == 2); }
TEST(wrong_claim_fails) { CHECK(1 + 1 == 3); }
TEST(nan_is_near_nothing) { CHECK_NEAR(NAN, NAN, 1); }
TEST(crash_counts_as_failure) { abort(); }
TEST(absent_asset_is_skipped) { SKIP("no asset"); }
"""


def build(folder):
    source, program = os.path.join(folder, "t.c"), os.path.join(folder, "t")
    with open(source, "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    outputs = '-DJN_TEST_OUTPUTS="{}"'.format(os.path.join(folder, "outputs"))
    subprocess.run([os.environ["JN_TEST_CC"], "-I", TESTS, outputs, source, "-o", program, "-lm"], check=True)
    return program


def run_tests(folder, program, names):
    """The exit code and the last line of the summary, after CTest has run the named tests of the program."""
    with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
        for name in names:
            file.write('add_test([=[{0}]=] "{1}" "{0}")\n'.format(name, program))
            file.write("set_tests_properties([=[{}]=] PROPERTIES SKIP_RETURN_CODE 77)\n".format(name))
    subprocess.run(["ctest", "--test-dir", folder, "--output-junit", "tests.xml"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    return summarize(os.path.join(folder, "tests.xml"))


def summary(*arguments):
    """The exit code of the summary, and its lines."""
    result = subprocess.run([sys.executable, os.path.join(TESTS, "summary.py")] + list(arguments),
                            stdout=subprocess.PIPE, universal_newlines=True, check=False)
    return result.returncode, result.stdout.strip().splitlines()


def summarize(*records):
    code, lines = summary(*records)
    return code, lines[-1]


def test_runner_passes_when_all_tests_pass():
    with tempfile.TemporaryDirectory() as folder:
        names = ["sum_of_one_and_one_is_two", "absent_asset_is_skipped"]
        assert run_tests(folder, build(folder), names) == (0, "1 passed, 0 failed, 1 skipped")


def test_runner_fails_when_one_test_fails():
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for wrong in ("wrong_claim_fails", "nan_is_near_nothing", "crash_counts_as_failure", "no_such_test"):
            code, line = run_tests(folder, program, ["sum_of_one_and_one_is_two", wrong])
            assert (code, line) == (1, "1 passed, 1 failed, 0 skipped"), (wrong, code, line)


def test_runner_fails_when_nothing_ran_or_a_record_is_missing():
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        assert run_tests(folder, program, ["absent_asset_is_skipped"]) == (1, "0 passed, 0 failed, 1 skipped")
        assert run_tests(folder, program, ["sum_of_one_and_one_is_two"])[0] == 0
        good = os.path.join(folder, "tests.xml")
        assert summarize(good, os.path.join(folder, "absent.xml")) == (1, "1 passed, 1 failed, 0 skipped")
        with open(os.path.join(folder, "cut.xml"), "w", encoding="utf-8") as file:
            file.write("<testsuite><testcase name=")
        assert summarize(good, os.path.join(folder, "cut.xml"))[0] == 1


def test_runner_names_what_is_too_slow_for_the_quick_run():
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "tests.xml")
        with open(record, "w", encoding="utf-8") as file:
            file.write('<testsuite><testcase name="long" time="60" status="run"/>'
                       '<testcase name="short" time="0.1" status="run"/></testsuite>')
        slow = "slow, to be marked so {}: long".format(record)
        assert summary("--quick", record) == (0, [slow, "2 passed, 0 failed, 0 skipped"])
        assert summary(record) == (0, ["2 passed, 0 failed, 0 skipped"])
        assert summary("--quick", os.path.join(folder, "absent.xml"))[0] == 1


run(globals())
