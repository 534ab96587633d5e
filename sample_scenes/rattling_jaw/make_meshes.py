"""Makes head.veg beside it anew, in metres, y up: python3 sample_scenes/rattling_jaw/make_meshes.py [folder]

The head is made of cubic cells of six tets: a neck, a back with the skull above the mouth, and a jaw below it.
"""
import os
import sys

CELL = 0.03
# cells along x, y and z, from the first to before the second
PARTS = [
    ((0, 0, 0), (7, 3, 4)),  # neck
    ((0, 3, 0), (3, 9, 4)),  # back
    ((3, 6, 0), (9, 9, 4)),  # skull
    ((3, 4, 0), (10, 5, 4)),  # jaw
]
# the six ways from a cell's lowest corner to its highest along its edges, each a tet; every second is turned inside out
PATHS = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2), (2, 1, 0)]


def fill():
    """Corners of all cells, and tets of them."""
    cells = {(i, j, k) for low, high in PARTS for i in range(low[0], high[0]) for j in range(low[1], high[1])
             for k in range(low[2], high[2])}
    numbers, tets = {}, []
    for cell in sorted(cells):
        for path in PATHS:
            corner, tet = list(cell), [tuple(cell)]
            for axis in path:
                corner[axis] += 1
                tet.append(tuple(corner))
            if PATHS.index(path) >= 3:
                tet[1], tet[2] = tet[2], tet[1]
            tets.append([numbers.setdefault(vertex, len(numbers) + 1) for vertex in tet])
    return list(numbers), tets


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    points, tets = fill()
    with open(os.path.join(folder, "head.veg"), "w") as file:
        file.write("# made by make_meshes.py\n*VERTICES\n{} 3 0 0\n".format(len(points)))
        file.writelines("{} {:g} {:g} {:g}\n".format(n, *(CELL * c for c in point)) for n, point in enumerate(points, 1))
        file.write("*ELEMENTS\nTET\n{} 4 0\n".format(len(tets)))
        file.writelines("{} {}\n".format(n, " ".join(map(str, tet))) for n, tet in enumerate(tets, 1))


main()
