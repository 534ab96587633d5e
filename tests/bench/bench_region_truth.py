"""How near the truth painted small steps come: limbs and head of a turtle and of an octopus are painted fast with a
ratio of 10, its body is held in the middle, and everything is let go with limbs flung up. The truth is backward Euler
with the small step for all. Compared with single-rate steps that cost as much, or more.

    python3 tests/bench/bench_region_truth.py build ASSETS [turtle|octopus [linear|stable_neohooke]]

ASSETS has turtle.veg and octopus_30K.1.node and .ele. Errors are the root mean square over the fast vertices and all
frames, relative to their motion in the truth; amplitudes that of the last six frames, relative to the truth's."""
import math
import os
import sys
import time

sys.path.insert(0, os.path.join(sys.argv[1], "python"))
from animals import read_tetgen, read_veg, upright
from jounce import Bake

FRAMES, RATIO = 30, 10


class Animal:
    """Scaled to 1 m. up: the axis along which limbs are flung."""

    def __init__(self, name, points, tets, up, stiffness):
        low = [min(p[i] for p in points) for i in range(3)]
        high = [max(p[i] for p in points) for i in range(3)]
        size = max(h - l for h, l in zip(high, low))
        self.name, self.up, self.stiffness, self.tets = name, up, stiffness, upright(points, tets)
        self.points = [tuple((p[i] - 0.5 * (low[i] + high[i])) / size for i in range(3)) for p in points]
        flat = [i for i in range(3) if i != up]
        self.far = [math.hypot(*(p[i] for i in flat)) for p in self.points]
        ranks = sorted(self.far)
        self.held = ranks[len(ranks) * 2 // 5]   # the nearer two fifths are pinned: the trunk
        self.ranks = ranks
        self.limbs = ranks[len(ranks) // 2]      # the farther half is fast: the limbs

    def bake(self, law, method, steps, ratio, stiffness, part=0.5):
        """part: how much of all vertices is fast."""
        border = self.ranks[int((len(self.ranks) - 1) * (1 - part))]
        velocities = [tuple(2.0 * max(0, f - self.held) if i == self.up else 0.0 for i in range(3)) for f in self.far]
        regions = [{"name": "held", "effect": "pin", "weights": [float(f <= self.held) for f in self.far]}]
        if ratio > 1:
            regions.append({"name": "limbs", "effect": "fast", "value": ratio,
                            "weights": [float(f >= border) for f in self.far]})
        body = {"name": self.name, "tets": {"positions": self.points, "tet_vertices": self.tets}, "regions": regions,
                "start_velocities": velocities,
                "material": {"law": law, "young_modulus": stiffness, "poisson_ratio": 0.4, "density": 1000}}
        scene = {"bodies": [body], "frame_count": FRAMES, "fps": 24, "gravity": (0, 0, 0), "steps_per_frame": steps,
                 "integrator": method, "thread_count": 1}
        frames, since = [], time.process_time()
        with Bake(scene) as bake:
            for frame in bake.frames():
                bake.advance(frame)
                frames.append(list(bake.positions()))
            choice = bake.choice
        return frames, time.process_time() - since, choice


def motion(frames, chosen, rest, last=0):
    """Mean square of how far the chosen numbers are from `rest`, in all frames or the last ones."""
    some = frames[-last:] if last else frames
    return sum((frame[i] - (rest[k][i] if isinstance(rest[0], list) else rest[i])) ** 2
               for k, frame in enumerate(some) for i in chosen) / (len(some) * len(chosen))


def main():
    assets = sys.argv[2]
    only, only_law = (sys.argv[3:] + ["", ""])[:2]
    animals = [Animal("turtle", *read_veg(os.path.join(assets, "turtle.veg")), up=2, stiffness=2e5)]
    if only != "turtle":
        animals.append(Animal("octopus", *read_tetgen(os.path.join(assets, "octopus_30K.1")), up=1, stiffness=5e6))
    for animal in animals:
        if only not in ("", animal.name):
            continue
        for law, method, stiffness in (("linear", "si", animal.stiffness), ("stable_neohooke", "si", animal.stiffness)):
            if only_law not in ("", law):
                continue
            truth, seconds, _ = animal.bake(law, "be", RATIO, 1, stiffness)
            rest = truth[0]
            count = len(rest) // 3
            # what is cached are the points of the boundary; the start tells which those are
            chosen = [3 * p + i for p in range(count) for i in range(3)
                      if math.hypot(*(rest[3 * p + j] for j in range(3) if j != animal.up)) >= animal.limbs]
            print("{}, {}: {} vertices; truth {:.1f} s".format(animal.name, law, len(animal.points), seconds), flush=True)
            rows = [("{} steps".format(steps), steps, 1, 0) for steps in range(1, 7)]
            rows += [("{:.0f} % fast".format(100 * part), 1, RATIO, part) for part in (0.3, 0.5, 0.58, 0.59, 0.6)]
            for name, steps, ratio, part in rows:
                frames, seconds, choice = animal.bake(law, method, steps, ratio, stiffness, part)
                error = math.sqrt(motion(frames, chosen, truth) / motion(truth, chosen, rest))
                amplitude = math.sqrt(motion(frames, chosen, rest, 6) / motion(truth, chosen, rest, 6))
                print("  {:13} error {:5.3f}   amplitude {:5.3f}   {:6.2f} s {}".format(name, error, amplitude, seconds,
                                                                                       choice), flush=True)


main()
