"""Paths of caches: a folder beside the scene file, one file per object."""
import os
import re

from .scene_checks import SceneError

FOLDER = "jounce_cache"
# Of a bake that is not complete, while a complete cache has its name: as in jn_bake_cache_path.
UNFINISHED = ".unfinished"


def cache_file_name(object_name, taken):
    """A file name for the object's cache, valid on every system, that differs from all in `taken`, ignoring case."""
    stem = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", object_name).strip(". ") or "object"
    if stem.lower().endswith(UNFINISHED):
        stem = stem[:-len(UNFINISHED)] + "_unfinished"
    used = {name.lower() for name in taken}
    name, number = stem + ".abc", 1
    while name.lower() in used:
        name, number = "{}_{}.abc".format(stem, number), number + 1
    return name


def make_folder(file):
    """Makes the folder of the cache `file`; raises SceneError."""
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
    except OSError as error:
        raise SceneError("The folder of the cache cannot be made: {}.".format(error)) from error


def unfinished_file(file):
    """Where the core writes the bake for `file` while a complete cache stands there."""
    stem, ending = os.path.splitext(file)
    return stem + UNFINISHED + ending


def finished_file(file):
    """The path that the bake in `file` has when it is complete: the reverse of unfinished_file, or `file` itself."""
    stem, ending = os.path.splitext(file)
    return stem[:-len(UNFINISHED)] + ending if stem.endswith(UNFINISHED) else file


def remove_files(file):
    """Removes the cache and what the core leaves beside one that is not complete; raises OSError."""
    file = finished_file(file)
    for path in (file, unfinished_file(file), file + ".resume"):
        if os.path.isfile(path):
            os.remove(path)
