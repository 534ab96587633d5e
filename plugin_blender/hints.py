"""The line in the panel that names the next step. No Blender."""
import collections

# What the panel knows. gravity: length of the scene's, m/s2. baked: (first, last) frame of the cache, or None.
Facts = collections.namedtuple("Facts", "pin_group pin_group_exists use_ground gravity frame_range baked file_is_saved")


def next_steps(facts):
    """Sentences for the artist, most urgent first; the first one is the next thing to press."""
    first, last = facts.frame_range
    steps = []
    if facts.pin_group and not facts.pin_group_exists:
        steps.append("Pin group \"{}\" is gone: choose another, or none.".format(facts.pin_group))
    elif facts.baked:
        steps.append("Baked frames {} to {}: play, or change something and bake again.".format(*facts.baked))
    elif facts.pin_group:
        steps.append("Press Bake for frames {} to {}.".format(first, last))
    elif facts.use_ground:
        steps.append("No pin group: all of it falls to the ground. Press Bake for frames {} to {}.".format(first, last))
    else:
        steps.append("Paint a vertex group where the animation leads and choose it as Pin Group.")
    if 0 < facts.gravity < 1:
        steps.append("Gravity is {:.3g} m/s2 at this unit scale: see Scene properties, Gravity.".format(facts.gravity))
    if not facts.file_is_saved:
        steps.append("Save the file first to keep the cache beside it.")
    return steps
