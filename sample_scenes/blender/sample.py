"""What the sample scenes share: an empty scene, painted groups, the file that is saved."""
import os

import bpy


def new_scene(frame_count):
    """An empty scene with so many frames."""
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frame_count
    return scene


def simulated(obj, **settings):
    """Adds Jounce to the active object."""
    bpy.ops.jounce.add()
    for name, value in settings.items():
        setattr(obj.jounce, name, value)
    return obj


def paint(obj, name, weight_at):
    """Paints a vertex group; weight_at(position): 0 to 1."""
    group = obj.vertex_groups.new(name=name)
    for vertex in obj.data.vertices:
        weight = weight_at(vertex.co)
        if weight > 0:
            group.add([vertex.index], weight, "REPLACE")
    return group


def add_region(obj, group, effect, value=None):
    obj.vertex_groups.active = group
    bpy.ops.jounce.region_add(effect=effect)
    if value is not None:
        obj.jounce.regions[-1].value = value


def key(target, path, frames):
    """Keys target.path at {frame: value}."""
    for frame, value in frames.items():
        setattr(target, path, value)
        target.keyframe_insert(path, frame=frame)


def save(script):
    """Saves the scene in the current folder, under the script's name."""
    name = os.path.splitext(os.path.basename(script))[0] + ".blend"
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(name))
