"""Fast regions against a second implementation: linear tets and the impulse-matched coupling, densely, from the formulas alone.

All unknowns of a large step are solved for at once: the velocity z of the slow part L, and those of every small step of
every fast set S, v_1 .. v_m. Of the elements, those inside L act on the large step; those that have a vertex in S act on
its small ones, in which the border moves with z.

    S, r = 1..m:  M (v_r - v_(r-1)) = h/m (M g - D (v_r, z) - K (u_r, u_L + r h/m z))
    L:            M (z - v_0) = h (M g - D z - K (u_L + h z)) + sum over r of h/m times the same forces of S's elements
"""
import itertools
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, largest_difference, run  # noqa: E402
from tet_bar import corners_of_bar, tets_of_bar  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
import jounce  # noqa: E402

YOUNG, POISSON, DENSITY, FPS, STEPS = 3e5, 0.3, 900.0, 30.0, 2
GRAVITY = (0.4, -9.81, 0.2)


def bar(cells):
    """Positions and tets of a crooked bar."""
    chance = random.Random(7)
    return [[0.1 * x + chance.uniform(-0.01, 0.01) for x in corner] for corner in corners_of_bar(cells)], tets_of_bar(cells)


def inverse_of_edges(corners):
    """Determinant and inverse of the matrix whose columns are the edges from the first corner of a tet."""
    e = [[corners[k + 1][i] - corners[0][i] for k in range(3)] for i in range(3)]

    def cofactor(i, j):
        (a, b), (c, d) = (((i + 1) % 3, (i + 2) % 3), ((j + 1) % 3, (j + 2) % 3))
        return e[a][c] * e[b][d] - e[a][d] * e[b][c]

    determinant = sum(e[0][j] * cofactor(0, j) for j in range(3))
    return determinant, [[cofactor(j, i) / determinant for j in range(3)] for i in range(3)]


def tet_stiffness(corners):
    """Volume and the stiffness of the energy mu |e|^2 + lambda/2 tr(e)^2: [12][12], rows x y z of the four corners."""
    determinant, inverse = inverse_of_edges(corners)
    assert determinant > 0
    gradients = [[-sum(inverse[k][i] for k in range(3)) for i in range(3)]] + inverse
    mu, lam = YOUNG / (2 + 2 * POISSON), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
    volume = determinant / 6

    def entry(a, i, b, j):
        g, k = gradients[a], gradients[b]
        dot = sum(x * y for x, y in zip(g, k)) if i == j else 0.0
        return volume * (lam * g[i] * k[j] + mu * g[j] * k[i] + mu * dot)

    return volume, [[entry(a, i, b, j) for b in range(4) for j in range(3)] for a in range(4) for i in range(3)]


