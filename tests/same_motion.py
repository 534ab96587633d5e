"""Whether two builds bake the same motion: for changes that must not move a vertex.

    python3 tests/same_motion.py OLD_BUILD NEW_BUILD [--frames N] [--only TEXT]

Bakes every sample scene, and small scenes that together use every integrator, body kind and setting of the start pose,
with both builds, and compares the caches byte for byte. Where only the receipt in them differs (another version, hash or
list of settings), they count as the same motion, and the line says so. Exit code 1 if any motion differs.
"""
import argparse
import copy
import json
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

BAR = {
    "jounce": 1,
    "frames": {"count": 8, "steps_per_frame": 3},
    "bodies": [{
        "name": "bar",
        "mesh": {"shape": "beam", "size": [1, 0.25, 0.25], "cells": [8, 2, 2]},
        "transform": {"translate": [0, 0.3, 0], "rotate": [0, 0, -12]},
        "material": {"young_modulus": 3e4, "poisson_ratio": 0.45, "stiffness_damping": 0.002, "mass_damping": 0.1},
        "weights": {"start": {"field": "start"}, "end": {"field": "end"}, "ramp": {"ramp": [[0, 0, 0], [1, 0, 0]]}},
        "regions": [{"weights": "start", "effect": "pin"}, {"weights": "end", "effect": "goal", "value": 40},
                    {"weights": "ramp", "effect": "stiffness", "value": 0.4},
                    {"weights": "ramp", "effect": "density", "value": 1.5}],
        "animation": {"keys": [{"frame": 1}, {"frame": 5, "translate": [0, 0.1, 0], "rotate": [0, 10, 25]}]},
        "forces": [{"weights": "end", "force": [0, 3, 5], "from": 2, "to": 4}],
    }],
    "colliders": [{"name": "floor", "kind": "plane", "friction": 0.6,
                   "animation": {"keys": [{"frame": 1}, {"frame": 8, "translate": [0.05, 0.1, 0]}]}}],
}
CLOTH = {
    "jounce": 1,
    "frames": {"count": 8, "steps_per_frame": 4},
    "world": {"wind": [4, 0, 2], "air_density": 1.2},
    "bodies": [{
        "name": "cloth", "kind": "textile",
        "mesh": {"shape": "cloth", "size": [1, 0.7, 1], "cells": [10, 7, 1]},
        "material": {"stiffness_damping": 0.001},
        "weights": {"pole": {"field": "start"}},
        "regions": [{"weights": "pole", "effect": "pin"}],
    }],
}


def vary(scene, **changes):
    """A copy of the scene with values at dotted paths replaced: integrator__method="be"."""
    scene = copy.deepcopy(scene)
    for path, value in changes.items():
        place = scene
        *parents, last = path.split("__")
        for key in parents:
            place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
        place[last] = value
    return scene


