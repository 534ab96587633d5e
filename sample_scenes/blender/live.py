"""Live: a jelly on a plate that is pulled aside. Press Live, then play."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(30)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10)
    jelly = bpy.context.object
    sample.simulated(jelly, stiffness_way="wobble", wobble_frequency=3, resolution=8, live_vertices=400)
    sample.paint(jelly, "Plate", lambda co: float(co.z < -0.6))
    jelly.jounce.pin_group = "Plate"
    sample.key(jelly, "location", {1: (0, 0, 0), 6: (1, 0, 0), 12: (0, 0, 0)})


if __name__ == "__main__":
    build()
    sample.save(__file__)
