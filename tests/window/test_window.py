"""An artist's first hour with the add-on in a real window, by mouse and keys: docs/blender.md from install to playback, then
what must not lose a bake. After each act the vertices that play are those of what the panel says.

    sh tests/window/run.sh [official|trixie|sid]
"""
import array
import base64
import glob
import json
import os
import shutil
import struct
import subprocess
import sys
import time

import first_wobble
from window import Window

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ["JN_TEST_BUILD"]
OBJECT = "bpy.data.objects['Suzanne']"
RUNNING = "addon().bake_operators.running()"


def cached_frames(path):
    """[x y z ... of a frame] that the cache file holds, 32 bits, read without Blender."""
    if path.endswith(".pc2"):
        with open(path, "rb") as file:
            _, _, points, _, _, count = struct.unpack("<12siiffi", file.read(32))
            return [array.array("f", file.read(12 * points)) for _ in range(count)]
    text = subprocess.run([os.path.join(BUILD, "tests", "abc_dump"), path], check=True, capture_output=True, text=True).stdout
    mesh = next(found for found in json.loads(text)["objects"] if "samples" in found)
    # in the file y is up
    return [array.array("f", [value for x, y, z in sample["positions"] for value in (x, -z, y)])
            for sample in mesh["samples"]]


class Artist:
    """Does the steps of the page, in the order of the page, and more."""

    def __init__(self, suite):
        self.suite = suite
        self._folder = os.path.join(BUILD, "window", suite)
        shutil.rmtree(self._folder, ignore_errors=True)
        os.makedirs(self._folder)
        self._count = 0
        self._file = os.path.join(self._folder, "wobble.blend")
        self.window = self._open()

    def _open(self):
        window = Window(self._folder, os.path.join(self._folder, "home"))
        window.hover("VIEW_3D")
        window.keys("Escape")  # the splash screen
        # so that software draws in bearable time; nothing that is tested depends on it
        window.ask("bpy.context.preferences.system.viewport_aa = 'OFF'; bpy.context.preferences.view.smooth_view = 0")
        return window

    def shot(self, name, place=None):
        self._count += 1
        self.window.shot("{:02}_{}".format(self._count, name), place)

    def state(self):
        return self.window.ask("return shown_state({})".format(OBJECT))

    def check_truth(self, kind):
        """What plays is what the panel says: the cache that it names, or the mesh as it was modelled."""
        state = self.state()
        assert state["kind"] == kind, state
        if kind == "empty":
            frames, truth = [1, 12, 100], None
        else:
            truth = cached_frames(self.window.ask("return addon().state._played_file({})".format(OBJECT)))
            assert len(truth) >= state["last"] - state["first"] + 1, (len(truth), state)
            first, last = state["first"], state["last"]
            frames = sorted({first, min(first + 3, last), (first + last) // 2, last})
        for frame, shown, modelled in self._played(frames):
            expected = truth[frame - state["first"]] if truth else modelled
            off = max(abs(a - b) for a, b in zip(shown, expected))
            assert off < 1e-15 and len(shown) == len(expected), "frame {} does not play what the panel says: {}".format(frame, state["sentence"])
        print("  plays what it says: {} (frames {})".format(state["sentence"], frames), flush=True)
        return state

    def check_between_frames(self):
        """For motion blur: between two frames the mesh is between them."""
        (_, first, _), (_, middle, _), (_, second, _) = self._played([8, 8.5, 9])
        moved = max(abs(a - b) for a, b in zip(first, second))
        off = max(abs((a + b) / 2 - c) for a, b, c in zip(first, second, middle))
        assert moved > 1e-3 and off < 1e-5, (moved, off)

    def _played(self, frames):
        """[(frame, what plays, the mesh as modelled)]"""
        answer = self.window.ask("""
import base64
scene, obj, found = bpy.context.scene, {obj}, []
before = scene.frame_current
modelled = array.array("f", bytes(12 * len(obj.data.vertices)))
obj.data.vertices.foreach_get("co", modelled)
for frame in {frames}:
    scene.frame_set(int(frame), subframe=frame % 1)
    found.append([frame, base64.b64encode(vertices(obj).tobytes()).decode()])
scene.frame_set(before)
return [base64.b64encode(modelled.tobytes()).decode(), found]""".format(obj=OBJECT, frames=frames))
        modelled = array.array("f", base64.b64decode(answer[0]))
        return [(frame, array.array("f", base64.b64decode(text)), modelled) for frame, text in answer[1]]

    # the page, Install
    def install(self):
        window = self.window
        x, y, _, height = window.ask("return [window().x, window().y, window().width, window().height]")
        window.click(x + 83, y + height - 14)
        window.choose("Preferences")
        window.wait("return bool(areas('PREFERENCES'))", "the preferences open")
        window.click_down("PREFERENCES", "NAVIGATION_BAR",
                          "return bpy.context.preferences.active_section == 'EXTENSIONS'")
        x, y, width, height = window.ask("return places('PREFERENCES')")
        window.click(x + width - 20, y + height - 20)
        window.choose("Install from Disk")
        window.choose_file(glob.glob(os.path.join(BUILD, "jounce_blender-*.zip"))[0])
        window.wait("return MODULE in sys.modules and hasattr(bpy.types.Object, 'jounce')", "the add-on is there")
        self.shot("installed")
        x, y, width, height = window.ask("return [window().x, window().y, window().width, window().height]")
        window.click(x + width - 11, y + height + 9)
        window.wait("return not areas('PREFERENCES')", "the preferences close")

    # the page, Your first wobble
    def delete_cube(self):
        self.window.hover("VIEW_3D")
        self.window.keys("x")
        time.sleep(1)
        self.window.keys("Return")
        self.window.wait("return 'Cube' not in bpy.data.objects", "the cube goes")

    def add_monkey(self):
        self.window.keys("shift+a")
        time.sleep(1)
        self.window.type("monkey")
        self.window.keys("Return")
        self.window.wait("return 'Suzanne' in bpy.data.objects", "the monkey comes")

    def frame(self):
        distance = "return areas('VIEW_3D')[0].spaces[0].region_3d.view_distance"
        before = self.window.ask(distance)
        self.window.keys("KP_Decimal")
        assert self.window.ask(distance) < before

    def save(self):
        self.window.keys("ctrl+s")
        self.window.choose_file(self._file)
        assert os.path.isfile(self._file)

    def animate(self):
        window = self.window
        window.hover("VIEW_3D")
        window.keys("i")
        window.click(*window.ask("return timeline_point(12)"))
        assert window.ask("return bpy.context.scene.frame_current") == 12
        window.hover("VIEW_3D")
        window.keys("g", "x", "1", "Return", "i")
        window.wait("return len(addon().animation_curves.curves({})) >= 3".format(OBJECT), "it is keyed")
        assert window.ask("return list({}.location)".format(OBJECT)) == [1, 0, 0]

    def add_jounce(self):
        window = self.window
        window.click_down("PROPERTIES", "NAVIGATION_BAR", "return areas('PROPERTIES')[0].spaces[0].context == 'PHYSICS'")
        window.press("jounce.add")
        window.wait("return {}.jounce.enabled".format(OBJECT), "it has Jounce")
        window.wait("return addon().forecast.of(bpy.context, {}) is not None".format(OBJECT), "the forecast is there")
        assert window.ask("return addon().forecast.of(bpy.context, {}).warnings".format(OBJECT)) == []
        assert "Pin Group" in self.check_truth("empty")["steps"][0]
        self.shot("added", window.ask("return places('PROPERTIES')"))

    def weight_paint(self):
        self.window.hover("VIEW_3D")
        self.window.keys("ctrl+Tab")
        time.sleep(1)
        self.shot("modes")
        self.window.keys("7")
        self.window.wait("return bpy.context.mode == 'PAINT_WEIGHT'", "weight paint mode")

    def paint(self):
        window = self.window
        if not window.ask("return bool(bpy.context.tool_settings.weight_paint.brush)"):  # Debian's Blender comes without
            window.ask("group = {0}.vertex_groups.new(name='Group'); [group.add([vertex.index], min(10 * vertex.co.z - 7.5, 1), "
                       "'REPLACE') for vertex in {0}.data.vertices if vertex.co.z > 0.75]".format(OBJECT))
            return
        window.drag(window.ask("""
obj = {}
crown = sorted((vertex.co for vertex in obj.data.vertices if vertex.co.z > 0.65), key=lambda at: (round(3 * at.y), at.x))
return [view_point(obj.matrix_world @ at) for at in crown]""".format(OBJECT)))
        painted = window.ask("return [[group.name for group in {0}.vertex_groups], max(element.weight for vertex in "
                             "{0}.data.vertices for element in vertex.groups)]".format(OBJECT))
        assert painted[0] == ["Group"] and painted[1] == 1, painted
        self.shot("painted")

    def choose_pins(self):
        window = self.window
        window.press("pin_group")
        window.type("Group")
        window.keys("Return")
        window.wait("return {}.jounce.pin_group == 'Group'".format(OBJECT), "the group is chosen")
        window.wait("return addon().forecast.of(bpy.context, {}) is not None".format(OBJECT), "the forecast is there")
        assert "Press Bake" in self.check_truth("empty")["steps"][0]
        self.shot("pins", window.ask("return places('PROPERTIES')"))

    def bake(self):
        self.window.press("jounce.bake")
        self._wait_for_frames(3)

    def _wait_for_frames(self, count):
        self.window.wait("session = {}; return session is None or session.state.frames_done >= {}".format(RUNNING, count),
                         "{} frames are done".format(count), 300)
        assert self.window.ask("return {} is not None".format(RUNNING)), "the bake has ended early: " + str(self.state())

    def orbit(self):
        window = self.window
        view = "return [round(value, 4) for value in areas('VIEW_3D')[0].spaces[0].region_3d.view_rotation]"
        before = window.ask(view)
        x, y, width, height = window.ask("return places('VIEW_3D')")
        window.drag([(x + 0.3 * width, y + 0.6 * height), (x + 0.33 * width, y + 0.58 * height),
                     (x + 0.36 * width, y + 0.56 * height)], button=2)
        assert window.ask(view) != before, "the view does not turn"
        assert window.ask("return {} is not None".format(RUNNING)), "the bake has ended"
        self.shot("baking")

    def stop(self):
        window = self.window
        start = time.monotonic()
        subprocess.run(["xdotool", "key", "Escape"], check=True)
        window.wait("return {} is None".format(RUNNING), "Esc stops")
        print("  Esc was heard after {:.2f} s".format(time.monotonic() - start), flush=True)
        state = self.check_truth("partial")
        assert "kept" in state["message"], state
        self.shot("stopped", window.ask("return places('PROPERTIES')"))

    def resume(self):
        before = self.state()["last"]
        self.window.press("jounce.resume")
        self.window.wait("return {} is None".format(RUNNING), "the bake ends", 600)
        state = self.check_truth("baked")
        assert (state["first"], state["last"]) == (1, 250) and before < 250
        self.check_between_frames()
        self.shot("baked", self.window.ask("return places('PROPERTIES')"))

    def play(self):
        window = self.window
        window.hover("VIEW_3D")
        before = window.ask("return bpy.context.scene.frame_current")
        window.keys("space")
        window.wait("return bpy.context.screen.is_animation_playing and bpy.context.scene.frame_current != {}".format(before),
                    "it plays")
        self.shot("playing")
        window.keys("space")
        window.wait("return not bpy.context.screen.is_animation_playing", "it stops")

    # what must not lose a bake
    def free_and_undo(self):
        self.window.press("jounce.free")
        self.window.wait("return not {}.modifiers".format(OBJECT), "the cache is taken off")
        self.check_truth("empty")
        self.window.hover("VIEW_3D")
        self.window.keys("ctrl+z")
        self.window.wait("return len({}.modifiers) == 1".format(OBJECT), "undo brings it back")
        self.check_truth("baked")

    def close_with_save_in_mid_bake(self):
        window = self.window
        window.press("jounce.bake")
        self._wait_for_frames(5)
        subprocess.run(["xdotool", "key", "alt+F4"], check=True)
        time.sleep(5)
        self.shot("closing")
        if window.process.poll() is None:
            subprocess.run(["xdotool", "key", "Return"], check=True)
        window.process.wait(60)
        window.close()

    def reopen(self):
        self.window = self._open()
        # blender.org's Blender as a module starts with factory settings, which do not remember add-ons
        self.window.ask("import addon_utils; MODULE in sys.modules or addon_utils.enable(MODULE, default_set=True)")
        self.window.wait("return hasattr(bpy.types.Object, 'jounce')", "the add-on is there")
        self.window.hover("VIEW_3D")
        self.window.keys("ctrl+o")
        self.window.choose_file(self._file)
        self.window.wait("return 'Suzanne' in bpy.data.objects", "the file opens")
        self.window.click_down("PROPERTIES", "NAVIGATION_BAR",
                               "return areas('PROPERTIES')[0].spaces[0].context == 'PHYSICS'")
        state = self.check_truth("baked")
        assert (state["first"], state["last"]) == (1, 250), "the cache from before"
        assert "of another bake are on the disk" in state["sentence"], state
        self.shot("reopened", self.window.ask("return places('PROPERTIES')"))

    def attach_and_resume(self):
        self.window.press("jounce.attach")
        self.window.wait("return shown_state({})['kind'] == 'partial'".format(OBJECT), "the other frames play")
        self.check_truth("partial")
        self.window.press("jounce.resume")
        self.window.wait("return {} is None".format(RUNNING), "the bake ends", 600)
        assert self.check_truth("baked")["last"] == 250


def main():
    first_wobble.check_page(SOURCE)
    artist = Artist(sys.argv[1])
    try:
        first_wobble.replay(first_wobble.INSTALL, artist)
        first_wobble.replay(first_wobble.FIRST_WOBBLE, artist)
        for act in (artist.free_and_undo, artist.close_with_save_in_mid_bake, artist.reopen, artist.attach_and_resume):
            print(act.__name__, flush=True)
            act()
    except BaseException:
        artist.shot("failed")
        raise
    finally:
        artist.window.close()
    print("pass")


main()
