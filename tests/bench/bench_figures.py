"""Runs `jounce compare` on the scenes of the papers' figures, prints its command lines and a table of each.

    python3 tests/bench/bench_figures.py build [ball] [cuboid] [rope] [layer] [beam] [bear] [bunny] [flag]

Without names, all of them. Plots and tables of every figure are left in build/figures. docs/figures.md says what they
show. The bunny is not part of the project: its figure is skipped where there is no BUNNY_SURFACE.
"""
import copy
import json
import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENES = os.path.join("tests", "bench", "figures")
BUNNY_SURFACE = os.path.join("..", "shared", "assets", "surface", "bunny.obj")
BUNNY_VERTICES = 800


class Figure:
    """A scene, what is changed in it, and the words that compare gets; of a bunny, its mesh has to be made first."""

    def __init__(self, name, scene, words, of_bunny=False, **changes):
        self.name, self.scene, self.words, self.changes = name, scene, words.split(), changes
        self.of_bunny = of_bunny

    def write_variant(self, folder):
        """The path of the scene with its changes; the scene's own if there are none."""
        if not self.changes:
            return self.scene
        with open(os.path.join(ROOT, self.scene), encoding="utf-8") as file:
            scene = json.load(file)
        body = scene["bodies"][0]
        for key, values in copy.deepcopy(self.changes).items():
            of_body = key in ("mesh", "material", "springs", "transform")
            (body if of_body else scene).setdefault(key, {}).update(values)
        if self.of_bunny:
            body["mesh"] = bunny_mesh(folder)
        elif isinstance(body["mesh"], str):
            body["mesh"] = os.path.normpath(os.path.join(ROOT, os.path.dirname(self.scene), body["mesh"]))
        path = os.path.join(folder, self.name + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file, indent=2)
        return path


BEAR_METHODS = "be,ssdirk,sdirk,midpoint,ere,exprb42,epirk4s3,gautschi"
BEAR_WORDS = f"--truth --extrapolate --truth-check rk4 --threads 1 --steps 2,4,8 --methods {BEAR_METHODS}"


def ball_figures():
    methods = "--methods si,siere:5,siere:20,ssdirkere:5"
    yield Figure("ball", f"{SCENES}/hanging_ball.json", methods + ",ere")
    yield Figure("ball_large", f"{SCENES}/hanging_ball.json", methods + " --threads 1", mesh={"cells": [28, 28, 28]})


def cuboid_figures():
    methods = "--methods si,be,ere,siere:5,siere:6,siere:10,siere:20"
    yield Figure("cuboid", f"{SCENES}/cuboid.json", methods)
    for turns in (1.25, 1.5, 2):
        yield Figure(f"cuboid_arap_{turns}", f"{SCENES}/cuboid.json", methods, mesh={"turns": turns},
                     material={"law": "arap"}, frames={"fps": 200})


def rope_figures():
    yield Figure("rope", f"{SCENES}/rope.json", "--methods si,be,siere:1,siere:5,siere:20")


def layer_figures():
    yield Figure("layer", f"{SCENES}/soft_layer.json", "--methods si,siere:6,sdirk")
    yield Figure("layer_large", f"{SCENES}/soft_layer.json", "--methods si,siere:6 --threads 1", mesh={"cells": [28, 28, 28]})
    yield Figure("layer_damped", f"{SCENES}/soft_layer.json", "--methods si,siere:6,sdirk",
                 integrator={"damp_kept_modes": True})


def beam_figures():
    methods = ("--methods be,siere:10,beere:10,sbdf2ere:10,bdf2ere:10,ssdirkere:10,str_sbdf2ere:10,tr_bdf2ere:10,"
               "ssdirk,str_sbdf2,sdirk,tr_bdf2")
    yield Figure("beam", "sample_scenes/soft_beam/scene.json", methods)
    yield Figure("beam_large", "sample_scenes/soft_beam/scene.json", methods + " --frames 61 --threads 1",
                 mesh={"cells": [72, 12, 12]})


