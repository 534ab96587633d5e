"""A cantilever against CalculiX, the open finite element program (Debian: calculix-ccx), and against beam theory.

On the same mesh of linear tets the two programs must agree: deflection under its own weight and ten frequencies, with
the consistent mass. Over three meshes they must converge to what quadratic tets give on a fine one. So must the free beam
whose tets the mesher makes of its surface.
"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import Skip, environment, run  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce import Bake, modes  # noqa: E402

SIZE = (1.0, 0.25, 0.125)  # m: length, height (gravity pulls along it), depth
YOUNG, POISSON, DENSITY, GRAVITY = 1e7, 0.3, 1000.0, 9.81
MODE_COUNT = 10
MESHES = ((16, 4, 2), (32, 8, 4), (64, 16, 8))
# Deflection and frequencies of quadratic tets by CalculiX 2.20: JN_TEST_BUILD=build test_calculix.py --reference
REFERENCE_CELLS = (48, 12, 6)
REFERENCE = (0.02470179, [2.016329, 3.882667, 11.79996, 11.81406, 19.69055, 25.12472, 30.31618, 35.53326, 45.19819,
                          53.67162])
# The first frequencies of the free beam, after its six rigid motions, likewise
FREE_CELLS = (32, 8, 4)
FREE_REFERENCE = [12.21061, 21.59903, 23.01243, 31.06851, 46.18631]
RESOLUTIONS = (16, 24, 32)


class Mesh:
    """A box of cells, each cut into six tets around the diagonal; the end at x = 0 is clamped."""

    def __init__(self, cells):
        self.cells = cells
        nx, ny, nz = cells
        self.positions = [(SIZE[0] * i / nx, SIZE[1] * j / ny, SIZE[2] * k / nz)
                          for k in range(nz + 1) for j in range(ny + 1) for i in range(nx + 1)]
        self.tets = []
        for k in range(nz):
            for j in range(ny):
                for i in range(nx):
                    self.add_cell(i, j, k)
        self.clamped = [x == 0 for x, _, _ in self.positions]
        self.tip = self.number(nx, ny // 2, nz // 2)  # the middle of the free end

    def number(self, i, j, k):
        return i + (self.cells[0] + 1) * (j + (self.cells[1] + 1) * k)

    def add_cell(self, i, j, k):
        for axes, turned in (((0, 1, 2), 0), ((1, 0, 2), 1), ((0, 2, 1), 1), ((2, 0, 1), 0), ((1, 2, 0), 0),
                             ((2, 1, 0), 1)):
            place, tet = [i, j, k], [self.number(i, j, k)]
            for axis in axes:
                place[axis] += 1
                tet.append(self.number(*place))
            if turned:
                tet[1], tet[2] = tet[2], tet[1]
            self.tets.append(tet)

    def quadratic(self):
        """Positions, ten-node elements with a node in the middle of every edge, and {that node: the edge's ends}."""
        positions, middles, elements = list(self.positions), {}, []
        for tet in self.tets:
            element = list(tet)
            for a, b in ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)):
                edge = tuple(sorted((tet[a], tet[b])))
                if edge not in middles:
                    middles[edge] = len(positions)
                    ends = [self.positions[end] for end in edge]
                    positions.append(tuple((p + q) / 2 for p, q in zip(*ends)))
                element.append(middles[edge])
            elements.append(element)
        return positions, elements, {middle: edge for edge, middle in middles.items()}


# ------------------------------------------------------------------------------------------------ CalculiX

def lines_of(number, values):
    """An input line, continued after eight entries as CalculiX wants it."""
    entries = [str(number + 1)] + [str(value) for value in values]
    return ",\n".join(",".join(entries[at:at + 8]) for at in range(0, len(entries), 8))


def calculix_input(positions, elements, kind, tip, tied=None):
    clamped = [str(number + 1) for number, (x, _, _) in enumerate(positions) if x == 0]
    deck = ["*NODE, NSET=NALL"]
    deck += ["%d,%.17g,%.17g,%.17g" % ((number + 1,) + position) for number, position in enumerate(positions)]
    deck += ["*ELEMENT, TYPE=%s, ELSET=EALL" % kind]
    deck += [lines_of(number, [node + 1 for node in element]) for number, element in enumerate(elements)]
    deck += ["*NSET, NSET=CLAMP"] + [",\n".join(clamped)] + ["*NSET, NSET=TIP", str(tip + 1)]
    for middle, (first, second) in sorted((tied or {}).items()):
        if positions[middle][0] > 0:  # the others are clamped
            deck += ["*EQUATION\n3\n%d,%d,2.,%d,%d,-1.,%d,%d,-1." % (middle + 1, axis, first + 1, axis, second + 1, axis)
                     for axis in (1, 2, 3)]
    deck += ["*BOUNDARY", "CLAMP,1,3", "*MATERIAL, NAME=M", "*ELASTIC", "%.17g,%.17g" % (YOUNG, POISSON), "*DENSITY",
             "%.17g" % DENSITY, "*SOLID SECTION, ELSET=EALL, MATERIAL=M"]
    deck += ["*STEP", "*STATIC", "*DLOAD", "EALL,GRAV,%.17g,0,-1,0" % GRAVITY, "*NODE PRINT, NSET=TIP", "U", "*END STEP"]
    deck += ["*STEP", "*FREQUENCY", str(MODE_COUNT), "*END STEP", ""]
    return "\n".join(deck)


