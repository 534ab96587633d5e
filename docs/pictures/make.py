"""Makes the pictures of the pages anew, by the commands that the pages show beside them.

    python3 docs/pictures/make.py build [page.md ...]      build: the folder of the build; by default all pages

blender_jelly.png and tutorial.png need Blender: blender_picture.py and tests/host/test_docs_blender.py make them.
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from docs_runner import Runner  # noqa: E402


def main():
    build, pages = os.path.abspath(sys.argv[1]), sys.argv[2:]
    for page in pages or ["docs/scene.md", "docs/materials.md", "docs/springs.md", "docs/motion.md"]:
        runner = Runner(SOURCE, build, os.path.relpath(page, SOURCE) if pages else page)
        for block in runner.page.blocks:
            runner.block(block)
        for name in runner.made_pictures():
            shutil.copy(runner.path(name), os.path.join(HERE, name))
            print(name)


main()
