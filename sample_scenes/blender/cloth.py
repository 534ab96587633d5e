"""Cloth: a flag on a pole, in the wind."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(24)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=14, y_subdivisions=10, size=1, rotation=(1.5708, 0, 0))
    flag = bpy.context.object
    sample.simulated(flag, kind="textile", structural=5000, bending=20, mass_per_area=0.15, damping_way="coefficient",
                     stiffness_damping=0.001, steps_per_frame=8, air_density=1.2, wind=(6, 1.5, 0))
    sample.paint(flag, "Pole", lambda co: float(co.x < -0.49))
    flag.jounce.pin_group = "Pole"


if __name__ == "__main__":
    build()
    sample.save(__file__)
