"""Stages the Python package as both add-ons contain it: the bridge, libjounce and every library that it needs.

    stage_package.py --library build/libjounce.so --output build/python/jounce [--strip PROGRAM]

All libraries lie in one folder, lib, where libjounce finds the others by its run path $ORIGIN: the package loads on a
machine that has nothing but the C library. Licence texts go to lib/licenses. Standard library only.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# What every Linux has, and what must come from it: the C library, its loader and the compiler's runtime.
SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|libc|libm|libdl|librt|libpthread|libgcc_s)\.so(\.\d+)*$")


class StageError(Exception):
    """The package cannot be made; the text says why."""


def needed_libraries(library):
    """{soname: path} of everything that `library` loads, directly or not, without what SYSTEM names."""
    listing = subprocess.run(["ldd", library], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    found = {}
    for line in listing.splitlines():
        name, _, rest = line.strip().partition(" => ")
        name = os.path.basename(name.split(" (")[0])
        if SYSTEM.match(name):
            continue
        if not rest or rest.startswith("not found"):
            raise StageError("{} needs {}, which is not on this machine.".format(library, name))
        found[name] = os.path.realpath(rest.split(" (")[0])
    return found


def check_run_path(library):
    """The library must find its neighbours by DT_RPATH: DT_RUNPATH does not apply to indirect dependencies."""
    command = ["readelf", "-d", library]
    dynamic = subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    if not re.search(r"\(RPATH\).*\[\$ORIGIN[:\]]", dynamic):
        raise StageError("{} must be linked with the run path $ORIGIN and --disable-new-dtags.".format(library))


def licence_of(path):
    """(package, path of its licence text) by Debian's records; None where there are none."""
    if not shutil.which("dpkg-query"):
        return None
    # /lib and /usr/lib are one folder, but the records know a file under one of the two names only
    for candidate in (path, re.sub("^/usr", "", path), "/usr" + path):
        query = subprocess.run(["dpkg-query", "-S", candidate], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               universal_newlines=True)
        if query.returncode == 0:
            package = query.stdout.split(":")[0]
            text = "/usr/share/doc/{}/copyright".format(package)
            return (package, text) if os.path.isfile(text) else None
    return None


def stage(library, output, strip):
    check_run_path(library)
    needed = needed_libraries(library)
    if os.path.isdir(output):
        shutil.rmtree(output)
    libraries = os.path.join(output, "lib")
    licences = os.path.join(libraries, "licenses")
    shutil.copytree(os.path.join(HERE, "jounce"), output, ignore=shutil.ignore_patterns("__pycache__"))
    os.makedirs(licences)
    staged = os.path.join(libraries, "libjounce.so")
    shutil.copyfile(library, staged)
    if strip:
        subprocess.run([strip, "--strip-debug", staged], check=True)
    for name, path in sorted(needed.items()):
        shutil.copyfile(path, os.path.join(libraries, name))
        licence = licence_of(path)
        if licence:
            shutil.copyfile(licence[1], os.path.join(licences, licence[0] + ".txt"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", required=True, help="the built libjounce.so")
    parser.add_argument("--output", required=True, help="folder of the staged package; replaced")
    parser.add_argument("--strip", help="program that removes debug symbols from the staged copy")
    arguments = parser.parse_args()
    try:
        stage(arguments.library, arguments.output, arguments.strip)
    except StageError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
