"""The lines in the panel: the next step, and how much of a wobble the integrator keeps."""
import collections
import functools
import math

from .. import JounceError, layout, tables
from . import cache_state

# What the panel knows. follows: what is not pinned is drawn to the animation. gravity: length of the scene's, m/s2. state:
# of cache_state. hides_cache: the host does not play caches while it is in the mode that it is in. has_alembic: the
# host can read Alembic.
Facts = collections.namedtuple("Facts", "pin_group pin_group_exists follows use_ground gravity frame_range state "
                                        "file_is_saved hides_cache has_alembic")


def next_steps(facts):
    """Sentences for the artist, most urgent first; the first one is the next thing to press."""
    steps = [_first_step(facts)]
    if facts.hides_cache and facts.state.first is not None:
        steps.append("It does not play in this mode: press Ctrl Tab, Object Mode.")
    if 0 < facts.gravity < 1:
        steps.append("Gravity is {:.3g} m/s2 at this unit scale: see Scene properties, Gravity.".format(facts.gravity))
    if not facts.has_alembic:
        steps.append("There is no Alembic here: bakes play from a PC2 file.")
    if not facts.file_is_saved:
        steps.append("Save the file to keep the cache beside it.")
    return steps


def _first_step(facts):
    press = "Press Bake for frames {} to {}.".format(*facts.frame_range)
    if facts.pin_group and not facts.pin_group_exists:
        return "Pin group \"{}\" is gone: choose another, or none.".format(facts.pin_group)
    if facts.state.kind in (cache_state.BAKED, cache_state.PARTIAL):
        return facts.state.sentence + (" Bake again." if facts.state.changed else "")
    if facts.state.kind != cache_state.EMPTY or facts.state.loose:
        return facts.state.sentence
    if facts.pin_group or facts.follows:
        return press
    if facts.use_ground:
        return "No pin group: all of it falls to the ground. " + press
    return "Paint a vertex group where the animation leads and choose it as Pin Group."


# The integrator that chooses another one.
AUTOMATIC = "auto"
# Wobbles that an artist knows by sight: a belly, a cheek, an antenna. Hz.
WOBBLES = (2, 5, 12)


def wobble_left(d_over_omega, frequency):
    """The fraction of the amplitude left after a second, for a numerical damping d / omega at that frequency."""
    return math.exp(-0.5 * d_over_omega * 2 * math.pi * frequency)


def integrator_line(damping_at, step_seconds):
    """How much of slow and quick wobbles is left. damping_at(h omega) gives d / omega, or raises ValueError."""
    parts = []
    for frequency in WOBBLES:
        try:
            left = wobble_left(damping_at(2 * math.pi * frequency * step_seconds), frequency)
        except ValueError:
            continue
        parts.append("{:.0%} of {} Hz".format(left, frequency))
    return "A second leaves " + ", ".join(parts) if parts else ""


@functools.lru_cache(maxsize=64)
def core_integrator_line(integrator, steps_per_frame, fps):
    """integrator_line() of an integrator of the core; "" if it is one that chooses another. steps_per_frame: 0: its own."""
    def damping_at(h_omega):
        try:
            return tables.method_damping(integrator, h_omega)
        except JounceError as error:
            raise ValueError(str(error)) from error

    return integrator_line(damping_at, 1 / (fps * (steps_per_frame or layout.JN_USUAL_STEPS)))


def chosen_integrator_line(integrator, steps_per_frame, fps):
    """What was chosen, in words of the menu, and its core_integrator_line()."""
    label = next((entry.label for entry in tables.integrators() if entry.name == integrator), integrator)
    return "{}, {} substeps. {}".format(label, steps_per_frame, core_integrator_line(integrator, steps_per_frame, fps))
