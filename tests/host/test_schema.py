"""The JSON schema of scene files, judged by a validator that is not ours: it accepts every sample and refuses broken ones."""
import copy
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import Skip, environment, run  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

TOP = pathlib.Path(environment("JN_TEST_SOURCE"))
SCHEMA = json.loads((TOP / "docs" / "scene.schema.json").read_text(encoding="utf-8"))
SAMPLES = sorted((TOP / "sample_scenes").glob("*/scene.json"))


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def is_accepted(scene):
    if jsonschema is None:
        raise Skip("this Python has no jsonschema")
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(scene)


def places(value, path=()):
    """Every place in a JSON tree below its top."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,)
        yield from places(child, path + (key,))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def replaced(scene, path, value):
    scene = copy.deepcopy(scene)
    at(scene, path[:-1])[path[-1]] = value
    return scene


def test_schema_itself_is_valid():
    if jsonschema is None:
        raise Skip("this Python has no jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_schema_accepts_every_sample():
    assert len(SAMPLES) >= 5
    for path in SAMPLES:
        assert is_accepted(load(path)), path


def test_every_sample_says_what_to_look_at():
    for path in SAMPLES:
        assert "Look at" in (path.parent / "README.md").read_text(encoding="utf-8"), path


def test_schema_refuses_null_in_any_place():
    for path in SAMPLES:
        scene = load(path)
        for place in places(scene):
            assert not is_accepted(replaced(scene, place, None)), (path, place)


def test_schema_refuses_an_unknown_key_in_any_object():
    for path in SAMPLES:
        scene = load(path)
        objects = [()] + [place for place in places(scene) if isinstance(at(scene, place), dict)]
        for place in objects:
            # the names of weights are free, but what stands behind them is not
            assert not is_accepted(replaced(scene, place + ("youngs",), 1)), (path, place)


def test_schema_refuses_each_broken_scene():
    scene = load(TOP / "sample_scenes" / "hanging_beam" / "scene.json")
    body = ("bodies", 0)
    broken = {
        "missing version": {"bodies": scene["bodies"]},
        "no bodies": replaced(scene, ("bodies",), []),
        "body without mesh": replaced(scene, body, {"name": "b"}),
        "count out of range": replaced(scene, ("frames", "count"), 0),
        "count not whole": replaced(scene, ("frames", "count"), 1.5),
        "unknown law": replaced(scene, body + ("material", "law"), "jello"),
        "negative density": replaced(scene, body + ("material", "density"), -1),
        "Poisson's ratio of 0.5": replaced(scene, body + ("material", "poisson_ratio"), 0.5),
        "two ways to give weights": replaced(scene, body + ("weights", "wall"), {"field": "start", "values": [1]}),
        "weights above 1": replaced(scene, body + ("weights", "wall"), {"values": [2]}),
        "vector of two": replaced(scene, ("world",), {"gravity": [0, 1]}),
        "matrix of eleven": replaced(scene, body + ("transform",), [1] * 11),
        "feature not built": replaced(scene, body + ("start",), {"preroll": 10}),
    }
    for name, value in broken.items():
        assert not is_accepted(value), name


run(globals())