class Dense:
    """The bar: ratio[vertex] 1 in L, m in a fast set, None where it is pinned and does not move."""

    def __init__(self, positions, tets, ratio, stiffness_damping, mass_damping, velocity):
        self.rest, self.ratio = positions, ratio
        self.h = 1 / (FPS * STEPS)
        self.alpha, self.beta = mass_damping, stiffness_damping
        self.u = [0.0] * (3 * len(positions))
        self.v = [0.0 if ratio[i // 3] is None else velocity[i] for i in range(3 * len(positions))]
        self.mass = [0.0] * len(self.u)
        self.elements = []
        for tet in tets:
            volume, k = tet_stiffness([positions[v] for v in tet])
            rows = [3 * v + axis for v in tet for axis in range(3)]
            fast = {ratio[v] for v in tet} - {1, None}
            assert len(fast) <= 1
            self.elements.append((rows, k, fast.pop() if fast else 1))
            for row in rows:
                self.mass[row] += DENSITY * volume / 4
        # unknowns: (degree of freedom, small step), L's with step 0
        free = [i for i in range(len(self.u)) if ratio[i // 3] is not None]
        names = [(i, r) for i in free for r in (range(1, ratio[i // 3] + 1) if ratio[i // 3] > 1 else (0,))]
        self.place = {name: number for number, name in enumerate(names)}
        self.names = names
        self.factor = factored(self.matrix())

    def unknown(self, i, r):
        """Number of the unknown that is the velocity of i in small step r; None if it is pinned."""
        if self.ratio[i // 3] is None:
            return None
        return self.place[(i, r if self.ratio[i // 3] > 1 else 0)]

    def equations(self):
        """Each force: (row, small step of the element, its ratio, entries of K along the row, columns)."""
        for rows, k, m in self.elements:
            for r in range(1, m + 1):
                for i, line in zip(rows, k):
                    if self.ratio[i // 3] is not None:
                        yield i, r, m, line, rows

    def displacement(self, j, r, m):
        """Of j at small step r of m, as (constant, [(unknown, factor)])."""
        if self.ratio[j // 3] is None:
            return self.u[j], []
        if self.ratio[j // 3] > 1:
            return self.u[j], [(self.unknown(j, s), self.h / m) for s in range(1, r + 1)]
        return self.u[j], [(self.unknown(j, 0), self.h * r / m)]

    def matrix(self):
        a = [[0.0] * len(self.names) for _ in self.names]
        for i, r in self.names:
            row, h = self.unknown(i, r), self.h / self.ratio[i // 3]
            a[row][row] += self.mass[i] * (1 + h * self.alpha)
            if r > 1:
                a[row][self.unknown(i, r - 1)] -= self.mass[i]
        for i, r, m, line, rows in self.equations():
            row, h = a[self.unknown(i, r)], self.h / m
            for stiffness, j in zip(line, rows):
                for column, factor in self.displacement(j, r, m)[1]:
                    row[column] += h * stiffness * factor
                if self.ratio[j // 3] is not None:
                    row[self.unknown(j, r)] += h * self.beta * stiffness
        return a

    def solve(self, b):
        return solved(self.factor, b)

    def step(self):
        b = [0.0] * len(self.names)
        for i, r in self.names:
            h = self.h / self.ratio[i // 3]
            b[self.unknown(i, r)] += self.mass[i] * (h * GRAVITY[i % 3] + (self.v[i] if r <= 1 else 0))
        for i, r, m, line, rows in self.equations():
            b[self.unknown(i, r)] -= self.h / m * sum(k * self.u[j] for k, j in zip(line, rows))
        solution = self.solve(b)
        for (i, r), velocity in zip(self.names, solution):
            self.u[i] += self.h / self.ratio[i // 3] * velocity
            self.v[i] = velocity  # small steps are in order: the last one stays

    def positions(self):
        return [x + u for x, u in zip(itertools.chain(*self.rest), self.u)]


def factored(a):
    """Gauss with row exchanges, in place: the multipliers stay below the diagonal."""
    order = list(range(len(a)))
    for k in range(len(a)):
        best = max(range(k, len(a)), key=lambda row: abs(a[row][k]))
        a[k], a[best], order[k], order[best] = a[best], a[k], order[best], order[k]
        pivot = a[k]
        for row in a[k + 1:]:
            if row[k]:
                factor = row[k] = row[k] / pivot[k]
                row[k + 1:] = [x - factor * y for x, y in zip(row[k + 1:], pivot[k + 1:])]
    return a, order


def solved(factor, b):
    a, order = factor
    x = [b[place] for place in order]
    for k in range(len(a)):
        x[k] -= sum(p * q for p, q in zip(a[k], x[:k]))
    for k in reversed(range(len(a))):
        x[k] = (x[k] - sum(p * q for p, q in zip(a[k][k + 1:], x[k + 1:]))) / a[k][k]
    return x


def compare(cells, layer_ratios, method, damping, frames=5):
    """Bakes the bar and steps its reference; layer_ratios as Dense's, for each layer of four vertices."""
    positions, tets = bar(cells)
    ratio = [m for m in layer_ratios for _ in range(4)]
    chance = random.Random(11)
    velocity = [chance.uniform(-2, 2) for _ in range(3 * len(positions))]
    dense = Dense(positions, tets, ratio, *damping, velocity)
    regions = [{"name": "x{}".format(m), "effect": "fast", "value": m, "weights": [float(r == m) for r in ratio]}
               for m in sorted(set(ratio) - {1, None}, key=str)]
    if None in ratio:
        regions.append({"name": "held", "effect": "pin", "weights": [float(r is None) for r in ratio]})
    body = {"name": "bar", "tets": {"positions": positions, "tet_vertices": tets}, "regions": regions,
            "start_velocities": velocity,
            "material": {"law": "linear", "young_modulus": YOUNG, "poisson_ratio": POISSON, "density": DENSITY,
                         "stiffness_damping": damping[0], "mass_damping": damping[1]}}
    scene = {"bodies": [body], "frame_count": frames + 1, "fps": FPS, "steps_per_frame": STEPS, "gravity": GRAVITY,
             "integrator": method}
    with jounce.Bake(scene) as bake:
        for frame in bake.frames():
            bake.advance(frame)
            if frame > 1:
                for _ in range(STEPS):
                    dense.step()
            difference = largest_difference(bake.positions(), dense.positions())
            assert difference <= 1e-9 * max(map(abs, dense.u)), (frame, difference)
    # it has moved, and not as with one rate for all
    assert max(map(abs, dense.u)) > 0.05
    plain = Dense(positions, tets, [m and 1 for m in ratio], *damping, velocity)
    for _ in range(frames * STEPS):
        plain.step()
    assert largest_difference(plain.positions(), dense.positions()) > 1e-3


def test_one_fast_end_of_a_pinned_bar():
    for m in (3, 7):
        compare(5, [None, 1, 1, 1, m, m], "si", (0.0, 0.0))


def test_two_fast_ends_of_a_free_bar():
    compare(8, [7, 7, 7, 1, 1, 1, 1, 3, 3], "si", (0.0, 0.0))


def test_two_fast_ends_with_damping_by_si():
    compare(8, [3, 3, 1, None, 1, 1, 1, 7, 7], "si", (0.003, 0.5))


def test_two_fast_ends_with_damping_by_be():
    compare(8, [3, 3, 1, None, 1, 1, 1, 7, 7], "be", (0.003, 0.5))


def test_fast_set_between_pins_and_a_slow_part():
    compare(6, [None, 7, 7, 1, 1, 1, 1], "si", (0.001, 0.0))


class Floor(Dense):
    """The bar above a floor, on which vertices of the fast end touch: at the end of every small step the penalty pushes with
    stiffness times area times what is missing to the thickness, N, and friction pulls with mu N s(|u|) u/|u|. All at once by
    Newton's method."""

    STIFFNESS, THICKNESS, SPEED, HEIGHT = 2e6, 0.002, 0.01, -0.18

    def __init__(self, positions, tets, ratio, damping, velocity, friction):
        super().__init__(positions, tets, ratio, *damping, velocity)
        self.linear, self.mu, self.touched, self.slid = self.matrix(), friction, 0, 0
        self.area = [0.0] * len(positions)
        faces = {}
        for tet in tets:
            for face in itertools.combinations(sorted(tet), 3):
                faces[face] = faces.get(face, 0) + 1
        for face in (face for face, count in faces.items() if count == 1):
            a, b, c = ([positions[v][i] for i in range(3)] for v in face)
            p, q = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
            cross = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
            for v in face:
                self.area[v] += math.sqrt(sum(x * x for x in cross)) / 6

    def push(self, v, r, x):
        """Of vertex v at the end of step r: None, or impulses in x, y, z and their derivatives, as (row, column, value)."""
        m, k = self.ratio[v], self.STIFFNESS * self.area[v]
        h = self.h / m
        steps = range(1, r + 1) if m > 1 else (0,)
        past = [self.unknown(3 * v + 1, s) for s in steps]
        depth = self.THICKNESS + self.HEIGHT - self.rest[v][1] - self.u[3 * v + 1] - h * sum(x[i] for i in past)
        if depth <= 0:
            return None
        rows = [self.unknown(3 * v + axis, r) for axis in range(3)]
        u = (x[rows[0]], x[rows[2]])
        speed, eps = math.hypot(*u), self.SPEED
        part = speed / eps
        secant = (2 - part) / eps if part < 1 else 1 / speed
        slope = 2 * (1 - part) / eps if part < 1 else 0.0
        impulse = {rows[0]: -h * self.mu * k * depth * secant * u[0], rows[1]: h * k * depth,
                   rows[2]: -h * self.mu * k * depth * secant * u[1]}
        derivatives = [(rows[1], i, -h * k * h) for i in past]
        for a in (0, 1):
            derivatives += [(rows[2 * a], i, h * self.mu * k * secant * u[a] * h) for i in past]
            for b in (0, 1):
                along = u[a] * u[b] / speed ** 2 if speed else 0.0
                derivatives.append((rows[2 * a], rows[2 * b],
                                    -h * self.mu * k * depth * (secant * (a == b) + (slope - secant) * along)))
        self.now[0] += 1
        self.now[1] += part >= 1
        return impulse, derivatives

    def residual(self, x, b):
        self.now = [0, 0]
        left = [sum(p * q for p, q in zip(row, x)) - y for row, y in zip(self.linear, b)]
        derivatives = []
        for i, r in self.names:
            push = self.push(i // 3, r, x) if i % 3 == 1 else None
            if push:
                assert self.ratio[i // 3] > 1
                for row, value in push[0].items():
                    left[row] -= value
                derivatives += push[1]
        return left, derivatives

    def solve(self, b):
        """Newton's method with a line search, from the motion without contact."""
        x = solved(self.factor, b)
        left, derivatives = self.residual(x, b)
        for _ in range(60):
            size = max(map(abs, left))
            if size < 1e-13:
                break
            a = [row[:] for row in self.linear]
            for row, column, value in derivatives:
                a[row][column] -= value
            way, t = solved(factored(a), left), 1.0
            while True:
                trial = [p - t * q for p, q in zip(x, way)]
                left, derivatives = self.residual(trial, b)
                if max(map(abs, left)) < size or t < 1e-3:
                    break
                t /= 2
            x = trial
        assert size < 1e-12, size
        self.touched += self.now[0]
        self.slid += self.now[1]
        return x


def compare_on_floor(layer_ratios, damping, friction, frames):
    positions, tets = bar(len(layer_ratios) - 1)
    ratio = [m for m in layer_ratios for _ in range(4)]
    for v, m in enumerate(ratio):
        positions[v][1] -= 0.12 if m and m > 1 else 0.0  # the slow part stays above the floor
    velocity = [(0.3, -2 * (v // 4) / len(layer_ratios), 0.2)[i] for v in range(len(positions)) for i in range(3)]
    dense = Floor(positions, tets, ratio, damping, velocity, friction)
    m = max(filter(None, ratio))
    regions = [{"name": "fast", "effect": "fast", "value": m, "weights": [float(r == m) for r in ratio]},
               {"name": "held", "effect": "pin", "weights": [float(r is None) for r in ratio]}]
    body = {"name": "bar", "tets": {"positions": positions, "tet_vertices": tets}, "regions": regions,
            "start_velocities": velocity,
            "material": {"law": "linear", "young_modulus": YOUNG, "poisson_ratio": POISSON, "density": DENSITY,
                         "stiffness_damping": damping[0], "mass_damping": damping[1]}}
    scene = {"bodies": [body], "frame_count": frames + 1, "fps": FPS, "steps_per_frame": STEPS, "gravity": GRAVITY,
             "integrator": "si",
             "contact": {"method": "penalty", "stiffness": Floor.STIFFNESS, "thickness": Floor.THICKNESS,
                         "smoothing_speed": Floor.SPEED},
             "colliders": [{"kind": "plane", "name": "floor", "point": (0, Floor.HEIGHT, 0), "normal": (0, 1, 0),
                            "friction": friction}]}
    with jounce.Bake(scene) as bake:
        for frame in bake.frames():
            bake.advance(frame)
            if frame > 1:
                for _ in range(STEPS):
                    dense.step()
            difference = largest_difference(bake.positions(), dense.positions())
            assert difference <= 1e-8 * max(map(abs, dense.u)), (frame, difference)
        statistics = bake.statistics()
    assert dense.touched > 40 and statistics["fast_touch_steps"] > 3 and statistics["hastened_steps"] == 0
    return dense


def test_fast_end_on_a_floor():
    compare_on_floor([None] + 11 * [1] + [8], (0.0, 0.0), 0.0, 3)


def test_fast_end_on_a_floor_slides_and_sticks():
    dense = compare_on_floor([None] + 11 * [1] + [8], (0.002, 0.5), 1.0, 3)
    assert 0 < dense.slid < dense.touched


def check_bounce(method, ratio):
    """A free bar without damping and gravity, its fast end thrown on a smooth floor: no momentum along it, no energy."""
    positions, tets = bar(12)
    fast = [float(v // 4 == 12) for v in range(len(positions))]
    for v, weight in enumerate(fast):
        positions[v][1] -= 0.12 * weight
    body = {"name": "bar", "tets": {"positions": positions, "tet_vertices": tets}, "start_velocities": [0.4, -2, 0.3] * len(fast),
            "regions": [{"name": "x", "effect": "fast", "value": ratio, "weights": fast}],
            "material": {"law": "linear", "young_modulus": YOUNG, "poisson_ratio": POISSON, "density": DENSITY}}
    scene = {"bodies": [body], "frame_count": 13, "fps": 50, "steps_per_frame": 1, "gravity": (0, 0, 0), "integrator": "si",
             "contact": {"method": method},
             "colliders": [{"kind": "plane", "name": "floor", "point": (0, -0.18, 0), "normal": (0, 1, 0), "friction": 0}]}
    first, held = None, math.inf
    with jounce.Bake(scene) as bake:
        for frame in bake.frames():
            bake.advance(frame)
            motion = bake.motion()
            momentum, energy = list(motion["momentum"]), motion["total_energy"]
            first = first or (momentum, energy)
            assert energy <= held + 1e-9 * first[1], (method, frame, energy, held)
            for axis in (0, 2):
                assert abs(momentum[axis] - first[0][axis]) < 1e-13 * frame * abs(first[0][1])
            held = energy
        assert bake.statistics()["fast_touch_steps"] > 3
    assert momentum[1] > 0 > first[0][1] and held < 0.9 * first[1]


def test_bounce_of_a_fast_end_keeps_momentum_along_the_floor_and_gains_no_energy():
    for method in ("penalty", "barrier"):
        check_bounce(method, 8)


def check_energy(pinned, ratio, stiffer):
    """1,000 large steps of a linear bar without damping, its end `stiffer` times as stiff and fast."""
    positions, tets = bar(6)
    chance = random.Random(3)
    velocity = [chance.uniform(-2, 2) for _ in range(3 * len(positions))]
    fast = [float(v // 4 >= 4) for v in range(len(positions))]
    regions = [{"name": "x", "effect": "fast", "value": ratio, "weights": fast},
               {"name": "s", "effect": "stiffness", "value": stiffer, "weights": fast}]
    if pinned:
        regions.append({"name": "held", "effect": "pin", "weights": [float(v < 4) for v in range(len(positions))]})
    body = {"name": "bar", "tets": {"positions": positions, "tet_vertices": tets}, "regions": regions,
            "start_velocities": velocity,
            "material": {"law": "linear", "young_modulus": YOUNG, "poisson_ratio": POISSON, "density": DENSITY}}
    scene = {"bodies": [body], "frame_count": 1001, "fps": 50, "steps_per_frame": 1, "gravity": (0, 0, 0),
             "integrator": "si"}
    held, first, momentum = math.inf, None, None
    with jounce.Bake(scene) as bake:
        for frame in bake.frames():
            bake.advance(frame)
            motion = bake.motion()
            energy = motion["kinetic_energy"] + motion["elastic_energy"]
            first = first or energy
            momentum = momentum or list(motion["momentum"])
            # the slow part is solved for to 1e-8 of its forces
            assert energy <= held + 1e-9 * first, (ratio, stiffer, frame, energy, held)
            held = energy
            if not pinned:
                off = largest_difference(list(motion["momentum"]), momentum)
                # the rounding, step by step, of what cancels in it: stiff forces, and displacements over a short time
                rounding = 4e-15 * max(1, stiffer, (ratio / 10) ** 2)
                assert off < rounding * frame * max(map(abs, momentum)), (ratio, stiffer, frame, off)
        assert not bake.note, bake.note
    assert held < 0.9 * first


def test_energy_never_grows_with_any_ratio_and_stiffness():
    for pinned in (False, True):
        for ratio, stiffer in ((10, 1e4), (150, 1e4), (150, 0.01)):
            check_energy(pinned, ratio, stiffer)


run(globals())
