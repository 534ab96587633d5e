"""Makes bear.obj and stairs.obj beside it anew, in metres, y up: python3 sample_scenes/teddy/make_meshes.py [folder]

The bear is rounded parts melted into one closed skin: each part is a function that is negative inside and about the
distance outside, and the skin is where their smooth minimum is 0. The stairs are a profile pushed sideways.
"""
import math
import os
import sys

CELL = 0.0125  # of the grid that the skin is found on

# (centre, radii, melting distance): parts melt into those above them over this distance
BALLS = [
    ((0, 0.120, 0), (0.090, 0.112, 0.080), 0.02),  # belly
    ((0, 0.290, 0.005), (0.086, 0.076, 0.076), 0.02),  # head
    ((0, 0.268, 0.073), (0.040, 0.032, 0.034), 0.01),  # muzzle
    ((0, 0.060, -0.084), (0.022, 0.022, 0.022), 0.01),  # tail
]
# the same for one side, mirrored in x: (one end, radius there, other end, radius there, melting distance)
LIMBS = [
    ((0.066, 0.205, 0.010), 0.032, (0.158, 0.135, 0.055), 0.039, 0.015),  # arm
    ((0.050, 0.050, 0.020), 0.044, (0.084, 0.040, 0.125), 0.040, 0.015),  # leg
]
PAIRS = [
    ((0.070, 0.352, 0), (0.036, 0.036, 0.022), 0.010),  # ear
    ((0.088, 0.054, 0.148), (0.042, 0.052, 0.028), 0.010),  # foot
    ((0.034, 0.308, 0.070), (0.015, 0.015, 0.013), 0.002),  # eye
]
NOSE = ((0, 0.282, 0.100), (0.020, 0.015, 0.014), 0.002)

STEPS = 5
RISE, TREAD = 0.19, 0.25
WIDTH, LANDING, FLOOR, DEPTH = 1.6, 0.6, 1.5, 0.1  # DEPTH: of what lies below the floor


def length(vector):
    return math.sqrt(sum(x * x for x in vector))


def ball(point, centre, radii):
    """About the distance from an ellipsoid: exact to first order at its surface."""
    scaled = [(p - c) / r for p, c, r in zip(point, centre, radii)]
    value = length(scaled)
    slope = length([s / r for s, r in zip(scaled, radii)])
    return (value - 1) * value / slope if slope > 0 else -min(radii)


def limb(point, start, start_radius, end, end_radius):
    """About the distance from a rounded cone."""
    axis = [e - s for s, e in zip(start, end)]
    along = sum((p - s) * a for p, s, a in zip(point, start, axis)) / sum(a * a for a in axis)
    along = min(max(along, 0), 1)
    nearest = [s + along * a for s, a in zip(start, axis)]
    return length([p - n for p, n in zip(point, nearest)]) - (start_radius + along * (end_radius - start_radius))


def melt(first, second, distance):
    """The smaller of two distances, rounded off where they differ by less than `distance`."""
    overlap = max(distance - abs(first - second), 0) / distance
    return min(first, second) - overlap * overlap * distance / 4


def bear(point):
    mirrored = (abs(point[0]), point[1], point[2])
    value = math.inf
    for centre, radii, distance in BALLS:
        value = melt(value, ball(point, centre, radii), distance)
    for start, start_radius, end, end_radius, distance in LIMBS:
        value = melt(value, limb(mirrored, start, start_radius, end, end_radius), distance)
    for centre, radii, distance in PAIRS + [NOSE]:
        value = melt(value, ball(mirrored, centre, radii), distance)
    return value


def onto_skin(point):
    """The point moved along the gradient to where the function is 0."""
    step = 1e-6
    for _ in range(8):
        value = bear(point)
        gradient = []
        for axis in range(3):
            moved = list(point)
            moved[axis] += step
            gradient.append((bear(moved) - value) / step)
        square = sum(g * g for g in gradient)
        point = [p - value * g / square for p, g in zip(point, gradient)]
    return point


