"""Shows points on an object without a change of its mesh: a modifier that takes them from a hidden object.

All of it is found in the scene, never remembered: undo, copies and deleted objects leave nothing wrong behind.
"""
import array

import bpy

MODIFIER_NAME = "Jounce Live"
# Marks the node groups and the objects that are ours.
MARK = "jounce_live"


def find_modifier(obj):
    """Our modifier on the object, or None."""
    return next((modifier for modifier in obj.modifiers if is_ours(modifier)), None)


def is_ours(modifier):
    return modifier.type == "NODES" and modifier.node_group is not None and bool(modifier.node_group.get(MARK))


def attach(obj, index):
    """Puts the modifier at `index` of the object's stack. Until show() it changes nothing."""
    modifier = obj.modifiers.new(MODIFIER_NAME, "NODES")
    modifier.node_group = _node_group()
    modifier.show_render = modifier.show_in_editmode = modifier.show_expanded = False
    obj.modifiers.move(len(obj.modifiers) - 1, index)
    _own_points(obj)


def detach(obj):
    """Removes everything of ours from the object."""
    modifier = find_modifier(obj)
    if modifier is not None:
        obj.modifiers.remove(modifier)
    remove_unused()


def remove_unused():
    """Removes the objects and node groups of ours that no modifier needs any more."""
    modifiers = [modifier for obj in bpy.data.objects for modifier in [find_modifier(obj)] if modifier]
    needed = {_points_of(modifier) for modifier in modifiers}
    points = [obj for obj in bpy.data.objects if obj.get(MARK) and obj.library is None and obj not in needed]
    groups = [] if modifiers else [group for group in bpy.data.node_groups if group.get(MARK) and group.library is None]
    if points or groups:
        bpy.data.batch_remove([*points, *(obj.data for obj in points), *groups])


def show(obj, positions):
    """positions: x y z ... of all vertices that enter the modifier, in the object's space; empty: shows those as they
    are."""
    mesh = _own_points(obj).data
    count = len(positions) // 3
    if len(mesh.vertices) != count:
        mesh.clear_geometry()
        mesh.vertices.add(count)
    mesh.vertices.foreach_set("co", array.array("f", positions))
    mesh.update()


def _own_points(obj):
    """The object that holds the points of this one alone: a copy of an object shares them at first."""
    modifier = find_modifier(obj)
    points = _points_of(modifier)
    if points is None or points[MARK] != obj.name:
        points = bpy.data.objects.new(MODIFIER_NAME, bpy.data.meshes.new(MODIFIER_NAME))
        points[MARK] = obj.name
        modifier[_socket(modifier.node_group)] = points
        remove_unused()
    return points


def _points_of(modifier):
    return modifier.get(_socket(modifier.node_group))


def _socket(group):
    return next(item.identifier for item in group.interface.items_tree if item.name == "Points")


def _node_group():
    """Moves the vertices of a mesh to the points of an object that has as many."""
    found = next((group for group in bpy.data.node_groups if group.get(MARK) and group.library is None), None)
    if found is not None:
        return found
    group = bpy.data.node_groups.new(MODIFIER_NAME, "GeometryNodeTree")
    group[MARK] = True
    group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    group.interface.new_socket("Points", in_out="INPUT", socket_type="NodeSocketObject")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    given, shown = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    points, sample = group.nodes.new("GeometryNodeObjectInfo"), group.nodes.new("GeometryNodeSampleIndex")
    here, there = (group.nodes.new("GeometryNodeAttributeDomainSize") for _ in range(2))
    same, move = group.nodes.new("FunctionNodeCompare"), group.nodes.new("GeometryNodeSetPosition")
    position, index = group.nodes.new("GeometryNodeInputPosition"), group.nodes.new("GeometryNodeInputIndex")
    sample.data_type, same.data_type, same.operation = "FLOAT_VECTOR", "INT", "EQUAL"
    counts = [socket for socket in same.inputs if socket.enabled]
    for start, end in (
            (given.outputs["Points"], points.inputs["Object"]),
            (points.outputs["Geometry"], sample.inputs["Geometry"]),
            (position.outputs["Position"], next(socket for socket in sample.inputs if socket.name == "Value" and socket.enabled)),
            (index.outputs["Index"], sample.inputs["Index"]),
            (given.outputs["Geometry"], here.inputs["Geometry"]),
            (points.outputs["Geometry"], there.inputs["Geometry"]),
            (here.outputs["Point Count"], counts[0]),
            (there.outputs["Point Count"], counts[1]),
            (same.outputs["Result"], move.inputs["Selection"]),
            (next(socket for socket in sample.outputs if socket.enabled), move.inputs["Position"]),
            (given.outputs["Geometry"], move.inputs["Geometry"]),
            (move.outputs["Geometry"], shown.inputs["Geometry"])):
        group.links.new(start, end)
    return group
