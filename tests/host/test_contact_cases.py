"""The hard cases of contact_cases.py with the barrier: nothing ever crosses, at any time step, in the meshes read back
from the written cache. Two judges that have nothing of the solver say so: an exact test (contact_judge.c) and the IPC
Toolkit (PyPI: ipctk). Each must see the crossings of the same scene baked without contact."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import contact_cases  # noqa: E402
from harness import Skip, environment, run  # noqa: E402

try:
    import ipctk
    import numpy
except ImportError:
    ipctk = None

FARTHEST = 3  # m: nothing of these scenes has a reason to go there


def call(*command):
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert said.returncode == 0, "{}: {}".format(" ".join(command), said.stderr.strip())
    return said.stdout


def bake(scene):
    """The cache of a scene."""
    call(os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", "--quiet", scene)
    return os.path.splitext(scene)[0] + ".abc"


def verdicts(scene, cache):
    """For each sample of the cache, with the colliders of the scene: its frame, the number of crossings by the exact
    test, whether ipctk finds any, and how far from the origin a body is."""
    seen = json.loads(call(os.path.join(environment("JN_TEST_BUILD"), "tests", "contact_judge"), scene, cache, "--json"))
    edges, triangles = (numpy.array(seen[name], dtype=numpy.int32).reshape(-1, size)
                        for name, size in (("edges", 2), ("triangles", 3)))
    poses = [numpy.asfortranarray(numpy.array(sample["positions"]).reshape(-1, 3)) for sample in seen["samples"]]
    mesh = ipctk.CollisionMesh(poses[0], edges, triangles)
    bodies = sum(part["vertex_count"] for part in seen["parts"] if part["body"])
    return [(sample["frame"], sample["crossings"], ipctk.has_intersections(mesh, pose, ipctk.LBVH()),
             numpy.abs(pose[:bodies]).max())
            for sample, pose in zip(seen["samples"], poses)]


def judge(case):
    if ipctk is None:
        raise Skip("this Python has no ipctk; pip install ipctk")
    with tempfile.TemporaryDirectory() as folder:
        try:
            scene = contact_cases.write(case, folder)
        except contact_cases.Absent as reason:
            raise Skip(reason)
        with open(scene) as file:
            frame_count = json.load(file)["frames"]["count"]
        loose = verdicts(scene, bake(os.path.join(folder, "loose.json")))
        held = verdicts(scene, bake(scene))
    assert len(held) == len(loose) == 1 + (frame_count - 1) * contact_cases.STEPS

    # both judges see the crossings that contact prevents
    assert loose[0][1:3] == held[0][1:3] == (0, False)
    assert any(crossings > 0 for _, crossings, _, _ in loose)
    assert all((crossings > 0) == found for _, crossings, found, _ in loose)

    crossed = [sample[:3] for sample in held if sample[1] > 0 or sample[2]]
    assert not crossed, "{} of {} samples crossed, at first {}".format(len(crossed), len(held), crossed[0])
    assert max(far for _, _, _, far in held) < FARTHEST


def test_crossing_mats_never_cross():  # slow
    judge("crossing_mats")


def test_chain_of_rings_never_crosses():  # slow
    judge("chain_of_rings")


def test_sheet_on_needles_is_never_pierced():  # slow
    judge("sheet_on_needles")


def test_sheet_on_a_knife_is_never_cut():  # slow
    judge("sheet_on_a_knife")


def test_ball_through_a_funnel_never_crosses_its_wall():  # slow
    judge("ball_through_a_funnel")


def test_ball_squeezed_between_boxes_never_crosses_them():  # slow
    judge("squeezed_ball")


def test_ball_squeezed_between_meshes_never_crosses_them():  # slow
    judge("squeezed_between_meshes")


def test_flag_in_wind_never_crosses_itself():  # slow
    judge("flag_in_wind")


def test_hair_combed_by_a_head_never_enters_it():  # slow
    judge("hair_combed_by_a_head")


run(globals())
