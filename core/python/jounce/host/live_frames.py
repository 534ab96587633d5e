"""A simulation that follows a timeline as it plays: what to do at each frame that is shown."""
import collections

from .. import Bake
from . import stiffness
from .hints import AUTOMATIC

# Frames that a host may leave out while it plays, to keep its pace; a longer way is a jump.
MOST_LEFT_OUT = 8

# kind: one of the words below. frames: those to be simulated, in order; of a start, the first is the start pose.
Action = collections.namedtuple("Action", "kind frames")

START = "start"      # a new simulation
ADVANCE = "advance"  # the one that runs goes on
KEEP = "keep"        # what was simulated last is still right
WAIT = "wait"        # there is nothing to go on from: the animation is shown as it is


def next_action(frame, seen, simulated, first_frame):
    """The Action when `frame` is shown.

    seen: the frame that was shown before, None: none was. simulated: a simulation has reached it. first_frame: where
    simulations start anew. From any other frame one starts when the timeline has gone on from there.
    """
    if frame == first_frame:
        return Action(START, [frame])
    if frame == seen:
        return Action(KEEP if simulated else WAIT, [])
    if seen is None or not seen < frame <= seen + 1 + MOST_LEFT_OUT:
        return Action(WAIT, [])
    if simulated:
        return Action(ADVANCE, list(range(seen + 1, frame + 1)))
    return Action(START, list(range(seen, frame + 1)))


class Preparation:
    """Descriptions for simulations that start again and again: what takes long to find is found once."""

    def __init__(self, vertex_budget):
        """vertex_budget: about as many vertices are simulated, but never on a finer mesh than the bake's."""
        self._budget = vertex_budget
        self._given = None  # the description as it came
        self._found = None  # resolution and material of its body

    def prepared(self, description):
        """The description with a coarser mesh, and plain numbers for stiffness and damping. Raises as a bake does."""
        given = dict(description, output_path=None, resume=0,
                     steps_per_frame=live_steps(description["integrator"], description["steps_per_frame"]))
        if given != self._given:
            self._found = self._search(given)
            self._given = given
        return with_body(given, **self._found)

    def _search(self, given):
        body = given["bodies"][0]
        rough = with_body(given, material=_undamped(body["material"]), settle=0, keep_shape=0)
        resolution = fitting_resolution(lambda cells: _vertex_count(with_body(rough, resolution=cells)), body["resolution"],
                                        self._budget)
        coarse = dict(given, bodies=[dict(body, resolution=resolution)])
        return {"resolution": resolution, "material": _plain_material(stiffness.resolved(coarse))}


# Time steps per frame where the bake leaves them to the integrator: what that takes then costs as much as the four of si, and keeps
# far more of a wobble.
LIVE_STEPS = 2


def live_steps(integrator, steps_per_frame):
    """Those of a simulation that must keep pace."""
    return LIVE_STEPS if integrator == AUTOMATIC and steps_per_frame == 0 else steps_per_frame


# Cells along the longest side of the first try, the factor from one to the next, and the most of them.
FIRST_TRY, STEP, TRIES = 6.0, 2 ** (1 / 3), 12
# Of the budget: what is near enough.
SLACK = 0.7


def fitting_resolution(count_of, resolution, budget):
    """The resolution, at most `resolution`, with which count_of(resolution) is largest within the budget, among some that are
    tried; if none is, that of the fewest vertices. Meshers halve cells where a body is thin, so that a finer resolution may well
    need fewer vertices: no way is taken but step by step."""
    cells = min(resolution, FIRST_TRY)
    tried = {cells: count_of(cells)}
    step = STEP if tried[cells] <= budget else 1 / STEP
    while len(tried) < TRIES and not SLACK * budget <= tried[cells] <= budget:
        following = min(max(cells * step, 1.0), resolution)
        if following in tried or (step > 1 and tried[cells] > budget):
            break
        tried[following] = count_of(following)
        if tried[following] == tried[cells]:
            break
        cells = following
    fits = {cells: count for cells, count in tried.items() if count <= budget}
    return max(fits, key=fits.get) if fits else min(tried, key=tried.get)


def with_body(description, **changes):
    """The description with another body, whose stiffness is no longer given by its sag."""
    body = {key: value for key, value in description["bodies"][0].items() if key != stiffness.SAG}
    return dict(description, bodies=[dict(body, **changes)])


def _undamped(material):
    return dict(material, settle_seconds=None, wobble_frequency=None, stiffness_damping=0.0)


def _vertex_count(description):
    with Bake(description) as core:
        return core.statistics()["vertex_count"]


def _plain_material(description):
    material = description["bodies"][0]["material"]
    if material.get("settle_seconds") is None and material.get("wobble_frequency") is None:
        return material
    with Bake(description) as core:
        found = core.damping()
    return dict(material, settle_seconds=None, wobble_frequency=None, young_modulus=found["young_modulus"],
                stiffness_damping=found["stiffness_damping"])
