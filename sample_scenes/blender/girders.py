"""Girders: a tower of bars that is shaken at its foot."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(20)
    bpy.ops.mesh.primitive_cylinder_add(vertices=4, radius=0.3, depth=2, end_fill_type="NOTHING")
    tower = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide(number_cuts=3)
    bpy.ops.mesh.quads_convert_to_tris()
    bpy.ops.object.mode_set(mode="OBJECT")
    sample.simulated(tower, kind="girders", spring_thickness=0.02, young_modulus=1e6, density=500, damping_way="coefficient",
                     stiffness_damping=0.005, steps_per_frame=8)
    sample.paint(tower, "Foot", lambda co: float(co.z < -0.9))
    tower.jounce.pin_group = "Foot"
    sample.key(tower, "location", {1: (0, 0, 0), 5: (0.2, 0, 0), 9: (-0.2, 0, 0), 12: (0, 0, 0)})


if __name__ == "__main__":
    build()
    sample.save(__file__)
