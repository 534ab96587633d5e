"""Contact geometry against the IPC Toolkit (PyPI: ipctk), a library that is not ours: distances with derivatives, the
mollifier of parallel edges, the barrier, continuous collision detection, and the exact test of intersections."""
import math
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import Skip, environment, run  # noqa: E402

try:
    import ipctk
    import numpy
except ImportError:
    ipctk = None

POINT_EDGE, POINT_TRIANGLE, EDGE_EDGE = 1, 2, 3  # PairKind
FREE, HIT, GIVEN_UP, INSIDE = 0, 1, 2, 3  # PairAdvanceEnd


def ask(questions):
    """The answers of pair_probe.c: a list of numbers for each list of a word and numbers."""
    if ipctk is None:
        raise Skip("this Python has no ipctk; pip install ipctk")
    lines = [" ".join([question[0]] + ["%.17g" % number for number in question[1:]]) for question in questions]
    probe = os.path.join(environment("JN_TEST_BUILD"), "tests", "pair_probe")
    said = subprocess.run([probe], input="\n".join(lines), stdout=subprocess.PIPE, universal_newlines=True, check=True)
    answers = [[float(word) for word in line.split()] for line in said.stdout.splitlines()]
    assert len(answers) == len(questions)
    return answers


def random_points(rng, count, size=1.0):
    return [rng.uniform(-size, size) for _ in range(3 * count)]


def rows(numbers):
    return [numpy.array(numbers[at:at + 3]) for at in range(0, len(numbers), 3)]


def close(ours, theirs, tolerance):
    ours, theirs = numpy.asarray(ours), numpy.asarray(theirs).reshape(-1)
    scale = 1 + numpy.abs(theirs).max()
    return numpy.abs(ours - theirs).max() <= tolerance * scale


def nearly_parallel(points):
    first, second = points[1] - points[0], points[3] - points[2]
    sine = numpy.linalg.norm(numpy.cross(first, second)) / numpy.linalg.norm(first) / numpy.linalg.norm(second)
    return sine < 0.05


def judge_distances(kind, count, functions):
    rng = random.Random(kind)
    pairs = [random_points(rng, count) for _ in range(2000)]
    for pair, answer in zip(pairs, ask([["distance", kind] + pair for pair in pairs])):
        points, n = rows(pair), 3 * count
        if kind == EDGE_EDGE and nearly_parallel(points):
            continue
        value, gradient, hessian = (function(*points) for function in functions)
        assert close(answer[:1], value, 1e-13), pair
        assert close(answer[1:1 + n], gradient, 1e-11), pair
        assert close(answer[1 + n:], hessian, 1e-10), pair


def test_ipctk_agrees_on_distances_of_points_and_edges():
    ask([])
    judge_distances(POINT_EDGE, 3, (ipctk.point_edge_distance, ipctk.point_edge_distance_gradient,
                                    ipctk.point_edge_distance_hessian))


def test_ipctk_agrees_on_distances_of_points_and_triangles():
    ask([])
    judge_distances(POINT_TRIANGLE, 4, (ipctk.point_triangle_distance, ipctk.point_triangle_distance_gradient,
                                        ipctk.point_triangle_distance_hessian))


def test_ipctk_agrees_on_distances_of_edges():
    ask([])
    judge_distances(EDGE_EDGE, 4, (ipctk.edge_edge_distance, ipctk.edge_edge_distance_gradient,
                                   ipctk.edge_edge_distance_hessian))


def test_ipctk_agrees_on_the_mollifier_of_nearly_parallel_edges():
    rng, pairs = random.Random(4), []
    for _ in range(500):
        pair = random_points(rng, 3)
        pairs.append(pair + [pair[6 + a] + pair[3 + a] - pair[a] + rng.uniform(-0.05, 0.05) for a in range(3)])
    mollified = 0
    for pair, answer in zip(pairs, ask([["mollifier"] + pair + pair for pair in pairs])):
        points = rows(pair)
        scale = ipctk.edge_edge_mollifier_threshold(*points)
        assert close(answer[:1], scale, 1e-15)
        assert close(answer[1:2], ipctk.edge_edge_mollifier(*points, scale), 1e-13)
        assert close(answer[2:14], ipctk.edge_edge_mollifier_gradient(*points, scale), 1e-12)
        assert close(answer[14:], ipctk.edge_edge_mollifier_hessian(*points, scale), 1e-12)
        mollified += answer[1] < 1
    assert 50 < mollified < 450


