"""Following: a ball that shape keys carry about, drawn softly to its animation, without pins."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402
from mathutils import Vector  # noqa: E402


def build():
    sample.new_scene(24)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10)
    ball = bpy.context.object
    ball.shape_key_add(name="Basis")
    aside = ball.shape_key_add(name="Aside")
    for point in aside.data:
        point.co += Vector((1.5, 0, 0.5))
    sample.key(aside, "value", {1: 0.0, 10: 1.0})
    sample.simulated(ball, resolution=6, follow_frequency=3.0)


if __name__ == "__main__":
    build()
    sample.save(__file__)
