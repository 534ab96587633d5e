"""Fast tail: a rod that is whipped, its thin end with small time steps of its own."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(20)
    bpy.ops.mesh.primitive_cone_add(vertices=12, radius1=0.1, radius2=0.02, depth=1)
    tail = bpy.context.object
    for _ in range(2):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")
    sample.simulated(tail, stiffness_way="sag", sag_percent=3, resolution=12, integrator="si")
    sample.paint(tail, "Root", lambda co: float(co.z < -0.4))
    tail.jounce.pin_group = "Root"
    sample.add_region(tail, sample.paint(tail, "Tip", lambda co: float(co.z > 0.1)), "fast", 4.0)
    sample.key(tail, "rotation_euler", {1: (0, 0, 0), 5: (0, 0.8, 0), 9: (0, -0.8, 0), 13: (0, 0, 0)})


if __name__ == "__main__":
    build()
    sample.save(__file__)
