"""Stiffness as artists say it: how far a body sags, as a fraction of its size, in place of Young's modulus."""
import math

from .. import Bake
from .scene_checks import SceneError

# Key of a body in a description that resolved() takes: the sag that it shall have. jounce.Bake does not know it.
SAG = "sag_fraction"


def resolved(description):
    """The description with the modulus of every body that has a sag, which is found by the core. Raises SceneError.

    By linear theory the sag falls as one over the modulus, so one question is enough.
    """
    if not any(SAG in body for body in description["bodies"]):
        return description
    plain = dict(description, bodies=[{key: body[key] for key in body if key != SAG} for body in description["bodies"]])
    trial = dict(plain, output_path=None, resume=0, bodies=[_undamped(body) for body in plain["bodies"]])
    with Bake(trial) as core:
        for index, body in enumerate(description["bodies"]):
            if SAG in body:
                sag = core.sag(index)
                plain["bodies"][index]["material"] = dict(body["material"], young_modulus=modulus(body, sag))
    return plain


def _undamped(body):
    """A damping that is right for the modulus that is sought may be impossible for the one of the trial."""
    return dict(body, material=dict(body["material"], settle_seconds=None, stiffness_damping=0.0))


def modulus(body, sag):
    """Young's modulus with which the body sags by its sag_fraction; sag: what the core says of it as it is."""
    if not (math.isfinite(sag["sag"]) and sag["sag"] > 0):
        raise SceneError("{} does not sag: nothing holds it, or there is no gravity. Give its stiffness in Hz or "
                         "Pa.".format(body["name"]))
    return min(max(sag["young_modulus"] * sag["sag"] / (sag["size"] * body[SAG]), 1.0), 1e13)
