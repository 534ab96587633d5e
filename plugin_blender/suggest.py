"""Suggest: paints the vertex groups of a body from its armature's bones or from its shape, to be painted over."""
import math

import bpy
from mathutils import Quaternion, Vector
from mathutils.bvhtree import BVHTree

from . import scene_reader
from .bake_operators import can_press, running, why_not_a_body_of_mesh
from .jounce import Bake, JounceError
from .jounce.host import stiffness, suggestion
from .jounce.host.artist_settings import SOLID
from .jounce.host.scene_checks import SceneError
from .operators import POSED_FOLLOW_FREQUENCY

PIN_GROUP, FOLLOW_GROUP = "Jounce Pin", "Jounce Follow"
# Weights below this are the same to an eye and to the simulation as none.
LEAST_WEIGHT = 0.01
# A bone that leads a vertex by less than this does not count.
LEAST_INFLUENCE = 0.2
# Rays around the one against the normal, and the tangent of their angle to it.
CONE_RAYS, CONE = 6, 0.8
# m: a body of this size is most likely modelled in other units.
LARGE = 15.0


def suggest(context, obj):
    """Paints the groups and chooses them, and a wobble that is seen. Returns what it did, in words."""
    armature = next((modifier.object for modifier in obj.modifiers if modifier.type == "ARMATURE" and modifier.object), None)
    positions = [tuple(vertex.co) for vertex in obj.data.vertices]
    edges = [tuple(edge.vertices) for edge in obj.data.edges]
    bones = _bones(obj, armature, positions) if armature else {}
    if bones:
        weights, flesh = suggestion.weights_from_bones(positions, edges, list(bones.values()), _leaders(obj, list(bones)))
    else:
        weights, flesh = suggestion.weights_from_shape(positions, edges, _thicknesses(obj.data))
    settings = obj.jounce
    if not suggestion.holds(weights):
        settings.pin_group = settings.follow_group = ""
        settings.follow_frequency = settings.follow_frequency or POSED_FOLLOW_FREQUENCY
        return "{} is equally far from its bones everywhere: all of it follows softly.".format(obj.name)
    _paint(obj, PIN_GROUP, weights)
    settings.pin_group = PIN_GROUP
    if settings.follow_frequency > 0:
        _paint(obj, FOLLOW_GROUP, weights)
        settings.follow_group = FOLLOW_GROUP
    scale = scene_reader.metres_per_unit(context.scene) * max(obj.matrix_world.median_scale, 1e-9)
    size, flesh = scale * _longest_side(obj.data), suggestion.Flesh(*(scale * length for length in flesh))
    sag, seconds = suggestion.softness(size, flesh.thickness)
    settings.stiffness_way, settings.sag_percent = "sag", float("{:.2g}".format(100 * sag))
    settings.damping_way, settings.settle_seconds = "seconds", float("{:.2g}".format(seconds))
    settings.keep_shape = settings.kind == SOLID
    text = "Painted {} from {}.".format(PIN_GROUP, "the bones of " + armature.name if bones else "the shape of the mesh")
    if not _holds_together(context, obj, follows=bool(bones)):
        _hold_softly(settings, flesh, sag * size)
        text += " Parts that hang by a corner or an edge are drawn softly to their place."
    if size > LARGE:
        text += " It is {:.0f} m long and wobbles slowly: if that is not meant, set Unit Scale in the scene.".format(size)
    return text


def _holds_together(context, obj, follows):
    """Whether a bake of the suggestion has a first frame: not if a part of the simulation mesh hangs by a corner or an edge
    alone. follows: what draws it to its animation is taken into account."""
    reader = None
    try:
        reader = scene_reader.BakeReader(context, obj)
        description = reader.description(context)
        body = description["bodies"][0]
        if not follows:
            body["regions"] = [region for region in body["regions"] if region["effect"] != "goal"]
        with Bake(stiffness.resolved(description)) as bake:
            first = reader.world.first_frame
            bake.advance(first, **reader.inputs(context, first))
            return True
    except (JounceError, SceneError):
        return False
    finally:
        if reader is not None:
            reader.close()


def _hold_softly(settings, flesh, sag):
    """Draws all to its place with the frequency of the wobble that is wanted, and gives the stiffness of a beam. No rest
    shape carries what hangs by an edge: it starts at rest under its weight instead."""
    settings.keep_shape, settings.settle = False, True
    wobble = math.sqrt(suggestion.GRAVITY / sag) / math.tau
    settings.follow_group, settings.follow_frequency = "", max(settings.follow_frequency, float("{:.2g}".format(wobble)))
    settings.stiffness_way = "modulus"
    settings.young_modulus = float("{:.2g}".format(suggestion.modulus(settings.density, flesh, sag)))