def run_calculix(deck):
    """What it prints into its .dat file."""
    program = shutil.which("ccx")
    if not program:
        raise Skip("there is no CalculiX (ccx) here: install calculix-ccx")
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "beam.inp"), "w") as file:
            file.write(deck)
        result = subprocess.run([program, "-i", "beam"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                universal_newlines=True, env=dict(os.environ, OMP_NUM_THREADS="1"))
        assert result.returncode == 0 and "Job finished" in result.stdout, result.stdout[-2000:]
        with open(os.path.join(folder, "beam.dat")) as file:
            return file.read()


def eigenvalues_of(data):
    table = data.split("E I G E N V A L U E   O U T P U T")[1].split("P A R T I C I P A T I O N")[0]
    return [float(value) for value in re.findall(r"^\s+\d+\s+(\S+)(?:\s+\S+){3}\s*$", table, re.M)]


def calculix(positions, elements, kind, tip, tied=None):
    """(deflection in m, frequencies in Hz). tied: nodes that stay in the middle of two others."""
    data = run_calculix(calculix_input(positions, elements, kind, tip, tied))
    deflection = re.search(r"displacements.*\n\s*\n\s*%d((?:\s+\S+){3})" % (tip + 1), data).group(1).split()
    eigenvalues = eigenvalues_of(data)
    assert len(eigenvalues) == MODE_COUNT, data
    return -float(deflection[1]), [math.sqrt(value) / (2 * math.pi) for value in eigenvalues]


def calculix_free(cells):
    """The frequencies of the free beam by quadratic tets, without its six rigid motions."""
    mesh = Mesh(cells)
    positions, elements, _ = mesh.quadratic()
    deck = calculix_input(positions, elements, "C3D10", mesh.tip).replace("*BOUNDARY\nCLAMP,1,3\n", "")
    deck = "%s*STEP\n*FREQUENCY\n%d\n*END STEP\n" % (deck.split("*STEP")[0], 6 + len(FREE_REFERENCE))
    eigenvalues = eigenvalues_of(run_calculix(deck))
    assert all(abs(value) < 1 for value in eigenvalues[:6]), eigenvalues
    return [math.sqrt(value) / (2 * math.pi) for value in eigenvalues[6:]]


def calculix_linear(mesh):
    """Linear tets with the consistent mass: quadratic ones whose middle nodes are tied to the ends of their edges. The
    program's own linear tet, C3D4, takes its mass from one integration point, rho V / 16 in every entry in place of
    rho V / 10 and / 20: its stiffness is the same, but its frequencies are a little higher."""
    positions, elements, middles = mesh.quadratic()
    return calculix(positions, elements, "C3D10", mesh.tip, middles)


# ------------------------------------------------------------------------------------------------ Jounce

def description(mesh):
    body = {"name": "beam", "tets": {"positions": [value for point in mesh.positions for value in point],
                                     "tet_vertices": [vertex for tet in mesh.tets for vertex in tet]},
            "material": {"law": "linear", "young_modulus": YOUNG, "poisson_ratio": POISSON, "density": DENSITY,
                         "locking_cure": 0},
            "regions": [{"name": "clamp", "effect": "pin", "weights": [float(held) for held in mesh.clamped]}]}
    return {"bodies": [body], "consistent_mass": 1, "gravity": (0, -GRAVITY, 0)}


def jounce_deflection(mesh):
    """A time step so long that inertia is nothing ends, with a linear law, at rest: |M| / |h2 K| is below 1e-6."""
    steps = dict(description(mesh), fps=0.01, steps_per_frame=1, frame_count=4)
    with Bake(steps) as bake:
        for frame in bake.frames():
            bake.advance(frame)
        points = bake.positions()
    # cached are the vertices of the boundary, in their order
    nx, ny, nz = mesh.cells
    inner = {mesh.number(i, j, k) for k in range(1, nz) for j in range(1, ny) for i in range(1, nx)}
    cached = mesh.tip - sum(number < mesh.tip for number in inner)
    return mesh.positions[mesh.tip][1] - points[3 * cached + 1]


def jounce(mesh):
    found = modes(description(mesh), MODE_COUNT)
    assert not any(mode["rigid"] for mode in found)
    return jounce_deflection(mesh), [mode["frequency"] for mode in found[:MODE_COUNT]]


# ------------------------------------------------------------------------------------------------ tests

def relative_errors(found, reference):
    """Of the deflection and of each frequency."""
    return [value / exact - 1 for value, exact in zip([found[0]] + found[1], [reference[0]] + reference[1])]


def check_same(cells):
    mesh = Mesh(cells)
    errors = relative_errors(jounce(mesh), calculix_linear(mesh))
    assert len(errors) == 1 + MODE_COUNT
    assert max(map(abs, errors)) < 1e-6, errors  # CalculiX prints seven digits


def test_calculix_same_coarse_mesh_gives_the_same_beam():
    check_same(MESHES[0])


def test_calculix_same_finer_mesh_gives_the_same_beam():
    check_same(MESHES[1])


def test_calculix_own_linear_tets_sag_the_same_and_swing_a_little_faster():
    mesh = Mesh(MESHES[1])
    own = calculix(mesh.positions, mesh.tets, "C3D4", mesh.tip)
    errors = relative_errors(jounce(mesh), own)
    assert abs(errors[0]) < 1e-6, errors
    assert all(-1e-2 < error < 0 for error in errors[1:]), errors


def test_calculix_quadratic_tets_are_near_the_recorded_reference():
    mesh = Mesh(MESHES[0])
    positions, elements, _ = mesh.quadratic()
    errors = relative_errors(calculix(positions, elements, "C3D10", mesh.tip), REFERENCE)
    assert max(map(abs, errors)) < 1e-2, errors
    assert errors[0] < 0 and all(error > 0 for error in errors[1:]), "coarser is stiffer: {}".format(errors)


def test_calculix_reference_is_near_beam_theory():
    length, height, depth = SIZE
    speed = math.sqrt(YOUNG / DENSITY)
    # Euler-Bernoulli bending about both axes, and stretching along the beam
    bending = [1.875104 ** 2 / (2 * math.pi) * speed * side / math.sqrt(12) / length ** 2 for side in (depth, height)]
    assert abs(REFERENCE[1][0] / bending[0] - 1) < 0.005, bending
    assert 0.95 < REFERENCE[1][1] / bending[1] < 1, "four times as long as high, it shears too: {}".format(bending)
    assert abs(REFERENCE[1][5] / (speed / (4 * length)) - 1) < 0.01
    # Timoshenko: bending and shear under its own weight
    shear_modulus = YOUNG / (2 * (1 + POISSON))
    sag = DENSITY * GRAVITY * length ** 2 * (1.5 * length ** 2 / (YOUNG * height ** 2) + 0.6 / shear_modulus)
    assert abs(REFERENCE[0] / sag - 1) < 0.02, sag


def test_calculix_quadratic_solution_is_what_finer_meshes_converge_to():
    errors = [relative_errors(jounce(Mesh(cells)), REFERENCE) for cells in MESHES]
    for quantity, (coarse, middle, fine) in enumerate(zip(*errors)):
        first, second = math.log2(abs(coarse / middle)), math.log2(abs(middle / fine))
        name = "frequency %d" % quantity if quantity else "deflection"
        print("%-12s %8.2f %% %8.2f %% %8.2f %%   order %.2f %.2f"
              % (name, 100 * coarse, 100 * middle, 100 * fine, first, second))
        # linear tets come from the stiff side; order 2 is near once the mesh is fine. Stretching, the sixth, is right to a
        # thousandth: what is left there comes from the sharp edges of the clamp, which no mesh resolves at order 2
        assert coarse * fine > 0 and (coarse < 0) == (quantity == 0), name
        assert 1.4 < first < 2.1 and (1.4 if quantity == 6 else 1.75) < second < 2.1, name
    assert abs(errors[-1][0]) < 0.03 and max(map(abs, errors[-1])) < 0.05


def filled_frequencies(resolution):
    """Of the free beam, given as the six faces of its surface."""
    positions = [size * (vertex >> axis & 1) for vertex in range(8) for axis, size in enumerate(SIZE)]
    faces = [0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6]
    body = {"name": "beam", "surface": {"positions": positions, "face_sizes": [4] * 6, "face_vertices": faces},
            "resolution": resolution,
            "material": {"law": "linear", "young_modulus": YOUNG, "poisson_ratio": POISSON, "density": DENSITY,
                         "locking_cure": 0}}
    found = modes({"bodies": [body], "consistent_mass": 1}, 6 + len(FREE_REFERENCE))
    return [mode["frequency"] for mode in found if not mode["rigid"]][:len(FREE_REFERENCE)]


def test_calculix_free_beam_by_quadratic_tets_is_near_the_recorded_reference():
    found = calculix_free(MESHES[0])
    assert all(0 < value / exact - 1 < 1e-2 for value, exact in zip(found, FREE_REFERENCE)), found


def test_calculix_free_beam_that_the_mesher_filled_converges_to_quadratic_tets():
    errors = [[value / exact - 1 for value, exact in zip(filled_frequencies(resolution), FREE_REFERENCE)]
              for resolution in RESOLUTIONS]
    for number, (coarse, middle, fine) in enumerate(zip(*errors)):
        print("frequency %d %8.2f %% %8.2f %% %8.2f %%" % (number + 1, 100 * coarse, 100 * middle, 100 * fine))
        assert coarse > middle > fine > 0, "linear tets come from the stiff side"
    assert max(errors[-1]) < 0.05, errors[-1]


if "--reference" in sys.argv:  # what REFERENCE was made by; takes minutes
    whole = Mesh(REFERENCE_CELLS)
    print(calculix(*whole.quadratic()[:2], "C3D10", whole.tip))
    print(calculix_free(FREE_CELLS))
    sys.exit()
run(globals())
