"""The animation of datablocks: which of their properties have keys, and numbers that tell one animation from another."""
import array
from zlib import crc32


def keyed_paths(datablock):
    """Data paths of a datablock that keys or drivers change."""
    data = getattr(datablock, "animation_data", None)
    if data is None:
        return set()
    return {curve.data_path for curve in [*curves(datablock), *data.drivers]}


def curves(datablock):
    """The F-curves that act on a datablock, those of its NLA strips included."""
    data = getattr(datablock, "animation_data", None)
    if data is None:
        return []
    found = list(_curves_of(data.action, getattr(data, "action_slot", None))) if data.action else []
    for track in data.nla_tracks:
        for strip in track.strips:
            if strip.action:
                found.extend(_curves_of(strip.action, getattr(strip, "action_slot", None)))
    return found


def _curves_of(action, slot):
    if slot is None or not hasattr(action, "layers"):  # Blender before 4.4 has no slots
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag:
                yield from bag.fcurves


def fingerprint(datablock, checksum):
    """checksum: of zlib.crc32; continued over everything that the datablock's animation consists of."""
    for curve in curves(datablock):
        checksum = crc32("{}[{}]".format(curve.data_path, curve.array_index).encode(), checksum)
        numbers = array.array("f", bytes(8 * len(curve.keyframe_points)))
        for attribute in ("co", "handle_left", "handle_right"):
            curve.keyframe_points.foreach_get(attribute, numbers)
            checksum = crc32(numbers.tobytes(), checksum)
    data = getattr(datablock, "animation_data", None)
    for track in data.nla_tracks if data else ():
        for strip in track.strips:
            checksum = crc32(repr((strip.frame_start, strip.frame_end, strip.scale, strip.repeat)).encode(), checksum)
    return checksum
