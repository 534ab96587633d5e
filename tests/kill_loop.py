"""Kills the jounce command at random moments of a bake, resumes it, and compares the cache with that of a whole bake.

    python3 tests/kill_loop.py build/jounce [--kills 1000] [--seed N]

The scene settles before its first frame, has three cache samples a frame, and writes velocities. A round ends when the bake
is complete: the cache must then be the same to the byte, and nothing else may lie beside it. In every second round a
finished cache of another scene stands at the output: it must stay as it is until the new one is complete.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SCENE = {
    "jounce": 1,
    "frames": {"count": 10, "steps_per_frame": 6, "samples_per_frame": 3},
    "bodies": [{
        "name": "bar", "settle": True,
        "mesh": {"shape": "beam", "size": [1, 0.25, 0.25], "cells": [8, 3, 3]},
        "transform": {"translate": [0, 0.3, 0]},
        "material": {"young_modulus": 3e4, "stiffness_damping": 0.002},
        "weights": {"start": {"field": "start"}},
        "regions": [{"weights": "start", "effect": "pin"}],
        "animation": {"keys": [{"frame": 1}, {"frame": 5, "translate": [0, 0.2, 0]}, {"frame": 10}]},
    }],
    "colliders": [{"name": "floor", "kind": "plane", "friction": 0.6}],
    "output": {"velocities": True},
}
SCENE_NAME, OUTPUT, UNFINISHED = "scene.json", "out.abc", "out.unfinished.abc"


class Failure(Exception):
    """A cache that is not what it should be."""


class KillLoop:
    def __init__(self, jounce, folder, seed):
        self.jounce, self.folder, self.random, self.kills = os.path.abspath(jounce), folder, random.Random(seed), 0
        for name, change in ((SCENE_NAME, {}), ("other.json", {"frames": dict(SCENE["frames"], count=2)})):
            with open(self.path(name), "w", encoding="utf-8") as file:
                json.dump(dict(SCENE, **change), file)
        self.bake("other.json", "other.abc")
        self.other = self.read("other.abc")
        start = time.monotonic()
        self.bake(SCENE_NAME, "whole.abc")
        self.seconds = time.monotonic() - start
        self.whole = self.read("whole.abc")

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def start(self, scene, output, *options):
        command = [self.jounce, "bake", scene, "-o", output, "--threads", "1", "--quiet", *options]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def bake(self, scene, output):
        bake = self.start(scene, output)
        errors = bake.communicate()[1]
        if bake.returncode != 0:
            raise Failure("the bake of {} ended with exit code {}: {}".format(scene, bake.returncode, errors))

    def run_once(self, options):
        """Starts the bake and kills it after a while. True: it was done before."""
        bake = self.start(SCENE_NAME, OUTPUT, *options)
        try:
            errors = bake.communicate(timeout=self.random.uniform(0, 0.8 * self.seconds))[1]
        except subprocess.TimeoutExpired:
            bake.kill()
            errors = bake.communicate()[1]
        if bake.returncode not in (0, -9):
            raise Failure("after {} kills a bake ended with exit code {}: {}".format(self.kills, bake.returncode, errors))
        self.kills += bake.returncode == -9
        return bake.returncode == 0

    def round(self, over_another):
        """Bakes until it is complete, with a kill whenever it takes too long."""
        if over_another:
            with open(self.path(OUTPUT), "wb") as file:
                file.write(self.other)
        done = False
        while not done:
            # another scene's cache is refused by --resume: what is to be resumed lies beside it
            fresh = over_another and not os.path.exists(self.path(UNFINISHED)) and self.read(OUTPUT) == self.other
            done = self.run_once([] if fresh else ["--resume"])
            if over_another and self.read(OUTPUT) not in (self.other, self.whole):
                raise Failure("after {} kills the finished cache was changed before the new one was complete"
                              .format(self.kills))
        if self.read(OUTPUT) != self.whole:
            raise Failure("after {} kills the cache differs: {} bytes against {}"
                          .format(self.kills, len(self.read(OUTPUT)), len(self.whole)))
        left = sorted(name for name in os.listdir(self.folder) if name.startswith("out."))
        if left != [OUTPUT]:
            raise Failure("after {} kills the bake left {}".format(self.kills, left))
        os.remove(self.path(OUTPUT))

    def run(self, kills):
        """Rounds until there were so many kills; returns how many rounds."""
        rounds = 0
        while self.kills < kills:
            self.round(over_another=rounds % 2 == 1)
            rounds += 1
        return rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jounce", help="the command, as build/jounce")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        loop = KillLoop(given.jounce, folder, given.seed)
        try:
            rounds = loop.run(given.kills)
        except Failure as failure:
            sys.exit("kill_loop: seed {}: {}".format(given.seed, failure))
        print("{} kills in {} bakes: every cache is the same to the byte".format(loop.kills, rounds))


if __name__ == "__main__":
    main()
