"""Makes the pictures of docs/blender.md that show Blender's window, of what tests/window/run.sh has seen there.

    python docs/pictures/window_pictures.py build      with a Python that has Blender's bpy package
"""
import glob
import os
import sys

import bpy
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
TITLE_BAR = 19
# picture: (screenshot, rows to leave out at the top, factor to shrink by)
PICTURES = {"blender_paint.png": ("painted", TITLE_BAR, 2), "blender_bake.png": ("baking", TITLE_BAR, 2),
            "blender_panel.png": ("baked", 0, 1)}
SHADES = 32  # of each colour: a smaller file


def pixels(path):
    image = bpy.data.images.load(path)
    width, height = image.size
    return numpy.array(image.pixels[:], dtype=numpy.float32).reshape(height, width, 4)[::-1]


def shrunk(picture, factor):
    height, width = picture.shape[0] // factor, picture.shape[1] // factor
    parts = picture[:height * factor, :width * factor].reshape(height, factor, width, factor, 4)
    return numpy.round(parts.mean((1, 3)) * SHADES) / SHADES


def write(picture, path):
    height, width, _ = picture.shape
    image = bpy.data.images.new("picture", width, height)
    image.pixels = picture[::-1].reshape(-1)
    image.filepath_raw, image.file_format = path, "PNG"
    image.save()


def main():
    for name, (shot, top, factor) in PICTURES.items():
        found, = glob.glob(os.path.join(sys.argv[1], "window", "official", "*_{}.png".format(shot)))
        write(shrunk(pixels(found)[top:], factor), os.path.join(HERE, name))


main()
