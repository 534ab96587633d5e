"""The twin of harness.h for Python: each function test_* of a file is one CTest test.

A file ends with `run(globals())` and runs the tests named on its command line, or all. Exit code 0: all passed; 1: one
failed; 77: skipped. Python's assert is the check.
"""
import os
import sys
import traceback

ENVIRONMENT = {
    "JN_TEST_SOURCE": "the source folder",
    "JN_TEST_BUILD": "the build folder",
    "JN_TEST_CC": "the C compiler",
    "JN_TEST_CLI_FOLDERS": "the include path of the jounce command, with : between the folders",
}


class Skip(Exception):
    """Leaves the test as skipped, saying why: never counted as passed."""


def environment(name):
    """A value that CMake passes to the tests; see ENVIRONMENT."""
    value = os.environ.get(name)
    if not value:
        raise RuntimeError("{} ({}) is not set: run the tests by ctest.".format(name, ENVIRONMENT[name]))
    return value


def message_of(kind, call, *arguments):
    """The text of the exception of type `kind` that call(*arguments) must raise."""
    try:
        call(*arguments)
    except kind as error:
        return str(error)
    raise AssertionError("{} raised no {}".format(call, kind.__name__))


def largest_difference(first, second):
    """Of two sequences of numbers that must have the same length."""
    assert len(first) == len(second), "{} numbers against {}".format(len(first), len(second))
    return max((abs(a - b) for a, b in zip(first, second)), default=0.0)


def run(functions):
    """functions: globals() of the test file."""
    wanted = sys.argv[1:] or [name for name in functions if name.startswith("test_")]
    failed = skipped = 0
    for name in wanted:
        if name not in functions:
            print("no such test: " + name)
            sys.exit(1)
        try:
            functions[name]()
            print("pass " + name)
        except Skip as reason:
            skipped += 1
            print("SKIP {}: {}".format(name, reason))
        except Exception:  # whatever goes wrong in a test is a failure of that test, and the next one still runs
            failed += 1
            traceback.print_exc()
            print("FAIL " + name)
    sys.stdout.flush()
    sys.exit(1 if failed else 77 if skipped == len(wanted) else 0)
