"""Fills the structs of the API from plain dicts whose keys are the header's field names.

    describe("JnBody", {"name": "Jelly", "surface": {"positions": ..., "face_sizes": ..., "face_vertices": ...},
                        "material": {"young_modulus": 2e4}, "regions": [{"name": "pin", ...}]})

What a dict leaves out keeps the core's default. Counts are taken from the arrays and never given. The length of every
array that C cannot check is checked here: a wrong one is a ValueError that names the field.
"""
import ctypes
import difflib
import os

from . import layout, library
from .arrays import c_array
from .errors import check

_INIT = {
    layout.JnBakeDesc: "jn_bake_desc_init",
    layout.JnBody: "jn_body_init",
    layout.JnMaterial: "jn_material_init",
    layout.JnSprings: "jn_springs_init",
    layout.JnRegion: "jn_region_init",
    layout.JnBone: "jn_bone_init",
    layout.JnCollider: "jn_collider_init",
    layout.JnField: "jn_field_init",
    layout.JnFieldInput: "jn_field_input_init",
    layout.JnFrameInput: "jn_frame_input_init",
    layout.JnBodyInput: "jn_body_input_init",
    layout.JnColliderInput: "jn_collider_input_init",
    layout.JnMesher: "jn_mesher_init",
}

# Count field of an array, and how many numbers of the array make one.
_COUNTS = {
    (layout.JnSurface, "positions"): ("vertex_count", 3),
    (layout.JnSurface, "face_sizes"): ("face_count", 1),
    (layout.JnSurface, "face_vertices"): ("corner_count", 1),
    (layout.JnTets, "positions"): ("vertex_count", 3),
    (layout.JnTets, "tet_vertices"): ("tet_count", 4),
    (layout.JnCurves, "positions"): ("vertex_count", 3),
    (layout.JnCurves, "curve_sizes"): ("curve_count", 1),
    (layout.JnCurves, "curve_vertices"): ("corner_count", 1),
    (layout.JnRegion, "weights"): ("weight_count", 1),
    (layout.JnBody, "regions"): ("region_count", 1),
    (layout.JnBody, "bones"): ("bone_count", 1),
    (layout.JnBakeDesc, "bodies"): ("body_count", 1),
    (layout.JnBakeDesc, "colliders"): ("collider_count", 1),
    (layout.JnBakeDesc, "fields"): ("field_count", 1),
    (layout.JnFrameInput, "fields"): ("field_count", 1),
    (layout.JnFrameInput, "bodies"): ("body_count", 1),
    (layout.JnFrameInput, "colliders"): ("collider_count", 1),
}
_COUNT_FIELDS = {(struct, count) for (struct, _), (count, _) in _COUNTS.items()}
_UNSETTABLE = {"struct_size", "reserved"}


def describe(struct_type, values, point_counts=None, bone_counts=()):
    """A filled struct; it keeps alive every array that it points to.

    struct_type: of `layout`, or its name. values: dict; None values are left out.
    point_counts: of a JnFrameInput, {"bodies": [...], "colliders": [...]}, the vertex counts that its arrays must have.
    bone_counts: of a JnFrameInput, for each body.
    """
    if isinstance(struct_type, str):
        struct_type = getattr(layout, struct_type)
    struct = _initialised(struct_type)
    _fill(struct, values, struct_type.__name__)
    _check_lengths(struct, point_counts or {})
    for entry, count in zip(struct.parts.get("bodies", ()), bone_counts):
        _require(entry, "bones", 12 * count, "bones")
    return struct


def _initialised(struct_type):
    struct = struct_type()
    if struct_type in _INIT:
        init = getattr(library.load(), _INIT[struct_type])
        check(init(ctypes.byref(struct), ctypes.sizeof(struct)), layout.JnMessage())
    return struct


