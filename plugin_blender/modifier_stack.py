"""Where the cache belongs in a stack of Blender's modifiers. No bpy."""

# Modifiers that finish a surface for rendering. At the end of the stack they come after the simulation, which then
# works on the coarser mesh that was modelled; everything else drives the simulation and comes before it.
FINISHING_TYPES = {"SUBSURF", "MULTIRES", "BEVEL", "EDGE_SPLIT", "WEIGHTED_NORMAL", "NORMAL_EDIT", "TRIANGULATE"}


def cache_index(modifiers):
    """The index at which the cache goes. modifiers: (type, is pinned to the end) of every other one, in order."""
    index = len(modifiers)
    while index > 0 and (modifiers[index - 1][0] in FINISHING_TYPES or modifiers[index - 1][1]):
        index -= 1
    return index