def bunny_mesh(folder):
    """The path of the bunny's tets in this folder."""
    return os.path.join(folder, "bunny.msh")


def fill_bunny(build, folder):
    """Fills the bunny's surface with tets, and prints the command."""
    command = [os.path.join(build, "jounce"), "mesh", BUNNY_SURFACE, "--vertices", str(BUNNY_VERTICES), "-o",
               bunny_mesh(folder)]
    print(f"\n    {shlex.join(command)}", flush=True)
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)


def bear_figures():
    for power in (6, 8, 10):
        yield Figure(f"bear_1e{power}", f"{SCENES}/bear.json", BEAR_WORDS, springs={"structural": 1e4 / 10**power})
    yield Figure("half_stiff_bear", f"{SCENES}/half_stiff_bear.json",
                 "--truth --extrapolate --threads 1 --steps 2,4,8 --methods ssdirk,sdirk,ere,exprb42")


def bunny_figures():
    if not os.path.exists(os.path.join(ROOT, BUNNY_SURFACE)):
        print(f"\nbunny: skipped, there is no {BUNNY_SURFACE}")
        return
    for power in (6, 8, 10):
        yield Figure(f"bunny_1e{power}", f"{SCENES}/bunny.json", BEAR_WORDS, of_bunny=True,
                     springs={"structural": 1e4 / 10**power})


def flag_figures():
    yield Figure("flag", "sample_scenes/flag/scene.json",
                 "--truth --frames 13 --threads 1 --steps 4,8 --methods si,ssdirk,sdirk,midpoint,ere,"
                 "exprb42,epirk4s3", mesh={"cells": [14, 10, 1]}, transform={"rotate": [90, 0, 0]},
                 world={"wind": [0, 0, 0], "air_density": 0})


FIGURES = {"ball": ball_figures, "cuboid": cuboid_figures, "rope": rope_figures, "layer": layer_figures,
           "beam": beam_figures, "bear": bear_figures, "bunny": bunny_figures,
           "flag": flag_figures}


def percent(share):
    return "" if share is None else f"{100 * share:.3g} %"


def print_table(lines):
    truth = next((line for line in lines if line["event"] == "truth"), None)
    if truth:
        print(f"\nTruth: {truth['method']}, {truth['steps_per_frame']} steps; {truth['check_method']} differs by "
              f"{percent(truth['own_error_share'])} of the motion.")
    print("\n| method | steps | frames | ms a step | cut steps | energy lost | error |\n|---|---|---|---|---|---|---|")
    for run in (line for line in lines if line["event"] == "run"):
        cost = 1000 * run["seconds_per_step"] if run.get("seconds_per_step") else 0
        print(f"| {run['method']} | {run['steps_per_frame']} | {run['frames']} | {cost:.3g} | {run['cut_steps']} | "
              f"{percent(run.get('energy_lost_share'))} | {percent(run.get('error_share'))} |")


def run(build, figure):
    folder = os.path.join(build, "figures")
    os.makedirs(folder, exist_ok=True)
    command = [os.path.join(build, "jounce"), "compare", figure.write_variant(folder), *figure.words, "-o",
               os.path.join(folder, figure.name)]
    print(f"\n## {figure.name}", flush=True)
    if figure.of_bunny:
        fill_bunny(build, folder)
    print(f"\n    {shlex.join(command)}", flush=True)
    done = subprocess.run([*command, "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    print_table([line for line in lines if "event" in line])
    sys.stdout.flush()


def main(arguments):
    if not arguments or set(arguments[1:]) - set(FIGURES):
        sys.exit(__doc__)
    for name in arguments[1:] or FIGURES:
        for figure in FIGURES[name]():
            run(os.path.abspath(arguments[0]), figure)


if __name__ == "__main__":
    main(sys.argv[1:])