def _fill(struct, values, place):
    """place: how messages name the struct."""
    kind = type(struct)
    struct.kept = []     # arrays that fields of this struct point to
    struct.lengths = {}  # array field -> its length
    struct.parts = {}    # field of a struct or of several -> the filled objects, which keep their own arrays
    types = dict(kind._fields_)
    for name, value in values.items():
        if name not in types or name in _UNSETTABLE or (kind, name) in _COUNT_FIELDS:
            raise ValueError(_unknown_field(place, name, types))
        if value is not None:
            _set(struct, name, types[name], value, "{}.{}".format(place, name))


def _unknown_field(place, name, types):
    near = difflib.get_close_matches(name, [known for known in types if known not in _UNSETTABLE], 1)
    hint = " Did you mean {}?".format(near[0]) if near and near[0] != name else ""
    return "{} has no field {} to set.{}".format(place, name, hint)


def _set(struct, name, c_type, value, place):
    if c_type is ctypes.c_char_p:
        setattr(struct, name, os.fspath(value).encode("utf-8"))
    elif issubclass(c_type, ctypes.Structure):
        part = getattr(struct, name)  # shares the memory of `struct`, whose init call has filled it
        _fill(part, value, place)
        struct.parts[name] = part
    elif issubclass(c_type, ctypes.Array):
        numbers = list(value)
        if len(numbers) != c_type._length_:
            raise ValueError("{} has {} numbers, it needs {}.".format(place, len(numbers), c_type._length_))
        setattr(struct, name, c_type(*numbers))
    elif hasattr(c_type, "contents"):
        _set_array(struct, name, c_type, value, place)
    else:
        setattr(struct, name, value)


def _set_array(struct, name, c_type, value, place):
    item = c_type._type_
    if issubclass(item, ctypes.Structure):
        parts = []
        for index, entry in enumerate(value):
            parts.append(_initialised(item))
            _fill(parts[-1], entry, "{}[{}]".format(place, index))
        items = (item * len(parts))(*parts)
        struct.parts[name] = parts
    else:
        items = c_array(value, item)
    count_field, unit = _COUNTS.get((type(struct), name), (None, 1))
    if len(items) % unit:
        raise ValueError("{} has {} numbers, which is not a multiple of {}.".format(place, len(items), unit))
    if count_field:
        setattr(struct, count_field, len(items) // unit)
    struct.lengths[name] = len(items)
    struct.kept.append(items)
    setattr(struct, name, ctypes.cast(items, c_type))


def point_count(body):
    """How many points the weights, targets and poses of a filled JnBody have."""
    return body.surface.vertex_count or body.tets.vertex_count or body.curves.vertex_count


def _check_lengths(struct, point_counts):
    """Arrays whose length the core cannot check."""
    for name, part in struct.parts.items():
        expected = point_counts.get(name, ())
        parts = part if isinstance(part, list) else [part]
        if expected and parts and len(parts) != len(expected):
            raise ValueError("{} has {} entries, it needs {}.".format(name, len(parts), len(expected)))
        for index, entry in enumerate(parts):
            _check_lengths(entry, {})
            if index < len(expected):
                _check_input(entry, expected[index], "{}[{}]".format(name, index))
    if isinstance(struct, layout.JnSurface):
        _require(struct, "uvs", 2 * struct.corner_count, "uvs")
    if isinstance(struct, layout.JnBody):
        for name in ("start_positions", "start_velocities"):
            _require(struct, name, 3 * point_count(struct), name)


def _check_input(entry, count, place):
    for name in entry.lengths.keys() - {"bones"}:
        samples = entry.sample_count if name == "targets" else 1
        _require(entry, name, 3 * count * samples, "{}.{}".format(place, name))


def _require(struct, name, length, place):
    if name in struct.lengths and struct.lengths[name] != length:
        raise ValueError("{} has {} numbers, it needs {}.".format(place, struct.lengths[name], length))


def as_dict(struct):
    """The fields that a struct of the core has been filled with, texts of one byte a character as strings."""
    values = {name: getattr(struct, name) for name, _ in struct._fields_ if name not in ("struct_size", "reserved")}
    return {name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value for name, value in values.items()}
