"""The Python package runs in the oldest host: Python 3.7, and nothing but its standard library."""
import ast
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import Skip, environment, run  # noqa: E402

PACKAGE = os.path.join(environment("JN_TEST_SOURCE"), "core", "python", "jounce")
OLDEST = (3, 7)


def trees():
    """{path: syntax tree as the oldest Python reads it}."""
    found = {}
    for path in glob.glob(os.path.join(PACKAGE, "**", "*.py"), recursive=True):
        with open(path, encoding="utf-8") as file:
            found[os.path.relpath(path, PACKAGE)] = ast.parse(file.read(), path, feature_version=OLDEST)
    assert "bake.py" in found and os.path.join("host", "bake_job.py") in found
    return found


def imported(tree):
    """Top names of the modules that are imported from outside the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def test_host_python_has_the_syntax_of_the_oldest_python():
    trees()


def test_host_python_imports_the_standard_library_only():
    if not hasattr(sys, "stdlib_module_names"):
        raise Skip("this Python does not know the names of its standard library")
    for path, tree in trees().items():
        foreign = sorted(set(imported(tree)) - sys.stdlib_module_names)
        assert foreign == [], "{} imports {}".format(path, foreign)


run(globals())
