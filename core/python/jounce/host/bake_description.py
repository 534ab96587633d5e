"""The description of a bake from plain values: what the artist set and what was read from the scene."""
import collections
import math
import re

from .. import layout
from .artist_settings import KEYED_FIELDS, SOLID, SPRING_NUMBERS, SPRINGS, WARPED_LAW
from .scene_checks import SceneError
from .stiffness import SAG

# A mesh as it was read at the first frame. Arrays as jounce takes them; transform: 12 numbers, rows of a 3x4 matrix.
# curve_sizes, curve_vertices: of hair, and of a mesh without faces. kind: the only one that it can be, None: any.
BodyShape = collections.namedtuple("BodyShape", "name positions face_sizes face_vertices uvs transform curve_sizes "
                                                "curve_vertices kind", defaults=((), (), None))

# What the scene says: frames, seconds, units, gravity (m/s2).
World = collections.namedtuple("World", "first_frame frame_count fps metres_per_unit gravity")

MATERIAL_KEYS = ("law", "young_modulus", "poisson_ratio", "density", "stiffness_damping", "mass_damping")
# What a settings dict may leave out, and what that means.
OPTIONAL = {"stiffness_way": "modulus", "damping_way": "coefficient", "kind": "solid", "preroll": 0, "samples_per_frame": 1,
            "travel_influence": 1.0, "cut_distance": 1.0, "error_tolerance": 0.0, "contact_thickness": 0.0,
            "air_density": 0.0, "wind": (0.0, 0.0, 0.0), "self_contact": False, "keep_pieces_apart": False,
            "strict": False, "releasable_pins": False, "warp": False}


def bake_description(world, shape, pin_weights, settings, output_path, application, regions=(), colliders=(), bones=()):
    """The dict that BakeJob takes, and jounce.Bake after stiffness.resolved().

    pin_weights: one number per vertex, None: nothing is pinned. settings: dict of the artist's values, with
    the keys of artist_settings, pin_group, use_ground and ground_height. output_path: of the cache, None: none is written.
    regions, colliders, bones: further ones, as jounce.Bake takes them.
    """
    settings = dict(OPTIONAL, **settings)
    if shape.kind:
        settings["kind"] = shape.kind
    if settings["kind"] != SOLID:
        settings["stiffness_way"] = "modulus"  # the other two are ways to say how a solid wobbles
    body = {
        "name": cache_name(shape.name),
        "kind": settings["kind"],
        "surface": _surface(shape),
        "curves": _curves(shape),
        "springs": _springs(settings),
        "mesher": "stuffing",
        "resolution": settings["resolution"],
        "material": _material(settings),
        "transform": shape.transform,
        "rest_follows_animation": settings["rest_follows_animation"],
        "settle": int(settings["settle"]),
        "keep_shape": int(settings["keep_shape"]),
        "self_contact": int(settings["self_contact"]),
        "keep_pieces_apart": int(settings["keep_pieces_apart"]),
        "travel_influence": settings["travel_influence"],
        "cut_distance": settings["cut_distance"],
        "contact_thickness": settings["contact_thickness"] or None,
        "releasable_pins": int(settings["releasable_pins"]),
        "regions": list(regions),
        "bones": list(bones),
    }
    if settings["stiffness_way"] == "sag":
        body[SAG] = settings["sag_percent"] / 100.0
    if pin_weights is not None:
        body["regions"].append({"name": settings["pin_group"], "effect": "pin", "weights": pin_weights})
    return {
        "bodies": [body],
        "colliders": list(colliders) + ([_ground(settings)] if settings["use_ground"] else []),
        "fields": [],
        "first_frame": world.first_frame,
        "frame_count": world.frame_count,
        "fps": world.fps,
        "steps_per_frame": settings["steps_per_frame"],
        "samples_per_frame": settings["samples_per_frame"],
        "preroll_count": settings["preroll"],
        "metres_per_unit": world.metres_per_unit,
        "gravity": world.gravity,
        "wind": settings["wind"],
        "air_density": settings["air_density"],
        "integrator": settings["integrator"],
        "error_tolerance": settings["error_tolerance"],
        "contact": {"method": settings["contact_method"], "strict": int(settings["strict"])},
        "output_path": output_path,
        "application": application,
        "up_axis": layout.JN_UP_Z,
    }


def corners_of_lines(description):
    """{number of a body that is cached as lines, point by point of each line: for each of its points, one place of it there}.

    Raises SceneError for a point that is on no line.
    """
    found = {}
    for number, body in enumerate(description["bodies"]):
        if body["curves"] and body["kind"] != "fibres":
            places = {vertex: corner for corner, vertex in enumerate(body["curves"]["curve_vertices"])}
            points = range(len(body["curves"]["positions"]) // 3)
            if len(places) < len(points):
                raise SceneError("{} has vertices without an edge. Delete them: Select All by Trait, Loose Geometry.".format(
                    body["name"]))
            found[number] = [places[point] for point in points]
    return found


def cache_name(object_name):
    """Of an object in the cache, where some characters have a meaning: / stands between parent and child."""
    return re.sub(r"[\x00-\x1f\x7f/;=]", "_", object_name)


def _surface(shape):
    if len(shape.curve_sizes):
        return None
    return {"positions": shape.positions, "face_sizes": shape.face_sizes, "face_vertices": shape.face_vertices,
            "uvs": shape.uvs}


def _curves(shape):
    if not len(shape.curve_sizes):
        return None
    return {"positions": shape.positions, "curve_sizes": shape.curve_sizes, "curve_vertices": shape.curve_vertices}


def _springs(settings):
    """What is 0 is left to the core."""
    if settings["kind"] == SOLID:
        return {}
    return {SPRINGS[name][1]: settings[name] for name in SPRING_NUMBERS[settings["kind"]] if settings.get(name)}


def _material(settings):
    material = {key: settings[key] for key in MATERIAL_KEYS}
    material["warp"] = int(settings["warp"] and settings["law"] == WARPED_LAW)
    if settings["stiffness_way"] == "wobble":
        material["wobble_frequency"] = settings["wobble_frequency"]
    if settings["damping_way"] == "seconds":
        material.update(settle_seconds=settings["settle_seconds"], stiffness_damping=0.0)
    return material


def follow_region(weights, frequency):
    """The goal that leads a body to its animation as if by springs that swing with `frequency`, Hz, on their own."""
    return {"name": "Follow", "effect": "goal", "weights": weights, "value": (2 * math.pi * frequency) ** 2}


def body_input(positions, transform, keyed=None, bones=None):
    """Fields of JnBodyInput for a body that the animation has led there.

    keyed: {property of artist_settings.KEYED: value at this frame}, those that are not 1 throughout. bones: 12 numbers for
    each, see JnBodyInput.
    """
    body = {"targets": positions, "transform": transform}
    body.update((KEYED_FIELDS[name], value) for name, value in (keyed or {}).items())
    if bones:
        body["bones"] = bones
    return body


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
