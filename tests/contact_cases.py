"""Hard cases of contact at small size, as scenes: each function below writes the meshes of one case to a folder and
returns its scene. By hand:

    python3 tests/contact_cases.py FOLDER [CASE ...]     writes FOLDER/CASE/scene.json, of all cases if none is named
    build/jounce bake FOLDER/CASE/scene.json
    build/tests/contact_judge FOLDER/CASE/scene.json FOLDER/CASE/scene.abc

All are in metres. The cache has a sample for every time step, nothing touches at the start, colliders do not touch each
other, and those that move do not turn, so that the judge knows where they are inside a frame too.
"""
import copy
import json
import os
import sys

import contact_meshes as meshes

STEPS = 4
# as JN_ASSETS in tests/CMakeLists.txt
ASSETS = os.environ.get("JN_TEST_ASSETS") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                                                          "shared", "assets")


class Absent(Exception):
    """A mesh from elsewhere that the case needs is not there."""


def scene_of(frame_count, bodies, colliders=(), **more):
    scene = {"jounce": 1, "frames": {"count": frame_count, "steps_per_frame": STEPS, "samples_per_frame": STEPS},
             "bodies": bodies}
    if colliders:
        scene["colliders"] = list(colliders)
    scene.update(more)
    return scene


def cloth(name, mesh, folder, height=0.0, **more):
    """A soft cloth that collides with itself. mesh: vertices, faces."""
    meshes.write_surface(os.path.join(folder, name + ".obj"), *mesh)
    body = {"name": name, "kind": "textile", "mesh": name + ".obj", "transform": {"translate": [0, height, 0]},
            "springs": {"structural": 300, "bending": 1, "thickness": 5e-4, "mass_per_area": 0.2},
            "material": {"stiffness_damping": 0.002}, "self_contact": True}
    body.update(more)
    return body


def mesh_collider(name, mesh, folder, **more):
    meshes.write_surface(os.path.join(folder, name + ".obj"), *mesh)
    return dict({"name": name, "kind": "mesh", "mesh": name + ".obj"}, **more)


def pinned(weights):
    """Keys of a body of which the points with these weights follow the animation."""
    return {"weights": {"held": weights}, "regions": [{"weights": "held", "effect": "pin"}]}


def moved(*keys):
    """An animation by keys of (frame, translate) or (frame, translate, rotate)."""
    names = ("frame", "translate", "rotate")
    return {"keys": [dict(zip(names, key)) for key in keys]}


def crossing_mats(folder):
    """A strip of cloth is pulled down over one that crosses it, one end first, and turned."""
    def ends(mesh, axis, at):
        return pinned({"values": [1 if abs(vertex[axis]) > at else 0 for vertex in mesh[0]]})

    lower, upper = meshes.sheet(0.4, 0.14, 20, 7), meshes.sheet(0.14, 0.4, 7, 20)
    return scene_of(25, [
        cloth("lower", lower, folder, **ends(lower, 0, 0.19)),
        cloth("upper", upper, folder, height=0.02, animation=moved((1, [0, 0, 0]), (9, [0, -0.12, 0], [15, 0, 0]),
                                                                   (25, [0, -0.12, 0], [15, 70, 0])),
              **ends(upper, 2, 0.19))])


def chain_of_rings(folder):
    """Four rings, the first one held at its top and swung; each falls into the one above."""
    radius, tube, apart, links = 0.05, 0.012, 0.07, []
    vertices, tets = meshes.ring(radius, tube, 16, 6)
    meshes.write_tets(os.path.join(folder, "ring.mesh"), vertices, tets)
    for i in range(4):
        links.append({"name": "ring%d" % i, "mesh": "ring.mesh",
                      "transform": {"translate": [0, -apart * i, 0], "rotate": [0, 90 * (i % 2), 0]},
                      "material": {"young_modulus": 5e5, "density": 1100, "stiffness_damping": 0.002}})
    links[0].update(pinned({"values": [1 if vertex[1] > radius else 0 for vertex in vertices]}),
                    animation=moved((1, [0, 0, 0]), (9, [0.1, 0, 0.05]), (17, [-0.1, 0, -0.05]), (25, [0, 0, 0])))
    return scene_of(31, links)


