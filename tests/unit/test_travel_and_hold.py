"""Bodies that goals hold, that turn as a whole or that travel with their pins, by methods that keep modes or are exponential.

What holds a body or moves all of it must not show in how it wobbles.
"""
import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, largest_difference, run  # noqa: E402
from tet_bar import corners_of_bar, tets_of_bar  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce import Bake  # noqa: E402

CELL = 0.1


def bar(cells):
    """Positions and tets."""
    return [tuple(CELL * c for c in corner) for corner in corners_of_bar(cells)], tets_of_bar(cells)


def flat(rows):
    return [value for row in rows for value in row]


def body(law, young_modulus, region=None, velocity=(0.0, 0.0, 0.0), turn=0.0, damping=0.0, cells=4):
    """turn: rad/s about the z axis through the bar's middle. region: of all points, or of those at the lower end of x."""
    positions, tets = bar(cells)
    middle = (CELL * cells / 2, CELL / 2)
    found = {
        "name": "bar",
        "kind": "solid",
        "tets": {"positions": flat(positions), "tet_vertices": flat(tets)},
        "material": {"law": law, "young_modulus": young_modulus, "poisson_ratio": 0.3, "density": 1000.0,
                     "stiffness_damping": damping, "mass_damping": 0.0},
        "start_velocities": flat((velocity[0] - turn * (y - middle[1]), velocity[1] + turn * (x - middle[0]), velocity[2])
                                 for x, y, _ in positions)}
    if region:
        effect, value, everywhere = region
        weights = [1.0 if everywhere or x == 0 else 0.0 for x, _, _ in positions]
        found["regions"] = [{"name": "hold", "effect": effect, "weights": weights, "value": value}]
    return found


