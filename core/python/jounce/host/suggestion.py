"""Weights to start from: what of a body follows its animation, judged by its bones or by its shape alone.

Weights are 1 where a vertex follows exactly and 0 where it is free. Positions are (x, y, z) in one space.
"""
import collections
import heapq
import math

# segments: [(start, end), ...]. parent: its index, None.
Bone = collections.namedtuple("Bone", "segments parent")

# What is free: its thickness, and how far it reaches from what holds it.
Flesh = collections.namedtuple("Flesh", "thickness reach")

# Fractions of the thickest flesh: up to NEAR a vertex follows its bone, from FAR on it is free.
NEAR, FAR = 0.4, 0.85
# A part that hangs on a neck is hard, as a skull is, if the neck's radius is less than NARROW times the part's, and if its
# bones, such as those of jaw and eyes, reach no farther than COMPACT times that: a chest with arms and a head is none.
NARROW, COMPACT = 0.75, 2.0
# A part is the bulk if it is this fraction as thick as the thickest.
BULK = 0.6
# Of an end: its length beyond the bulk over its thickness, at which it begins to be soft, and where it is free.
STUBBY, SLENDER = 0.4, 1.5
# Of the vertices: fewer are none to speak of.
FEWEST = 0.03
# Of the height of a body without thin ends: what stands on the ground is held, up to here it becomes free.
FOOT, ABOVE_FOOT = 0.1, 0.35
# The extreme few of a measure, such as the tip of a hair, do not decide on the rest.
THICKEST = 0.95
SMOOTHINGS = 2
# m/s2, and how far suggested flesh sags.
GRAVITY, SAG_OF_BODY, SAG_OF_FLESH = 9.81, 0.03, 0.3
# Until it is at rest: large bodies swing slowly and cannot be stopped sooner than within some swings.
SETTLE_SECONDS, SETTLE_PERIODS = 1.0, 3.0


def weights_from_bones(positions, edges, bones, leaders):
    """(weights, Flesh): what is close to its bones follows, and so do hard parts; thick flesh is free.

    bones: each a Bone. leaders: for each vertex the bones that lead it, the strongest first; empty: any of them.
    """
    distances = []
    for position, leading in zip(positions, leaders):
        segments = [segment for bone in leading or range(len(bones)) for segment in bones[bone].segments]
        distances.append(min(segment_distance(position, *segment) for segment in segments))
    neighbours = Neighbours(positions, edges)
    hard = _hard_parts(neighbours, bones, leaders, distances)
    fleshy = [distance for index, distance in enumerate(distances) if index not in hard]
    flesh = _quantile(fleshy, THICKEST) if fleshy else math.inf
    weights = [1.0 if index in hard else 1.0 - _ramp(distance, NEAR * flesh, FAR * flesh)
               for index, distance in enumerate(distances)]
    return smoothed(weights, neighbours), Flesh(flesh, flesh)


def _hard_parts(neighbours, bones, leaders, distances):
    """Vertices of the parts that hang on a narrow neck. A part is what a bone and those beyond it lead."""
    hard = set()
    for root, bone in enumerate(bones):
        beyond = {other for other in range(len(bones)) if _is_beyond(bones, other, root)}
        part = {index for index, leading in enumerate(leaders) if leading and leading[0] in beyond}
        neck = neighbours.border({neighbours.group[index] for index in part})
        if not part or not neck:
            continue
        middle = [sum(components) / len(neck) for components in zip(*neck)]
        radius = sum(math.dist(position, middle) for position in neck) / len(neck)
        width = _quantile([distances[index] for index in part], THICKEST)
        reach = max(math.dist(bone.segments[0][0], bones[other].segments[0][0]) for other in beyond)
        if radius < NARROW * width and reach < COMPACT * width:
            hard |= part
    return hard


def _is_beyond(bones, bone, root):
    while bone is not None and bone != root:
        bone = bones[bone].parent
    return bone == root


def weights_from_shape(positions, edges, thicknesses):
    """(weights, Flesh): thin ends are free, or what is above the foot if there are none.

    thicknesses: of the body at each vertex, None: not known there.
    """
    neighbours = Neighbours(positions, edges)
    thicknesses = _completed(thicknesses, neighbours)
    thickest = _quantile(thicknesses, THICKEST)
    bulk = [index for index, thickness in enumerate(thicknesses) if thickness >= BULK * thickest]
    distances = neighbours.distances(bulk)
    soft = [_ramp(distance / max(thickness, 1e-9 * thickest), STUBBY, SLENDER) if math.isfinite(distance) else 0.0
                for distance, thickness in zip(distances, thicknesses)]
    thin = [thickness for thickness, value in zip(thicknesses, soft) if value > 0.5]
    if len(thin) < FEWEST * len(positions):
        return _held_at_the_foot(positions), Flesh(thickest, thickest)
    reaches = [distance for distance, value in zip(distances, soft) if value > 0.5]
    return smoothed([1.0 - value for value in soft], neighbours), Flesh(_quantile(thin, THICKEST), _quantile(reaches, THICKEST))