def sheet_on_needles(folder):
    """A cloth falls on nine needles whose tips are points."""
    needles = meshes.joined([meshes.pyramid((0.07 * i + 0.003 * j, -0.1, 0.07 * j), 0.008, 0.1)
                             for i in (-1, 0, 1) for j in (-1, 0, 1)])
    return scene_of(25, [cloth("sheet", meshes.sheet(0.28, 0.28, 14, 14), folder, height=0.03)],
                    [mesh_collider("needles", needles, folder)])


def sheet_on_a_knife(folder):
    """A cloth falls on the edge of a blade that is shorter than the cloth and at an angle to its threads."""
    blade = meshes.wedge(0.2, 0.006, 0.15)
    return scene_of(25, [cloth("sheet", meshes.sheet(0.28, 0.28, 14, 14), folder, height=0.03)],
                    [mesh_collider("knife", blade, folder, transform={"rotate": [0, 20, 0]})])


def ball_through_a_funnel(folder):
    """A soft ball of 5 cm falls into the funnel and is pushed through its tube of 4 cm, in the end by 8 cm a step."""
    path = os.path.join(ASSETS, "surface", "funnel_obstacle.obj")
    if not os.path.exists(path):
        raise Absent(path + " is not there")
    ball = {"name": "ball", "mesh": {"shape": "ball", "size": [0.05, 0.05, 0.05], "cells": [6, 1, 1]},
            "transform": {"translate": [0.01, 0.55, 0]}, "friction": 0.1, "self_contact": True,
            "material": {"young_modulus": 5e3, "poisson_ratio": 0.4, "stiffness_damping": 0.005},
            "weights": {"all": {"box": [[-1, -1, -1], [1, 1, 1]]}},
            "forces": [{"weights": "all", "force": [0, -2, 0], "from": 8}]}
    return scene_of(18, [ball], [{"name": "funnel", "kind": "mesh", "mesh": path, "friction": 0.1}])


def squeezed_ball(folder, plates=None):
    """A soft ball between two plates that close from 22 to 6 cm in a sixth of a second, 1 m/s, stay, and open."""
    ball = {"name": "ball", "mesh": {"shape": "ball", "size": [0.2, 0.2, 0.2], "cells": [6, 1, 1]},
            "material": {"young_modulus": 2e4, "poisson_ratio": 0.4, "stiffness_damping": 0.005}}
    plates = plates or [{"name": name, "kind": "box", "size": [0.6, 0.02, 0.6], "point": [0, 0, 0]}
                        for name in ("floor", "press")]
    for plate, side in zip(plates, (-1, 1)):
        away, near = [0, side * 0.12, 0], [0, side * 0.04, 0]
        plate["animation"] = moved((1, away), (5, near), (11, near), (14, away))
    return scene_of(19, [ball], plates, world={"gravity": [0, 0, 0]})


def squeezed_between_meshes(folder):
    """The same between plates that are meshes."""
    return squeezed_ball(folder, [mesh_collider(name, meshes.block(0.6, 0.02, 0.6), folder)
                                  for name in ("floor", "press")])


def arm_into_a_belly(folder):
    """An arm, all of it animated, is pressed 14 cm deep into a soft block of 20 cm in a quarter of a second."""
    def box(name, size, cells, at, held, **material):
        return dict({"name": name, "mesh": {"shape": "beam", "size": size, "cells": cells},
                     "transform": {"translate": at}, "friction": 0, "material": material}, **pinned({"box": held}))

    everywhere, lower_side = [[-1, -1, -1], [1, 1, 1]], [[-1, -1, -1], [1, -0.09, 1]]
    belly = box("belly", [0.2, 0.2, 0.2], [4, 4, 4], [0, 0.1, 0], lower_side, young_modulus=2e4, stiffness_damping=0.01)
    arm = box("arm", [0.06, 0.06, 0.3], [2, 2, 8], [0.07, 0.28, 0.0], everywhere, young_modulus=1e6)
    belly["self_contact"] = True
    arm["animation"] = moved((1, [0, 0, 0]), (7, [0, -0.19, 0]), (13, [0, -0.19, 0]), (19, [0, 0, 0]))
    return scene_of(37, [belly, arm])


