"""Makes the pictures of the pages anew, by the commands that the pages show beside them.

    python3 docs/pictures/make.py build [docs/page.md ...]      build: the folder of the build

By default those of all pages that need no Blender. For docs/tutorial.md use a Python with Blender's bpy package.
The sample scenes are drawn by make.sh, jaw.svg by jaw.py, blender_jelly.png by blender_picture.py, what Blender's window shows by
window_pictures.py.
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
        runner = Runner(SOURCE, build, page, sys.executable if page == "docs/tutorial.md" else None)
        made = set()
        for block in runner.page.blocks:
            runner.block(block)
            for name in set(runner.made_pictures()) - made:
                shutil.copy(runner.path(name), os.path.join(HERE, name))
                made.add(name)
                print(name)


main()
