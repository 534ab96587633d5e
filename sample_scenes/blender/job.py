"""Job: the jelly as a folder for the farm. Save, press Write Job, run the command that Copy Command copies."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402
import live  # noqa: E402


def build():
    live.build()
    bpy.context.scene.frame_end = 10


if __name__ == "__main__":
    build()
    sample.save(__file__)
