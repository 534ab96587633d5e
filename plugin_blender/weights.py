"""Vertex groups, and of hair attributes of its points, as the core takes painted maps."""
import array

from .jounce.host.artist_settings import REGION_VALUES
from .jounce.host.bake_description import follow_region
from .jounce.host.scene_checks import SceneError
from .mesh_reader import is_hair, points_of


def read_regions(obj, mesh, settings):
    """(pin weights or None, further regions as jounce.Bake takes them) of an evaluated mesh. Raises SceneError."""
    entries = settings["regions"]
    follows = settings["follow_frequency"] > 0
    names = [settings["pin_group"], settings["follow_group"] if follows else ""] + [entry["group"] for entry in entries]
    read_weights = attribute_weights if is_hair(mesh) else vertex_group_weights
    painted = read_weights(obj, mesh, [name for name in names if name])
    for entry in entries:
        if not entry["group"]:
            raise SceneError("A region of {} has no vertex group. Choose one, or remove the region.".format(obj.name))
    regions = [_region(entry, painted[entry["group"]]) for entry in entries]
    if follows:
        everywhere = array.array("f", [1.0]) * len(points_of(mesh))
        regions.append(follow_region(painted.get(settings["follow_group"], everywhere), settings["follow_frequency"]))
    pins = painted.get(settings["pin_group"])
    return root_weights(mesh) if pins is None and is_hair(mesh) else pins, regions


def _region(entry, weights):
    region = {"name": entry["group"], "effect": entry["effect"], "weights": weights}
    if entry["effect"] in REGION_VALUES:
        region["value"] = entry["value"]
    return region


def root_weights(hair):
    """1 at the first point of each curve."""
    found = array.array("f", bytes(4 * len(hair.points)))
    for curve in hair.curves:
        found[curve.first_point_index] = 1.0
    return found


def attribute_weights(obj, hair, names):
    """{attribute of the points: weight of every point}. Raises SceneError for one that is missing."""
    found = {}
    for name in names:
        attribute = hair.attributes.get(name)
        if attribute is None or attribute.domain != "POINT" or attribute.data_type != "FLOAT":
            raise SceneError("{} has no attribute \"{}\" of numbers on its points. Choose another, or none.".format(
                obj.name, name))
        weights = array.array("f", bytes(4 * len(hair.points)))
        attribute.data.foreach_get("value", weights)
        found[name] = array.array("f", (min(max(weight, 0.0), 1.0) for weight in weights))
    return found


def vertex_group_weights(obj, mesh, names):
    """{group: weight of every vertex}. Raises SceneError for a group that is missing or empty."""
    by_index = {}
    for name in names:
        group = obj.vertex_groups.get(name)
        if group is None:
            raise SceneError("{} has no vertex group \"{}\". Choose another, or none.".format(obj.name, name))
        by_index[group.index] = array.array("f", bytes(4 * len(mesh.vertices)))
    if not by_index:
        return {}
    for vertex in mesh.vertices:
        for element in vertex.groups:
            if element.group in by_index:
                by_index[element.group][vertex.index] = element.weight
    for index, found in by_index.items():
        if not any(found):
            raise SceneError("No vertex of {} has a weight in the vertex group \"{}\". Paint it, or choose "
                             "none.".format(obj.name, obj.vertex_groups[index].name))
    return {name: by_index[obj.vertex_groups[name].index] for name in names}
