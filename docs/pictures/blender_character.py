"""Makes docs/pictures/blender_character.png: a walking man by Add, Suggest and Bake alone. At the left what Suggest paints,
blue follows and red is free; then some frames, above as animated and below as baked, redder the farther off.

    JN_TEST_BUILD=build python docs/pictures/blender_character.py CesiumMan.glb    with a Python that has bpy
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "host"))
from blender_scene import HOME, played_frames, start_blender  # noqa: E402

import bpy  # noqa: E402
import numpy  # noqa: E402

FRAMES = (14, 20, 26, 38)
WIDTH, HEIGHT = 170, 250
FULL_COLOUR = 0.06  # of the body's size


def coloured_material():
    found = bpy.data.materials.new("Shown")
    found.use_nodes = True
    nodes, links = found.node_tree.nodes, found.node_tree.links
    attribute = nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = "shown"
    links.new(attribute.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    return found


def colour(mesh, amounts):
    """From blue for 0 to red for 1."""
    attribute = mesh.attributes.get("shown") or mesh.attributes.new("shown", "FLOAT_COLOR", "POINT")
    for item, amount in zip(attribute.data, amounts):
        share = min(max(amount, 0.0), 1.0)
        item.color = (0.1 + 0.8 * share, 0.25 + 0.15 * share * (1 - share), 0.75 - 0.7 * share, 1)


def light_and_camera():
    scene = bpy.context.scene
    bpy.ops.object.light_add(type="SUN", rotation=(0.6, 0.3, 0.9))
    bpy.context.object.data.energy = 3
    bpy.ops.object.camera_add(location=(4.2, -2.2, 1.0), rotation=(math.radians(86), 0, math.radians(62)))
    bpy.context.object.data.type, bpy.context.object.data.ortho_scale = "ORTHO", 1.75
    scene.camera = bpy.context.object
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.8, 0.85, 0.9, 1)
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 24
    scene.cycles.use_denoising = True
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT


def render():
    """Pixels [HEIGHT, WIDTH, 4] of the current frame."""
    scene = bpy.context.scene
    scene.render.filepath = os.path.join(HOME.name, "frame.png")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = numpy.array(image.pixels[:]).reshape(HEIGHT, WIDTH, 4)
    bpy.data.images.remove(image)
    return pixels


def main(path):
    start_blender()
    bpy.ops.import_scene.gltf(filepath=path)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES[-1]
    man = next(obj for obj in scene.objects if obj.find_armature())
    for obj in [obj for obj in scene.objects if obj.type == "MESH" and obj != man]:
        bpy.data.objects.remove(obj)
    bpy.context.view_layer.objects.active = man
    led = played_frames(man)
    bpy.ops.jounce.add()
    bpy.ops.jounce.suggest()
    bpy.ops.jounce.bake()
    baked = played_frames(man)
    man.data.materials.clear()
    man.data.materials.append(coloured_material())
    light_and_camera()
    group = man.vertex_groups[man.jounce.pin_group].index
    weights = [sum(element.weight for element in vertex.groups if element.group == group) for vertex in man.data.vertices]
    scene.frame_set(1)
    colour(man.data, [1 - weight for weight in weights])
    empty = numpy.ones((HEIGHT // 2, WIDTH, 4))
    columns = [numpy.concatenate([empty, render(), empty])]
    cache, size = man.modifiers["Jounce Cache"], max(man.dimensions)
    for frame in FRAMES:
        scene.frame_set(frame)
        pair = []
        for shown in (True, False):
            off = [math.dist(baked[frame - 1][3 * i:3 * i + 3], led[frame - 1][3 * i:3 * i + 3]) if shown else 0.0
                   for i in range(len(weights))]
            colour(man.data, [distance / size / FULL_COLOUR for distance in off])
            cache.show_render = shown
            pair.append(render())
        columns.append(numpy.concatenate(pair))
    strip = numpy.concatenate(columns, axis=1)
    image = bpy.data.images.new("strip", strip.shape[1], strip.shape[0])
    image.pixels = strip.ravel().tolist()
    image.filepath_raw, image.file_format = os.path.join(HERE, "blender_character.png"), "PNG"
    image.save()


main(sys.argv[1])
