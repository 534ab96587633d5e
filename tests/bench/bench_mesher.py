"""The mesher beside others, on a folder of surfaces: time, smallest dihedral angle, volume error, success.

    python3 tests/bench/bench_mesher.py build/jounce FOLDER_OR_FILE.. [--resolution 30] [--others [--limit 300]]
    python3 tests/bench/bench_mesher.py build/jounce FILE --linear
    python3 tests/bench/bench_mesher.py build/jounce FOLDER_OR_FILE.. --drop [--resolution 6]

Ours needs nothing else. With --others, packages from PyPI are measured too, each if it is installed: `pip install
pytetwild` (fTetWild), `pip install tetgen` (TetGen through PyVista), both with numpy. Every surface is given to them as
triangles, welded, as their own tutorials do. `right` means: tets came out, none inverted, and the volume is within 2 % of
the surface's where the surface is closed (volume by winding number, as `jounce mesh` measures it). Times are processor
time of all threads, so that they can be compared on busy machines. --linear meshes one file
over a range of resolutions and prints the time per tet: constant means linear growth. --drop lets every body fall on a
floor for 48 frames, from a tenth of its height.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

ENDINGS = (".obj", ".ply", ".glb")


def children_seconds():
    """Processor time of the programs that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def ours(jounce, path, resolution, output=None):
    command = [jounce, "mesh", path, "--resolution", str(resolution), "--json"]
    begin = children_seconds()
    result = subprocess.run(command + (["-o", output] if output else []), capture_output=True, text=True)
    seconds = children_seconds() - begin
    if result.returncode:
        return {"seconds": seconds, "message": result.stderr.strip()}
    report = json.loads(result.stdout)
    filling = report["filling"]
    closed = not any(finding["name"] in ("open_loops", "sheets") for finding in filling["findings"])
    return {"seconds": seconds, "tets": report["tets"], "angle": filling["smallest_angle"], "inverted": 0,
            "volume": filling["volume"], "truth": filling["surface_volume"], "closed": closed}


def angles(points, tets):
    """Smallest dihedral angle in degrees, number of inverted tets, volume."""
    import numpy
    corners = points[tets]
    volume = numpy.einsum("ij,ij->i", corners[:, 1] - corners[:, 0],
                          numpy.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 0])) / 6
    if volume.sum() < 0:
        volume = -volume
    normals = []
    for a, b, c, d in ((1, 2, 3, 0), (0, 3, 2, 1), (0, 1, 3, 2), (0, 2, 1, 3)):
        normal = numpy.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a])
        side = numpy.einsum("ij,ij->i", normal, corners[:, d] - corners[:, a])
        normal[side > 0] *= -1
        normals.append(normal / numpy.maximum(numpy.linalg.norm(normal, axis=1), 1e-300)[:, None])
    smallest = 180.0
    for i in range(4):
        for j in range(i + 1, 4):
            cosine = numpy.clip(-numpy.einsum("ij,ij->i", normals[i], normals[j]), -1, 1)
            smallest = min(smallest, float(numpy.degrees(numpy.arccos(cosine)).min()))
    return smallest, int((volume <= 0).sum()), float(volume.sum())


