"""A bar of cubes along x, each cut into six tets around its diagonal; layers of four vertices."""
import itertools


def corners_of_bar(cells):
    """The vertices, as whole numbers of cells."""
    return list(itertools.product(range(cells + 1), range(2), range(2)))


def tets_of_bar(cells):
    tets = []
    for x in range(cells):
        for axes in itertools.permutations((4, 2, 1)):
            a, b, c, d = itertools.accumulate((4 * x,) + axes)
            odd = axes in ((4, 1, 2), (2, 4, 1), (1, 2, 4))
            tets.append((a, c, b, d) if odd else (a, b, c, d))
    return tets
