"""Which takes belong to the open .blend: where its folder is, and what happens to them when it is saved or opened."""
import os

import bpy

from . import cache_attach, scene_reader
from .jounce.host import takes
from .mesh_reader import BODY_TYPES


def folder():
    """Where the takes of the open file go: beside it, or until it is saved among the temporary files of this Blender."""
    if bpy.data.is_saved:
        return takes.folder_of(bpy.data.filepath)
    return os.path.join(bpy.app.tempdir, takes.FOLDER)


def free(path):
    """Marks a take that no object plays any more: it goes when the file is saved. Undo may still want it back."""
    if path and path not in cache_attach.attached_takes():
        takes.mark(path, freed=True)


# What the objects played before a save, {object name: stored path}: a copy that is saved must not change the open file.
_before_save = {}


def adopt_for(target):
    """Before the file is saved as `target`: gives it takes of its own, so that no other .blend can remove them."""
    _before_save.clear()
    if not target:
        return
    own = takes.folder_of(target)
    for path, names in cache_attach.attached_takes().items():
        if os.path.dirname(path) == own or not takes.exists(path):
            continue
        try:
            adopted = takes.adopt(path, own)
        except OSError:
            continue  # it plays on from where it is
        for name in names:
            obj = bpy.data.objects[name]
            _before_save[name] = cache_attach.attached_take(obj)
            cache_attach.set_take(obj, adopted, _stored_for(target, adopted))


def _stored_for(target, path):
    """As the open file must hold the path, so that Blender writes it relative to the target."""
    if not bpy.data.is_saved:
        return path  # Blender makes it relative with the first save
    return bpy.path.relpath(path)


def saved_as(target):
    """After the save: removes what was freed; after the save of a copy, plays what was played before."""
    if os.path.abspath(target) != os.path.abspath(bpy.data.filepath):
        for name, path in _before_save.items():
            obj = bpy.data.objects.get(name)
            if obj is not None and cache_attach.find_modifier(obj):
                cache_attach.set_take(obj, path, cache_attach.stored(path))
    else:
        takes.clear(takes.folder_of(bpy.data.filepath), set(cache_attach.attached_takes()))
    _before_save.clear()


def opened():
    """After a file was opened: puts right what a bake had changed when it was saved."""
    for obj in bpy.data.objects:
        if obj.type in BODY_TYPES:
            scene_reader.repair(obj)
    for path in cache_attach.attached_takes():
        if os.path.dirname(path) == folder():
            takes.mark(path, freed=False)
