"""Real characters with a part that jiggles: the rig moves the rest, and nothing tears."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from characters import fish  # noqa: E402
from harness import environment, run  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce import Bake  # noqa: E402


def distance(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)))


def rows(numbers):
    return [numbers[i:i + 3] for i in range(0, len(numbers), 3)]


def ramp(value, low, high):
    """0 at low and below, 1 at high and above."""
    return min(1.0, max(0.0, (value - low) / (high - low)))


def bake(rig, first, count, body, **description):
    """Bakes frames of the rig; returns the positions of the last one, those of the rig there, and the statistics."""
    body = dict({"name": "character", "surface": rig.surface()}, **body)
    with Bake(dict({"bodies": [body], "frame_count": count, "first_frame": first}, **description)) as baking:
        for frame in baking.frames():
            animated = rig.positions(int(frame))
            baking.advance(frame, bodies=[{"targets": animated}])
        return rows(list(baking.positions())), animated, baking.statistics()


def swim(**changes):
    """The fish, its head stiff and on the rig, its tail soft and free."""
    rig = fish()
    along = [vertex[2] for vertex in rig.vertices]
    body = {
        "resolution": 14,
        "material": {"young_modulus": 2e4, "poisson_ratio": 0.4, "density": 1000, "stiffness_damping": 0.01},
        "regions": [
            {"name": "rig", "effect": "pin", "weights": [ramp(z, -4, 1) for z in along]},
            {"name": "head", "effect": "stiffness", "value": 20, "weights": [ramp(z, -1, 1) for z in along]},
            {"name": "tail", "effect": "stiffness", "value": 0.2, "weights": [ramp(z, -4, -6) for z in along]},
        ],
    }
    body.update(changes)
    result = bake(rig, 20, 24, body, metres_per_unit=0.02, gravity=(0, 0, 0))
    return (rig, along) + result


def test_characters_fish_swims_with_a_stiff_head_and_a_floppy_tail():  # slow
    rig, along, baked, animated, statistics = swim()
    length = max(along) - min(along)
    head = [distance(x, y) for x, y, z in zip(baked, animated, along) if z > 1]
    tail = [distance(x, y) for x, y, z in zip(baked, animated, along) if z < -6]
    assert head and max(head) < 1e-6 * length, max(head)
    assert 0.01 * length < max(tail) < 0.5 * length, max(tail) / length
    assert statistics["cut_steps"] == 0 and statistics["limited_rest_count"] == 0
    # no part of the fin is torn: edges keep their length within a factor
    for face in rig.faces:
        for a, b in zip(face, face[1:]):
            before, after = distance(rig.vertices[a], rig.vertices[b]), distance(baked[a], baked[b])
            assert 0.3 * before < after < 3 * before, (before, after)


def test_characters_fish_is_shown_as_animated_where_it_is_painted_so():  # slow
    rig, along, baked, animated, _ = swim(regions=[
        {"name": "rig", "effect": "pin", "weights": [ramp(z, -4, 1) for z in map(lambda v: v[2], fish().vertices)]},
        {"name": "tail", "effect": "simulation", "value": 0,
         "weights": [1.0 if vertex[2] < -6 else 0.0 for vertex in fish().vertices]},
    ])
    tail = [distance(x, y) for x, y, z in zip(baked, animated, along) if z < -6]
    middle = [distance(x, y) for x, y, z in zip(baked, animated, along) if -6 < z < -4]
    assert max(tail) < 1e-6 and max(middle) > 0.01


run(globals())
