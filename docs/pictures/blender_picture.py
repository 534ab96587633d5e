"""Makes docs/pictures/blender_jelly.png: a pudding on a plate that is pulled aside, baked by the add-on and rendered by Cycles.

    JN_TEST_BUILD=build python docs/pictures/blender_picture.py      with a Python that has Blender's bpy package
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "host"))
from blender_scene import HOME, keyframe, start_blender  # noqa: E402

import bpy  # noqa: E402
import numpy  # noqa: E402

FRAMES = (4, 8, 13)
WIDTH, HEIGHT = 250, 170
# Radius and height from the middle of the base to the middle of the top.
PROFILE = [(0.35, 0.0), (0.7, 0.0), (1.0, 0.0), (1.02, 0.1), (0.97, 0.35), (0.9, 0.6), (0.82, 0.85), (0.74, 1.05),
           (0.62, 1.17), (0.3, 1.22)]
METRES_PER_UNIT = 0.12  # jelly stands up at the size of a pudding and collapses at the size of a house


def pudding(segments=72):
    """A closed fluted mesh, standing on z = 0."""
    vertices, faces = [(0, 0, 0)], []
    for radius, height in PROFILE:
        for step in range(segments):
            angle = 2 * math.pi * step / segments
            fluted = radius * (1 + 0.05 * math.cos(12 * angle) * min(1.0, radius / 0.7))
            vertices.append((fluted * math.cos(angle), fluted * math.sin(angle), height))
    vertices.append((0, 0, PROFILE[-1][1]))
    for ring in range(len(PROFILE) - 1):
        for step in range(segments):
            a, b = 1 + ring * segments + step, 1 + ring * segments + (step + 1) % segments
            faces.append((a, b, b + segments, a + segments))
    last = 1 + (len(PROFILE) - 1) * segments
    for step in range(segments):
        following = (step + 1) % segments
        faces.append((0, 1 + following, 1 + step))
        faces.append((last + step, last + following, len(vertices) - 1))
    mesh = bpy.data.meshes.new("Pudding")
    mesh.from_pydata(vertices, [], faces)
    for polygon in mesh.polygons:
        polygon.use_smooth = True
    return mesh


def material(name, colour, roughness, transmission=0.0):
    found = bpy.data.materials.new(name)
    found.use_nodes = True
    shader = found.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    shader.inputs["Roughness"].default_value = roughness
    shader.inputs["Transmission Weight"].default_value = transmission
    return found


def build_scene():
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES[-1]
    scene.unit_settings.scale_length = METRES_PER_UNIT
    scene.gravity = (0, 0, -9.81 / METRES_PER_UNIT)  # Blender keeps it in scene units: this shows as 9.81 m/s2
    jelly = bpy.data.objects.new("Pudding", pudding())
    jelly.data.materials.append(material("Raspberry", (0.75, 0.02, 0.06), 0.15, 0.35))
    scene.collection.objects.link(jelly)
    jelly.modifiers.new("Smooth", "SUBSURF")
    group = jelly.vertex_groups.new(name="Base")
    group.add([vertex.index for vertex in jelly.data.vertices if vertex.co.z < 0.05], 1.0, "REPLACE")
    bpy.ops.mesh.primitive_cylinder_add(vertices=96, radius=1.5, depth=0.08, location=(0, 0, -0.05))
    plate = bpy.context.object
    plate.data.materials.append(material("Porcelain", (0.8, 0.8, 0.8), 0.2))
    jelly.parent = plate
    jelly.location.z = 0.05
    keyframe(plate, "location", {1: (-0.9, 0, -0.05), 6: (0.4, 0, -0.05), 24: (0.4, 0, -0.05)})
    bpy.ops.mesh.primitive_plane_add(size=40, location=(0, 0, -0.1))
    bpy.context.object.data.materials.append(material("Table", (0.25, 0.32, 0.4), 0.6))
    bpy.context.view_layer.objects.active = jelly
    return jelly


def light_and_camera():
    scene = bpy.context.scene
    bpy.ops.object.light_add(type="AREA", location=(-3, -4, 5), rotation=(0.75, 0, -0.6))
    bpy.context.object.data.energy, bpy.context.object.data.size = 500, 4
    bpy.ops.object.camera_add(location=(0.05, -6.2, 2.4), rotation=(math.radians(72), 0, 0))
    bpy.context.object.data.lens = 54
    scene.camera = bpy.context.object
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.6, 0.65, 0.7, 1)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.6


def render(frame):
    """Pixels [HEIGHT, WIDTH, 4] of the frame."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 128
    scene.cycles.use_denoising = True
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.use_motion_blur = True
    scene.render.filepath = os.path.join(HOME.name, "frame.png")
    scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = numpy.array(image.pixels[:]).reshape(HEIGHT, WIDTH, 4)
    bpy.data.images.remove(image)
    return pixels


def main():
    start_blender()
    jelly = build_scene()
    bpy.ops.jounce.add()
    bpy.ops.jounce.apply_preset(preset="jelly")
    jelly.jounce.pin_group = "Base"
    bpy.ops.jounce.bake()
    light_and_camera()
    strip = numpy.concatenate([render(frame) for frame in FRAMES], axis=1)
    image = bpy.data.images.new("strip", len(FRAMES) * WIDTH, HEIGHT)
    image.pixels = strip.ravel().tolist()
    image.filepath_raw, image.file_format = os.path.join(HERE, "blender_jelly.png"), "PNG"
    image.save()


main()
