"""Plays a take on an object: a Mesh Sequence Cache modifier, or a Mesh Cache in a Blender without Alembic.

The path that the modifier plays is stored there alone.
"""
import os
import re

import bpy

from . import live_display
from .jounce.host import takes
from .jounce.host.bake_description import cache_name
from .mesh_reader import BODY_TYPES, HAIR, is_wire
from .modifier_stack import cache_index

MODIFIER_NAME = "Jounce Cache"
# Marks the cache file datablocks that are ours, so that modifiers may be renamed.
MARK = "jounce"


class AttachError(Exception):
    """Blender cannot play the cache. The text is for the artist."""


def has_alembic():
    return bool(bpy.app.build_options.alembic)


def find_modifier(obj):
    """Our modifier on the object, or None."""
    return next((modifier for modifier in obj.modifiers if _is_ours(modifier)), None)


def _is_ours(modifier):
    if modifier.type == "MESH_SEQUENCE_CACHE":
        return modifier.cache_file is not None and bool(modifier.cache_file.get(MARK))
    return modifier.type == "MESH_CACHE" and takes.FOLDER in modifier.filepath


def modifiers_after_input(obj):
    """Our modifier, or where it will go, and all that come after it: the simulation must not include them."""
    ours = find_modifier(obj)
    modifiers = list(obj.modifiers)
    index = modifiers.index(ours) if ours else cache_index(_kinds(modifiers))
    return modifiers[index:]


def _kinds(modifiers):
    return [(modifier.type, getattr(modifier, "use_pin_to_last", False) or live_display.is_ours(modifier))
            for modifier in modifiers]


def absolute(path, library=None):
    """library: of the datablock that holds the path, whose .blend it starts at."""
    return os.path.abspath(bpy.path.abspath(path, library=library))


def stored(path):
    """A path as Blender shall store it: from the .blend on, once there is one."""
    return bpy.path.relpath(path) if bpy.data.is_saved else path


def _player(modifier):
    """What holds the path: the modifier, or its cache file."""
    return modifier.cache_file if modifier.type == "MESH_SEQUENCE_CACHE" else modifier


def attached_take(obj):
    """Absolute path of the take that plays on the object, None: there is none."""
    modifier = find_modifier(obj)
    if modifier is None:
        return None
    player = _player(modifier)
    return takes.take_of(absolute(player.filepath, getattr(player, "library", None)))


def attached_takes():
    """{absolute path of a take: names of the objects of this file that play it}."""
    found = {}
    for obj in bpy.data.objects:
        if obj.type in BODY_TYPES and obj.library is None and find_modifier(obj):
            found.setdefault(attached_take(obj), []).append(obj.name)
    return found


def used_takes():
    """Absolute paths of all takes that something plays. Quick: panels ask at every redraw."""
    if not has_alembic():
        return set(attached_takes())
    return {absolute(file.filepath, file.library) for file in bpy.data.cache_files if file.get(MARK) and file.users}


def set_take(obj, path, path_to_store):
    """Lets the object's modifier play the same frames from the take at `path`."""
    player = _player(find_modifier(obj))
    if player.filepath.endswith(takes.POINTS):
        body = re.search(r"\.body(\d+)$", os.path.splitext(player.filepath)[0])
        path_to_store = takes.points_file(path_to_store, int(body.group(1)) if body else 0)
    player.filepath = path_to_store


def attach(context, obj, path):
    """Plays the take at `path` on the object, in the place of one before. Raises AttachError with nothing changed."""
    if not plays_points(obj):
        _attach_alembic(context, obj, path)
    elif obj.type == HAIR:
        raise AttachError("This Blender has no Alembic, and hair curves cannot be played without. The cache {} is complete: "
                          "open the file in another Blender.".format(path))
    else:
        _attach_points(obj, path)


def plays_points(obj):
    """Whether the object plays a PC2 file: without Alembic, and a mesh without faces, which Alembic has as curves."""
    return not has_alembic() or (obj.type == "MESH" and is_wire(obj.data))


