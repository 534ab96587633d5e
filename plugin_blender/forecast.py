"""What the panel says before a bake: computed beside Blender's main thread when the inputs have changed, and kept."""
import threading

import bpy

from . import animation_curves, bake_operators, body_reader, fingerprint, properties, scene_reader, state
from .jounce import tables
from .jounce.host import foresight
from .jounce.host.bake_description import bake_description, matching_preset
from .jounce.host.scene_checks import SceneError
from .mesh_reader import BODY_TYPES

DELAY_SECONDS = 0.4

_kept = {}      # object name: (key of the inputs, Foresight)
_costs = {}     # object name: (key, sentence)
_thread = None
_wanted = set()


def key_of(context, obj):
    """Of what is foreseen from the mesh as it was modelled: keys do not change it, and with them the object moves."""
    still = [] if animation_curves.curves(obj) else [list(row) for row in obj.matrix_basis]
    return fingerprint.tag(dict(fingerprint.shown(context, obj), animation=repr(still)))


def of(context, obj):
    """The Foresight for the object as it is now; None: not known yet, and asked for."""
    key, found = _kept.get(obj.name, (None, None))
    if bake_operators.running() is not None or key == key_of(context, obj):
        return found
    if not bpy.app.background:
        _wanted.add(obj.name)
        if not bpy.app.timers.is_registered(_work):
            bpy.app.timers.register(_work, first_interval=DELAY_SECONDS)
    return None


def cost(context, obj):
    """The estimate, if one was made and the inputs are still the same."""
    key, text = _costs.get(obj.name, (None, ""))
    if bake_operators.running() is not None:
        return ""
    return text if key is not None and key == key_of(context, obj) else ""


def keep_cost(obj, text):
    _costs[obj.name] = (key_of(bpy.context, obj), text)


def forget():
    for kept in (_kept, _costs, _wanted):
        kept.clear()


def unregister():
    if bpy.app.timers.is_registered(_work):
        bpy.app.timers.unregister(_work)
    forget()


def material_name(obj):
    found = matching_preset(properties.values(obj.jounce), tables.presets())
    return found.label if found else "A material"


def starting_material(context, obj):
    """foresight.starting_material of the mesh as it was modelled."""
    return foresight.starting_material(_still_description(context, obj, dict(properties.values(obj.jounce), pin_group="")))


def check(context, obj):
    """The Foresight from the evaluated mesh. Raises SceneError."""
    reader = scene_reader.BakeReader(context, obj)
    try:
        description = reader.description(context)
    finally:
        reader.close()
    found = foresight.foresee(description, material_name(obj))
    _kept[obj.name] = (key_of(context, obj), found)
    return found


def _still_description(context, obj, settings):
    """Of the mesh as it was modelled, without a look at another frame."""
    settings = dict(settings, resolution=properties.resolution(settings))
    shape, pin_weights, regions = body_reader.body_of(obj, obj.data, obj.matrix_world, settings)
    world = scene_reader.read_world(context.scene)
    return bake_description(world, shape, pin_weights, settings, None, "", regions)


def _work():
    """A timer: starts the thread for the next object that is wanted, until none is."""
    global _thread
    if _thread is not None and _thread.is_alive():
        return 0.1
    _thread = None
    while _wanted:
        obj = bpy.data.objects.get(_wanted.pop())
        if obj is not None and obj.type in BODY_TYPES and obj.jounce.enabled and obj.mode != "EDIT" and not _is_known(obj):
            _thread = threading.Thread(target=_foresee, args=_question(obj), name="jounce forecast", daemon=True)
            _thread.start()
            return 0.1
    state.redraw_editors()
    return None


def _is_known(obj):
    return _kept.get(obj.name, (None,))[0] == key_of(bpy.context, obj)


def _question(obj):
    context = bpy.context
    key = key_of(context, obj)
    try:
        description = _still_description(context, obj, properties.values(obj.jounce))
    except SceneError as error:
        return obj.name, key, None, str(error)
    settings = obj.jounce
    partial = settings.collider_collection or settings.touch_bodies or settings.use_bones
    return obj.name, key, description, material_name(obj), not partial


def _foresee(name, key, description, text, complete=True):
    """Runs in the thread. text: the material's name, or what is wrong with the scene."""
    found = foresight.foresee(description, text, complete) if description else foresight.Foresight([], [text], [])
    _kept[name] = (key, found)
