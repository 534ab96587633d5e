/* The objects that a scene file is made of, in the order of the docs. */
#include "settings/settings.h"

static const SettingScope scopes[] = {
    {"scene", "The file itself.", false},
    {"units", "`units`: what a number means.", false},
    {"frames", "`frames`: the frame range.", false},
    {"world", "`world`: what acts on everything.", false},
    {"gravity", "`world.gravity` as an object: gravity that changes.", false},
    {"gravity_key", "`world.gravity.keys[]`: gravity at one frame.", false},
    {"integrator", "`integrator`: how time is stepped.", false},
    {"contact", "`contact`: how things touch.", false},
    {"body", "`bodies[]`: one body.", false},
    {"shape", "`bodies[].mesh` as an object: a generated mesh.", false},
    {"transform", "`bodies[].transform` as an object: where the body is placed.", false},
    {"material", "`bodies[].material`: what it is made of.", false},
    {"springs", "`bodies[].springs`: the springs of textiles, girders, fibres and spring solids.", false},
    {"weights", "`bodies[].weights.<name>`: a painted map, by exactly one of these.", true},
    {"region", "`bodies[].regions[]`: what a painted map does.", false},
    {"bone", "`bodies[].bones[]`: a rigid part inside the body.", false},
    {"body_key", "`bodies[].keys[]`: numbers of a body at one frame.", false},
    {"animation", "`bodies[].animation` and `colliders[].animation`: given motion, by exactly one of these.", true},
    {"cache", "`bodies[].animation.cache` as an object: one mesh of several, or other frames.", false},
    {"pose_key", "`animation.keys[]`: where the animated shape is at one frame.", false},
    {"start", "`bodies[].start`: the first frame.", false},
    {"start_pose", "`bodies[].start.pose`: the shape at the first frame, by exactly one of these.", true},
    {"force", "`bodies[].forces[]`: a pull or push.", false},
    {"collider", "`colliders[]`: something to collide with.", false},
    {"field", "`fields[]`: a field of force.", false},
    {"field_key", "`fields[].keys[]`: a field at one frame.", false},
    {"output", "`output`: the cache.", false},
};

const SettingScope *setting_scope(uint32_t index) {
    return index < sizeof scopes / sizeof scopes[0] ? &scopes[index] : NULL;
}
