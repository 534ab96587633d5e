"""Meshes for the scenes of hard contact, made of plain lists and written to files that Jounce reads."""
import math


def write_surface(path, vertices, faces):
    with open(path, "w") as file:
        file.writelines("v %.9g %.9g %.9g\n" % tuple(vertex) for vertex in vertices)
        file.writelines("f %d %d %d\n" % tuple(corner + 1 for corner in face) for face in faces)


def write_curves(path, curves):
    """Polylines, each a list of points."""
    with open(path, "w") as file:
        first = 1
        for curve in curves:
            file.writelines("v %.9g %.9g %.9g\n" % tuple(point) for point in curve)
            file.write("l " + " ".join(str(first + at) for at in range(len(curve))) + "\n")
            first += len(curve)


def write_tets(path, vertices, tets):
    """Medit's format. Tets are turned so that their volume is positive."""
    with open(path, "w") as file:
        file.write("MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % len(vertices))
        file.writelines("%.9g %.9g %.9g 0\n" % tuple(vertex) for vertex in vertices)
        file.write("Tetrahedra\n%d\n" % len(tets))
        for a, b, c, d in tets:
            if volume(*(vertices[corner] for corner in (a, b, c, d))) < 0:
                b, c = c, b
            file.write("%d %d %d %d 0\n" % (a + 1, b + 1, c + 1, d + 1))
        file.write("End\n")


def volume(a, b, c, d):
    """Six times the volume."""
    u, v, w = ([end[axis] - a[axis] for axis in range(3)] for end in (b, c, d))
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
            u[2] * (v[0] * w[1] - v[1] * w[0]))


def sheet(length, depth, cells_x, cells_z):
    """Level, about the origin; vertex (i, j) is number i + (cells_x + 1) j. The diagonals of its cells alternate."""
    row = cells_x + 1
    vertices = [(length * (i / cells_x - 0.5), 0.0, depth * (j / cells_z - 0.5))
                for j in range(cells_z + 1) for i in range(row)]
    faces = []
    for j in range(cells_z):
        for i in range(cells_x):
            a, b, c, d = j * row + i, j * row + i + 1, (j + 1) * row + i + 1, (j + 1) * row + i
            faces += [(a, c, b), (a, d, c)] if (i + j) % 2 else [(a, d, b), (b, d, c)]
    return vertices, faces


def ring(radius, tube, around, corners):
    """A ring of tets in the plane of x and y: `around` slices with so many corners about the middle of each."""
    per_slice, vertices, tets = corners + 1, [], []
    for i in range(around):
        turn = 2 * math.pi * i / around
        for k in range(per_slice):
            angle, out = 2 * math.pi * (k - 1) / corners, tube if k else 0
            reach = radius + out * math.cos(angle)
            vertices.append((reach * math.cos(turn), reach * math.sin(turn), out * math.sin(angle)))
    for i in range(around):
        here, there = i * per_slice, (i + 1) % around * per_slice
        for k in range(corners):
            # the middle and two corners, the lower number first, so that prisms side by side cut their quads alike
            a, b, c = 0, *sorted((1 + k, 1 + (k + 1) % corners))
            tets += [(here + a, here + b, here + c, there + c), (here + a, here + b, there + b, there + c),
                     (here + a, there + a, there + b, there + c)]
    return vertices, tets


def joined(meshes):
    """One mesh of several (vertices, faces)."""
    vertices, faces = [], []
    for more_vertices, more_faces in meshes:
        faces += [tuple(corner + len(vertices) for corner in face) for face in more_faces]
        vertices += more_vertices
    return vertices, faces


def pyramid(at, base, height):
    """Closed, with a tip and a square base."""
    x, y, z = at
    vertices = [(x + base * (u - 0.5), y, z + base * (w - 0.5)) for u, w in ((0, 0), (1, 0), (1, 1), (0, 1))]
    vertices.append((x, y + height, z))
    return vertices, [(0, 1, 2), (0, 2, 3), (0, 4, 1), (1, 4, 2), (2, 4, 3), (3, 4, 0)]


def wedge(length, width, height):
    """A blade along x: closed, its edge on top at y = 0."""
    vertices = [(sign * length / 2, y, z) for sign in (-1, 1) for y, z in ((0, 0), (-height, -width / 2),
                                                                         (-height, width / 2))]
    return vertices, [(0, 1, 2), (3, 5, 4), (0, 3, 1), (3, 4, 1), (1, 4, 2), (4, 5, 2), (2, 5, 0), (5, 3, 0)]


def block(length, height, depth):
    """Closed, about the origin."""
    vertices = [((x - 0.5) * length, (y - 0.5) * height, (z - 0.5) * depth)
                for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    quads = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
    return vertices, [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]


def globe(radius, rings, sectors):
    """Closed, about the origin, with poles on y."""
    vertices, faces = [(0.0, radius, 0.0)], []
    for r in range(1, rings):
        for s in range(sectors):
            down, turn = math.pi * r / rings, 2 * math.pi * s / sectors
            vertices.append((radius * math.sin(down) * math.sin(turn), radius * math.cos(down),
                             radius * math.sin(down) * math.cos(turn)))
    vertices.append((0.0, -radius, 0.0))
    last = len(vertices) - 1
    for s in range(sectors):
        t = (s + 1) % sectors
        faces += [(0, 1 + s, 1 + t), (last, last - sectors + t, last - sectors + s)]
        for r in range(rings - 2):
            a, b = 1 + r * sectors + s, 1 + r * sectors + t
            faces += [(a, a + sectors, b), (b, a + sectors, b + sectors)]
    return vertices, faces