def holds(weights):
    """Whether enough of the body follows to hold the rest: one that is equally thick everywhere has no part that does."""
    return sum(weight > 0.5 for weight in weights) >= FEWEST * len(weights)


def softness(size, thickness):
    """(sag as a fraction of the size, seconds to settle) with which flesh of that thickness swings on a body of that size so
    that one sees it; both in m. Under its weight it sags by a few percent of the body, and not by much of itself."""
    sag = min(SAG_OF_BODY * size, SAG_OF_FLESH * thickness)
    period = 2 * math.pi * math.sqrt(sag / GRAVITY)
    return sag / size, max(SETTLE_SECONDS, SETTLE_PERIODS * period)


def modulus(density, flesh, sag):
    """Young's modulus, Pa, with which free flesh sags so far, m, as a beam does that one end holds."""
    return min(max(1.5 * density * GRAVITY * flesh.reach ** 4 / (sag * flesh.thickness ** 2), 100.0), 1e12)


def _held_at_the_foot(positions):
    lowest, highest = min(z for _, _, z in positions), max(z for _, _, z in positions)
    height = highest - lowest
    if height <= 0:
        return [1.0 for _ in positions]
    return [1.0 - _ramp((z - lowest) / height, FOOT, ABOVE_FOOT) for _, _, z in positions]


def segment_distance(point, start, end):
    along = [b - a for a, b in zip(start, end)]
    offset = [p - a for p, a in zip(point, start)]
    length = sum(x * x for x in along)
    share = sum(x * y for x, y in zip(offset, along)) / length if length > 0 else 0.0
    share = min(max(share, 0.0), 1.0)
    return math.sqrt(sum((o - share * x) ** 2 for o, x in zip(offset, along)))


class Neighbours:
    """Which vertices hang together; those at one place, as at a seam, are one."""

    def __init__(self, positions, edges):
        places = {}
        self.group = [places.setdefault(tuple(position), len(places)) for position in positions]
        self.positions = list(places)
        self.edges = [set() for _ in places]
        for a, b in edges:
            a, b = self.group[a], self.group[b]
            if a != b:
                self.edges[a].add(b)
                self.edges[b].add(a)

    def border(self, places):
        """Positions on both sides of the edges that leave a set of places."""
        leaving = sorted({end for place in places for other in self.edges[place] if other not in places
                          for end in (place, other)})
        return [self.positions[place] for place in leaving]

    def averaged(self, values):
        """Of each place, over its vertices."""
        sums, counts = [0.0] * len(self.edges), [0] * len(self.edges)
        for place, value in zip(self.group, values):
            sums[place] += value
            counts[place] += 1
        return [total / count for total, count in zip(sums, counts)]

    def distances(self, starts):
        """Of each vertex, along the edges to the nearest of `starts`; inf: there is no way."""
        found = [math.inf] * len(self.edges)
        waiting = [(0.0, place) for place in sorted({self.group[index] for index in starts})]
        for _, place in waiting:
            found[place] = 0.0
        while waiting:
            distance, place = heapq.heappop(waiting)
            if distance > found[place]:
                continue
            for other in self.edges[place]:
                further = distance + math.dist(self.positions[place], self.positions[other])
                if further < found[other]:
                    found[other] = further
                    heapq.heappush(waiting, (further, other))
        return [found[place] for place in self.group]


def smoothed(weights, neighbours):
    """Without jumps from vertex to vertex, and equal on both sides of a seam."""
    values = neighbours.averaged(weights)
    for _ in range(SMOOTHINGS):
        values = [(value + sum(values[other] for other in near)) / (1 + len(near))
                  for value, near in zip(values, neighbours.edges)]
    return [values[place] for place in neighbours.group]


def _completed(values, neighbours):
    """Values that are None, from those near them; without any, the mean of all."""
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known) if known else 1.0
    near = {}
    for place, value in zip(neighbours.group, values):
        if value is not None:
            near.setdefault(place, []).append(value)

    def guess(place):
        found = [value for other in [place, *neighbours.edges[place]] for value in near.get(other, ())]
        return sum(found) / len(found) if found else mean

    return [guess(place) if value is None else value for place, value in zip(neighbours.group, values)]


def _quantile(values, fraction):
    ordered = sorted(values)
    return ordered[min(int(fraction * len(ordered)), len(ordered) - 1)]


def _ramp(value, start, end):
    """0 up to start, 1 from end on, smooth between."""
    share = min(max((value - start) / (end - start), 0.0), 1.0) if end > start else float(value >= end)
    return share * share * (3 - 2 * share)
