"""Touching: three balls of rubber that fall on each other, baked together."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    sample.new_scene(24)
    for number, place in enumerate(((0, 0, 0.5), (0.1, 0, 1.7), (-0.1, 0.1, 2.9))):
        bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.5, location=place)
        ball = bpy.context.object
        ball.name = "Ball {}".format(number + 1)
        sample.simulated(ball, resolution=4, stiffness_way="modulus", young_modulus=2e5, touch_bodies=True, use_ground=True,
                         ground_height=-0.01)


if __name__ == "__main__":
    build()
    sample.save(__file__)