def attach_all(context, objects, path):
    """Plays the take at `path` on all of the objects, or raises AttachError and all play what they did."""
    before = [(obj, attached_take(obj)) for obj in objects]
    for number, (obj, _) in enumerate(before):
        try:
            attach(context, obj, path)
        except AttachError:
            for changed, old in before[:number]:
                if old is None:
                    detach(changed)
                else:
                    attach(context, changed, old)
            raise


def _object_path(obj, path, paths):
    """Which of the paths in the cache is the object's, None."""
    record = takes.read_record(path)
    if record is None or not record.others:
        return paths[0] if len(paths) == 1 else None
    name = cache_name(obj.name)
    return next((found for found in paths if found.split("/")[1:2] == [name]), None)


def _attach_alembic(context, obj, path):
    cache_file = _open_cache_file(obj, path)
    modifier = find_modifier(obj)
    if modifier is not None and modifier.type != "MESH_SEQUENCE_CACHE":
        _remove_modifier(obj, modifier)
        modifier = None
    before = modifier.cache_file if modifier else None
    modifier = modifier or _new_modifier(obj, "MESH_SEQUENCE_CACHE")
    modifier.cache_file = cache_file
    context.view_layer.update()
    paths = [entry.path for entry in cache_file.object_paths]
    object_path = _object_path(obj, path, paths)
    if object_path is None:
        modifier.cache_file = before
        if before is None:
            obj.modifiers.remove(modifier)
        bpy.data.batch_remove([cache_file])
        raise AttachError("Blender finds {} meshes in the cache {}, and none that is {}.".format(len(paths), path, obj.name))
    modifier.object_path = object_path
    # The object keeps its own faces, UVs and materials: only the points come from the cache.
    modifier.read_data = {"VERT"}
    modifier.use_vertex_interpolation = True
    if before is not None and before.users == 0:
        bpy.data.batch_remove([before])


def _open_cache_file(obj, path):
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=path)
    cache_file = next(found for found in bpy.data.cache_files if found not in before)
    cache_file.user_clear()  # the operator counts the field of the file browser that it was not called from
    cache_file.filepath = stored(path)
    cache_file.name = obj.name + " Jounce"
    cache_file[MARK] = True
    # For motion blur: the name and the unit that the core writes velocities with.
    cache_file.velocity_name = ".velocities"
    cache_file.velocity_unit = "SECOND"
    return cache_file


def _attach_points(obj, path):
    record = takes.read_record(path)
    if record is None:
        raise AttachError("The cache {} has no record of its frames: bake again.".format(path))
    objects = takes.objects_of(record)
    points = takes.points_file(path, objects.index(obj.name) if obj.name in objects else 0)
    if not os.path.isfile(points):
        raise AttachError("The result {} has no file of points, which {} plays: bake here.".format(path, obj.name))
    modifier = find_modifier(obj)
    if modifier is not None and modifier.type != "MESH_CACHE":
        _remove_modifier(obj, modifier)
        modifier = None
    modifier = modifier or _new_modifier(obj, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = stored(points)
    modifier.play_mode = "SCENE"
    modifier.interpolation = "LINEAR"
    modifier.frame_start = record.first_frame


def _new_modifier(obj, kind):
    index = cache_index(_kinds(obj.modifiers))
    modifier = obj.modifiers.new(MODIFIER_NAME, kind)
    obj.modifiers.move(len(obj.modifiers) - 1, index)
    return modifier


def detach(obj):
    """Removes the cache from the object; its files stay. Returns the path of the take, None: there was none."""
    modifier = find_modifier(obj)
    if modifier is None:
        return None
    path = attached_take(obj)
    _remove_modifier(obj, modifier)
    return path


def _remove_modifier(obj, modifier):
    cache_file = modifier.cache_file if modifier.type == "MESH_SEQUENCE_CACHE" else None
    obj.modifiers.remove(modifier)
    if cache_file is not None and cache_file.users == 0:
        bpy.data.batch_remove([cache_file])
