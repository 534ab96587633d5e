"""The commands of the docs that start Blender, run as they stand there by Blender as a Python module (blender.py)."""
import os
import shutil
import sys

from blender_scene import environment
from docs_runner import Page, Runner
from harness import run

import bpy


def runner_of(page):
    return Runner(environment("JN_TEST_SOURCE"), environment("JN_TEST_BUILD"), page, sys.executable)


def pixels(path):
    image = bpy.data.images.load(path)
    found = list(image.pixels)
    bpy.data.images.remove(image)
    return found


def test_docs_tutorial_leads_to_a_rendered_shot():  # slow
    runner = runner_of("docs/tutorial.md")
    frames = ("tutorial_0001.png", "tutorial_0006.png", "tutorial_0010.png")
    by_add_on, by_command = [], []
    for block in runner.page.blocks:
        runner.block(block)
        if block.kind == "sh" and "look.py" in block.text:
            rendered = by_command if by_add_on else by_add_on
            rendered.extend(pixels(runner.path(name)) for name in frames)
    runner.check_pictures()
    assert len(by_add_on) == len(by_command) == len(frames)
    for rendered in (by_add_on, by_command):
        red = [sum(1 for i in range(0, len(frame), 4) if frame[i] > 2 * frame[i + 2]) for frame in rendered]
        assert min(red) > 2000, "the ball is not seen: {} red pixels".format(red)
        moved = sum(abs(a - b) for a, b in zip(rendered[0], rendered[1])) / len(rendered[0])
        assert moved > 0.005, "nothing moves"


def test_docs_blender_page_bakes_a_saved_file():  # slow
    runner = runner_of("docs/tutorial.md")
    for block in runner.page.blocks:
        if block.name == "shot.py":
            runner.block(block)
    runner.command("docs/tutorial.md", "blender -b -P shot.py")
    folder = runner.path("jounce_cache/shot")
    shutil.rmtree(folder)
    page = Page(runner.source, "docs/blender.md")
    commands = [pair for block in page.blocks if block.kind == "sh" for pair in runner.commands_of(block)]
    assert any(command.startswith("blender -b shot.blend") for _, command in commands)
    for place, command in commands:
        runner.command(place, command)
    caches = [name for name in os.listdir(folder) if name.endswith(".abc")]
    assert len(caches) == 1 and os.path.getsize(os.path.join(folder, caches[0])) > 100000


run(globals())
