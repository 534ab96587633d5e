"""Animated characters of the asset folder, for tests: rest shape, faces and the positions of each frame."""
import json
import math
import os
import struct

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
            places = [(w, moved(bone, vertex)) for w, bone in zip(weights, self.bones[frame]) if w > 0]
            result.append([sum(w * place[i] for w, place in places) for i in range(3)])
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


# ------------------------------------------------------------------------------------------------ files


class Still:
    """A surface that is moved as a whole: rocks about the vertical through its middle."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = vertices, faces
        self.middle = [0.5 * (min(v[i] for v in vertices) + max(v[i] for v in vertices)) for i in range(3)]

    surface = Rig.surface

    def positions(self, frame):
        angle = 0.3 * math.sin(0.8 * frame)
        c, s, (x, _, z) = math.cos(angle), math.sin(angle), self.middle
        return [[x + c * (v[0] - x) + s * (v[2] - z), v[1], z - s * (v[0] - x) + c * (v[2] - z)] for v in self.vertices]


def obj(*parts):
    """Vertices and faces of an .obj file."""
    vertices, faces = [], []
    with open(asset(*parts), encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    return Still(vertices, faces)


class Glb:
    """What of a binary glTF file a skinned mesh needs."""

    TYPES = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}
    WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + length].decode("utf-8"))
        self.binary = data[28 + length:]

    def rows(self, index):
        """The values of an accessor."""
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = self.WIDTHS[accessor["type"]]
        form = "<{}{}".format(width, self.TYPES[accessor["componentType"]])
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride") or struct.calcsize(form)
        return [struct.unpack_from(form, self.binary, start + step * i) for i in range(accessor["count"])]


def placed(translation, rotation, scale):
    """Rows of a 3x4 matrix; rotation: a quaternion x y z w."""
    x, y, z, w = rotation
    turn = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [[turn[i][j] * scale[j] for j in range(3)] + [translation[i]] for i in range(3)]


def columns(m):
    """A matrix of glTF, by columns, as three rows."""
    return [[m[4 * j + i] for j in range(4)] for i in range(3)]


def sample(times, values, time):
    """Linear between samples; quaternions are close enough for that, and are made of length 1."""
    k = max(i for i, (t,) in enumerate(times) if t <= time or i == 0)
    after = min(k + 1, len(times) - 1)
    width = times[after][0] - times[k][0]
    part = min(1, max(0, (time - times[k][0]) / width)) if width else 0
    a, b = values[k], values[after]
    if len(a) == 4 and sum(p * q for p, q in zip(a, b)) < 0:
        b = [-q for q in b]
    mixed = [p + part * (q - p) for p, q in zip(a, b)]
    size = math.sqrt(sum(p * p for p in mixed)) if len(a) == 4 else 1
    return [p / size for p in mixed]


def glb(*parts, fps=24):
    """The skinned mesh of a glTF file as a Rig; its rest shape is that in which it was bound."""
    file = Glb(asset(*parts))
    nodes, skin = file.json["nodes"], file.json["skins"][0]
    primitive = file.json["meshes"][0]["primitives"][0]
    parents = {child: index for index, node in enumerate(nodes) for child in node.get("children", ())}
    channels = [(channel["target"]["node"], channel["target"]["path"],
                 file.rows(file.json["animations"][0]["samplers"][channel["sampler"]]["input"]),
                 file.rows(file.json["animations"][0]["samplers"][channel["sampler"]]["output"]))
                for channel in file.json["animations"][0]["channels"]]
    binds = [columns(m) for m in file.rows(skin["inverseBindMatrices"])]
    last = max(times[-1][0] for _, _, times, _ in channels)
    bones = []
    for frame in range(int(last * fps) + 1):
        posed = {index: dict(node) for index, node in enumerate(nodes)}
        for node, path, times, values in channels:
            posed[node][path] = sample(times, values, frame / fps)

        def world(index):
            node = posed[index]
            here = columns(node["matrix"]) if "matrix" in node else placed(
                node.get("translation", (0, 0, 0)), node.get("rotation", (0, 0, 0, 1)), node.get("scale", (1, 1, 1)))
            return product(world(parents[index]), here) if index in parents else here

        bones.append([product(world(joint), bind) for joint, bind in zip(skin["joints"], binds)])
    indices = [row[0] for row in file.rows(primitive["indices"])]
    vertices = [list(row) for row in file.rows(primitive["attributes"]["POSITION"])]
    joints, weights = (file.rows(primitive["attributes"][name]) for name in ("JOINTS_0", "WEIGHTS_0"))
    full = []
    for numbers, shares in zip(joints, weights):
        full.append([0.0] * len(binds))
        for number, share in zip(numbers, shares):
            full[-1][number] += share
    return Rig(vertices, [indices[i:i + 3] for i in range(0, len(indices), 3)], full, bones)
