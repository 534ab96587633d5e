"""The meshes of the sample scenes that a program makes are those that it makes now."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run  # noqa: E402

TEDDY = os.path.join(environment("JN_TEST_SOURCE"), "sample_scenes", "teddy")


def read_mesh(folder, name):
    """Positions, and faces as lines."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        lines = file.read().split("\n")
    positions = [float(word) for line in lines if line.startswith("v ") for word in line.split()[1:]]
    return positions, [line for line in lines if line.startswith("f ")]


def test_sample_meshes_of_teddy_are_what_their_program_makes():  # slow
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(TEDDY, "make_meshes.py"), folder], check=True)
        for name in ("bear.obj", "stairs.obj"):
            (made, made_faces), (kept, kept_faces) = read_mesh(folder, name), read_mesh(TEDDY, name)
            assert made_faces == kept_faces, name
            # versions of Python round sums differently, which may change the last digit written
            assert len(made) == len(kept) and all(abs(a - b) < 2e-5 for a, b in zip(made, kept)), name


def test_sample_mesh_of_the_jaw_is_what_its_program_makes():
    jaw = os.path.join(os.path.dirname(TEDDY), "rattling_jaw")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(jaw, "make_meshes.py"), folder], check=True)
        texts = []
        for place in (folder, jaw):
            with open(os.path.join(place, "head.veg"), encoding="utf-8") as file:
                texts.append(file.read())
        assert texts[0] == texts[1]


def test_sample_meshes_of_teddy_are_closed():
    for name in ("bear.obj", "stairs.obj"):
        edges = []
        for line in read_mesh(TEDDY, name)[1]:
            corners = line.split()[1:]
            edges += zip(corners, corners[1:] + corners[:1])
        assert len(set(edges)) == len(edges), name
        assert {(b, a) for a, b in edges} == set(edges), name


run(globals())
