"""The description of a bake from plain values: what the artist set and what was read from the scene."""
import collections

from .. import layout

# A mesh as it was read at the first frame. Arrays as jounce takes them; transform: 12 numbers, rows of a 3x4 matrix.
BodyShape = collections.namedtuple("BodyShape", "name positions face_sizes face_vertices uvs transform")

# What the scene says: frames, seconds, units, gravity (m/s2).
World = collections.namedtuple("World", "first_frame frame_count fps metres_per_unit gravity")

MATERIAL_KEYS = ("law", "young_modulus", "poisson_ratio", "density", "stiffness_damping", "mass_damping")


def bake_description(world, shape, pin_weights, settings, output_path, application):
    """The dict that jounce.Bake takes.

    pin_weights: one number per vertex, None: nothing is pinned. settings: dict of the artist's values, with
    the keys of artist_settings, pin_group, use_ground and ground_height. output_path: of the cache, None: none is written.
    """
    surface = {"positions": shape.positions, "face_sizes": shape.face_sizes, "face_vertices": shape.face_vertices,
               "uvs": shape.uvs}
    body = {
        "name": shape.name.replace("/", "_"),  # in the cache, / stands between parent and child
        "surface": surface,
        "mesher": "stuffing",
        "resolution": settings["resolution"],
        "material": {key: settings[key] for key in MATERIAL_KEYS},
        "transform": shape.transform,
        "rest_follows_animation": settings["rest_follows_animation"],
        "settle": int(settings["settle"]),
        "keep_shape": int(settings["keep_shape"]),
        "regions": [],
    }
    if pin_weights is not None:
        body["regions"].append({"name": settings["pin_group"], "effect": "pin", "weights": pin_weights})
    return {
        "bodies": [body],
        "colliders": [_ground(settings)] if settings["use_ground"] else [],
        "first_frame": world.first_frame,
        "frame_count": world.frame_count,
        "fps": world.fps,
        "steps_per_frame": settings["steps_per_frame"],
        "metres_per_unit": world.metres_per_unit,
        "gravity": world.gravity,
        "integrator": settings["integrator"],
        "contact": {"method": settings["contact_method"]},
        "output_path": output_path,
        "application": application,
        "up_axis": layout.JN_UP_Z,
    }


def frame_inputs(positions, transform, gravity, gravity_before):
    """Keyword arguments of jounce.Bake.advance for one body that the animation has led there; gravity if it changed."""
    inputs = {"bodies": [{"targets": positions, "transform": transform}]}
    if gravity != gravity_before:
        inputs["gravity"] = gravity
    return inputs


def _ground(settings):
    return {"name": "Ground", "kind": "plane", "point": (0, 0, settings["ground_height"]), "normal": (0, 0, 1),
            "friction": settings["friction"]}


def typed_number(value):
    """A host's 32-bit number as the artist typed it, 0.1 and not 0.10000000149: every way in gives the same bake."""
    return float("{:.7g}".format(value))


def matching_preset(values, presets):
    """The preset whose numbers `values` (dict with MATERIAL_KEYS) are, None if they are the artist's own."""
    for preset in presets:
        expected = {key: getattr(preset, key) for key in MATERIAL_KEYS}
        if all(_same(values[key], expected[key]) for key in MATERIAL_KEYS):
            return preset
    return None


def _same(value, expected):
    if isinstance(expected, str):
        return value == expected
    return typed_number(value) == typed_number(expected)
