"""Blender's own Alembic reader judges our archives, and we read what Blender exports.

    python test_abc_blender.py <abc_sample> <abc_dump>

abc_sample is the program built from abc_sample.c, abc_dump the one from abc_dump.c. The interpreter needs bpy.
Exit code 0: all passed; 1: a check failed; 77: bpy is not installed.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time

try:
    import bpy
except ImportError:
    print("skipped: bpy is not installed")
    sys.exit(77)
import numpy as np

FPS = 24
COLUMNS, ROWS = 4, 3
failures = []


def check(condition, what):
    print(("pass " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def to_blender(points):
    """From Alembic's Y up to Blender's Z up: (x, y, z) -> (x, -z, y)."""
    points = np.asarray(points)
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1)


def grid(time):
    """Positions and velocities of the grid of abc_sample.c, float32 as in the file."""
    positions, velocities = [], []
    for j in range(ROWS):
        for i in range(COLUMNS):
            positions.append((i + 0.1 * math.sin(time + i), j + 0.1 * math.cos(2 * time), 0.25 * math.sin(3 * time + j)))
            velocities.append((0.1 * math.cos(time + i), -0.2 * math.sin(2 * time), 0.75 * math.cos(3 * time + j)))
    return np.array(positions, np.float32), np.array(velocities, np.float32)


def evaluated(obj):
    return obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data


def points_of(mesh):
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def ulps(a, b):
    """Largest distance in units of the last place of float32."""
    a, b = np.asarray(a, np.float32), np.asarray(b, np.float32)
    return float(np.max(np.abs(a - b) / np.spacing(np.maximum(np.abs(a), np.abs(b)))))


def import_archive(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FPS
    result = bpy.ops.wm.alembic_import(filepath=path, set_frame_range=True)
    check(result == {"FINISHED"}, f"{os.path.basename(path)} imports")


def check_scene(path, frames):
    import_archive(path)
    scene = bpy.context.scene
    names = sorted(o.name for o in bpy.data.objects)
    check(names == ["cage", "prop", "shutter"], f"objects {names}")
    cage, prop = bpy.data.objects["cage"], bpy.data.objects["prop"]
    check(scene.frame_start == 1 and scene.frame_end in (frames, frames + 1),
          f"frame range {scene.frame_start} to {scene.frame_end} of {frames}")
    check(len(cage.data.polygons) == (COLUMNS - 1) * (ROWS - 1), "number of faces")
    check(bpy.data.cache_files[0].velocity_unit == "SECOND", "velocities are taken as units a second")
    worst, worst_velocity, moved = 0.0, 0.0, 0.0
    first = None
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        mesh = evaluated(cage)
        positions, velocities = grid(frame / FPS)
        read = points_of(mesh)
        worst = max(worst, ulps(read, to_blender(positions)))
        first = read if first is None else first
        moved = max(moved, float(np.max(np.abs(read - first))))
        attribute = mesh.attributes.get("velocity")
        if attribute is not None:
            flat = np.empty(3 * len(mesh.vertices), np.float32)
            attribute.data.foreach_get("vector", flat)
            worst_velocity = max(worst_velocity, ulps(flat.reshape(-1, 3), to_blender(velocities)))
        check(attribute is not None, f"velocity at frame {frame}") if frame == 1 else None
        if frame in (1, frames):
            world = cage.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
            check(abs(world.translation.x - 0.5 * frame / FPS) < 1e-6, f"transform at frame {frame}")
    check(worst <= 1.0, f"positions of {frames} frames within {worst:g} ulp")
    check(frames < 2 or moved > 0.01, f"the mesh moves by {moved:g}")
    check(worst_velocity <= 1.0, f"velocities within {worst_velocity:g} ulp")
    check_uvs(cage)
    check_faces(cage)
    expected = to_blender([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    check(ulps(points_of(prop.data), expected) <= 1.0, "constant mesh")
    location, rotation, scale = prop.matrix_world.decompose()
    check(np.allclose(location, to_blender([1, 2, 3]), atol=1e-6), "translation of translate, rotate, scale")
    check(np.allclose(scale, [2, 2, 2], atol=1e-6), "scale of translate, rotate, scale")
    check(abs(math.degrees(rotation.angle) - 30) < 1e-4, "rotation of translate, rotate, scale")


def check_uvs(cage):
    mesh = cage.data
    check(len(mesh.uv_layers) == 1, "one uv layer")
    layer = mesh.uv_layers[0]
    check(layer.name == "UVMap", f"uv layer {layer.name}")
    worst = 0.0
    for loop in mesh.loops:
        expected = ((loop.vertex_index % COLUMNS) / (COLUMNS - 1), (loop.vertex_index // COLUMNS) / (ROWS - 1))
        uv = layer.data[loop.index].uv
        worst = max(worst, abs(uv[0] - expected[0]), abs(uv[1] - expected[1]))
    check(worst < 1e-6, f"texture coordinates within {worst:g}")


def check_faces(cage):
    corners = [list(p.vertices) for p in cage.data.polygons]
    check(corners[0] == [0, 1, 5, 4], f"winding of the first face {corners[0]}")
    names = [m.name for m in cage.data.materials if m]
    slots = [p.material_index for p in cage.data.polygons]
    check(sorted(names) == ["back", "front"], f"face sets as materials {names}")
    check(slots[0] == slots[1] != slots[2] == slots[5], f"faces of the face sets {slots}")


def check_subframes(path, frames):
    """The triangle has samples at frame and frame + 1/2; x is the number of the sample."""
    import_archive(path)
    shutter = bpy.data.objects["shutter"]
    for step in range(2 * frames):
        bpy.context.scene.frame_set(1 + step // 2, subframe=0.5 * (step % 2))
        x = points_of(evaluated(shutter))[0][0]
        if abs(x - step) > 1e-4:
            check(False, f"sub-frame sample {step} reads {x}")
            return
    check(True, f"{2 * frames} sub-frame samples")


def check_killed(sample, path):
    """A writer that is killed while it writes leaves all finished frames, for Blender too."""
    writer = subprocess.Popen([sample, path, "100000", "100000"])
    while not os.path.exists(path):
        time.sleep(0.001)
    time.sleep(0.05)
    writer.kill()
    writer.wait()
    import_archive(path)
    frames = bpy.context.scene.frame_end - 1
    check(frames > 10, f"a killed writer left {frames} frames")
    cage = bpy.data.objects["cage"]
    worst = 0.0
    for frame in (1, 2, frames // 2, frames - 1, frames):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, ulps(points_of(evaluated(cage)), to_blender(grid(frame / FPS)[0])))
    check(worst <= 1.0, f"its frames are within {worst:g} ulp")


def check_kinds(path):
    """SubD with creases, curves and points, as written by abc_sample --kinds."""
    import_archive(path)
    objects = bpy.data.objects
    skin = objects["skin"]
    check(skin.type == "MESH" and len(skin.data.vertices) == 8, "SubD comes in as a mesh")
    creases = skin.data.attributes.get("crease_edge")
    check(creases is not None and max(d.value for d in creases.data) > 0, "its crease comes in")
    hair = objects["hair"]
    check(hair.type in {"CURVE", "CURVES"}, f"curves come in as {hair.type}")
    dust = objects["dust"]
    bpy.context.scene.frame_set(3)
    cloud = dust.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    count = len(cloud.points) if dust.type == "POINTCLOUD" else len(cloud.vertices)
    check(count == 4, f"points come in as {dust.type} with {count} points at frame 3")


def check_pc2(path):
    """The point cache attaches to a mesh with as many vertices."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = bpy.data.meshes.new("points")
    mesh.from_pydata([(0, 0, 0)] * (COLUMNS * ROWS), [], [])
    obj = bpy.data.objects.new("points", mesh)
    bpy.context.scene.collection.objects.link(obj)
    modifier = obj.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", path
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.frame_start = 1
    worst = 0.0
    for frame in (1, 2, 5):
        bpy.context.scene.frame_set(frame)
        worst = max(worst, ulps(points_of(evaluated(obj)), grid(frame / FPS)[0]))
    check(worst <= 1.0, f"point cache within {worst:g} ulp")


