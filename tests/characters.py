"""Animated characters of the asset folder, for tests: rest shape, faces and the positions of each frame."""
import json
import os

from harness import Skip, environment


def asset(*parts):
    """The path of an asset; the test is skipped where it is absent."""
    path = os.path.join(environment("JN_TEST_ASSETS"), *parts)
    if not os.path.exists(path):
        raise Skip("there is no " + path)
    return path


def inverse(m):
    """Of a rigid motion, rows of a 3x4 matrix."""
    turned = [[m[j][i] for j in range(3)] for i in range(3)]
    return [row + [-sum(row[j] * m[j][3] for j in range(3))] for row in turned]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) + (a[i][3] if j == 3 else 0) for j in range(4)] for i in range(3)]


def moved(m, x):
    return [row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3] for row in m]


class Rig:
    """A surface that bones move by linear blend skinning. weights: for each vertex one per bone; bones: for each frame
    the matrices that move the rest shape."""

    def __init__(self, vertices, faces, weights, bones):
        self.vertices, self.faces, self.bones = vertices, faces, bones
        self.weights = [[weight / sum(row) for weight in row] for row in weights]

    def surface(self):
        return {"positions": self.vertices, "face_sizes": [len(face) for face in self.faces],
                "face_vertices": [corner for face in self.faces for corner in face]}

    def positions(self, frame):
        """Of all vertices, at frame 0, 1, ..."""
        result = []
        for vertex, weights in zip(self.vertices, self.weights):
            places = [moved(bone, vertex) for bone in self.bones[frame]]
            result.append([sum(w * place[i] for w, place in zip(weights, places)) for i in range(3)])
        return result


def fish():
    """A fish of 10.5 units that swims along z; bone 0 moves its body, bone 1 its head."""
    with open(asset("rig", "fish", "skeleton_rig.json"), encoding="utf-8") as file:
        rig = json.load(file)
    with open(asset("rig", "fish", "anim_swim.json"), encoding="utf-8") as file:
        frames = json.load(file)["P"]
    rest = [inverse(bone) for bone in rig["p0"]]
    bones = [[product(now, before) for now, before in zip(frame, rest)] for frame in frames]
    return Rig(rig["V"], rig["F"], rig["W"], bones)
