"""docs/blender.md from install to playback, by the operators that its buttons call; tests/window does it by mouse and keys."""
import os
import sys

from blender_scene import WindowBake, baked_range, check_playback, evaluated_vertices, keyframe, start_blender
from harness import environment, largest_difference, run

sys.path.insert(0, os.path.join(environment("JN_TEST_SOURCE"), "tests", "window"))
import first_wobble  # noqa: E402

import bpy

FRAMES, RESOLUTION = 20, 8  # the page has 250 and 16, in a few more seconds


class Script:
    """The steps of the page, without a window."""

    def install(self):
        self._addon = start_blender()

    def delete_cube(self):
        assert not bpy.data.objects, "start_blender begins without it"

    def add_monkey(self):
        bpy.context.scene.frame_end = FRAMES
        bpy.ops.mesh.primitive_monkey_add()
        self._monkey = bpy.context.object

    def frame(self):
        """There is no view."""

    def save(self):
        bpy.ops.wm.save_mainfile()

    def animate(self):
        keyframe(self._monkey, "location", {1: (0, 0, 0), 12: (1, 0, 0)})

    def add_jounce(self):
        assert bpy.ops.jounce.add() == {"FINISHED"}
        self._monkey.jounce.resolution = RESOLUTION
        assert self._addon.forecast.check(bpy.context, self._monkey).warnings == [], "the material holds its shape"

    def weight_paint(self):
        bpy.ops.object.mode_set(mode="WEIGHT_PAINT")

    def paint(self):
        group = self._monkey.vertex_groups.new(name="Group")
        for vertex in self._monkey.data.vertices:
            if vertex.co.z > 0.7:
                group.add([vertex.index], min((vertex.co.z - 0.7) / 0.2, 1.0), "REPLACE")

    def choose_pins(self):
        self._monkey.jounce.pin_group = "Group"

    def bake(self):
        self._bake = WindowBake(self._addon)

    def orbit(self):
        assert self._bake.send("MIDDLEMOUSE") == {"PASS_THROUGH"}, "looking around is allowed"

    def stop(self):
        while self._bake.session.state.frames_done < 3:
            self._bake.send("TIMER")
        self._bake.send("ESC")
        self._bake.run()
        first, last = baked_range(self._addon, self._monkey)
        assert first == 1 and 3 <= last

    def resume(self):
        if baked_range(self._addon, self._monkey)[1] < FRAMES:
            assert bpy.ops.jounce.resume() == {"FINISHED"}
        assert baked_range(self._addon, self._monkey) == (1, FRAMES)

    def play(self):
        frames = check_playback(self._addon, self._monkey)
        assert largest_difference(frames[15], frames[0]) > 0.05, "it wobbles"
        bpy.context.scene.frame_set(1)
        modelled = [value for vertex in self._monkey.data.vertices for value in vertex.co]
        assert largest_difference(evaluated_vertices(self._monkey), modelled) < 1e-6, "it starts as modelled"


def test_blender_first_wobble_of_the_page_is_what_the_tests_do():
    first_wobble.check_page(environment("JN_TEST_SOURCE"))


def test_blender_first_wobble_by_operators():
    script = Script()
    first_wobble.replay(first_wobble.INSTALL, script)
    first_wobble.replay(first_wobble.FIRST_WOBBLE, script)


run(globals())
