"""The zip that the build leaves: complete, self-contained, the same bytes from the same input."""
import glob
import os
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run  # noqa: E402

SOURCE, BUILD = environment("JN_TEST_SOURCE"), environment("JN_TEST_BUILD")


def built_zip():
    found = glob.glob(os.path.join(BUILD, "jounce_blender-*.zip"))
    assert len(found) == 1, found
    return found[0]


def pack(folder, version):
    """(exit code, what it said, path) of packing into `folder`."""
    output = os.path.join(folder, "again.zip")
    command = [sys.executable, os.path.join(SOURCE, "plugin_blender", "package_addon.py"), "--package",
               os.path.join(BUILD, "python", "jounce"), "--licence", os.path.join(SOURCE, "LICENSE"), "--output", output,
               "--version", version]
    result = subprocess.run(command, stderr=subprocess.PIPE, universal_newlines=True)
    return result.returncode, result.stderr, output


def version_of(path):
    return os.path.basename(path)[len("jounce_blender-"):-len(".zip")]


def test_blender_zip_holds_what_blender_needs_and_nothing_else():
    names = zipfile.ZipFile(built_zip()).namelist()
    assert all(name.startswith("jounce_blender/") for name in names)
    for name in ("__init__.py", "blender_manifest.toml", "LICENSE", "jounce/layout.py", "jounce/host/bake_job.py",
                 "jounce/lib/libjounce.so"):
        assert "jounce_blender/" + name in names, name
    endings = (".py", ".toml", ".txt", "LICENSE")
    others = [name for name in names if not name.endswith(endings) and ".so" not in os.path.basename(name)]
    assert others == [] and "jounce_blender/package_addon.py" not in names


def test_blender_zip_packed_again_has_the_same_bytes():
    with tempfile.TemporaryDirectory() as folder:
        code, said, again = pack(folder, version_of(built_zip()))
        assert code == 0, said
        with open(built_zip(), "rb") as first, open(again, "rb") as second:
            assert first.read() == second.read()


def test_blender_zip_of_another_version_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        code, said, _ = pack(folder, "9.9.9")
        assert code != 0 and "9.9.9" in said and "blender_manifest.toml" in said


def test_blender_zip_core_loads_with_no_search_path_set():
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(built_zip()).extractall(folder)
        package = os.path.join(folder, "jounce_blender")
        program = "import sys; sys.path.insert(0, {!r}); from jounce import tables; print(tables.version()); " \
            "print([line.split()[-1] for line in open('/proc/self/maps') if '.so' in line])".format(package)
        printed = subprocess.check_output([sys.executable, "-c", program], env={}, universal_newlines=True)
        assert printed.startswith(version_of(built_zip()))
        for name in os.listdir(os.path.join(package, "jounce", "lib")):
            assert name == "licenses" or os.path.join(package, "jounce", "lib", name) in printed, name


run(globals())