def test_ipctk_agrees_on_the_barrier():
    # below a twentieth of its reach ours goes on as a parabola
    gaps = [10.0 ** power for power in (-4.3, -4, -3.7, -3.5, -3.1, -3.01)]
    for gap, answer in zip(gaps, ask([["barrier", gap, 1e-3] for gap in gaps])):
        theirs = [function(gap, 1e-3) for function in (ipctk.barrier, ipctk.barrier_first_derivative,
                                                       ipctk.barrier_second_derivative)]
        for ours, value in zip(answer, theirs):
            assert math.isclose(ours, value, rel_tol=1e-11), (gap, ours, value)


def judge_advance(kind, thickness, meeting):
    """Random motions, and such that pass through each other; ours may not be later than theirs says they touch."""
    rng, motions = random.Random(10 * kind + meeting), []
    for _ in range(300):
        start, end = random_points(rng, 4), random_points(rng, 4, rng.choice([0.3, 1, 3]))
        end = [a + b for a, b in zip(start, end)]
        if meeting:  # at a random time one point of each side is in the same place
            time, first = rng.uniform(0.02, 1), 2 if kind == EDGE_EDGE else 1
            at = [a + time * (b - a) for a, b in zip(start, end)]
            weights = [rng.random() + 0.05 for _ in range(4)]
            totals = [sum(weights[:first]), sum(weights[first:])]
            shift = [sum((-1 if i < first else 1) * weights[i] / totals[i >= first] * at[3 * i + a] for i in range(4))
                     for a in range(3)]
            for i in range(3 * first):
                start[i] += shift[i % 3]
                end[i] += shift[i % 3]
        motions.append((start, end))
    questions = [["advance", kind, thickness, 0.1] + start + end for start, end in motions]
    # tight inclusion keeps thicknesses in boxes, not in balls
    judge = (ipctk.AdditiveCCD(conservative_rescaling=0.999) if thickness else
             ipctk.TightInclusionCCD(tolerance=1e-7, conservative_rescaling=0.999))
    theirs_of = judge.point_triangle_ccd if kind == POINT_TRIANGLE else judge.edge_edge_ccd
    counts = {FREE: 0, HIT: 0, GIVEN_UP: 0, INSIDE: 0}
    for (start, end), (time, result) in zip(motions, ask(questions)):
        counts[result] += 1
        if result == INSIDE:
            continue
        hits, when = theirs_of(*rows(start), *rows(end), min_distance=thickness, tmax=1.0)
        # theirs is up to a thousandth before the touch
        assert not hits or time < 1.001 * when + 1e-6, (start, end, time, when)
        assert not (result == FREE and hits and when < 0.999), (start, end, when)
    assert counts[HIT] > (200 if meeting else 5) and counts[GIVEN_UP] < 5, counts
    assert meeting or counts[FREE] > 100, counts


def test_ipctk_finds_no_touch_before_ours_of_points_and_triangles():
    ask([])
    for thickness in (0.0, 0.02):
        judge_advance(POINT_TRIANGLE, thickness, False)
        judge_advance(POINT_TRIANGLE, thickness, True)


def test_ipctk_finds_no_touch_before_ours_of_edges():
    ask([])
    for thickness in (0.0, 0.02):
        judge_advance(EDGE_EDGE, thickness, False)
        judge_advance(EDGE_EDGE, thickness, True)


def test_ipctk_finds_the_meshes_crossed_that_the_exact_test_does():
    ask([])
    rng, crossed, questions, verdicts = random.Random(6), 0, [], []
    for _ in range(300):
        # a few triangles, some of them with common vertices
        count = 12
        positions = random_points(rng, count)
        faces = [rng.sample(range(count), 3) for _ in range(3)]
        used = sorted({vertex for face in faces for vertex in face})
        faces = [[used.index(vertex) for vertex in face] for face in faces]
        positions = [positions[3 * vertex + axis] for vertex in used for axis in range(3)]
        edges = sorted({tuple(sorted((face[i], face[(i + 1) % 3]))) for face in faces for i in range(3)})
        questions.append(["crossings", len(used), len(edges), len(faces)] + positions +
                         [end for edge in edges for end in edge] + [corner for face in faces for corner in face])
        vertices = numpy.asfortranarray(numpy.array(positions).reshape(-1, 3))
        mesh = ipctk.CollisionMesh(vertices, numpy.array(edges), numpy.array(faces))
        verdicts.append(ipctk.has_intersections(mesh, vertices))
    for (count,), verdict in zip(ask(questions), verdicts):
        assert (count > 0) == verdict
        crossed += verdict
    assert 50 < crossed < 250


run(globals())
