"""The effect fast with every kind of body, on a body that touches itself, and on a fish that its rig swims.

Each is baked with large steps, with the fast region, and with its small steps for all: the region must come nearer to
the last than large steps do.
"""
import json
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import Skip, environment, run

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce import Bake

RATIO = 12


def grid(columns, rows, cell):
    """A sheet of squares: positions, face_sizes, face_vertices."""
    points = [(i * cell, j * cell, 0.0) for j in range(rows + 1) for i in range(columns + 1)]
    faces = [v for j in range(rows) for i in range(columns)
             for v in (j * (columns + 1) + i, j * (columns + 1) + i + 1,
                       (j + 1) * (columns + 1) + i + 1, (j + 1) * (columns + 1) + i)]
    return {"positions": points, "face_sizes": [4] * (len(faces) // 4), "face_vertices": faces}


def cells_to_tets(cells, size):
    """Six tets for every cell, given by its lowest corner."""
    numbers, points, tets = {}, [], []
    for cell in cells:
        for order, turned in (((0, 1, 2), 0), ((1, 2, 0), 0), ((2, 0, 1), 0), ((0, 2, 1), 1), ((1, 0, 2), 1), ((2, 1, 0), 1)):
            corner, tet = list(cell), []
            for axis in (None,) + order:
                if axis is not None:
                    corner[axis] += 1
                if tuple(corner) not in numbers:
                    numbers[tuple(corner)] = len(points)
                    points.append(tuple(size * c for c in corner))
                tet.append(numbers[tuple(corner)])
            tets.append([tet[0], tet[2], tet[1], tet[3]] if turned else tet)
    return {"positions": points, "tet_vertices": tets}


def bake(body, points, fast, ratio, steps, frames, move=None, **scene):
    """Positions of all frames, and what was touched. fast, pinned: of each point, 0 or 1."""
    regions = [dict(region) for region in body["regions"]]
    if ratio > 1:
        regions.append({"name": "fast", "effect": "fast", "value": ratio, "weights": [float(f) for f in fast]})
    desc = {"bodies": [dict(body, name="body", regions=regions)], "frame_count": frames, "fps": 24, "thread_count": 1,
            "gravity": (0, -9.81, 0), "steps_per_frame": steps, "integrator": "si"}
    desc.update(scene)
    positions, touched, overlaps = [], 0, 0
    with Bake(desc) as baking:
        assert ratio == 1 or "for all" not in baking.choice, baking.choice
        for frame in baking.frames():
            baking.advance(frame, bodies=[{"targets": move(frame, points)}] if move else None)
            positions.append(list(baking.positions()))
            contact = baking.contact()
            touched += contact["contact_count"]
            overlaps += contact["overlap_count"]
    return positions, touched, overlaps


def off(first, second, from_x):
    """Of what begins at this x and beyond."""
    chosen = [i for i in range(len(second[0])) if second[0][3 * (i // 3)] >= from_x]
    return math.sqrt(sum((p[i] - q[i]) ** 2 for p, q in zip(first, second) for i in chosen))


def compare(body, points, fast, steps=1, frames=8, from_x=-math.inf, **more):
    """How far large steps, and those with the region, are from small steps for all; and what the latter touched."""
    large, _, _ = bake(body, points, fast, 1, steps, frames, **more)
    regional, touched, overlaps = bake(body, points, fast, RATIO, steps, frames, **more)
    small, _, _ = bake(body, points, fast, 1, RATIO * steps, frames, **more)
    assert off(large, small, from_x) > 0
    return off(large, small, from_x), off(regional, small, from_x), touched, overlaps


def check_ripple(body, points, from_x, most):
    """The free end, from there on, ripples: quick waves, which large steps damp. most: the part of their error left."""
    length = max(p[0] for p in points) - from_x
    waves = [(0, math.sin(4 * math.pi * max(0, p[0] - from_x) / length), 0) for p in points]
    body = dict(body, start_velocities=waves,
                regions=[{"name": "pin", "effect": "pin", "weights": [float(p[0] < 1e-6) for p in points]}])
    large, regional, _, _ = compare(body, points, [p[0] > from_x for p in points], steps=4, frames=3, from_x=from_x + 0.3 * length, gravity=(0, 0, 0))
    assert regional < most * large, (regional, large)


def test_fast_region_of_a_textile_moves_as_with_small_steps():
    sheet = grid(40, 6, 0.025)
    check_ripple({"kind": "textile", "surface": sheet, "material": {"density": 300}}, sheet["positions"], 0.6, 0.6)


def test_fast_region_of_girders_moves_as_with_small_steps():
    sheet = grid(40, 4, 0.025)
    check_ripple({"kind": "girders", "surface": sheet, "material": {"density": 300, "young_modulus": 1e7}},
                 sheet["positions"], 0.6, 0.8)


def test_fast_region_of_a_spring_solid_moves_as_with_small_steps():
    tets = cells_to_tets([(i, j, k) for i in range(30) for j in range(2) for k in range(2)], 0.03)
    check_ripple({"kind": "spring_solid", "tets": tets, "material": {"young_modulus": 1e5}}, tets["positions"], 0.6, 0.6)


def test_fast_region_of_fibres_lets_all_take_small_steps_and_says_so():
    points = [(0.02 * i, 0.0, 0.02 * k) for k in range(4) for i in range(12)]
    curves = {"positions": points, "curve_sizes": [12] * 4, "curve_vertices": list(range(48))}
    fast = {"name": "tips", "effect": "fast", "value": 5, "weights": [float(p[0] > 0.15) for p in points]}
    with Bake({"bodies": [{"name": "hair", "kind": "fibres", "curves": curves, "regions": [fast]}], "fps": 24,
               "frame_count": 2, "steps_per_frame": 2}) as baking:
        assert baking.choice.endswith("for all, 10 a frame: fibres turn in every one of them"), baking.choice


def head_with_ear():
    """A C of cells: a slab, a post at one end, and an ear that hangs over the slab."""
    cells = [(i, j, k) for i in range(8) for j in range(5) for k in range(2) if j in (0, 1, 4) or i < 2]
    return cells_to_tets(cells, 0.05)


def test_fast_ear_falls_on_its_own_head():
    tets = head_with_ear()
    points = tets["positions"]
    body = {"tets": tets, "self_contact": 1, "friction": 0.3,
            "material": {"young_modulus": 3e3, "poisson_ratio": 0.35, "stiffness_damping": 0.001},
            "regions": [{"name": "pin", "effect": "pin", "weights": [float(p[1] < 0.01) for p in points]}]}
    ear = [p[1] > 0.19 and p[0] > 0.11 for p in points]
    large, regional, touched, overlaps = compare(body, points, ear, steps=2, frames=10)
    assert regional < 0.6 * large, (regional, large)
    assert touched > 0 and overlaps == 0


class Fish:
    """Two bones, the second of which moves the tail: linear blend skinning of the rig's own surface."""

    def __init__(self, folder):
        with open(os.path.join(folder, "skeleton_rig.json")) as file:
            rig = json.load(file)
        with open(os.path.join(folder, "anim_swim.json")) as file:
            self.poses = json.load(file)["P"]
        self.points, self.weights = rig["V"], rig["W"]
        self.faces = rig["F"]
        self.rests = [self.inverse(bone) for bone in rig["p0"]]
        self.posed = {}

    @staticmethod
    def inverse(bone):
        turned = [[bone[j][i] for j in range(3)] for i in range(3)]
        return [row + [-sum(row[j] * bone[j][3] for j in range(3))] for row in turned]

    def pose(self, frame, _points):
        frame = int(frame)
        if frame not in self.posed:
            bones = [[[sum(a[j] * b[j][k] for j in range(3)) + (a[3] if k == 3 else 0) for k in range(4)] for a in bone]
                     for bone, b in zip(self.poses[frame - 1], self.rests)]
            self.posed[frame] = [self.blend(bones, point, weights) for point, weights in zip(self.points, self.weights)]
        return self.posed[frame]

    @staticmethod
    def blend(bones, point, weights):
        matrix = [[sum(w * bone[i][j] for w, bone in zip(weights, bones)) / sum(weights) for j in range(4)]
                  for i in range(3)]
        return [sum(row[j] * point[j] for j in range(3)) + row[3] for row in matrix]


def test_fast_tail_of_a_fish_follows_its_rig():  # slow
    folder = os.path.join(os.environ.get("JN_TEST_ASSETS", ""), "rig", "fish")
    if not os.path.exists(os.path.join(folder, "anim_swim.json")):
        raise Skip("there is no fish in " + folder)
    fish = Fish(folder)
    body = {"surface": {"positions": fish.points, "face_sizes": [3] * len(fish.faces), "face_vertices": fish.faces},
            "resolution": 10, "material": {"law": "linear", "young_modulus": 3e5, "density": 1000},
            "regions": [{"name": "trunk", "effect": "pin", "weights": [float(p[2] > -2.5) for p in fish.points]}]}
    tail = [p[2] < -5 for p in fish.points]
    large, regional, _, _ = compare(body, fish.points, tail, frames=7, move=fish.pose, gravity=(0, 0, 0),
                                    metres_per_unit=0.05)
    assert regional < 0.7 * large, (regional, large)


run(globals())
