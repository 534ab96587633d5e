"""Several bodies in one bake, so that they touch each other."""
from .. import tables
from .scene_checks import SceneError

# Field of a description that belongs to the whole bake: the setting that the artist knows it by.
_SETTINGS = {"steps_per_frame": ("frames", "steps_per_frame"), "samples_per_frame": ("frames", "samples_per_frame"),
             "preroll_count": ("frames", "preroll"), "wind": ("world", "wind"), "air_density": ("world", "air_density"),
             "integrator": ("integrator", "method"), "error_tolerance": ("integrator", "error_tolerance"),
             "contact": ("contact", "method")}


def joined(descriptions, colliders):
    """One description for bodies that were described one by one, without colliders but for their floors. Raises SceneError.

    colliders: of all of them.
    """
    first = descriptions[0]
    for other in descriptions[1:]:
        different = [key for key in first if key not in ("bodies", "colliders") and first[key] != other[key]]
        if different:
            raise SceneError("{} and {} are baked together, but differ in {}. Make that equal, or let one of them not touch "
                             "other bodies.".format(first["bodies"][0]["name"], other["bodies"][0]["name"],
                                                    " and ".join(_label(key) for key in different)))
    bodies = [body for description in descriptions for body in description["bodies"]]
    return dict(first, bodies=bodies, colliders=list(colliders) + _floors(descriptions))


def _label(key):
    if key == "contact":
        return "how contact is enforced"
    return '"{}"'.format(tables.setting(*_SETTINGS[key]).label) if key in _SETTINGS else key


def _floors(descriptions):
    """The floor of all, or none."""
    found = [(description["bodies"][0]["name"], floor) for description in descriptions for floor in description["colliders"]]
    for name, floor in found[1:]:
        if floor != found[0][1]:
            raise SceneError("{} and {} are baked together, but differ in the height or the friction of their ground. Make "
                             "them equal.".format(found[0][0], name))
    return [floor for _, floor in found[:1]]


def joined_inputs(bodies, colliders, gravity, gravity_before, fields=()):
    """Keyword arguments of jounce.Bake.advance; gravity if it changed.

    bodies: one dict for each. colliders, fields: inputs of all of them, None or empty: none of them moves.
    """
    inputs = {"bodies": bodies}
    if colliders:
        inputs["colliders"] = colliders
    if fields:
        inputs["fields"] = fields
    if gravity != gravity_before:
        inputs["gravity"] = gravity
    return inputs
