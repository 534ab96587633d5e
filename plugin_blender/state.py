"""The state of an object's cache: what Blender and the disk show now, judged by jounce.host.cache_state."""
import os

import bpy

from . import cache_attach, fingerprint, take_folder
from .jounce.host import cache_state, takes
from .jounce.host.scene_checks import SceneError

_records = {}  # path of a take: (time of its record on the disk, record)


def of(context, obj, session=None):
    """cache_state.State of the object. session: the bake that runs, if any."""
    runs = session is not None and obj.name in session.object_names
    attached = cache_attach.attached_take(obj)
    record = record_of(attached) if attached else None
    together = takes.objects_of(record) if record and record.others else []
    if record:
        record = record._replace(fingerprint=takes.fingerprint_of(record, obj.name))
    used = cache_attach.used_takes() | {attached}
    if session is not None:
        used.add(session.path)
    loose = takes.loose_take(take_folder.folder(), obj.name, used, record_of)
    return cache_state.judge(cache_state.Facts(
        attached=attached,
        attached_exists=attached is not None and os.path.isfile(_played_file(obj)),
        attached_record=record,
        loose=loose,
        loose_record=record_of(loose) if loose else None,
        fingerprint=_fingerprint(context, obj, together) if attached and not runs else {},
        baking=session.state if runs else None,
    ))


def _played_file(obj):
    path = cache_attach.attached_take(obj)
    return path if cache_attach.find_modifier(obj).type == "MESH_SEQUENCE_CACHE" else takes.points_file(path)


def _fingerprint(context, obj, together):
    try:
        return fingerprint.shown(context, obj, [bpy.data.objects.get(name) for name in together])
    except SceneError:  # a scene that cannot be baked now is judged when it is baked
        return {}


def record_of(path):
    """takes.read_record, again only if the file has changed."""
    try:
        changed = os.stat(path + takes.RECORD).st_mtime_ns
    except OSError:
        return None
    if _records.get(path, (None,))[0] != changed:
        _records[path] = (changed, takes.read_record(path))
    return _records[path][1]


def report(obj):
    """What was noted of the bake that plays on the object, {}: nothing."""
    attached = cache_attach.attached_take(obj)
    record = record_of(attached) if attached else None
    return record.report if record else {}


def redraw_editors():
    """Panels and views show the state as it is now."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in {"PROPERTIES", "VIEW_3D"}:
                area.tag_redraw()
