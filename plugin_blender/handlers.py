"""What happens when Blender opens, saves or undoes."""
import bpy
from bpy.app.handlers import persistent

from . import bake_operators, fingerprint, take_folder


@persistent
def _before_load(*_):
    bake_operators.stop()


@persistent
def _after_load(*_):
    fingerprint.forget()
    take_folder.opened()


@persistent
def _before_save(path, *_):
    take_folder.adopt_for(path)


@persistent
def _after_save(path, *_):
    take_folder.saved_as(path)


@persistent
def _after_undo(*_):
    fingerprint.forget()


@persistent
def _after_update(scene, depsgraph):
    fingerprint.forget_changed(depsgraph)


_HANDLERS = {"load_pre": _before_load, "load_post": _after_load, "save_pre": _before_save, "save_post": _after_save,
             "undo_post": _after_undo, "redo_post": _after_undo, "depsgraph_update_post": _after_update}


def register():
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    bake_operators.stop()
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
