"""What the parts that `jounce regions --suggest` proposes gain: each body is flung out of shape and let go, with
backward Euler of the scene's step, with the proposed parts painted fast, and with more steps for all.

    python3 tests/bench/bench_suggest.py build ASSETS [name ...]

ASSETS has turtle.veg and octopus_30K.1.node and .ele. The truth is the small step for all. Errors are the root mean
square over all points and frames, relative to the motion in the truth; amplitudes those of the last quarter of the
frames, relative to the truth's; seconds are the processor's."""
import math
import os
import sys
import time

sys.path[:0] = [os.path.join(sys.argv[1], "python"), os.path.dirname(os.path.abspath(__file__))]
from animals import of_cells, read_tetgen, read_veg, scaled, upright
from jounce import Bake, suggest_fast

FRAMES = 36


def far_from(axis, centre, points):
    """How far the points are from a line along the axis."""
    return [math.hypot(*(p[i] - centre[i] for i in range(3) if i != axis)) for p in points]


def lumped(points, tets):
    """A quarter of the volume of its tets for each point."""
    masses = [0.0] * len(points)
    for tet in tets:
        u, v, w = ([points[k][i] - points[tet[0]][i] for i in range(3)] for k in tet[1:])
        volume = sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3))
        for k in tet:
            masses[k] += volume / 24
    return masses


class Subject:
    """fling: the velocity of each point along `axis` at the start. stiff: factors on the stiffness, or None."""

    def __init__(self, name, points, tets, young, fling, axis, held=None, stiff=None):
        self.name, self.points, self.tets, self.young, self.held, self.stiff = name, points, tets, young, held, stiff
        masses = lumped(points, tets)
        mean = 0 if held else sum(m * v for m, v in zip(masses, fling)) / sum(masses)
        self.velocities = [tuple(v - mean if i == axis else 0.0 for i in range(3)) for v in fling]

    def scene(self, law, method, steps, parts=()):
        regions = [{"name": "part", "effect": "fast", "value": p["ratio"], "weights": p["weights"]} for p in parts]
        if self.held:
            regions.append({"name": "held", "effect": "pin", "weights": self.held})
        if self.stiff:
            regions.append({"name": "stiff", "effect": "stiffness", "value": 100, "weights": self.stiff})
        material = {"law": law, "young_modulus": self.young, "poisson_ratio": 0.4, "density": 1000}
        body = {"name": self.name, "tets": {"positions": self.points, "tet_vertices": self.tets}, "regions": regions,
                "start_velocities": self.velocities, "material": material}
        return {"bodies": [body], "frame_count": FRAMES, "fps": 24, "gravity": (0, 0, 0), "steps_per_frame": steps,
                "integrator": method, "thread_count": 1}

    def bake(self, *scene):
        frames, since = [], time.process_time()
        with Bake(self.scene(*scene)) as bake:
            for frame in bake.frames():
                bake.advance(frame)
                frames.append(list(bake.positions()))
        return frames, time.process_time() - since


def length(frames, others):
    """Root of the mean square difference; others: as many frames, or one."""
    total = count = 0
    for k, frame in enumerate(frames):
        other = others[k] if isinstance(others[0], list) else others
        total += sum((a - b) ** 2 for a, b in zip(frame, other))
        count += len(frame)
    return math.sqrt(total / count)


def animal(name, points, tets, young, axis):
    """Held in its middle, as a rig holds it: the nearest tenth of its points. Its limbs are flung along the axis."""
    far = far_from(axis, (0, 0, 0), points)
    core = sorted(far)[len(far) // 10]
    return Subject(name, points, upright(points, tets), young, [max(0, f - core) for f in far], axis,
                   held=[float(f <= core) for f in far])


def subjects(assets, names):
    def wanted(name):
        return not names or name in names

    if wanted("turtle"):
        points, tets = read_veg(os.path.join(assets, "turtle.veg"))
        points = scaled(points)
        yield animal("turtle", points, tets, 2e5, 2)
    if wanted("octopus"):
        points, tets = read_tetgen(os.path.join(assets, "octopus_30K.1"))
        points = scaled(points)
        yield animal("octopus", points, tets, 5e6, 1)
    if wanted("antenna"):
        # a body that stands, with a thin antenna
        points, tets = of_cells([((0, 0, 0), (12, 12, 12)), ((5, 5, 12), (7, 7, 32))], 0.02)
        yield Subject("antenna", points, tets, 1e6, [max(0, p[2] - 0.24) for p in points], 0,
                      held=[float(p[2] < 0.01) for p in points])
    if wanted("jaw"):
        # a head that stands, with a stiff jaw on two soft strips
        points, tets = of_cells([((0, 0, 0), (10, 10, 12)), ((10, 1, 6), (14, 3, 7)), ((10, 7, 6), (14, 9, 7)),
                                 ((13, 0, 5), (20, 10, 8))], 0.02)
        yield Subject("jaw", points, tets, 1.5e6, [max(0, p[0] - 0.2) for p in points], 2,
                      held=[float(p[2] < 0.01) for p in points], stiff=[float(p[0] >= 0.26) for p in points])
    if wanted("ball"):
        reach = range(12)
        cells = [((x, y, z), (x + 1, y + 1, z + 1)) for x in reach for y in reach for z in reach
                 if math.dist((x, y, z), (5.5, 5.5, 5.5)) < 6.2]
        points, tets = of_cells(cells, 0.05)
        yield Subject("ball", points, tets, 2e5, [(p[2] - 0.3) ** 2 for p in points], 2)


def report(subject, law, method):
    since = time.process_time()
    advice = suggest_fast(subject.scene(law, method, 1))
    seconds = time.process_time() - since
    ratio = 20
    print("{}, {}, {}: {} vertices, {} of {} wobbles kept, {} ({:.1f} s)".format(
        subject.name, law, method, len(subject.points), advice["kept_count"], advice["damped_count"],
        ", ".join("{} vertices with {} steps".format(p["vertex_count"], p["ratio"]) for p in advice["parts"])
        or advice["note"], seconds), flush=True)
    truth, cost = subject.bake(law, method, ratio)
    print("  truth, {} steps: {:.2f} s".format(ratio, cost))
    rest = [c for p in subject.points for c in p]
    rest = truth[0] if len(rest) != len(truth[0]) else rest
    rows = [("{} steps".format(steps), steps, ()) for steps in (1, 2, 3, 4, 6)]
    if advice["parts"]:
        rows.append(("suggested", 1, advice["parts"]))
    for name, steps, parts in rows:
        frames, seconds = subject.bake(law, method, steps, parts)
        last = FRAMES // 4
        print("  {:10} error {:5.3f}   amplitude {:5.3f}   {:7.2f} s".format(
            name, length(frames, truth) / length(truth, rest),
            length(frames[-last:], rest) / length(truth[-last:], rest), seconds), flush=True)


def main():
    for subject in subjects(sys.argv[2], sys.argv[3:]):
        report(subject, "linear", "si")
        if len(subject.points) < 5000:
            report(subject, "stable_neohooke", "si")


main()
