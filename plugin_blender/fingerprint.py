"""What a bake was made from, in a few numbers: when they differ, the cache is out of date, and the artist is told why.

The parts have the names that the artist reads. Meshes and weights are costly to look at: they are looked at again after
Blender has said that they changed.
"""
import array
import hashlib
import json
import time
from zlib import crc32

import bpy

from . import animation_curves, cache_attach, colliders, force_fields, properties, scene_reader
from .jounce.host.artist_settings import KEYED
from .mesh_reader import BODY_TYPES, is_hair

_kept = {}  # object name: {"mesh": .., "weights": ..}


def of(context, obj, together=(), fresh=False):
    """{part: text} of everything that goes into a bake of the object. fresh: trust nothing that was kept.

    together: all objects of that bake; None among them is one that is gone.
    """
    found = dict(_own(obj, fresh), scene=_scene(context.scene))
    fields = force_fields.field_objects(context.scene, [obj])
    if fields:
        found["force fields"] = _fields(fields)
    others = [other for other in together if other != obj]
    if others:
        parts = [_own(other, fresh) if other is not None else None for other in others]
        found["what it touches"] = "{:08x}".format(crc32(json.dumps(parts, sort_keys=True).encode()))
    return found


def _own(obj, fresh=False):
    """The parts that belong to the object alone."""
    if fresh:
        _kept.pop(obj.name, None)
    kept = _kept_of(obj)
    return {"mesh": kept["mesh"], "weights": kept["weights"], "modifiers": _modifiers(obj), "settings": _settings(obj),
            "animation": _animation(obj)}


# Seconds for which a fingerprint is good enough for a panel: a redraw asks several times.
SHOWN_SECONDS = 0.1

_shown = (0.0, None, None)  # when, names of the objects, fingerprint


def shown(context, obj, together=()):
    """As of(), for what is only shown."""
    global _shown
    now, asked = time.monotonic(), (obj.name, [other.name if other else "" for other in together])
    if bpy.app.background or _shown[1] != asked or now - _shown[0] > SHOWN_SECONDS:
        _shown = (now, asked, of(context, obj, together))
    return _shown[2]


def mesh_of(obj):
    """The part of the mesh alone."""
    return _kept_of(obj)["mesh"]


def weights_of(obj):
    """The part of the weights alone."""
    return _kept_of(obj)["weights"]


def _kept_of(obj):
    kept = _kept.setdefault(obj.name, {})
    if not kept:
        kept.update(mesh=_mesh(obj.data), weights=_weights(obj))
    return kept


def tag(fingerprint):
    """A number for JnBakeDesc.input_tag, not 0."""
    text = json.dumps(fingerprint, sort_keys=True).encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") or 1


def forget(names=None):
    """After a change of these objects; None: of all."""
    for name in list(_kept) if names is None else names:
        _kept.pop(name, None)


def forget_changed(depsgraph):
    """After Blender has evaluated changes."""
    if not _kept:
        return
    changed = {update.id.original.name for update in depsgraph.updates if update.is_updated_geometry}
    for name in list(_kept):
        obj = bpy.data.objects.get(name)
        if obj is None or obj.type not in BODY_TYPES or name in changed or obj.data.name in changed:
            _kept.pop(name)


def _numbers(collection, attribute, code, components, checksum):
    found = array.array(code, bytes(4 * components * len(collection)))
    collection.foreach_get(attribute, found)
    return crc32(found.tobytes(), checksum)


def _mesh(mesh):
    if is_hair(mesh):
        checksum = _numbers(mesh.points, "position", "f", 3, 0)
        return "{:08x}".format(_numbers(mesh.curves, "points_length", "i", 1, checksum))
    checksum = _numbers(mesh.vertices, "co", "f", 3, 0)
    checksum = _numbers(mesh.polygons, "loop_total", "i", 1, checksum)
    checksum = _numbers(mesh.loops, "vertex_index", "i", 1, checksum)
    for block in mesh.shape_keys.key_blocks if mesh.shape_keys else ():
        checksum = _numbers(block.data, "co", "f", 3, checksum)
    return "{:08x}".format(checksum)


