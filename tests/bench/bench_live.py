"""Live in Blender without a window: milliseconds of a frame while the timeline plays, beside those of the animation alone.

    JN_TEST_BUILD=build python tests/bench/bench_live.py CesiumMan.glb [--vertices 5000] [--frames 48]

The character gets that many vertices by cutting its longest edges, then Add, Suggest and Live. A frame is scene.frame_set
with the reading of the shown mesh. Needs a Python with Blender's bpy package.
"""
import argparse
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "host"))
from blender_scene import evaluated_vertices, start_blender  # noqa: E402

import bmesh  # noqa: E402
import bpy  # noqa: E402


def character(path, vertex_count):
    bpy.ops.import_scene.gltf(filepath=path)
    found = next(obj for obj in bpy.context.scene.objects if obj.type == "MESH" and obj.find_armature())
    mesh = bmesh.new()
    mesh.from_mesh(found.data)
    longest = sorted(mesh.edges, key=lambda edge: edge.calc_length(), reverse=True)
    bmesh.ops.subdivide_edges(mesh, edges=longest[:max(vertex_count - len(mesh.verts), 0)], cuts=1)
    mesh.to_mesh(found.data)
    mesh.free()
    bpy.context.view_layer.objects.active = found
    return found


def play(obj, frames):
    """[(seconds, seconds of the processor)] of each frame but the first, at which simulations start."""
    found = []
    for frame in frames:
        began, worked = time.perf_counter(), time.process_time()
        bpy.context.scene.frame_set(frame)
        evaluated_vertices(obj)
        found.append((time.perf_counter() - began, time.process_time() - worked))
    return found[1:]


def report(name, times):
    for kind, column in (("", 0), (" of the processor", 1)):
        values = sorted(1e3 * entry[column] for entry in times)
        print("{:10} median {:5.1f} ms, nine of ten below {:5.1f} ms{}: {:.0f} frames a second".format(
            name, statistics.median(values), values[9 * len(values) // 10], kind, 1e3 / statistics.median(values)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("--vertices", type=int, default=5000)
    parser.add_argument("--frames", type=int, default=48)
    arguments = parser.parse_args()
    addon, obj = start_blender(), character(arguments.path, arguments.vertices)
    frames = range(1, arguments.frames + 1)
    bpy.context.scene.frame_end = arguments.frames
    report("animation", play(obj, frames))
    bpy.ops.jounce.add()
    bpy.ops.jounce.suggest()
    bpy.ops.jounce.live()
    for turn in ("first", "again"):
        began = time.process_time()
        bpy.context.scene.frame_set(1)
        print("start, {}: {:.2f} s of the processor".format(turn, time.process_time() - began))
        report("live", play(obj, frames))
    print("{} vertices; {}".format(len(obj.data.vertices), addon.live.status_lines(obj)[0][0]))


main()
