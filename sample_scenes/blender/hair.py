"""Hair: a row of locks on a head that turns; the roots are held."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import sample  # noqa: E402


def build():
    scene = sample.new_scene(20)
    data = bpy.data.hair_curves.new("Hair")
    hair = bpy.data.objects.new("Hair", data)
    scene.collection.objects.link(hair)
    bpy.context.view_layer.objects.active = hair
    rows, count = 12, 7
    data.add_curves([count] * rows)
    points = [(0.03 * step, 0.02 * row, 0.005 * step * step) for row in range(rows) for step in range(count)]
    data.points.foreach_set("position", [number for point in points for number in point])
    sample.simulated(hair, spring_thickness=0.0005, steps_per_frame=8)
    sample.key(hair, "rotation_euler", {1: (0, 0, 0), 8: (0, 0, 1.0), 14: (0, 0, -0.5)})


if __name__ == "__main__":
    build()
    sample.save(__file__)
