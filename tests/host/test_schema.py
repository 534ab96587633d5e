"""The JSON schema of scene files, judged by a validator that is not ours: it accepts every sample scene and refuses broken ones.

    python tests/host/test_schema.py        from the top folder; needs jsonschema from PyPI
"""

import copy
import json
import pathlib
import sys
import unittest

import jsonschema

TOP = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((TOP / "docs" / "scene.schema.json").read_text(encoding="utf-8"))
SAMPLES = sorted((TOP / "sample_scenes").glob("*/scene.json"))


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def errors(scene):
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(scene))


def places(value, path=()):
    """Every place in a JSON tree below its top."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield path + (key,)
        yield from places(child, path + (key,))


def replaced(scene, path, value):
    scene = copy.deepcopy(scene)
    parent = scene
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    return scene


class SchemaTest(unittest.TestCase):
    def test_schema_itself_is_valid(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_every_sample_is_accepted(self):
        self.assertGreaterEqual(len(SAMPLES), 4)
        for path in SAMPLES:
            with self.subTest(sample=path.parent.name):
                self.assertEqual(errors(load(path)), [])

    def test_every_sample_says_what_to_look_at(self):
        for path in SAMPLES:
            self.assertIn("Look at", (path.parent / "README.md").read_text(encoding="utf-8"))

    def test_null_in_any_place_is_refused(self):
        for path in SAMPLES:
            scene = load(path)
            for place in places(scene):
                with self.subTest(sample=path.parent.name, place=place):
                    self.assertNotEqual(errors(replaced(scene, place, None)), [])

    def test_unknown_key_in_any_object_is_refused(self):
        for path in SAMPLES:
            scene = load(path)
            objects = [()] + [p for p in places(scene) if isinstance(self.at(scene, p), dict)]
            for place in objects:
                with self.subTest(sample=path.parent.name, place=place):
                    broken = copy.deepcopy(scene)
                    self.at(broken, place)["youngs"] = 1
                    # the names of weights are free, but what stands behind them is not
                    self.assertNotEqual(errors(broken), [])

    def test_each_broken_scene_is_refused(self):
        scene = load(TOP / "sample_scenes" / "hanging_beam" / "scene.json")
        broken = {
            "missing version": {"bodies": scene["bodies"]},
            "no bodies": replaced(scene, ("bodies",), []),
            "body without mesh": replaced(scene, ("bodies", 0), {"name": "b"}),
            "count out of range": replaced(scene, ("frames", "count"), 0),
            "count not whole": replaced(scene, ("frames", "count"), 1.5),
            "unknown law": replaced(scene, ("bodies", 0, "material", "law"), "jello"),
            "negative density": replaced(scene, ("bodies", 0, "material", "density"), -1),
            "Poisson's ratio of 0.5": replaced(scene, ("bodies", 0, "material", "poisson_ratio"), 0.5),
            "two ways to give weights": replaced(
                scene, ("bodies", 0, "weights", "wall"), {"field": "start", "values": [1]}
            ),
            "weights above 1": replaced(scene, ("bodies", 0, "weights", "wall"), {"values": [2]}),
            "vector of two": replaced(scene, ("world",), {"gravity": [0, 1]}),
            "matrix of eleven": replaced(scene, ("bodies", 0, "transform"), [1] * 11),
            "feature not built": replaced(scene, ("bodies", 0, "settle"), True),
        }
        for name, value in broken.items():
            with self.subTest(name):
                self.assertNotEqual(errors(value), [])

    @staticmethod
    def at(value, path):
        for key in path:
            value = value[key]
        return value


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
