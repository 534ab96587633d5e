"""What the add-on adds to the core's own time at 10,000 vertices: headless, and in a window that draws meanwhile.

    sh tests/window/run.sh official cost

The shot has 96 frames: opening the session and drawing the first and the last picture take the same seconds in a short one.

Prints seconds of the core alone with inputs that were read before, of the operator without a window, and of Bake pressed by
mouse, several rounds of each in turn, and the ratios of the quickest ones.
"""
import os
import shutil
import subprocess
import time

from window import Window

BUILD = os.environ["JN_TEST_BUILD"]
FRAMES, ROUNDS = 96, 2
RUNNING = "addon().bake_operators.running()"

SCENE = """
for obj in list(bpy.data.objects):
    bpy.data.objects.remove(obj)
with bpy.context.temp_override(window=window(), area=areas("VIEW_3D")[0]):
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6, radius=0.5)
ball = bpy.context.object
ball.vertex_groups.new(name="Top").add([v.index for v in ball.data.vertices if v.co.z > 0.3], 1.0, "REPLACE")
for frame, x in ((1, 0.0), (10, 1.0), (20, 0.0)):
    ball.location.x = x
    ball.keyframe_insert("location", frame=frame)
bpy.context.scene.frame_end = {frames}
bpy.ops.wm.save_as_mainfile(filepath={file!r})
bpy.ops.jounce.add()
ball.jounce.pin_group = "Top"
areas("PROPERTIES")[0].spaces[0].context = "PHYSICS"
return len(ball.data.vertices)"""

CORE = """
import time
ball, jounce = bpy.context.object, addon()
reader = jounce.scene_reader.BakeReader(bpy.context, ball)
description = dict(reader.description(bpy.context), output_path={file!r} + ".abc")
inputs = [reader.inputs(bpy.context, frame) for frame in range(1, {frames} + 1)]
reader.close()
start = time.monotonic()
with jounce.jounce.Bake(description) as bake:
    for frame in bake.frames():
        bake.advance(frame, **inputs[int(frame) - 1])
return time.monotonic() - start"""

OPERATOR = """
import time
start = time.monotonic()
bpy.ops.jounce.bake()
return time.monotonic() - start"""

# Draws are counted and timed where Blender draws the 3D view.
COUNT_DRAWS = """
import time
globals().setdefault("draws", [])
def began(): draws.append([time.monotonic(), None])
def ended(): draws[-1][1] = time.monotonic()
bpy.types.SpaceView3D.draw_handler_add(began, (), "WINDOW", "PRE_VIEW")
bpy.types.SpaceView3D.draw_handler_add(ended, (), "WINDOW", "POST_PIXEL")"""


def main():
    folder = os.path.join(BUILD, "window", "cost")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    window = Window(folder, os.path.join(folder, "home"))
    words = {"frames": FRAMES, "file": os.path.join(folder, "cost.blend")}
    try:
        window.install_addon(BUILD)
        print("vertices:", window.ask(SCENE.format(**words)), flush=True)
        window.wait("return addon().forecast.of(bpy.context, bpy.context.object) is not None", "the forecast is there")
        window.ask(COUNT_DRAWS)
        found = {"core": [], "operator": [], "window": []}
        for _ in range(ROUNDS):
            found["core"].append(window.ask(CORE.format(**words)))
            found["operator"].append(window.ask(OPERATOR))
            found["window"].append(press_bake(window))
            print({name: [round(value, 2) for value in values] for name, values in found.items()}, flush=True)
        best = {name: min(values) for name, values in found.items()}
        for name in ("operator", "window"):
            print("{} adds {:.0f} %".format(name, 100 * (best[name] / best["core"] - 1)))
    finally:
        window.close()


def press_bake(window):
    place = window.find("bpy.ops.jounce.bake()")
    window.ask("draws.clear()")
    start = time.monotonic()
    subprocess.run(["xdotool", "click", "1"], check=True)
    window.wait("return {} is not None".format(RUNNING), "the bake begins")
    window.wait("return {} is None".format(RUNNING), "the bake ends", 900)
    seconds = time.monotonic() - start
    assert window.ask("return addon().state.of(bpy.context, bpy.context.object).last") == FRAMES, place
    count, drawing = window.ask("return [len(draws), sum(end - start for start, end in draws if end)]")
    print("  drawn {} times in {:.1f} s, which took {:.1f} s".format(count, seconds, drawing), flush=True)
    return seconds


if __name__ == "__main__":
    main()
