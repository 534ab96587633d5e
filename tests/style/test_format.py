"""The C sources look as .clang-format says."""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import Skip, environment, run  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
FOLDERS = ("core", "alembic_io", "tests")
VERSION = "14"  # Debian 12's; others break lines elsewhere


def sources():
    patterns = (os.path.join(SOURCE, folder, "**", "*.[ch]") for folder in FOLDERS)
    return sorted(path for pattern in patterns for path in glob.glob(pattern, recursive=True))


def check_formatter():
    if not shutil.which("clang-format"):
        raise Skip("there is no clang-format; Debian's package has that name")
    version = subprocess.check_output(["clang-format", "--version"], universal_newlines=True)
    if "version {}.".format(VERSION) not in version:
        raise Skip("{} is not version {}".format(version.strip(), VERSION))


def test_format_of_every_c_source_is_that_of_clang_format():
    check_formatter()
    command = ["clang-format", "--dry-run", "--Werror"] + sources()
    said = subprocess.run(command, stderr=subprocess.PIPE, universal_newlines=True).stderr
    wrong = sorted(set(re.findall(r"^(.*?):\d+:\d+: error", said, re.M)))
    names = [os.path.relpath(path, SOURCE) for path in wrong]
    assert not names, "run: clang-format -i " + " ".join(names)
    assert not said, said


run(globals())