def _weights(obj):
    if is_hair(obj.data):
        numbers = [attribute for attribute in obj.data.attributes if attribute.data_type == "FLOAT"]
        checksum = crc32(json.dumps([attribute.name for attribute in numbers]).encode())
        for attribute in numbers:
            checksum = _numbers(attribute.data, "value", "f", 1, checksum)
        return "{:08x}".format(checksum)
    checksum = crc32(json.dumps([group.name for group in obj.vertex_groups]).encode())
    groups = array.array("f")
    for vertex in obj.data.vertices:
        for element in vertex.groups:
            groups.extend((vertex.index, element.group, element.weight))
    return "{:08x}".format(crc32(groups.tobytes(), checksum))


def _modifiers(obj):
    """Those that come before the cache."""
    after = {modifier.name for modifier in cache_attach.modifiers_after_input(obj)}
    found = [(modifier.type, _plain(modifier)) for modifier in obj.modifiers if modifier.name not in after]
    return "{:08x}".format(crc32(repr(found).encode()))


# What Blender changes by itself, or what does not change the mesh.
_IGNORED = {"rna_type", "name", "is_active", "show_expanded", "execution_time", "persistent_uid", "show_in_editmode",
            "show_on_cage", "show_render", "is_override_data"}


def _plain(struct):
    """Numbers, texts and names of datablocks among the properties of a struct; those with keys are the animation's."""
    animated = animation_curves.keyed_paths(struct.id_data)
    found = []
    for rna in struct.bl_rna.properties:
        name = rna.identifier
        if name in _IGNORED or "{}.{}".format(struct.path_from_id(), name) in animated:
            continue
        value = getattr(struct, name)
        if isinstance(value, bpy.types.ID):
            found.append((name, value.name))
        elif isinstance(value, (bool, int, float, str)):
            found.append((name, value))
        elif rna.type in {"INT", "FLOAT", "BOOLEAN"} and rna.is_array:
            found.append((name, [list(row) if hasattr(row, "__len__") else row for row in value]))
    return found


def _settings(obj):
    animated = animation_curves.keyed_paths(obj)
    still = {name: getattr(obj.jounce, name) for name in KEYED if "jounce." + name not in animated}
    return "{:08x}".format(crc32(json.dumps([properties.values(obj.jounce), still], sort_keys=True).encode()))


def _animation(obj):
    """Of the object and of all that moves or hits it."""
    return "{:08x}".format(_animation_of(_driving_objects([obj, *colliders.collider_objects(obj)])))


def _animation_of(objects):
    checksum = 0
    for other in objects:
        keys = getattr(other.data, "shape_keys", None)
        for block in (other, other.data, keys):
            if block is not None:
                checksum = animation_curves.fingerprint(block, checksum)
        if not animation_curves.curves(other):
            checksum = crc32(repr([list(row) for row in other.matrix_basis]).encode(), checksum)
            if other.pose:
                posed = [list(row) for bone in other.pose.bones for row in bone.matrix_basis]
                checksum = crc32(repr(posed).encode(), checksum)
        if keys is not None and not animation_curves.curves(keys):
            checksum = crc32(repr([block.value for block in keys.key_blocks]).encode(), checksum)
    return checksum


def _fields(objects):
    settings = [(obj.name, _plain(obj.field)) for obj in objects]
    return "{:08x}{:08x}".format(crc32(repr(settings).encode()), _animation_of(_driving_objects(objects)))


def _driving_objects(objects):
    """These, and all that move them."""
    found, waiting = [], list(objects)
    while waiting:
        other = waiting.pop(0)
        if other is None or other in found:
            continue
        found.append(other)
        waiting.append(other.parent)
        waiting.extend(getattr(modifier, "object", None) for modifier in other.modifiers)
        waiting.extend(getattr(constraint, "target", None) for constraint in other.constraints)
    return found


def _scene(scene):
    world = scene_reader.read_world(scene)
    if "gravity" in animation_curves.keyed_paths(scene):
        world = world._replace(gravity="{:08x}".format(animation_curves.fingerprint(scene, 0)))
    return "{:08x}".format(crc32(repr(world).encode()))
