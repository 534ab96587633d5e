"""Collider: a soft ball falls on a block that rises, and rolls off to the ground."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    scene = sample.new_scene(30)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0.2, 0, -0.6))
    block = bpy.context.object
    sample.key(block, "location", {1: (0.2, 0, -0.6), 20: (0.2, 0, -0.2)})
    obstacles = bpy.data.collections.new("Obstacles")
    scene.collection.children.link(obstacles)
    obstacles.objects.link(block)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=10, radius=0.4, location=(0, 0, 1))
    sample.simulated(bpy.context.object, resolution=6, collider_collection=obstacles, use_ground=True, ground_height=-0.6)


if __name__ == "__main__":
    build()
    sample.save(__file__)