def export_from_blender(path, frames):
    """A waving, UV-mapped, subdivided plane under an animated parent, exported by Blender. Returns what it shows."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = 1, frames
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=6, y_subdivisions=5, size=2)
    plane = bpy.context.object
    plane.name = plane.data.name = "Cloth"
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    plane.parent = parent
    wave = plane.modifiers.new("Wave", "WAVE")
    wave.height, wave.width, wave.speed = 0.4, 0.8, 0.3
    for frame, x in ((1, 0.0), (frames, 3.0)):
        parent.location = (x, 1, 2)
        parent.keyframe_insert("location", frame=frame)
    bpy.ops.wm.alembic_export(filepath=path, start=1, end=frames, uvs=True, normals=True, face_sets=True)
    truth = []
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        mesh = evaluated(plane)
        truth.append((points_of(mesh).copy(), [list(p.vertices) for p in mesh.polygons],
                      [tuple(d.uv) for d in mesh.uv_layers[0].data],
                      np.array(plane.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)))
    return truth


def check_blender_export(dump, folder, frames):
    path = os.path.join(folder, "blender.abc")
    truth = export_from_blender(path, frames)
    result = subprocess.run([dump, path, "--ccw"], capture_output=True, text=True)
    check(result.returncode == 0, f"we read Blender's export {result.stderr.strip()}")
    if result.returncode:
        return
    meshes = [o for o in json.loads(result.stdout)["objects"] if o["schema"] == "AbcGeom_PolyMesh_v1"]
    check(len(meshes) == 1 and meshes[0]["path"].startswith("/Parent/"), f"path {[m['path'] for m in meshes]}")
    mesh = meshes[0]
    check(len(mesh["samples"]) == frames, f"{len(mesh['samples'])} samples")
    faces, start = [], 0
    for count in mesh["face_counts"]:
        faces.append(mesh["face_indices"][start:start + count])
        start += count
    check(faces == truth[0][1], "faces as in Blender")
    check(np.allclose(mesh["uvs"], truth[0][2], atol=1e-7), "texture coordinates as in Blender")
    worst = moved = 0.0
    for sample, (points, _, _, world) in zip(mesh["samples"], truth):
        read = to_blender(np.array(sample["positions"], np.float32))
        worst = max(worst, ulps(read, points))
        moved = max(moved, float(np.max(np.abs(points - truth[0][0]))))
        # rows act on Alembic's axes; the same point must land in the same place
        matrix = np.array(sample["world"]).reshape(4, 4)
        origin = to_blender(matrix[3, :3])
        check(np.allclose(origin, world[:3, 3], atol=1e-5), "transform") if sample is mesh["samples"][-1] else None
    check(moved > 0.01, f"Blender's mesh moves by {moved:g}")
    check(worst <= 1.0, f"positions within {worst:g} ulp of Blender's")


def main():
    sample, dump = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for finished, reserved in ((10, 10), (1, 20), (7, 20)):
            path = os.path.join(folder, f"ours_{finished}_{reserved}.abc")
            subprocess.run([sample, path, str(finished), str(reserved)], check=True)
            check_scene(path, finished)
        check_subframes(path, 7)
        # nothing finished yet: it still opens
        path = os.path.join(folder, "ours_0_20.abc")
        subprocess.run([sample, path, "0", "20"], check=True)
        import_archive(path)
        check("cage" in bpy.data.objects, "an archive without samples opens")
        check_killed(sample, os.path.join(folder, "killed.abc"))
        path = os.path.join(folder, "kinds.abc")
        subprocess.run([sample, path, "--kinds"], check=True)
        check_kinds(path)
        path = os.path.join(folder, "points.pc2")
        subprocess.run([sample, path, "--pc2"], check=True)
        check_pc2(path)
        check_blender_export(dump, folder, 8)
    print(f"Blender {bpy.app.version_string}: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
