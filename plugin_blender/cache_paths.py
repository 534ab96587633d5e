"""Where caches lie: a folder beside the scene file, one file per object. No Blender."""
import re

FOLDER = "jounce_cache"


def cache_file_name(object_name, taken):
    """A file name for the object's cache that is none of `taken`, whatever the letters' case, and valid everywhere."""
    stem = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", object_name).strip(". ") or "object"
    used = {name.lower() for name in taken}
    name, number = stem + ".abc", 1
    while name.lower() in used:
        name, number = "{}_{}.abc".format(stem, number), number + 1
    return name
