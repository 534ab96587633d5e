"""Weights that are suggested from bones and from shapes, on tubes and balls whose answer is known."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce.host import suggestion

AROUND = 12


def tube(profile):
    """(positions, edges) of rings around the z axis: profile is [(z, radius)]."""
    positions, edges = [], []
    for ring, (z, radius) in enumerate(profile):
        for step in range(AROUND):
            angle = 2 * math.pi * step / AROUND
            positions.append((radius * math.cos(angle), radius * math.sin(angle), z))
            edges.append((ring * AROUND + step, ring * AROUND + (step + 1) % AROUND))
            if ring:
                edges.append(((ring - 1) * AROUND + step, ring * AROUND + step))
    return positions, edges


def ring_of(values, ring):
    return values[ring * AROUND]


# A trunk with a belly, a neck and a head that is as thick as the belly.
FIGURE = [(0.1 * k, 0.1 + 0.2 * math.exp(-((0.1 * k - 0.7) / 0.25) ** 2)) for k in range(20)] + \
         [(2.0 + 0.05 * k, 0.08) for k in range(4)] + [(2.2 + 0.1 * k, 0.08 + 0.25 * math.sin(math.pi * k / 6)) for k in range(1, 6)]
BONES = [suggestion.Bone([((0, 0, 0), (0, 0, 2.0))], None), suggestion.Bone([((0, 0, 2.0), (0, 0, 2.6))], 0)]


def led_by(positions):
    return [[1] if z > 2.1 else [0] for _, _, z in positions]


def test_host_suggestion_frees_thick_flesh_and_holds_what_is_near_a_bone_and_a_head():
    positions, edges = tube(FIGURE)
    weights, flesh = suggestion.weights_from_bones(positions, edges, BONES, led_by(positions))
    assert ring_of(weights, 7) < 0.1, "the belly"
    assert ring_of(weights, 17) > 0.95, "near the bone"
    assert ring_of(weights, len(FIGURE) - 3) > 0.95, "the head, as thick as the belly, is hard"
    assert 0.25 < flesh.thickness <= 0.3
    assert all(0 <= weight <= 1 for weight in weights)


def test_host_suggestion_does_not_depend_on_size_or_on_seams():
    positions, edges = tube(FIGURE)
    weights, flesh = suggestion.weights_from_bones(positions, edges, BONES, led_by(positions))
    large = [tuple(1000 * x for x in position) for position in positions]
    bones = [suggestion.Bone([tuple(tuple(1000 * x for x in end) for end in segment) for segment in bone.segments],
                             bone.parent) for bone in BONES]
    scaled, thick = suggestion.weights_from_bones(large, edges, bones, led_by(positions))
    assert max(abs(a - b) for a, b in zip(weights, scaled)) < 1e-6 and abs(thick.thickness / flesh.thickness - 1000) < 1e-6
    # every edge with vertices of its own, as in a file that is split at its seams
    split = [positions[end] for edge in edges for end in edge]
    pairs = [(2 * index, 2 * index + 1) for index in range(len(edges))]
    leaders = [led_by(positions)[end] for edge in edges for end in edge]
    torn, _ = suggestion.weights_from_bones(split, pairs, BONES, leaders)
    for index, edge in enumerate(edges):
        assert abs(torn[2 * index] - weights[edge[0]]) < 0.1


def test_host_suggestion_knows_a_body_in_which_nothing_holds():
    positions, edges = tube([(0.1 * k, 0.1) for k in range(20)])
    weights, _ = suggestion.weights_from_bones(positions, edges, BONES[:1], [[0]] * len(positions))
    assert not suggestion.holds(weights)
    positions, edges = tube(FIGURE)
    assert suggestion.holds(suggestion.weights_from_bones(positions, edges, BONES, led_by(positions))[0])


def test_host_suggestion_softens_thin_ends_and_holds_the_bulk():
    profile = [(0.1 * k, 1.0) for k in range(10)] + [(1.0 + 0.1 * k, 0.1) for k in range(12)]
    positions, edges = tube(profile)
    thicknesses = [2 * math.hypot(x, y) if (index % 7) else None for index, (x, y, _) in enumerate(positions)]
    weights, flesh = suggestion.weights_from_shape(positions, edges, thicknesses)
    assert ring_of(weights, 3) > 0.95 and ring_of(weights, 21) < 0.05
    assert 0.1 < flesh.thickness < 0.5 and flesh.reach > 0.2, "of the end"


def test_host_suggestion_holds_a_ball_at_its_foot():
    positions, edges = tube([(-math.cos(math.pi * k / 12), math.sin(math.pi * k / 12)) for k in range(1, 12)])
    weights, flesh = suggestion.weights_from_shape(positions, edges, [2.0] * len(positions))
    assert weights[0] > 0.9 and weights[-1] == 0 and flesh.thickness == 2.0
    flat, _ = suggestion.weights_from_shape([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1), (1, 2)], [None] * 3)
    assert flat == [1.0] * 3


def test_host_suggestion_sags_a_few_percent_and_settles_after_some_swings():
    for size, thickness in ((1.6, 0.12), (0.05, 0.01), (30.0, 4.0)):
        sag, seconds = suggestion.softness(size, thickness)
        assert 0.005 < sag <= 0.03 and sag * size <= 0.3 * thickness
        assert seconds >= max(1.0, 2.9 * 2 * math.pi * math.sqrt(sag * size / 9.81))


run(globals())
