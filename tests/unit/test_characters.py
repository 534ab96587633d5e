"""Real characters with a part that jiggles: the rig moves the rest, and nothing tears."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from characters import fish, glb, obj  # noqa: E402
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
    result = bake(rig, 20, 24, body, metres_per_unit=0.02, gravity=(0, 0, 0), integrator="si")
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
    along = [vertex[2] for vertex in fish().vertices]
    _, _, baked, animated, _ = swim(regions=[
        {"name": "rig", "effect": "pin", "weights": [ramp(z, -4, 1) for z in along]},
        {"name": "tail", "effect": "simulation", "value": 0, "weights": [1.0 if z < -6 else 0.0 for z in along]},
    ])
    tail = [distance(x, y) for x, y, z in zip(baked, animated, along) if z < -6]
    middle = [distance(x, y) for x, y, z in zip(baked, animated, along) if -6 < z < -4]
    assert max(tail) < 1e-6 and max(middle) > 0.01


def check_jiggle(rig, axis, low, high, first, count, size):
    """Pins the part of the character beyond `high` along an axis, both parts of its extent, frees it below `low`, and
    checks what is free and what is held after some frames. size: m, of its longest side."""
    coordinates = [vertex[axis] for vertex in rig.vertices]
    start, extent = min(coordinates), max(coordinates) - min(coordinates)
    parts = [(x - start) / extent for x in coordinates]
    longest = max(max(v[i] for v in rig.vertices) - min(v[i] for v in rig.vertices) for i in range(3))
    body = {
        "resolution": 14,
        "travel_influence": 0.5,
        "material": {"young_modulus": 1e4 * size / 0.1, "poisson_ratio": 0.4, "density": 1000, "stiffness_damping": 0.01},
        "regions": [{"name": "rig", "effect": "pin", "weights": [ramp(part, low, high) for part in parts]}],
    }
    baked, animated, statistics = bake(rig, first, count, body, metres_per_unit=size / longest)
    held = max(distance(x, y) for x, y, part in zip(baked, animated, parts) if part > max(low, high))
    free = max(distance(x, y) for x, y, part in zip(baked, animated, parts) if part < min(low, high)) / longest
    assert held < 1e-6 * longest, held
    assert 1e-3 < free < 0.5, free  # it moves, and is not torn off
    assert statistics["cut_steps"] == 0


def flipped(rig, axis):
    """The same with `parts` counted from the other end."""
    class Flipped:
        vertices = [[-v[i] if i == axis else v[i] for i in range(3)] for v in rig.vertices]
        surface, positions = rig.surface, rig.positions
    return Flipped


def test_characters_cesium_man_walks_with_a_wobbling_head():  # slow
    # he lies along z in the shape in which he was bound: what is above the shoulders is free
    rig = glb("rig", "CesiumMan.glb")
    check_jiggle(flipped(rig, 2), 2, 0.12, 0.2, 0, 10, 1.8)


def test_characters_pirate_rocks_with_a_soft_part():  # slow
    check_jiggle(obj("dirty", "pirate.obj"), 1, 0.2, 0.4, 0, 10, 0.3)


def test_characters_turtle_rocks_with_a_soft_part():  # slow
    check_jiggle(obj("dirty", "turtle.obj"), 0, 0.2, 0.4, 0, 10, 0.3)


def test_characters_suzanne_rocks_with_a_soft_ear():  # slow
    check_jiggle(obj("surface", "suzanne.obj"), 0, 0.2, 0.35, 0, 10, 0.3)


run(globals())