def triangles_of(jounce, path):
    """Points and triangles of a file, by our own reader, so that all are given the same."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "surface.obj")
        subprocess.run([jounce, "mesh", path, "-o", plain], check=True, capture_output=True)
        points, faces = [], []
        for line in open(plain, encoding="utf-8"):
            words = line.split()
            if words and words[0] == "v":
                points.append([float(word) for word in words[1:4]])
            elif words and words[0] == "f":
                corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
                faces += [[corners[0], corners[i], corners[i + 1]] for i in range(1, len(corners) - 1)]
    points, inverse = numpy.unique(numpy.array(points), axis=0, return_inverse=True)
    faces = inverse.reshape(-1)[numpy.array(faces)]
    keep = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return points, faces[keep]


def tetwild(points, faces):
    import numpy
    import pytetwild
    return pytetwild.tetrahedralize(points.astype(numpy.float64), faces.astype(numpy.int32), optimize=True)


def tetgen(points, faces):
    import numpy
    import tetgen as package
    mesher = package.TetGen(points, faces.astype(numpy.int32))
    result = mesher.tetrahedralize(order=1, mindihedral=10, minratio=1.5)
    return result[0], result[1]


PEERS = {"pytetwild": tetwild, "tetgen": tetgen}


def peer(name, jounce, path, limit):
    """In a process and a folder of its own: some crash, some never end, and some leave files."""
    begin = time.time()
    command = [sys.executable, os.path.abspath(__file__), os.path.abspath(jounce), os.path.abspath(path), "--peer", name]
    try:
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(command, capture_output=True, text=True, timeout=limit, cwd=folder)
        line = result.stdout.strip().split("\n")[-1] if result.returncode == 0 else ""
        if line.startswith("{"):
            return json.loads(line)
        message = result.stderr.strip().split("\n")[-1][:80]
    except subprocess.TimeoutExpired:
        message = "more than {:g} s".format(limit)
    return {"seconds": time.time() - begin, "message": message}


def run_peer(name, jounce, path):
    points, faces = triangles_of(jounce, path)
    begin = time.process_time()
    nodes, tets = PEERS[name](points, faces)[:2]
    seconds = time.process_time() - begin
    angle, inverted, volume = angles(nodes, tets)
    print(json.dumps({"seconds": seconds, "tets": len(tets), "angle": angle, "inverted": inverted, "volume": volume}))


def is_right(result, truth):
    if "message" in result or result["inverted"]:
        return False
    return not truth["closed"] or abs(result["volume"] / truth["truth"] - 1) < 0.02


def row(name, result, truth):
    if "message" in result:
        return "  {:10} {:7.1f} s  {}".format(name, result["seconds"], result["message"])
    error = 100 * (result["volume"] / truth["truth"] - 1) if truth.get("truth") else float("nan")
    return "  {:10} {:7.1f} s {:9,} tets  {:5.1f} degrees  {:+8.2f} %  {}".format(
        name, result["seconds"], result["tets"], result["angle"], error,
        "right" if is_right(result, truth) else "wrong" if truth["closed"] else "wrong: inverted tets")


def median(values):
    return sorted(values)[len(values) // 2] if values else float("nan")


def surfaces(folders):
    found = [path for folder in folders for path in glob.glob(os.path.join(folder, "**", "*"), recursive=True)]
    return sorted(path for path in found + folders if os.path.isfile(path) and path.endswith(ENDINGS))


def compare(jounce, folders, resolution, others, limit):
    totals = {}
    for path in surfaces(folders):
        print(os.path.basename(path), flush=True)
        truth = ours(jounce, path, resolution)
        if "message" in truth:
            print("  " + truth["message"])
            continue
        results = {"jounce": truth}
        for name in others:
            results[name] = peer(name, jounce, path, limit)
        for name, result in results.items():
            print(row(name, result, truth), flush=True)
            totals.setdefault(name, []).append((is_right(result, truth), result))
    print()
    for name, results in totals.items():
        made = [result for _, result in results if "message" not in result]
        print("{:10} right {} of {}, median {:.1f} s, smallest angle {:.1f} degrees".format(
            name, sum(right for right, _ in results), len(results), median([result["seconds"] for result in made]),
            min((result["angle"] for result in made), default=float("nan"))))


def drop_scene(path, low, high, resolution):
    size = max(high[axis] - low[axis] for axis in range(3))
    return {"jounce": 1, "units": {"metres_per_unit": 1 / size}, "frames": {"count": 48, "steps_per_frame": 4},
            "bodies": [{"name": "body", "mesh": path, "resolution": resolution,
                        "transform": {"translate": [0, 0.1 * size - low[1], 0]},
                        "material": {"preset": "rubber", "young_modulus": 1e5}}],
            "colliders": [{"name": "floor", "kind": "plane", "friction": 0.5}]}


def drop(jounce, folders, resolution):
    failed = 0
    for path in surfaces(folders):
        points = triangles_of(jounce, path)[0]
        with tempfile.TemporaryDirectory() as folder:
            scene = os.path.join(folder, "scene.json")
            with open(scene, "w", encoding="utf-8") as file:
                json.dump(drop_scene(os.path.abspath(path), points.min(axis=0).tolist(), points.max(axis=0).tolist(),
                                     resolution), file)
            begin = time.time()
            result = subprocess.run([jounce, "bake", scene, "-o", os.path.join(folder, "out.abc")], capture_output=True,
                                    text=True)
        failed += result.returncode != 0
        print("{:36} {:6.1f} s  {}".format(os.path.basename(path), time.time() - begin, "48 frames"
                                           if result.returncode == 0 else result.stderr.strip()[-200:]), flush=True)
    print("{} failed".format(failed))


def linear(jounce, path):
    for resolution in (8, 12, 16, 24, 32, 48):
        result = ours(jounce, path, resolution)
        print("resolution {:3}  {:9,} tets  {:6.2f} s  {:6.1f} us a tet".format(
            resolution, result["tets"], result["seconds"], 1e6 * result["seconds"] / result["tets"]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jounce")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--resolution", type=float)
    parser.add_argument("--drop", action="store_true")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--limit", type=float, default=300, help="seconds that another mesher may take for a file")
    parser.add_argument("--linear", action="store_true")
    parser.add_argument("--peer", choices=PEERS)
    arguments = parser.parse_args()
    if arguments.peer:
        run_peer(arguments.peer, arguments.jounce, arguments.paths[0])
    elif arguments.drop:
        drop(arguments.jounce, arguments.paths, arguments.resolution or 6)
    elif arguments.linear:
        linear(arguments.jounce, arguments.paths[0])
    else:
        others = []
        for name in PEERS if arguments.others else ():
            try:
                __import__(name)
                others.append(name)
            except ImportError:
                print("{} is not installed: pip install {}".format(name, name))
        compare(arguments.jounce, arguments.paths, arguments.resolution or 30, others, arguments.limit)


if __name__ == "__main__":
    main()