def small_scenes(methods):
    bar_body, cloth_body = "bodies__0__", "bodies__0__"
    for method in methods:
        yield f"bar {method}", vary(BAR, integrator__method=method)
        yield f"cloth {method}", vary(CLOTH, integrator__method=method)
        yield f"bar {method} without safeguards", vary(BAR, integrator__method=method, integrator__safeguards=False)
        yield f"bar {method} consistent mass", vary(BAR, integrator__method=method, integrator__consistent_mass=True)
    for method in ("si", "ssdirk", "be"):
        yield f"bar {method} refactored", vary(BAR, integrator__method=method, integrator__reuse_factor=False)
        yield f"bar {method} tolerance", vary(BAR, integrator__method=method, integrator__error_tolerance=1e-4)
        yield f"bar {method} rest follows", vary(
            BAR, integrator__method=method, **{bar_body + "rest_follows_animation": 0.7})
        yield f"bar {method} settled", vary(BAR, integrator__method=method, **{bar_body + "settle": True})
        yield f"bar {method} keeps its shape", vary(
            BAR, integrator__method=method,
            **{bar_body + "keep_shape": True, bar_body + "material__young_modulus": 2e5, "colliders": []})
        yield f"bar {method} keys", vary(
            BAR, integrator__method=method,
            **{bar_body + "keys": [{"frame": 1, "stiffness": 1, "goal": 1, "pin": 1},
                                   {"frame": 4, "stiffness": 3, "goal": 0.2, "pin": 0.5},
                                   {"frame": 7, "stiffness": 1, "goal": 2, "pin": 0}],
               "world__gravity": {"keys": [{"frame": 1, "value": [0, -9.81, 0]}, {"frame": 6, "value": [3, 0, 0]}]}})
        yield f"bar {method} settle_seconds", vary(
            BAR, integrator__method=method,
            **{bar_body + "material": {"young_modulus": 3e4, "settle_seconds": 4}, "frames__samples_per_frame": 3})
        yield f"cloth {method} rest follows", vary(
            CLOTH, integrator__method=method,
            **{cloth_body + "rest_follows_animation": 1,
               cloth_body + "animation": {"keys": [{"frame": 1}, {"frame": 8, "scale": 1.2}]}})
        two = vary(BAR, integrator__method=method)
        second = copy.deepcopy(two["bodies"][0])
        second.update(name="second", settle=True)
        second["transform"] = {"translate": [0, 0.8, 0]}
        two["bodies"].append(second)
        yield f"two bars {method}, one settled", two
    for law in ("linear", "corotational", "arap", "stvk", "neohooke"):
        yield f"bar {law}", vary(BAR, **{bar_body + "material__law": law})
    for kind, mesh in (("spring_solid", {"shape": "beam", "cells": [6, 2, 2]}),
                       ("fibres", {"shape": "fibres", "cells": [5, 3, 3]}),
                       ("girders", {"shape": "cloth", "cells": [5, 4, 1]})):
        body = {"name": "springs", "kind": kind, "mesh": mesh, "weights": {"start": {"field": "start"}},
                "regions": [{"weights": "start", "effect": "pin"}]}
        for method in ("si", "be"):
            yield f"{kind} {method}", {"jounce": 1, "frames": {"count": 6}, "integrator": {"method": method},
                                       "bodies": [body]}


# ------------------------------------------------------------------------------------------------ caches

def children(archive, position):
    """The children of an Ogawa group: ("group", position) or ("data", bytes)."""
    count, = struct.unpack_from("<Q", archive, position)
    for child, in struct.iter_unpack("<Q", archive[position + 8:position + 8 + 8 * count]):
        start = child & ~(1 << 63)
        if child >> 63 and start:
            size, = struct.unpack_from("<Q", archive, start)
            yield "data", archive[start + 8:start + 8 + size]
        elif start:
            yield "group", start
        else:
            yield "data", b""


def property_data(archive, position):
    for kind, value in children(archive, position):
        if kind == "data":
            yield "data", value
        else:
            yield from property_data(archive, value)


def object_data(archive, position):
    """An object is its properties, its child objects, and their headers with a digest of both at the end."""
    parts = list(children(archive, position))
    yield from property_data(archive, parts[0][1])
    for _, child in parts[1:-1]:
        yield from object_data(archive, child)
    yield "headers", parts[-1][1]


def data_blocks(archive):
    """Every piece of data of an Alembic archive in the order of its tree: (kind, bytes)."""
    root, = struct.unpack_from("<Q", archive, 8)
    parts = list(children(archive, root))
    blocks = list(object_data(archive, parts[2][1]))
    return blocks + [("data", value) for kind, value in parts if kind == "data"]


def compare_archives(a, b):
    """"same", "same but for the receipt", or what differs."""
    if a == b:
        return "same"
    blocks = data_blocks(a), data_blocks(b)
    if len(blocks[0]) != len(blocks[1]):
        return f"DIFFERENT: {len(blocks[0])} and {len(blocks[1])} pieces of data"
    receipts = [b'"input_hash"' in x and b'"input_hash"' in y for (_, x), (_, y) in zip(*blocks)]
    receipt_differs = any(is_receipt and x != y for is_receipt, x, y in zip(receipts, *blocks))
    for index, ((kind, x), (_, y)) in enumerate(zip(*blocks)):
        is_digest = kind == "headers" and receipt_differs and len(x) == len(y) and x[:-32] == y[:-32]
        if x != y and not receipts[index] and not is_digest:
            return f"DIFFERENT: piece {index} of {len(blocks[0])}, {len(x)} and {len(y)} bytes"
    return "same but for the receipt"


