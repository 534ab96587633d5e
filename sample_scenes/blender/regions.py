"""Regions: one ear of rubber, stiff at its root, heavy at its tip, pinned below."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(24)
    bpy.ops.mesh.primitive_cube_add(size=1)
    ear = bpy.context.object
    ear.scale = (0.1, 0.05, 0.5)
    bpy.ops.object.transform_apply(scale=True)
    for _ in range(3):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")
    sample.simulated(ear, stiffness_way="sag", sag_percent=4, resolution=10)
    sample.paint(ear, "Root", lambda co: float(co.z < -0.2))
    ear.jounce.pin_group = "Root"
    sample.add_region(ear, sample.paint(ear, "Firm", lambda co: max(-4 * co.z, 0)), "stiffness", 4.0)
    sample.add_region(ear, sample.paint(ear, "Tip", lambda co: float(co.z > 0.15)), "density", 3.0)
    sample.key(ear, "rotation_euler", {1: (0, 0, 0), 8: (0, 0.6, 0), 14: (0, -0.4, 0), 18: (0, 0, 0)})


if __name__ == "__main__":
    build()
    sample.save(__file__)
