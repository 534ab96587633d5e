"""What `jounce check` predicts against what the bake then takes, and what the check itself costs.

    python3 tests/bench/bench_estimate.py build                 the sample scenes: predicted / true time and memory
    python3 tests/bench/bench_estimate.py build --bars 10 50    bars of that many thousand vertices: cost of the check
                                                                against one frame of the bake
    --scenes A B  only these samples
    --repeat N    the median of N runs, in turn (1)             --method NAME, --steps N    of the bars (si, 8)

Both programs run with one thread, and their clock is replaced by the processor's time that they have used, so that
other programs on the machine disturb little; waiting for a disk is not in it. Needs a C compiler.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    return (int)syscall(SYS_clock_gettime, clock == CLOCK_MONOTONIC ? CLOCK_PROCESS_CPUTIME_ID : clock, time);
}
"""


def build_clock(folder):
    """A library to preload that turns the monotonic clock into the process's own."""
    source, library = os.path.join(folder, "clock.c"), os.path.join(folder, "clock.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(CLOCK)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


class Programs:
    """`jounce` with that clock."""

    def __init__(self, jounce, folder):
        self.jounce, self.cache = jounce, os.path.join(folder, "cache.abc")
        self.environment = dict(os.environ, LD_PRELOAD=build_clock(folder))

    def _run(self, *arguments):
        """The JSON lines that it prints, the processor seconds and the largest memory in bytes that it took."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([self.jounce, *arguments, "--json", "--threads", "1"], stdout=output,
                                       env=self.environment)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode != 0:
                sys.exit("jounce {} failed".format(" ".join(arguments)))
            output.seek(0)
            lines = [json.loads(line) for line in output]
        return lines, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024

    def check(self, scene):
        lines, seconds, memory = self._run("check", scene)
        return dict(lines[0], own_seconds=seconds, own_bytes=memory)

    def bake(self, scene, *options):
        lines, _, memory = self._run("bake", scene, "-o", self.cache, *options)
        frames = [line["seconds"] for line in lines if line["event"] == "frame"]
        begin_seconds = lines[-1]["seconds"] - sum(frames) + frames[0]
        return dict(lines[-1], begin_seconds=begin_seconds, frame_seconds=frames[1:], own_bytes=memory)


def median(runs, key):
    return statistics.median(run[key] for run in runs)


def in_turn(count, *actions):
    """`count` results of each action, taken in turn so that all meet the same load."""
    results = [[] for _ in actions]
    for _ in range(count):
        for result, action in zip(results, actions):
            result.append(action())
    return results


def bench_samples(programs, names, repeat):
    print("predicted / true               bake    time  memory   cache   frames tried")
    for scene in sorted(glob.glob(os.path.join(ROOT, "sample_scenes", "*", "scene.json"))):
        name = os.path.basename(os.path.dirname(scene))
        if names and name not in names:
            continue
        checks, bakes = in_turn(repeat, lambda: programs.check(scene), lambda: programs.bake(scene))
        print("{:22} {:9.2f} s {:7.2f} {:7.2f} {:7.2f} {:9.0f}".format(
            name, median(bakes, "seconds"),
            median(checks, "total_seconds") / median(bakes, "seconds"),
            median(checks, "memory_bytes") / median(bakes, "own_bytes"),
            median(checks, "cache_bytes") / median(bakes, "bytes"), median(checks, "trial_frames")), flush=True)


def write_bar(path, thousands, method, steps):
    """A bar of about that many thousand vertices, four times as long as thick, pinned at one end."""
    across = round((1000 * thousands / 4)**(1 / 3)) - 1
    cells = [round(1000 * thousands / (across + 1)**2) - 1, across, across]
    body = {"name": "bar", "mesh": {"shape": "beam", "size": [0.01 * count for count in cells], "cells": cells},
            "material": {"young_modulus": 1e5, "poisson_ratio": 0.4, "density": 1000},
            "weights": {"wall": {"field": "start"}}, "regions": [{"weights": "wall", "effect": "pin"}]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"jounce": 1, "frames": {"first": 1, "count": 72, "fps": 24, "steps_per_frame": steps},
                   "integrator": {"method": method}, "bodies": [body]}, file)


def bench_bars(programs, arguments, folder):
    """The bake is stopped after a few frames: beginning it and its first frames are what the check is compared with."""
    print("             vertices   begin    frame   check   (check - begin)   memory of check   predicted / true")
    print("                                                   / frame           / bake            frame")
    for thousands in arguments.bars:
        scene = os.path.join(folder, "bar.json")
        write_bar(scene, thousands, arguments.method, arguments.steps)
        checks, bakes = in_turn(arguments.repeat, lambda: programs.check(scene),
                                lambda: programs.bake(scene, "--frames", str(arguments.frames)))
        begin, frame = median(bakes, "begin_seconds"), statistics.mean(s for b in bakes for s in b["frame_seconds"])
        check = median(checks, "own_seconds")
        print("{:8} {:12d} {:6.2f} s {:6.2f} s {:6.2f} s {:12.2f} {:17.2f} {:17.2f}".format(
            arguments.method, checks[0]["vertices"], begin, frame, check, (check - begin) / frame,
            median(checks, "own_bytes") / median(bakes, "own_bytes"), median(checks, "seconds_per_frame") / frame),
            flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--scenes", nargs="+")
    parser.add_argument("--bars", type=float, nargs="+")
    parser.add_argument("--frames", type=int, default=9, help="of the bars' bakes")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--method", default="si")
    parser.add_argument("--steps", type=int, default=8)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(os.path.join(arguments.build, "jounce"), folder)
        if arguments.bars:
            bench_bars(programs, arguments, folder)
        else:
            bench_samples(programs, arguments.scenes, arguments.repeat)


main()
