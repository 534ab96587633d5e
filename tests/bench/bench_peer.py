"""What a time step costs against MuJoCo's flex, on the same tets, in the same run, step by step in turn.

    bench_peer.py <build folder> [steps] [largest vertex count] [bar | drop]   with a Python that has mujoco 4.0 and numpy

A bar pinned at one end is let go under gravity: stable neo-Hookean, E = 1e5 Pa, nu = 0.4, 1000 kg/m3, h = 1/100 s; ours by
semi-implicit Euler, with every step factored and with factors reused, theirs by the integrator `discrete`; all on one
thread. Times are the processor's, of this process, in milliseconds. Machines are shared and noisy, so steps that did the same
work (as many factorizations and iterations) are taken at the quickest of them, and the mean is over these. The energy lost is
what is missing after 50 steps of what gravity gave.

A box with an edge of 1 m, of the same material, is dropped on a floor with friction 0.5 from a height of 1 cm. MuJoCo solves
contact by its Newton method, the default, or by its conjugate gradients, which are quicker for large bodies; both are run, the
former up to 2,197 vertices, each with its default tolerance of 1e-8 on the improvement of its cost and its default limit of 100
iterations. Ours solves linear equations to 1e-8 of the right-hand side, and contact to 1e-3 of its force. Both take the same
number of steps of the same length on one thread; the means are over all steps from the first in which ours finds a contact,
which is before MuJoCo's first. "At limit" is the part of MuJoCo's steps with contact that stopped at the limit of iterations.
Depth is the deepest that a vertex was seen below the floor, at the ends of steps.

Prints tables and writes peer.json to the folder.
"""
import json
import os
import sys
import time

CELL = 0.02
BARS = ((9, 9, 9), (44, 9, 9), (99, 9, 9), (124, 9, 9))
YOUNG, POISSON, DENSITY, H, GRAVITY = 1e5, 0.4, 1000.0, 0.01, 9.81
ENERGY_STEPS = 50
BOXES = (8, 12, 22)  # cells along an edge
DROP, FRICTION, NEWTON_MOST = 0.01, 0.5, 2197

try:
    import mujoco
    import numpy
except ImportError as error:
    print("skipped: {}. Give a Python that has mujoco 4.0 and numpy.".format(error))
    sys.exit(77)


FLEX = """
    <mujoco>
      <option timestep="{h}" integrator="discrete" solver="{solver}" gravity="0 0 -{gravity}">
        <flag contact="{contact}"/>
      </option>
      <size memory="4G"/>
      <worldbody>
        {floor}
        <flexcomp name="body" type="grid" dim="3" count="{counts[0]} {counts[1]} {counts[2]}" pos="0 0 {height}"
                  spacing="{cell} {cell} {cell}" mass="{mass}" radius="1e-5">
          <elasticity young="{young}" poisson="{poisson}"/>
          <contact selfcollide="none" friction="{friction} 0.005 0.0001"/>
          {pin}
        </flexcomp>
      </worldbody>
    </mujoco>"""


def mujoco_model(cells, cell, **extra):
    """The model; its elasticity can be chosen in the spec only, not in MJCF."""
    values = {"h": H, "gravity": GRAVITY, "counts": [count + 1 for count in cells], "cell": cell, "height": 0,
              "mass": DENSITY * cells[0] * cells[1] * cells[2] * cell ** 3, "young": YOUNG, "poisson": POISSON,
              "friction": FRICTION, "solver": "Newton", "contact": "disable", "floor": "", "pin": ""}
    spec = mujoco.MjSpec.from_string(FLEX.format(**dict(values, **extra)))
    spec.flexes[0].elastic3d = 1  # stable neo-Hookean
    return spec.compile()


def mujoco_bar(cells):
    return mujoco_model(cells, CELL, pin='<pin gridrange="0 0 0 0 {} {}"/>'.format(cells[1], cells[2]))


def mujoco_drop(count, solver):
    return mujoco_model((count, count, count), 1 / count, solver=solver, contact="enable", height=0.5 + DROP,
                        floor='<geom type="plane" size="5 5 1" friction="{} 0.005 0.0001"/>'.format(FRICTION))