def course(described, method, step, count, gravity=(0, 0, 0), pin_speed=None, **more):
    """(motion, angular momentum, points) after every step."""
    positions = bar(len(described["tets"]["positions"]) // 12 - 1)[0]
    description = {"bodies": [described], "frame_count": count + 1, "fps": 1 / step, "steps_per_frame": 1, "gravity": gravity,
                   "integrator": method, "thread_count": 1, **more}
    rows = []
    with Bake(description) as bake:
        for number, frame in enumerate(bake.frames()):
            targets = None
            if pin_speed is not None:
                targets = [{"targets": flat((x, y, z + pin_speed * step * number) for x, y, z in positions)}]
            bake.advance(frame, bodies=targets)
            rows.append((bake.motion(), list(bake.positions())))
    return rows


KEEPING = ("siere", "beere", "bdf2ere", "ssdirkere", "tr_bdf2ere")


def test_modes_of_a_body_that_goals_hold_are_kept():
    # goals at one end, on which it swings: no rigid motion of it is free, and none is a mode
    described = body("corotational", 2e5, ("goal", 1e5, False), velocity=(0.0, 0.02, 0.01))
    base = course(described, "si", 0.005, 200)
    start = base[0][0]["total_energy"]
    assert start > 1e-4 and base[-1][0]["total_energy"] < 0.3 * start, "the swing is one that steps damp"
    for method in KEEPING:
        rows = course(described, method, 0.005, 200, kept_modes=12)
        energies = [motion["total_energy"] for motion, _ in rows]
        assert max(energies) < 1.01 * start, (method, max(energies) / start)
        assert energies[-1] > 0.85 * start, (method, energies[-1] / start)


def test_linear_body_that_turns_freely_keeps_its_spin():
    # its stiffness does not turn: what gives no force is a turn about the rest shape, which lengthens it
    # a field that pulls nothing does not hold it
    described = body("linear", 1e5, turn=0.5)
    nothing = [{"kind": "harmonic", "strength": 0.0}]
    for method, fields in itertools.product(KEEPING, ([], nothing)):
        rows = course(described, method, 0.02, 100, kept_modes=5, fields=fields)
        first, last = rows[1][0], rows[-1][0]
        assert first["angular_momentum"][2] > 1e-4
        assert abs(last["angular_momentum"][2] / first["angular_momentum"][2] - 1) < 1e-6, method
        assert abs(last["total_energy"] / first["total_energy"] - 1) < 1e-3, method


def test_exponential_methods_do_not_notice_that_a_damped_body_travels_with_its_pins():
    speed, step, count = 3.0, 0.1 / 64, 64
    for law in ("stable_neohooke", "linear"):
        still = course(body(law, 1e3, ("pin", 1.0, False), damping=0.05), "sdirk", step, count, (0, -4, 0))
        droop = largest_difference(still[-1][1], still[0][1])
        assert droop > 1e-3, "it moves at all"
        for method in ("ere", "exprb42", "epirk4s3", "gautschi"):
            at_home = course(body(law, 1e3, ("pin", 1.0, False), damping=0.05), method, step, count, (0, -4, 0))
            away = course(body(law, 1e3, ("pin", 1.0, False), (0.0, 0.0, speed), damping=0.05), method, step, count,
                          (0, -4, 0), speed)
            carried = [value + (speed * step * count if i % 3 == 2 else 0) for i, value in enumerate(at_home[-1][1])]
            apart = largest_difference(away[-1][1], carried)
            assert apart < 1e-6 * droop + 1e-9, (law, method, apart)


def ends_of_a_pushed_bar(method, steps):
    """The points after six frames in which the pinned end is pushed to and fro, with a corner at every frame."""
    described = body("linear", 2e4, ("pin", 1.0, False), damping=0.02)
    positions = bar(4)[0]
    with Bake({"bodies": [described], "frame_count": 7, "fps": 24.0, "steps_per_frame": steps, "gravity": (0, 0, 0),
               "integrator": method, "kept_modes": 4, "thread_count": 1}) as bake:
        for number, frame in enumerate(bake.frames()):
            push = 0.01 * (number % 2)
            bake.advance(frame, bodies=[{"targets": flat((x, y, z + push) for x, y, z in positions)}])
        return list(bake.positions())


def test_second_order_methods_keep_their_order_where_pins_turn_corners_and_damping_is_strong():
    truth = ends_of_a_pushed_bar("sdirk", 512)
    for method in ("ssdirk", "sdirk", "str_sbdf2", "tr_bdf2", "ssdirkere", "tr_bdf2ere"):
        errors = [largest_difference(ends_of_a_pushed_bar(method, steps), truth) for steps in (16, 32)]
        assert 1e-9 < errors[1] < errors[0] / 3, (method, errors)


def test_net_that_collapses_on_the_floor_goes_on_without_its_modes():
    # a net of springs falls flat: carried modes become the same, and are dropped
    points = [(0.1 * x, 0.3 + 0.1 * y, 0.1 * z) for x, y, z in itertools.product(range(3), repeat=3)]
    edges = [(a, b) for a, b in itertools.combinations(range(27), 2) if math.dist(points[a], points[b]) < 0.15]
    net = {"name": "net", "kind": "girders", "material": {"stiffness_damping": 0.0, "mass_damping": 0.0},
           "curves": {"positions": flat(points), "curve_sizes": [2] * len(edges), "curve_vertices": flat(edges)},
           "springs": {"structural": 20.0, "mass_per_length": 1.0}}
    floor = {"name": "floor", "kind": "plane"}
    for method in ("beere", "ssdirkere", "tr_bdf2ere"):
        with Bake({"bodies": [net], "colliders": [floor], "frame_count": 60, "fps": 60.0, "steps_per_frame": 1,
                   "gravity": (0, -9.81, 0), "integrator": method, "kept_modes": 6, "safeguards": 0,
                   "thread_count": 1}) as bake:
            for frame in bake.frames():
                bake.advance(frame)
            assert all(map(math.isfinite, bake.positions()))


run(globals())
