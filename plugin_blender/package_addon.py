"""Packs the add-on into one zip that Blender installs: this folder, the staged Python package, the licence.

    package_addon.py --package build/python/jounce --licence LICENSE --version 0.1.0 --output jounce.zip

The same input gives the same bytes: names sorted, times and modes fixed. Standard library only.
"""
import argparse
import ast
import os
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = "jounce_blender"  # Blender before 4.2 imports the add-on by this name
BUILD_ONLY = {"package_addon.py", "CMakeLists.txt"}
FIXED_TIME = (2020, 1, 1, 0, 0, 0)


def stated_versions():
    """{file: version} that the add-on's own files state."""
    with open(os.path.join(HERE, "blender_manifest.toml"), encoding="utf-8") as file:
        manifest = re.search(r'^version = "(.*)"$', file.read(), re.M).group(1)
    with open(os.path.join(HERE, "__init__.py"), encoding="utf-8") as file:
        tree = ast.parse(file.read())
    info = next(ast.literal_eval(node.value) for node in tree.body
                if isinstance(node, ast.Assign) and node.targets[0].id == "bl_info")
    return {"blender_manifest.toml": manifest, "__init__.py": ".".join(map(str, info["version"]))}


def files_of(folder):
    """Relative paths of the files in the folder, with / between their parts."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            yield os.path.relpath(os.path.join(parent, name), folder).replace(os.sep, "/")


def contents(package, licence):
    """{name in the zip: path}."""
    found = {TOP + "/" + name: os.path.join(HERE, name) for name in files_of(HERE) if name not in BUILD_ONLY}
    found.update((TOP + "/jounce/" + name, os.path.join(package, name)) for name in files_of(package))
    found[TOP + "/LICENSE"] = licence
    return found


def write_zip(files, output):
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, FIXED_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            with open(files[name], "rb") as file:
                archive.writestr(entry, file.read())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("--package", "--licence", "--version", "--output"):
        parser.add_argument(option, required=True)
    arguments = parser.parse_args()
    wrong = [name for name, version in stated_versions().items() if version != arguments.version]
    if wrong:
        sys.exit("The project's version is {}, but {} says otherwise.".format(arguments.version, " and ".join(wrong)))
    write_zip(contents(arguments.package, arguments.licence), arguments.output)


if __name__ == "__main__":
    main()
