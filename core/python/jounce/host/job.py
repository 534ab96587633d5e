"""A bake as a folder that `jounce bake` runs elsewhere with the same result: a scene file with its meshes."""
import json
import math
import os

from .artist_settings import KEYED, KEYED_FIELDS
from .point_cache import PointCacheWriter
from . import stiffness, takes

SCENE = "scene.json"
# Fields of a body that the scene file has under the same name.
_BODY_KEYS = ("name", "kind", "resolution", "rest_follows_animation", "travel_influence", "cut_distance",
              "contact_thickness")
_BODY_SWITCHES = ("keep_pieces_apart", "settle", "keep_shape", "self_contact")


def write_job(folder, description, inputs_at, record):
    """Writes the folder and returns the path of its scene file. Raises SceneError, OSError, JounceError.

    description: of BakeJob. inputs_at(frame): keyword arguments of jounce.Bake.advance. record: of the take
    that the result will be, see takes; it is laid beside the result's place.
    """
    description = stiffness.resolved(description)
    os.makedirs(folder, exist_ok=True)
    first = description["first_frame"]
    result = os.path.join(folder, takes.file_stem(description["bodies"][0]["name"]) + ".abc")
    scene = _scene(description, os.path.basename(result))
    scene["bodies"] = [_body(folder, "body_{}".format(number), body) for number, body in enumerate(description["bodies"])]
    scene["colliders"] = [_collider(folder, number, collider)
                          for number, collider in enumerate(description["colliders"])]
    frames = [(first + count, inputs_at(first + count)) for count in range(description["frame_count"])]
    for number, body in enumerate(scene["bodies"]):
        _write_body_motion(folder, body, first, [(frame, inputs["bodies"][number]) for frame, inputs in frames])
    _write_gravity(scene, first, frames)
    scene["fields"] = [_field(field, [(frame, inputs["fields"][number]) for frame, inputs in frames])
                       for number, field in enumerate(description["fields"])]
    for number, collider in enumerate(scene["colliders"]):
        if collider["kind"] == "mesh":
            _write_collider_motion(folder, number, collider, description, frames)
    with open(os.path.join(folder, SCENE), "w", encoding="utf-8") as file:
        json.dump(scene, file, indent=1)
    takes.write_record(result, record._replace(frames_done=record.frame_count))
    return os.path.join(folder, SCENE)


def result_of(folder):
    """(path of the finished result, "") of a job, or (None, why there is none)."""
    found = sorted(takes.all_takes(folder))
    if not found:
        return None, "There is no job in {}: press Write Job first.".format(folder)
    if not os.path.isfile(found[0]):
        return None, "The job has no result yet: run its command first."
    if os.path.isfile(found[0] + takes.RESUME):
        return None, "The job is not finished: run its command again, it goes on where it stopped."
    return found[0], ""


def command(scene_file):
    """What to type to run the job, or to go on with it."""
    return 'jounce bake --resume "{}"'.format(scene_file)


def _scene(description, result):
    return {
        "jounce": 1,
        "units": {"metres_per_unit": description["metres_per_unit"], "up_axis": "z"},
        "frames": {"first": description["first_frame"], "count": description["frame_count"], "fps": description["fps"],
                   "steps_per_frame": description["steps_per_frame"],
                   "samples_per_frame": description["samples_per_frame"], "preroll": description["preroll_count"]},
        "world": {"gravity": list(description["gravity"]), "wind": list(description["wind"]),
                  "air_density": description["air_density"]},
        "integrator": {"method": description["integrator"], "error_tolerance": description["error_tolerance"]},
        "contact": {"method": description["contact"]["method"], "strict": bool(description["contact"]["strict"])},
        "output": {"path": result},
    }


def _body(folder, stem, body):
    """stem: of the names of its files."""
    found = {key: body[key] for key in _BODY_KEYS if body[key] is not None}
    found.update((key, bool(body[key])) for key in _BODY_SWITCHES)
    if body["springs"]:
        found["springs"] = body["springs"]
    found.update(mesh=stem + ".obj", transform=list(body["transform"]), animation={"cache": stem + ".pc2"},
                 material=_material(body["material"]))
    _write_obj(os.path.join(folder, stem + ".obj"), body["surface"] or body["curves"])
    if body["bones"]:
        found["bones"] = [dict({key: bone[key] for key in ("name", "radius", "strength")}, point=list(bone["point"]),
                               end=list(bone["end"]), matrices="{}_bone_{}.txt".format(stem, number))
                          for number, bone in enumerate(body["bones"])]
    found["weights"], found["regions"] = {}, []
    for number, region in enumerate(body["regions"]):
        name = region["name"] if region["name"] not in found["weights"] else "{} {}".format(region["name"], number)
        file_name = "{}_weights_{}.txt".format(stem, number)
        with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
            file.writelines("{:.9g}\n".format(weight) for weight in region["weights"])
        found["weights"][name] = {"file": file_name}
        values = {key: region[key] for key in ("effect", "value") if key in region}
        found["regions"].append(dict(values, weights=name))
    return found


