"""What may include what: a stage of the core includes none that comes later; the command is built on jounce.h, os.h and
alembic_io.h, and its include path shows no more."""
import glob
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
CORE = os.path.join(SOURCE, "core")
CLI = os.path.join(CORE, "cli")
PUBLIC = ("jounce.h", "os.h", "alembic_io.h")


def headers_under(folder):
    """Paths of the headers in the folder, relative to it."""
    found = glob.glob(os.path.join(folder, "**", "*.h"), recursive=True)
    return [os.path.relpath(path, folder) for path in found]


def visible_to_the_command(names):
    """Those of `names` that a source of the command could include."""
    program = "".join('#if __has_include("{0}")\n"{0}"\n#endif\n'.format(name) for name in names)
    folders = ["-I" + folder for folder in environment("JN_TEST_CLI_FOLDERS").split(":")]
    command = [environment("JN_TEST_CC"), "-E", "-P", "-x", "c", "-"] + folders
    seen = subprocess.run(command, input=program, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    return re.findall('"(.*)"', seen)


def test_layers_command_sees_the_public_headers():
    assert visible_to_the_command(PUBLIC) == list(PUBLIC)


def test_layers_command_sees_no_internal_header():
    own = set(headers_under(CLI))
    paths = [name for name in headers_under(CORE) if not name.startswith(("cli/", "include/"))]
    paths += headers_under(os.path.join(SOURCE, "alembic_io", "src"))
    names = {os.path.basename(name) for name in paths} - own - set(PUBLIC)
    internal = sorted(names.union(paths))
    assert len(internal) > 100 and "base/status.h" in internal and "status.h" in internal
    assert visible_to_the_command(internal) == []


def test_layers_command_climbs_out_of_no_folder():
    for path in glob.glob(os.path.join(CLI, "**", "*.[ch]"), recursive=True):
        with open(path, encoding="utf-8") as file:
            climbing = re.findall(r'^\s*#\s*include\s*["<].*\.\./.*', file.read(), re.M)
        assert climbing == [], "{}: {}".format(path, climbing)


def stages():
    """The folders of the core in the order in which data flow, as the build lists them."""
    with open(os.path.join(CORE, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"set\(stages ([^)]*)\)", file.read()).group(1).split()


def test_layers_stage_includes_none_that_comes_later():
    order = stages()
    assert len(order) > 8
    seen = 0
    for path in glob.glob(os.path.join(CORE, "**", "*.[ch]"), recursive=True):
        stage = os.path.relpath(path, CORE).split(os.sep)[0]
        if stage not in order:
            continue
        with open(path, encoding="utf-8") as file:
            included = re.findall(r'^#include "([a-z_]+)/', file.read(), re.M)
        seen += len(included)
        later = [name for name in included if name in order and order.index(name) > order.index(stage)]
        assert later == [], "{}: {}".format(path, later)
    assert seen > 500


run(globals())
