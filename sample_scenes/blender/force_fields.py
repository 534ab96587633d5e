"""Force fields: a jelly in a wind that rises and in turbulence, slowed by drag."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(24)
    for kind, values in (("WIND", {"strength": 0.0}), ("TURBULENCE", {"strength": 8.0, "size": 0.5}),
                         ("DRAG", {"linear_drag": 1.0})):
        bpy.ops.object.effector_add(type=kind, location=(0, 0, -2), rotation=(0, 1.0, 0))
        for name, value in values.items():
            setattr(bpy.context.object.field, name, value)
        if kind == "WIND":
            sample.key(bpy.context.object.field, "strength", {1: 0.0, 8: 0.0, 16: 15.0})
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10)
    ball = bpy.context.object
    sample.simulated(ball, stiffness_way="sag", sag_percent=4, resolution=6)
    sample.paint(ball, "Bottom", lambda co: float(co.z < -0.7))
    ball.jounce.pin_group = "Bottom"


if __name__ == "__main__":
    build()
    sample.save(__file__)