def _material(material):
    """A scene file gives stiffness and damping in one way each."""
    found = {key: value for key, value in material.items() if value is not None}
    found["warp"] = bool(found["warp"])
    for way, replaced in (("settle_seconds", "stiffness_damping"), ("wobble_frequency", "young_modulus")):
        if way in found:
            found.pop(replaced, None)
    return found


def _collider(folder, number, collider):
    found = {key: collider[key] for key in ("name", "kind", "friction")}
    if collider["kind"] == "plane":
        return dict(found, point=list(collider["point"]), normal=list(collider["normal"]))
    name = "collider_{}".format(number)
    _write_obj(os.path.join(folder, name + ".obj"), collider["surface"])
    return dict(found, mesh=name + ".obj")


def _write_obj(path, surface):
    """A surface, or curves as lines; every number as it is, to the last bit."""
    positions, uvs = surface["positions"], surface.get("uvs")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("v {!r} {!r} {!r}\n".format(*positions[i:i + 3]) for i in range(0, len(positions), 3))
        if uvs is not None:
            file.writelines("vt {!r} {!r}\n".format(*uvs[i:i + 2]) for i in range(0, len(uvs), 2))
        corner, part = 0, "face" if "face_sizes" in surface else "curve"
        for size in surface[part + "_sizes"]:
            corners = range(corner, corner + size)
            words = ["{}/{}".format(surface[part + "_vertices"][i] + 1, i + 1) if uvs is not None
                     else str(surface[part + "_vertices"][i] + 1) for i in corners]
            file.write("{} {}\n".format("f" if part == "face" else "l", " ".join(words)))
            corner += size


def _write_body_motion(folder, body, first_frame, frames):
    """frames: [(frame, fields of JnBodyInput)]. Completes the body with what moves."""
    points = PointCacheWriter(os.path.join(folder, body["animation"]["cache"]), len(frames[0][1]["targets"]) // 3,
                              first_frame, 0)
    keys, cuts = [], []
    for frame, given in frames:
        points.add(given["targets"])
        keyed = {key: given[KEYED_FIELDS[name]] for name, (_, key) in KEYED.items() if KEYED_FIELDS[name] in given}
        if keyed:
            keys.append(dict(keyed, frame=frame))
        if given.get("cut"):
            cuts.append(frame)
    body.update((name, value) for name, value in (("keys", keys), ("cuts", cuts)) if value)
    if any(list(given["transform"]) != body["transform"] for _, given in frames):
        body["matrices"] = os.path.splitext(body["mesh"])[0] + "_matrices.txt"
        _write_matrices(folder, body["matrices"], [(frame, given["transform"]) for frame, given in frames])
    for number, bone in enumerate(body.get("bones", ())):
        _write_matrices(folder, bone["matrices"], [(frame, given["bones"][12 * number:12 * number + 12])
                                                   for frame, given in frames])


def _write_matrices(folder, name, frames):
    """frames: [(frame, rows of a 3x4 matrix)]."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines(" ".join([str(frame)] + [repr(value) for value in rows]) + "\n" for frame, rows in frames)


def _write_gravity(scene, first_frame, frames):
    """As it changes, if it does."""
    keys = [{"frame": first_frame, "value": scene["world"]["gravity"]}]
    for frame, inputs in frames[1:]:
        keys.append({"frame": frame, "value": list(inputs.get("gravity", keys[-1]["value"]))})
    if any(key["value"] != keys[0]["value"] for key in keys):
        scene["world"]["gravity"] = {"keys": keys}


def _field(field, frames):
    """A field of force with its motion. frames: [(frame, fields of JnFieldInput)]."""
    found = {key: value for key, value in field.items() if value is not None}
    if any(given != frames[0][1] for _, given in frames):
        found["keys"] = [dict(given, frame=frame) for frame, given in frames]
    return found


def _write_collider_motion(folder, number, collider, description, frames):
    """In the space of the scene, where it stands still in that of its object too."""
    positions = description["colliders"][number]["surface"]["positions"]
    rows = [inputs["colliders"][number]["transform"] for _, inputs in frames]
    deforms = any("positions" in inputs["colliders"][number] for _, inputs in frames)
    if not deforms and all(row == rows[0] for row in rows):
        collider["transform"] = list(rows[0])
        return
    name = "collider_{}.pc2".format(number)
    points = PointCacheWriter(os.path.join(folder, name), len(positions) // 3, description["first_frame"], 0)
    for row, (_, inputs) in zip(rows, frames):
        positions = inputs["colliders"][number].get("positions", positions)
        points.add([_apply(row, positions, i, k) for i in range(0, len(positions), 3) for k in range(3)])
    collider["animation"] = {"cache": name}


def _apply(rows, positions, i, k):
    return math.fsum((rows[4 * k] * positions[i], rows[4 * k + 1] * positions[i + 1], rows[4 * k + 2] * positions[i + 2],
                      rows[4 * k + 3]))