class Theirs:
    def __init__(self, model):
        self.model = model
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        self.rest = self.positions()
        tets = numpy.array(self.model.flex_elem).reshape(-1, 4)
        edges = self.rest[tets[:, 1:]] - self.rest[tets[:, :1]]
        turned = numpy.linalg.det(edges) < 0
        tets[turned] = tets[turned][:, [0, 2, 1, 3]]
        self.tets = tets
        edges = self.rest[tets[:, 1:]] - self.rest[tets[:, :1]]
        self.volumes = numpy.linalg.det(edges) / 6
        self.inverses = numpy.linalg.inv(edges)
        self.masses = numpy.zeros(len(self.rest))
        for corner in range(4):
            numpy.add.at(self.masses, tets[:, corner], DENSITY * self.volumes / 4)

    def positions(self):
        return numpy.array(self.data.flexvert_xpos)

    def step(self):
        mujoco.mj_step(self.model, self.data)

    def work(self):
        return None

    def iterations(self):
        """Of the last step's contact."""
        return int(self.data.solver_niter[0]) if self.data.nefc else 0

    def energies(self):
        """Given by gravity so far, and what is left of it as motion and deformation, with our own lumped mass."""
        before = self.positions()
        velocity = numpy.zeros(before.shape)
        free = self.model.flex_vertbodyid[:]
        for axis in range(3):
            address = self.model.body_dofadr[free] + axis
            moves = self.model.body_dofnum[free] == 3
            velocity[moves, axis] = self.data.qvel[address[moves]]
        given = -GRAVITY * numpy.sum(self.masses * (before[:, 2] - self.rest[:, 2]))
        kinetic = 0.5 * numpy.sum(self.masses[:, None] * velocity ** 2)
        mu, lame = YOUNG / (2 + 2 * POISSON), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        edges = before[self.tets[:, 1:]] - before[self.tets[:, :1]]
        gradients = numpy.matmul(self.inverses, edges)
        volume = numpy.linalg.det(gradients)
        # the law as MuJoCo has it: without the logarithm
        density = (0.5 * mu * (numpy.sum(gradients ** 2, axis=(1, 2)) - 3) - mu * (volume - 1)
                   + 0.5 * (lame + mu) * (volume - 1) ** 2)
        return given, kinetic + numpy.sum(self.volumes * density)


class Ours:
    """The peer's tets: pinned at the low end of the x axis, or free above a floor."""

    def __init__(self, theirs, steps, reuse, floor=False):
        from jounce.bake import Bake
        low = theirs.rest[:, 0].min() + 1e-6
        pins = [{"name": "pin", "effect": "pin", "weights": [float(x <= low) for x in theirs.rest[:, 0]]}]
        self.bake = Bake({
            "frame_count": steps + 2, "fps": 1 / H, "steps_per_frame": 1, "samples_per_frame": 1, "thread_count": 1,
            "gravity": (0, 0, -GRAVITY), "integrator": "si", "reuse_factor": reuse,
            "bodies": [{
                "name": "bar",
                "tets": {"positions": theirs.rest.ravel().tolist(), "tet_vertices": theirs.tets.ravel().tolist()},
                "material": {"law": "stable_neohooke", "young_modulus": YOUNG, "poisson_ratio": POISSON,
                             "density": DENSITY, "stiffness_damping": 0, "mass_damping": 0},
                "regions": [] if floor else pins,
            }],
            "colliders": [{"name": "floor", "kind": "plane", "normal": (0, 0, 1), "friction": FRICTION}] if floor else []})
        self.step()  # the first frame is the start pose
        self.start = self.bake.motion()["gravity_energy"]

    def step(self):
        self.bake.advance(self.bake.next_frame)

    def work(self):
        statistics = self.bake.statistics()
        return statistics["factor_count"], statistics["iteration_count"]

    def positions(self):
        return numpy.array(self.bake.positions()).reshape(-1, 3)

    def energies(self):
        motion = self.bake.motion()
        return self.start - motion["gravity_energy"], motion["kinetic_energy"] + motion["elastic_energy"]


def quiet_mean(seconds, works):
    """The mean over the steps, each at the quickest that did the same work."""
    done = [work and (work[0] - before[0], work[1] - before[1]) for before, work in zip(works, works[1:])]
    quickest = {}
    for work, second in zip(done, seconds):
        quickest[work] = min(second, quickest.get(work, second))
    return sum(quickest[work] for work in done) / len(done)


def measure(cells, steps):
    theirs = Theirs(mujoco_bar(cells))
    runs = {"theirs": theirs, "factored": Ours(theirs, steps, 0), "reused": Ours(theirs, steps, 1)}
    seconds = {name: [] for name in runs}
    works = {name: [run.work()] for name, run in runs.items()}
    row = {"vertices": len(theirs.rest), "tets": len(theirs.tets)}
    for step in range(steps):
        for name, run in runs.items():
            since = time.process_time()
            run.step()
            seconds[name].append(time.process_time() - since)
            works[name].append(run.work())
        if step + 1 == ENERGY_STEPS:
            for name, run in runs.items():
                given, left = run.energies()
                row["lost_" + name] = (given - left) / given
    for name in runs:
        row[name] = 1000 * quiet_mean(seconds[name], works[name])
        row["mean_" + name] = 1000 * sum(seconds[name]) / steps
    statistics = runs["reused"].bake.statistics()
    row.update({key: statistics[key] for key in ("factor_count", "iteration_count", "solver_bytes", "peak_bytes")})
    a, b = (numpy.array(runs[name].bake.positions()) for name in ("factored", "reused"))
    row["difference"] = float(numpy.abs(a - b).max() / (CELL * cells[0]))
    for name in ("factored", "reused"):
        runs[name].bake.end()
    return row