def _bones(obj, armature, positions):
    """{name: suggestion.Bone} of those that deform, in the object's space.

    The ends of bones that other programs wrote are not to be trusted: one with children reaches to them, one without to the
    middle of what it leads.
    """
    to_object = obj.matrix_world.inverted_safe() @ armature.matrix_world
    middles, found = _middles(obj, positions), {}
    deforming = [bone for bone in armature.data.bones if bone.use_deform]
    order = {bone.name: index for index, bone in enumerate(deforming)}
    for bone in deforming:
        group = obj.vertex_groups.get(bone.name)
        start = to_object @ bone.head_local
        ends = [to_object @ child.head_local for child in bone.children]
        if not ends:
            ends = [middles.get(group.index if group else None, to_object @ bone.tail_local)]
        parent = next((order[above.name] for above in bone.parent_recursive if above.name in order), None)
        found[bone.name] = suggestion.Bone([(tuple(start), tuple(end)) for end in ends], parent)
    return found


def _middles(obj, positions):
    """{index of a vertex group: weighted mean of its vertices}"""
    sums = {}
    for vertex, position in zip(obj.data.vertices, positions):
        for element in vertex.groups:
            total, weight = sums.get(element.group, (Vector(), 0.0))
            sums[element.group] = (total + element.weight * Vector(position), weight + element.weight)
    return {group: total / weight for group, (total, weight) in sums.items() if weight > 0}


def _leaders(obj, names):
    """For each vertex the indices of the bones that lead it, the strongest first."""
    by_group = {obj.vertex_groups[name].index: index for index, name in enumerate(names) if name in obj.vertex_groups}
    found = []
    for vertex in obj.data.vertices:
        led = sorted(((element.weight, by_group[element.group]) for element in vertex.groups if element.group in by_group),
                     reverse=True)
        found.append([bone for weight, bone in led if weight >= LEAST_INFLUENCE])
    return found


def _thicknesses(mesh):
    """How far it is through the body from each vertex: the median over a cone of rays, so that a ray that happens to go along
    the body does not count; None: there is no other side."""
    tree = BVHTree.FromPolygons([vertex.co for vertex in mesh.vertices], [face.vertices for face in mesh.polygons])
    size, found = _longest_side(mesh), []
    for vertex in mesh.vertices:
        inward = -vertex.normal
        aside = inward.orthogonal()
        rays = [inward] + [inward + CONE * (Quaternion(inward, step * math.tau / CONE_RAYS) @ aside).normalized()
                           for step in range(CONE_RAYS) if inward.length > 0]
        hits = [tree.ray_cast(vertex.co + 1e-4 * size * inward, ray)[3] for ray in rays if ray.length > 0]
        through = sorted(distance for distance in hits if distance is not None)
        found.append(through[len(through) // 2] if through else None)
    return found


def _longest_side(mesh):
    return max(max(axis) - min(axis) for axis in zip(*(vertex.co for vertex in mesh.vertices)))


def _paint(obj, name, weights):
    group = obj.vertex_groups.get(name) or obj.vertex_groups.new(name=name)
    group.remove(range(len(weights)))
    for index, weight in enumerate(weights):
        if weight >= LEAST_WEIGHT:
            group.add([index], weight, "REPLACE")


class JOUNCE_OT_suggest(bpy.types.Operator):
    """Paint what follows the animation and what wobbles, from the bones of the armature or, without one, from the shape:
    thick flesh and thin ends are free. Paint over the groups as you like"""
    bl_idname = "jounce.suggest"
    bl_label = "Suggest"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return can_press(cls, why_not_a_body_of_mesh(context) or _why_not(context))

    def execute(self, context):
        self.report({"INFO"}, suggest(context, context.object))
        return {"FINISHED"}


def _why_not(context):
    if running() is not None:
        return "A bake is running: Esc stops it"
    if context.mode == "EDIT_MESH":
        return "Leave Edit Mode first"
    if context.object.data.library is not None:
        return "The mesh is linked from another file: weights cannot be painted on it"
    return "" if context.object.data.polygons else "The mesh has no faces"


CLASSES = (JOUNCE_OT_suggest,)