def flag_in_wind(folder):
    """A limp flag whose pole is shaken and carried with the wind, faster than it, so that it folds over itself."""
    flag = meshes.sheet(0.4, 0.24, 20, 12)
    hung = [(0.2 + x, -z, 0.02 * (x + 0.2)) for x, _, z in flag[0]]
    return scene_of(31, [cloth("flag", (hung, flag[1]), folder,
                               springs={"structural": 100, "bending": 0.05, "thickness": 5e-4, "mass_per_area": 0.1},
                               material={"stiffness_damping": 0.0005},
                               animation=moved((1, [0, 0, 0]), (5, [0.2, 0, 0.1]), (9, [0.7, 0, -0.1]),
                                               (13, [0.8, 0, 0.1]), (17, [0.3, 0, -0.1]), (23, [1.0, 0, 0.05])),
                               **pinned({"values": [1 if vertex[0] < 1e-6 else 0 for vertex in hung]}))],
                    world={"wind": [3, 0, 0.5], "air_density": 1.2})


def hair_combed_by_a_head(folder):
    """A curtain of hair, held at its upper ends, through which a head with a horn moves at 1 m/s."""
    hairs = [[(0.006 * i, -0.02 * k, 0.02 * j + 0.01 * (i % 2)) for k in range(11)]
             for i in range(4) for j in range(-4, 5)]
    meshes.write_curves(os.path.join(folder, "hair.obj"), hairs)
    horn = [(x, y + 0.055, z) for x, y, z in meshes.pyramid((0, 0, 0), 0.01, 0.05)[0]]
    head = meshes.joined([meshes.globe(0.05, 8, 12), (horn, meshes.pyramid((0, 0, 0), 0.01, 0.05)[1])])
    hair = {"name": "hair", "kind": "fibres", "mesh": "hair.obj",
            "springs": {"thickness": 3e-4}, "material": {"young_modulus": 1e8, "density": 1300},
            **pinned({"values": [1 if point[1] > -0.01 else 0 for curve in hairs for point in curve]})}
    return scene_of(19, [hair], [mesh_collider("head", head, folder, transform={"translate": [-0.08, -0.14, 0.005]},
                                               friction=0.2, animation=moved((1, [0, 0, 0]), (7, [0.25, 0, 0]),
                                                                             (13, [0.25, 0, 0]), (19, [0, 0, 0.02])))])


CASES = {case.__name__: case for case in (
    crossing_mats, chain_of_rings, sheet_on_needles, sheet_on_a_knife, ball_through_a_funnel, squeezed_ball,
    squeezed_between_meshes, arm_into_a_belly, flag_in_wind, hair_combed_by_a_head)}


def loose(scene):
    """The same scene if nothing touched anything."""
    scene = copy.deepcopy(scene)
    scene.pop("colliders", None)
    for body in scene["bodies"]:
        body.update(collides=False, self_contact=False)
    return scene


def write(case, folder, method="barrier", integrator="si"):
    """Writes scene.json and its meshes, and as loose.json the scene in which nothing touches. The path of the first."""
    os.makedirs(folder, exist_ok=True)
    scene = CASES[case](folder)
    scene["contact"] = {"method": method}
    scene["integrator"] = {"method": integrator}
    for name, content in (("scene.json", scene), ("loose.json", loose(scene))):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(content, file, indent=1)
    return os.path.join(folder, "scene.json")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: contact_cases.py FOLDER [CASE ...]; the cases are: " + ", ".join(CASES))
    for wanted in sys.argv[2:] or CASES:
        print(write(wanted, os.path.join(sys.argv[1], wanted)))
