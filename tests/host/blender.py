"""Blender's command line, as far as the docs use it, on Blender as a Python module with the built add-on installed:

    blender.py -b [file.blend] [-P script.py] [--python-expr text]

A script that fails ends it with exit code 1.
"""
import os
import sys

from blender_scene import start_blender

import bpy


def main(words):
    start_blender()
    assert words.pop(0) == "-b", "the docs start Blender without a window: blender -b"
    if words and words[0].endswith(".blend"):
        bpy.ops.wm.open_mainfile(filepath=os.path.abspath(words.pop(0)))
    while words:
        option, value = words.pop(0), words.pop(0)
        if option in ("-P", "--python"):
            with open(value, encoding="utf-8") as file:
                exec(compile(file.read(), value, "exec"), {"__name__": "__main__"})
        elif option == "--python-expr":
            exec(compile(value, "--python-expr", "exec"), {"__name__": "__main__"})
        else:
            sys.exit("unknown option " + option)


main(sys.argv[1:])
