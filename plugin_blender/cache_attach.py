"""Attaches a baked cache to an object as a Mesh Sequence Cache modifier, and removes it."""
import os
import tempfile

import bpy

from .jounce.host.cache_paths import FOLDER, cache_file_name, finished_file, remove_files
from .modifier_stack import cache_index

MODIFIER_NAME = "Jounce Cache"
# Marks the cache file datablocks that are ours, so that modifiers may be renamed.
MARK = "jounce"


class AttachError(Exception):
    """Blender cannot play the cache. The text is for the artist."""


def find_modifier(obj):
    """Our modifier on the object, or None."""
    for modifier in obj.modifiers:
        if modifier.type == "MESH_SEQUENCE_CACHE" and modifier.cache_file and modifier.cache_file.get(MARK):
            return modifier
    return None


def modifiers_after_input(obj):
    """Our modifier, or where it will go, and all that come after it: the simulation must not include them."""
    ours = find_modifier(obj)
    modifiers = list(obj.modifiers)
    index = modifiers.index(ours) if ours else cache_index(_kinds(modifiers))
    return modifiers[index:]


def _kinds(modifiers):
    return [(modifier.type, getattr(modifier, "use_pin_to_last", False)) for modifier in modifiers]


def choose_path(obj):
    """Where the object's cache goes, as stored in the file: beside the .blend, else among the temporary files."""
    kept, taken = finished_file(obj.jounce.cache_path), _paths_of_others(obj)
    folder = "//" + FOLDER
    if not bpy.data.is_saved:
        folder = os.path.join(tempfile.gettempdir(), "{}_{}".format(FOLDER, os.getpid()))
    kept_here = kept and (kept.startswith("//") == bpy.data.is_saved)
    if kept_here and kept not in taken:
        return kept
    names = {os.path.basename(path.replace("//", "")) for path in taken}
    return folder + "/" + cache_file_name(obj.name, names)


def _paths_of_others(obj):
    """Where the caches of all other objects go."""
    paths = {other.jounce.cache_path for other in bpy.data.objects if other != obj}
    return {finished_file(path) for path in paths if path}


def absolute(path):
    return os.path.abspath(bpy.path.abspath(path))


def release(obj):
    """Releases the cache's file, so that it can be written again; the modifier keeps its place. Returns its name."""
    modifier = find_modifier(obj)
    if modifier is None:
        return None
    cache_file = modifier.cache_file
    modifier.cache_file = None
    if cache_file.users == 0:
        bpy.data.batch_remove([cache_file])
    return modifier.name


def attach(context, obj, path, modifier_name=None):
    """Plays the cache at `path` on the object. modifier_name: of a released modifier to use again, None: a new one."""
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=absolute(path))
    cache_file = next(found for found in bpy.data.cache_files if found not in before)
    cache_file.user_clear()  # the operator counts the field of the file browser that it was not called from
    cache_file.filepath = path
    cache_file.name = obj.name + " Jounce"
    cache_file[MARK] = True
    modifier = obj.modifiers.get(modifier_name) if modifier_name else None
    if modifier is None:
        index = cache_index(_kinds(obj.modifiers))
        modifier = obj.modifiers.new(MODIFIER_NAME, "MESH_SEQUENCE_CACHE")
        obj.modifiers.move(len(obj.modifiers) - 1, index)
    modifier.cache_file = cache_file
    context.view_layer.update()
    paths = [entry.path for entry in cache_file.object_paths]
    if len(paths) != 1:
        obj.modifiers.remove(modifier)
        bpy.data.batch_remove([cache_file])
        raise AttachError("Blender finds {} meshes in the cache {}, not one.".format(len(paths), path))
    modifier.object_path = paths[0]
    # The object keeps its own faces, UVs and materials: only the points come from the cache.
    modifier.read_data = {"VERT"}


def detach(obj):
    """Removes the cache from the object and deletes its file, unless another object uses it too."""
    name = release(obj)
    if name:
        obj.modifiers.remove(obj.modifiers[name])
    path = obj.jounce.cache_path
    if path and finished_file(path) not in _paths_of_others(obj):
        remove_files(absolute(path))