def corner_of(cell, bits):
    return tuple(c + (bits >> axis & 1) for axis, c in enumerate(cell))


def skin(low, high):
    """The surface where bear() is 0, of one vertex in every grid cell that it passes (surface nets)."""
    counts = [math.ceil((h - l) / CELL) for l, h in zip(low, high)]
    corners = [(i, j, k) for i in range(counts[0] + 1) for j in range(counts[1] + 1) for k in range(counts[2] + 1)]
    place = {c: [l + i * CELL for l, i in zip(low, c)] for c in corners}
    value = {c: bear(place[c]) for c in corners}
    vertices, number = [], {}
    for cell in corners:
        if any(c == n for c, n in zip(cell, counts)):
            continue
        crossings = []
        for bits in range(8):
            for axis in range(3):
                a, b = corner_of(cell, bits), corner_of(cell, bits | 1 << axis)
                if a != b and (value[a] < 0) != (value[b] < 0):
                    t = value[a] / (value[a] - value[b])
                    crossings.append([p + t * (q - p) for p, q in zip(place[a], place[b])])
        if crossings:
            number[cell] = len(vertices)
            vertices.append(onto_skin([sum(c) / len(crossings) for c in zip(*crossings)]))
    faces = []
    for a in corners:
        for axis in range(3):
            b = tuple(c + (i == axis) for i, c in enumerate(a))
            if b not in value or (value[a] < 0) == (value[b] < 0):
                continue
            u, v = (axis + 1) % 3, (axis + 2) % 3
            around = []
            for du, dv in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                cell = list(a)
                cell[u] += du
                cell[v] += dv
                around.append(number[tuple(cell)])
            faces.append(around if value[a] < 0 else around[::-1])
    return vertices, faces


def stairs():
    """Down along x: the edge of the top step is at x = 0, the floor at y = 0. Columns side by side, one below each tread."""
    columns = [(-LANDING, 0, STEPS * RISE)]
    columns += [((i - 1) * TREAD, i * TREAD, (STEPS - i) * RISE) for i in range(1, STEPS)]
    columns.append(((STEPS - 1) * TREAD, (STEPS - 1) * TREAD + FLOOR, 0))
    number = {}

    def vertex(x, y, side):
        return number.setdefault((x, y, side * WIDTH / 2), len(number))

    def strip(*points):
        """From side to side, through points of the profile."""
        return [[vertex(*b, 1), vertex(*a, 1), vertex(*a, -1), vertex(*b, -1)] for a, b in zip(points, points[1:])]

    faces = strip((-LANDING, columns[0][2]), (-LANDING, -DEPTH))
    for (left, right, top), below in zip(columns, columns[1:] + [(0, 0, -DEPTH)]):
        faces += strip((left, -DEPTH), (right, -DEPTH))
        faces += strip((right, below[2]), (right, top), (left, top))
        end = [(left, top), (left, -DEPTH), (right, -DEPTH), (right, below[2]), (right, top)]
        end = [point for i, point in enumerate(end) if point not in end[:i]]  # the last column has nothing below it
        faces += [[vertex(*point, 1) for point in end], [vertex(*point, -1) for point in end[:1] + end[:0:-1]]]
    return list(number), faces


def write(path, title, mesh):
    vertices, faces = mesh
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("# {}, in metres, y up; made by make_meshes.py\n".format(title))
        for vertex in vertices:
            file.write("v {:.5f} {:.5f} {:.5f}\n".format(*(x + 0.0 for x in vertex)))
        for face in faces:
            file.write("f {}\n".format(" ".join(str(index + 1) for index in face)))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    write(os.path.join(folder, "bear.obj"), "a teddy bear", skin((-18.5 * CELL, -0.025, -0.125), (18.5 * CELL, 0.42, 0.21)))
    write(os.path.join(folder, "stairs.obj"), "stairs", stairs())


main()
