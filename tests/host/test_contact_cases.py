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

def call(*command):
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert said.returncode == 0, "{}: {}".format(" ".join(command), said.stderr.strip())
    return said.stdout


def bake(scene):
    """The cache of a scene."""
    call(os.path.join(environment("JN_TEST_BUILD"), "jounce"), "bake", "--quiet", scene)
    return os.path.splitext(scene)[0] + ".abc"


class Sample:
    """One sample of a cache, together with the colliders of its scene, before both judges."""

    def __init__(self, sample, mesh, ends):
        self.frame, self.crossings = sample["frame"], sample["crossings"]
        pose = numpy.asfortranarray(numpy.array(sample["positions"]).reshape(-1, 3))
        self.found = ipctk.has_intersections(mesh, pose, ipctk.LBVH())
        self.bodies = numpy.split(pose, ends)[:-1]

    def __str__(self):
        return "frame {:g}, {} crossings, ipctk says {}".format(self.frame, self.crossings, self.found)


def samples(scene, cache):
    program = os.path.join(environment("JN_TEST_BUILD"), "tests", "contact_judge")
    seen = json.loads(call(program, scene, cache, "--json"))
    edges, triangles = (numpy.array(seen[name], dtype=numpy.int32).reshape(-1, size)
                        for name, size in (("edges", 2), ("triangles", 3)))
    start = numpy.array(seen["samples"][0]["positions"]).reshape(-1, 3)
    mesh = ipctk.CollisionMesh(numpy.asfortranarray(start), edges, triangles)
    ends = numpy.cumsum([part["vertex_count"] for part in seen["parts"] if part["body"]])
    return [Sample(sample, mesh, ends) for sample in seen["samples"]]


def judge(case, integrator="si"):
    """The samples of the case, in which nothing crosses."""
    if ipctk is None:
        raise Skip("this Python has no ipctk; pip install ipctk")
    with tempfile.TemporaryDirectory() as folder:
        try:
            scene = contact_cases.write(case, folder, integrator=integrator)
        except contact_cases.Absent as reason:
            raise Skip(reason)
        with open(scene) as file:
            frames = json.load(file)["frames"]
        loose = samples(scene, bake(os.path.join(folder, "loose.json")))
        held = samples(scene, bake(scene))
    assert len(held) == len(loose) == 1 + (frames["count"] - 1) * frames["samples_per_frame"]

    # both judges see the crossings that contact prevents, which are not there from the start
    assert loose[0].crossings == 0 and any(sample.crossings > 0 for sample in loose)
    for sample in loose:
        assert (sample.crossings > 0) == sample.found, sample

    crossed = [sample for sample in held if sample.crossings > 0 or sample.found]
    assert not crossed, "{} of {} samples crossed; {}".format(len(crossed), len(held), crossed[0])
    return held


def test_crossing_mats_never_cross():  # slow
    lower, upper = judge("crossing_mats")[-1].bodies
    # the ends of one are 12 cm lower than those of the other, so both are stretched over each other
    assert lower[:, 1].min() < -0.03 and upper[:, 1].max() > lower[:, 1].min()


def test_chain_of_rings_never_crosses():  # slow
    for sample in judge("chain_of_rings"):
        centres = [ring.mean(axis=0) for ring in sample.bodies]
        # linked, they are less than two radii apart, but for what the rubber gives
        assert max(numpy.linalg.norm(a - b) for a, b in zip(centres, centres[1:])) < 0.11, sample


def judge_sheet(case):
    """It hangs over what stands with its tips at y = 0."""
    sheet, = judge(case)[-1].bodies
    assert 0 < sheet[:, 1].max() < 0.03 and -0.2 < sheet[:, 1].min() < -0.03


def test_sheet_on_needles_is_never_pierced():  # slow
    judge_sheet("sheet_on_needles")


def test_sheet_on_a_knife_is_never_cut():  # slow
    judge_sheet("sheet_on_a_knife")


def test_ball_through_a_funnel_never_crosses_its_wall():  # slow
    ball, = judge("ball_through_a_funnel")[-1].bodies
    assert ball[:, 1].max() < -0.5  # where the tube ends
    assert abs(numpy.ptp(ball, axis=0) - 0.05).max() < 0.01


def judge_squeezed(case):
    heights = [numpy.ptp(sample.bodies[0][:, 1]) for sample in judge(case)]
    # the plates are 6 cm apart in the middle of the shot
    assert 0.03 < min(heights) < 0.06 and 0.16 < heights[-1] < 0.24


def test_ball_squeezed_between_boxes_never_crosses_them():  # slow
    judge_squeezed("squeezed_ball")


def test_ball_squeezed_between_meshes_never_crosses_them():  # slow
    judge_squeezed("squeezed_between_meshes")


def test_arm_pressed_into_a_belly_never_enters_it():  # slow
    belly, _ = judge("arm_into_a_belly")[-1].bodies
    assert 0.18 < numpy.ptp(belly[:, 1]) < 0.21  # it has its shape again


def test_flag_in_wind_never_crosses_itself():  # slow
    for sample in judge("flag_in_wind"):
        assert numpy.ptp(sample.bodies[0], axis=0).max() < 0.6, sample  # its diagonal is 0.47


def test_hair_combed_by_a_head_never_enters_it():  # slow
    held = judge("hair_combed_by_a_head")
    moved = [numpy.linalg.norm(sample.bodies[0] - held[0].bodies[0], axis=1).max() for sample in held]
    assert 0.05 < max(moved) < 0.4  # hair of 20 cm is bent, and not torn


def test_cases_never_cross_with_two_stages():  # slow
    for case in ("chain_of_rings", "sheet_on_a_knife", "squeezed_between_meshes", "arm_into_a_belly"):
        judge(case, "ssdirk")


def test_chain_of_rings_never_crosses_with_backward_euler():  # slow
    judge("chain_of_rings", "be")


def test_sheet_on_needles_is_never_pierced_with_backward_euler():  # slow
    judge("sheet_on_needles", "be")


def test_sheet_on_a_knife_is_never_cut_with_backward_euler():  # slow
    judge("sheet_on_a_knife", "be")


def test_arm_pressed_into_a_belly_never_enters_it_with_backward_euler():  # slow
    judge("arm_into_a_belly", "be")


run(globals())