def measure_drop(count, steps):
    """Means over all steps from our first touch on: no two of them do the same work."""
    theirs = Theirs(mujoco_drop(count, "CG"))
    runs = {"cg": theirs, "ours": Ours(theirs, steps, 1, floor=True)}
    if len(theirs.rest) <= NEWTON_MOST:
        runs["newton"] = Theirs(mujoco_drop(count, "Newton"))
    seconds = {name: [] for name in runs}
    row = {"vertices": len(theirs.rest), "tets": len(theirs.tets)}
    row.update({"depth_" + name: 0.0 for name in runs})
    # the step that ends below the floor, if nothing holds it, begins one before
    fall = int((2 * DROP / GRAVITY) ** 0.5 / H) - 1
    iterations = {name: [] for name in runs if name != "ours"}
    for step in range(steps):
        for name, run in runs.items():
            since = time.process_time()
            run.step()
            if step >= fall:
                seconds[name].append(time.process_time() - since)
            if name in iterations and run.iterations():
                iterations[name].append(run.iterations())
            row["depth_" + name] = max(row["depth_" + name], float(-run.positions()[:, 2].min()))
    for name in runs:
        row[name] = 1000 * sum(seconds[name]) / len(seconds[name])
        row["rest_" + name] = 1000 * sum(seconds[name][-10:]) / 10
    for name, counts in iterations.items():
        row["iterations_" + name] = sum(counts) / max(1, len(counts))
        row["limit_" + name] = (sum(count >= runs[name].model.opt.iterations for count in counts) / max(1, len(counts)))
    statistics = runs["ours"].bake.statistics()
    row["iterations_ours"] = statistics["iteration_count"] / steps
    row["factors_ours"] = statistics["factor_count"]
    runs["ours"].bake.end()
    return row


def print_bars(steps, largest):
    print("{:>8} {:>8} | {:>8} {:>8} {:>8} | {:>8} {:>8} | {:>6} {:>6} | {:>10} | {:>6} {:>6}".format(
        "vertices", "tets", "mujoco", "factored", "reused", "f / m", "r / m", "facts", "iters", "difference", "lost",
        "m lost"))
    rows = []
    for cells in BARS:
        if (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) > largest:
            continue
        row = measure(cells, steps)
        rows.append(row)
        print("{:8} {:8} | {:8.1f} {:8.1f} {:8.1f} | {:8.2f} {:8.2f} | {:6} {:6} | {:10.1e} | {:5.1f}% {:5.1f}%".format(
            row["vertices"], row["tets"], row["theirs"], row["factored"], row["reused"],
            row["factored"] / row["theirs"], row["reused"] / row["theirs"], row["factor_count"],
            row["iteration_count"], row["difference"], 100 * row.get("lost_reused", float("nan")),
            100 * row.get("lost_theirs", float("nan"))), flush=True)
    return rows


def print_drops(steps, largest):
    option = mujoco.MjModel.from_xml_string("<mujoco/>").opt
    print("{} steps of {} s, one thread each; MuJoCo {}: tolerance {:g}, at most {} iterations".format(
        steps, H, mujoco.__version__, option.tolerance, option.iterations))
    print("{:>8} {:>8} | {:>8} {:>8} {:>8} | {:>8} {:>8} | {:>8} | {:>26} | {:>22} | {:>26}".format(
        "vertices", "tets", "newton", "cg", "ours", "o / n", "o / cg", "at end", "depth mm: newton cg ours",
        "cg iterations, at limit", "our iterations a step, factors"))
    rows = []
    for count in BOXES:
        if (count + 1) ** 3 > largest:
            continue
        row = measure_drop(count, steps)
        rows.append(row)
        newton, nothing = row.get("newton", float("nan")), float("nan")
        print("{:8} {:8} | {:8.1f} {:8.1f} {:8.1f} | {:8.2f} {:8.2f} | {:8.2f} | {:8.2f} {:8.2f} {:8.2f} | "
              "{:12.1f} {:9.0%} | {:12.1f} {:9}".format(
            row["vertices"], row["tets"], newton, row["cg"], row["ours"], row["ours"] / newton, row["ours"] / row["cg"],
            row["rest_ours"] / row["rest_cg"], 1000 * row.get("depth_newton", nothing), 1000 * row["depth_cg"],
            1000 * row["depth_ours"], row["iterations_cg"], row["limit_cg"], row["iterations_ours"],
            row["factors_ours"]), flush=True)
    return rows


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "build"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    largest = int(sys.argv[3]) if len(sys.argv) > 3 else 13000
    only = sys.argv[4] if len(sys.argv) > 4 else None
    sys.path.insert(0, os.path.join(folder, "python"))
    from jounce import library
    library.load(os.path.join(folder, "libjounce.so"))
    results = {name: table(steps, largest) for name, table in (("bar", print_bars), ("drop", print_drops))
               if only in (None, name)}
    with open(os.path.join(folder, "peer.json"), "w") as file:
        json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