def compare(old, new):
    return compare_archives(old.read_bytes(), new.read_bytes())


def check_the_judge(path):
    """A byte changed anywhere in a sample must be seen, with another receipt too."""
    archive = path.read_bytes()
    hash_at = archive.index(b'"input_hash":"') + len(b'"input_hash":"')
    other = bytearray(archive)
    other[hash_at] = ord("0") if other[hash_at] != ord("0") else ord("1")
    assert compare_archives(archive, bytes(other)) == "same but for the receipt"
    samples = [value for kind, value in data_blocks(archive) if kind == "data" and b'"input_hash"' not in value]
    sample = max(samples, key=len)
    for offset in (16, len(sample) // 2, len(sample) - 1):
        moved = bytearray(other)
        moved[archive.index(sample) + offset] ^= 1
        assert compare_archives(archive, bytes(moved)).startswith("DIFFERENT"), offset


def bake(build, scene, output, *options):
    return subprocess.run([str(build / "jounce"), "bake", "-q", str(scene), "-o", str(output), *options],
                          capture_output=True, text=True)


def bake_interrupted(build, scene, output):
    """Stops a bake after its second frame, then resumes it."""
    process = subprocess.Popen([str(build / "jounce"), "bake", "--json", str(scene), "-o", str(output)],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if '"frame":2' in line.replace(" ", ""):
            process.send_signal(signal.SIGTERM)
    process.wait()
    return bake(build, scene, output, "--resume")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=12, help="at most this many of each sample scene")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    arguments = parser.parse_args()
    old, new = arguments.old.resolve(), arguments.new.resolve()
    tables = json.loads(subprocess.check_output([str(new / "jounce"), "list", "--json"]))
    methods = [entry["name"] for entry in tables["integrators"]]
    counts = {}

    def judge(name, verdict):
        counts[verdict.split(":")[0]] = counts.get(verdict.split(":")[0], 0) + 1
        if verdict not in ("same", "same but for the receipt"):
            print(f"{name}: {verdict}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        cases = []
        for path in sorted((ROOT / "sample_scenes").glob("*/scene.json")):
            count = json.loads(path.read_text())["frames"]["count"]
            cases.append((path.parent.name, path, ["--frames", str(min(count, arguments.frames))]))
        for number, (name, scene) in enumerate(small_scenes(methods)):
            path = folder / f"{number}.json"
            path.write_text(json.dumps(scene))
            cases.append((name, path, []))
        for name, path, options in cases:
            if arguments.only not in name:
                continue
            outputs = folder / "old.abc", folder / "new.abc"
            runs = [bake(build, path, output, *options) for build, output in zip((old, new), outputs)]
            if runs[0].returncode or runs[1].returncode:
                same = runs[0].returncode == runs[1].returncode
                judge(name, f"same refusal: {runs[0].stderr.strip()}" if same else f"DIFFERENT exit codes: {runs[0].returncode}, "
                      f"{runs[1].returncode}: {runs[0].stderr}{runs[1].stderr}")
            if all(output.exists() for output in outputs):
                judge(name, compare(*outputs))
                check_the_judge(outputs[1])
            if not options and not runs[1].returncode:
                resumed = folder / "resumed.abc"
                run = bake_interrupted(new, path, resumed)
                judge(f"{name}, resumed", "DIFFERENT: " + run.stderr if run.returncode
                      else "same" if resumed.read_bytes() == outputs[1].read_bytes() else "DIFFERENT from uninterrupted")
            for leftover in folder.glob("*.abc*"):
                leftover.unlink()
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    return any(verdict.startswith("DIFFERENT") for verdict in counts)


if __name__ == "__main__":
    sys.exit(main())
