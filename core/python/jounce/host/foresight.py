"""What a bake will look like, told before it: how far the body sags, how it wobbles, what it will cost."""
import collections
import math

from .. import Bake, JounceError, estimate, tables
from . import stiffness
from .scene_checks import SceneError

# lines: sentences without a stop. warnings: what will go wrong, in words; most urgent first. findings: of
# jounce.Bake.mesh_report. integrator, steps_per_frame: what the bake will take, "" and 0 if that is not known.
Foresight = collections.namedtuple("Foresight", "lines warnings findings integrator steps_per_frame", defaults=("", 0))

# Cells along the longest side when only a rough answer is needed, as for a starting material.
ROUGH_RESOLUTION = 6.0
# Of the body's size: what an artist takes for "it holds its shape".
FIRM_SAG = 0.05
# Until a wobble is at rest, where the body is quick enough for it.
SETTLE_SECONDS = 1.0
_UNLIKE_FLESH = ("fat", "foam", "wood")
# Above this a body does not hold its shape at all.
COLLAPSE_SAG = 0.5


def foresee(description, material_name, complete=True):
    """The Foresight of a bake. Runs in any thread; takes about as long as a bake needs to begin. complete: everything is in the
    description that an integrator may be chosen by."""
    try:
        with Bake(dict(stiffness.resolved(description), output_path=None, resume=0)) as core:
            sag, choice, note, report = core.sag(), core.choice, core.note, core.mesh_report()
            statistics = core.statistics()
    except (JounceError, ValueError, SceneError) as error:
        return Foresight([], [str(error)], [])
    is_known = complete or not choice
    return Foresight(*judge(sag, material_name, choice if is_known else "", note), report["findings"] if report else [],
                     statistics["integrator"] if is_known else "", statistics["steps_per_frame"] if is_known else 0)


def judge(sag, material_name, choice="", note=""):
    """(lines, warnings) from what the core says."""
    lines, warnings = [], []
    if math.isfinite(sag["sag"]):
        fraction = sag["sag"] / sag["size"] if sag["size"] > 0 else 0.0
        lines.append("Sags by {:.2g} %, wobbles at {:.2g} Hz, {}".format(
            100 * fraction, sag["frequency"], _settles(sag["settle_seconds"])))
        lines.append("Stiffness {:.3g} Pa".format(sag["young_modulus"]))
        if fraction > COLLAPSE_SAG:
            warnings.append("{} of this size sags by {:.0f} %: it will not hold its shape. Make it stiffer, smaller, or pin "
                            "more of it.".format(material_name, 100 * fraction))
    if choice:
        lines.append(choice)
    warnings.extend(text for text in (sag["note"], note) if text and not warnings)
    return lines, warnings


def _settles(seconds):
    return "settles in {:.2g} s".format(seconds) if math.isfinite(seconds) else "does not settle"


def starting_material(description):
    """(preset, seconds to settle) for a new body: the softest flesh-like preset with which it holds its shape at its size,
    and a time in which its wobble may be brought to rest, also when pins make it slower."""
    soft_first = sorted((preset for preset in tables.presets() if preset.name not in _UNLIKE_FLESH),
                        key=lambda preset: preset.young_modulus)
    usual = next(preset for preset in soft_first if preset.name == "flesh")
    body = dict(description["bodies"][0], resolution=ROUGH_RESOLUTION, settle=0, keep_shape=0)
    body["material"] = {key: getattr(usual, key) for key in ("law", "young_modulus", "poisson_ratio", "density")}
    try:
        with Bake(dict(description, bodies=[body], output_path=None)) as core:
            sag = core.sag()
    except (JounceError, ValueError):
        return usual, SETTLE_SECONDS
    if not math.isfinite(sag["sag"]) or sag["size"] <= 0:
        return usual, SETTLE_SECONDS
    # By linear theory the sag is as density over modulus, and the frequency as the root of its inverse.
    ratios = [preset.young_modulus / preset.density / (usual.young_modulus / usual.density) for preset in soft_first]
    firm = [index for index, ratio in enumerate(ratios) if sag["sag"] / sag["size"] / ratio <= FIRM_SAG]
    chosen = firm[0] if firm else len(soft_first) - 1
    frequency = sag["frequency"] * math.sqrt(ratios[chosen])
    return soft_first[chosen], float("{:.1g}".format(max(SETTLE_SECONDS, 3 / frequency)))


def cost(description):
    """What a bake will take, as a sentence. Raises JounceError."""
    found = estimate(dict(stiffness.resolved(description), resume=0))
    return "About {} for {} frames, {} of memory, {} on the disk".format(
        duration(found["total_seconds"]), description["frame_count"], size(found["memory_bytes"]), size(found["cache_bytes"]))


def duration(seconds):
    if seconds < 90:
        return "{:.0f} s".format(max(seconds, 1))
    return "{:.0f} min".format(seconds / 60) if seconds < 5400 else "{:.1f} h".format(seconds / 3600)


def size(count):
    """Bytes in words."""
    for unit in ("kB", "MB"):
        count /= 1000.0
        if count < 1000:
            return "{:.0f} {}".format(max(count, 1), unit)
    return "{:.1f} GB".format(count / 1000)
