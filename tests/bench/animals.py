"""Tet meshes of the benches: a turtle and an octopus from files, bodies of cells made here."""


def read_veg(path):
    with open(path) as file:
        lines = [line.split() for line in file]
    at = lines.index(["*VERTICES"])
    count = int(lines[at + 1][0])
    points = [tuple(map(float, line[1:4])) for line in lines[at + 2:at + 2 + count]]
    at = next(i for i, line in enumerate(lines) if line and line[0] == "*ELEMENTS")
    count = int(lines[at + 2][0])
    return points, [tuple(int(v) - 1 for v in line[1:5]) for line in lines[at + 3:at + 3 + count]]


def read_tetgen(stem):
    rows = []
    for ending in (".node", ".ele"):
        with open(stem + ending) as file:
            lines = [line.split("#")[0].split() for line in file]
        lines = [line for line in lines if line]
        rows.append(lines[1:1 + int(lines[0][0])])
    first = int(rows[0][0][0])
    return ([tuple(map(float, row[1:4])) for row in rows[0]],
            [tuple(int(v) - first for v in row[1:5]) for row in rows[1]])


def upright(points, tets):
    """The tets, each with a positive volume."""
    turned = []
    for a, b, c, d in tets:
        u, v, w = ([points[k][i] - points[a][i] for i in range(3)] for k in (b, c, d))
        volume = sum(u[i] * (v[(i + 1) % 3] * w[(i + 2) % 3] - v[(i + 2) % 3] * w[(i + 1) % 3]) for i in range(3))
        turned.append((a, b, c, d) if volume > 0 else (a, c, b, d))
    return turned


def scaled(points):
    """The points, centred and 1 m long."""
    low = [min(p[i] for p in points) for i in range(3)]
    high = [max(p[i] for p in points) for i in range(3)]
    size = max(h - l for h, l in zip(high, low))
    return [tuple((p[i] - 0.5 * (low[i] + high[i])) / size for i in range(3)) for p in points]


def of_cells(boxes, cell):
    """Points and tets of all cubes of side `cell` in the boxes, each ((x0, y0, z0), (x1, y1, z1)) in cells."""
    cells = {(x, y, z) for low, high in boxes for x in range(low[0], high[0]) for y in range(low[1], high[1])
             for z in range(low[2], high[2])}
    numbers, tets = {}, []

    def number(corner):
        return numbers.setdefault(corner, len(numbers))

    for x, y, z in sorted(cells):
        corner = [number((x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))) for k in range(8)]
        # six tets around the diagonal from corner 0 to corner 7
        for a, b in ((1, 3), (3, 2), (2, 6), (6, 4), (4, 5), (5, 1)):
            tets.append((corner[0], corner[a], corner[b], corner[7]))
    points = [tuple(cell * c for c in corner) for corner in sorted(numbers, key=numbers.get)]
    return points, upright(points, tets)
