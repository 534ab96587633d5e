"""Runs inside Blender: answers questions of the window tests, in Blender's main thread, between its events.

The tests send Python over the socket that JN_WINDOW_SOCKET names, a line of JSON with the text of a function body; the answer
is a line of JSON too. It looks; what an artist does is done by mouse and keys alone.
"""
import array
import json
import os
import socket
import sys
import textwrap
import traceback

import bpy
import mathutils
from bpy_extras.view3d_utils import location_3d_to_region_2d

EVERY_SECONDS = 0.02
MODULE = "bl_ext.user_default.jounce"

_server = socket.socket(socket.AF_UNIX)
_server.bind(os.environ["JN_WINDOW_SOCKET"])
_server.listen()
_server.setblocking(False)


def addon():
    return sys.modules[MODULE]


def window():
    """The one that was opened last: of the preferences, if they are open."""
    return bpy.context.window_manager.windows[-1]


def areas(kind):
    return [area for area in window().screen.areas if area.type == kind]


def places(kind, region_kind="WINDOW"):
    """[x, y, width, height] of the region on the screen, from its lower left corner."""
    region = region_of(kind, region_kind)
    return [*on_screen(region, 0, 0), region.width, region.height]


def region_of(kind, region_kind="WINDOW"):
    """The bar in which one chooses a page of the preferences has another name since Blender 5.2."""
    area = max(areas(kind), key=lambda found: found.width * found.height)
    regions = {region.type: region for region in reversed(list(area.regions))}
    return regions[region_kind] if region_kind in regions or kind != "PREFERENCES" else regions["UI"]


def on_screen(region, x, y):
    return [window().x + region.x + x, window().y + region.y + y]


def under_mouse(kind, region_kind="WINDOW"):
    """What the button under the mouse would do: an operator with its settings or the path of a property, "" if nothing."""
    wm = bpy.context.window_manager
    for area in areas(kind):
        for region in area.regions:
            if region.type != region_kind:
                continue
            with bpy.context.temp_override(window=window(), area=area, region=region):
                for copy in (bpy.ops.ui.copy_python_command_button, bpy.ops.ui.copy_data_path_button):
                    wm.clipboard = ""
                    if copy.poll():
                        copy()
                    if wm.clipboard:
                        return wm.clipboard
    return ""


def view_point(point):
    """Where a point of the scene is seen on the screen."""
    region = region_of("VIEW_3D")
    found = location_3d_to_region_2d(region, areas("VIEW_3D")[0].spaces[0].region_3d, point)
    return on_screen(region, found.x, found.y)


def timeline_point(frame):
    """Where a frame is in the ruler of the timeline."""
    region = region_of("DOPESHEET_EDITOR")
    return on_screen(region, region.view2d.view_to_region(frame, 0, clip=False)[0], region.height - 12)


def vertices(obj):
    """x y z of what Blender shows of the object at this frame, in its own space."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    found = array.array("f", bytes(12 * len(mesh.vertices)))
    mesh.vertices.foreach_get("co", found)
    evaluated.to_mesh_clear()
    return found


def shown_state(obj):
    """What the panel says of the object's cache, and its hint lines."""
    jounce = addon()
    found = jounce.state.of(bpy.context, obj, jounce.bake_operators.running())
    steps = jounce.jounce.host.hints.next_steps(jounce.panel._facts(bpy.context, obj, found))
    return {"kind": found.kind, "first": found.first, "last": found.last, "changed": list(found.changed), "steps": steps,
            "sentence": found.sentence, "message": obj.jounce.message, "loose": found.loose}


def _answer(text):
    scope = globals()
    exec("def _asked():\n" + textwrap.indent(text, "    "), scope)
    return scope["_asked"]()


def _serve():
    try:
        connection, _ = _server.accept()
    except BlockingIOError:
        return EVERY_SECONDS
    connection.setblocking(True)
    with connection, connection.makefile("rw") as line:
        try:
            reply = {"value": _answer(json.loads(line.readline()))}
        except Exception:  # the test reads what went wrong
            reply = {"error": traceback.format_exc()}
        line.write(json.dumps(reply) + "\n")
    return EVERY_SECONDS


bpy.app.timers.register(_serve, persistent=True)
