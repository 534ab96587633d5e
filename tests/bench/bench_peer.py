"""What a time step costs against MuJoCo's flex, on the same tets, in the same run, step by step in turn.

    bench_peer.py <build folder> [steps] [largest vertex count]     with a Python that has mujoco 4.0 and numpy

A bar pinned at one end is let go under gravity: stable neo-Hookean, E = 1e5 Pa, nu = 0.4, 1000 kg/m3, h = 1/100 s; ours by
semi-implicit Euler, with every step factored and with factors reused, theirs by the integrator `discrete`; all on one
thread. Times are the processor's, of this process, in milliseconds. Machines are shared and noisy, so steps that did the same
work (as many factorizations and iterations) are taken at the quickest of them, and the mean is over these. The energy lost is
what is missing after 50 steps of what gravity gave. Prints a table and writes peer.json to the folder.
"""
import json
import os
import sys
import time

CELL = 0.02
SIZES = ((9, 9, 9), (44, 9, 9), (99, 9, 9), (124, 9, 9))
YOUNG, POISSON, DENSITY, H, GRAVITY = 1e5, 0.4, 1000.0, 0.01, 9.81
ENERGY_STEPS = 50

try:
    import mujoco
    import numpy
except ImportError as error:
    print("skipped: {}. Give a Python that has mujoco 4.0 and numpy.".format(error))
    sys.exit(77)


def mujoco_bar(cells):
    """The model; its elasticity can be chosen in the spec only, not in MJCF."""
    counts = [cell + 1 for cell in cells]
    mass = DENSITY * cells[0] * cells[1] * cells[2] * CELL ** 3
    spec = mujoco.MjSpec.from_string("""
        <mujoco>
          <option timestep="{h}" integrator="discrete" gravity="0 0 -{gravity}">
            <flag contact="disable"/>
          </option>
          <size memory="4G"/>
          <worldbody>
            <flexcomp name="bar" type="grid" dim="3" count="{counts[0]} {counts[1]} {counts[2]}"
                      spacing="{cell} {cell} {cell}" mass="{mass}" radius="1e-5">
              <elasticity young="{young}" poisson="{poisson}"/>
              <contact selfcollide="none"/>
              <pin gridrange="0 0 0 0 {last[1]} {last[2]}"/>
            </flexcomp>
          </worldbody>
        </mujoco>""".format(h=H, gravity=GRAVITY, counts=counts, cell=CELL, mass=mass, young=YOUNG, poisson=POISSON,
                            last=cells))
    spec.flexes[0].elastic3d = 1  # stable neo-Hookean
    return spec.compile()


class Theirs:
    def __init__(self, cells):
        self.model = mujoco_bar(cells)
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
    def __init__(self, theirs, steps, reuse):
        from jounce.bake import Bake
        pinned = [float(x <= theirs.rest[:, 0].min() + 1e-6) for x in theirs.rest[:, 0]]
        self.bake = Bake({
            "frame_count": steps + 2, "fps": 1 / H, "steps_per_frame": 1, "samples_per_frame": 1, "thread_count": 1,
            "gravity": (0, 0, -GRAVITY), "integrator": "si", "reuse_factor": reuse,
            "bodies": [{
                "name": "bar",
                "tets": {"positions": theirs.rest.ravel().tolist(), "tet_vertices": theirs.tets.ravel().tolist()},
                "material": {"law": "stable_neohooke", "young_modulus": YOUNG, "poisson_ratio": POISSON,
                             "density": DENSITY, "stiffness_damping": 0, "mass_damping": 0},
                "regions": [{"name": "pin", "effect": "pin", "weights": pinned}],
            }]})
        self.step()  # the first frame is the start pose
        self.start = self.bake.motion()["gravity_energy"]

    def step(self):
        self.bake.advance(self.bake.next_frame)

    def work(self):
        statistics = self.bake.statistics()
        return statistics["factor_count"], statistics["iteration_count"]

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
    theirs = Theirs(cells)
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


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "build"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    largest = int(sys.argv[3]) if len(sys.argv) > 3 else 13000
    sys.path.insert(0, os.path.join(folder, "python"))
    from jounce import library
    library.load(os.path.join(folder, "libjounce.so"))
    print("{:>8} {:>8} | {:>8} {:>8} {:>8} | {:>8} {:>8} | {:>6} {:>6} | {:>10} | {:>6} {:>6}".format(
        "vertices", "tets", "mujoco", "factored", "reused", "f / m", "r / m", "facts", "iters", "difference", "lost",
        "m lost"))
    rows = []
    for cells in SIZES:
        if (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) > largest:
            continue
        row = measure(cells, steps)
        rows.append(row)
        print("{:8} {:8} | {:8.1f} {:8.1f} {:8.1f} | {:8.2f} {:8.2f} | {:6} {:6} | {:10.1e} | {:5.1f}% {:5.1f}%".format(
            row["vertices"], row["tets"], row["theirs"], row["factored"], row["reused"],
            row["factored"] / row["theirs"], row["reused"] / row["theirs"], row["factor_count"],
            row["iteration_count"], row["difference"], 100 * row.get("lost_reused", float("nan")),
            100 * row.get("lost_theirs", float("nan"))), flush=True)
    with open(os.path.join(folder, "peer.json"), "w") as file:
        json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
