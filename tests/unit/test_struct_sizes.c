/* Calls that fill a struct of the caller write nothing beyond the size that they are given, whatever version of the
   header the caller has. */
#include "harness.h"
#include "scene_fixture.h"

enum { CANARY = 0xA5, ROOM = 2048 };

/* Every call that takes the size of what it fills. */
typedef JnStatus (*Fill)(void *target, size_t struct_size);

static JnScene *beam;

static JnStatus fill_desc(void *target, size_t struct_size) {
    return jn_bake_desc_init(target, struct_size);
}
static JnStatus fill_body(void *target, size_t struct_size) {
    return jn_body_init(target, struct_size);
}
static JnStatus fill_material(void *target, size_t struct_size) {
    return jn_material_init(target, struct_size);
}
static JnStatus fill_springs(void *target, size_t struct_size) {
    return jn_springs_init(target, struct_size);
}
static JnStatus fill_region(void *target, size_t struct_size) {
    return jn_region_init(target, struct_size);
}
static JnStatus fill_collider(void *target, size_t struct_size) {
    return jn_collider_init(target, struct_size);
}
static JnStatus fill_frame_input(void *target, size_t struct_size) {
    return jn_frame_input_init(target, struct_size);
}
static JnStatus fill_body_input(void *target, size_t struct_size) {
    return jn_body_input_init(target, struct_size);
}
static JnStatus fill_collider_input(void *target, size_t struct_size) {
    return jn_collider_input_init(target, struct_size);
}
static JnStatus fill_shape(void *target, size_t struct_size) {
    return jn_shape_init(target, struct_size, "ball");
}
static JnStatus fill_scene_desc(void *target, size_t struct_size) {
    return jn_scene_desc(beam, target, struct_size, NULL);
}
static JnStatus fill_scene_frame(void *target, size_t struct_size) {
    return jn_scene_frame(beam, 1, target, struct_size, NULL);
}

static const struct {
    Fill fill;
    size_t size;
} calls[] = {
    {fill_desc, sizeof(JnBakeDesc)},
    {fill_body, sizeof(JnBody)},
    {fill_material, sizeof(JnMaterial)},
    {fill_springs, sizeof(JnSprings)},
    {fill_region, sizeof(JnRegion)},
    {fill_collider, sizeof(JnCollider)},
    {fill_frame_input, sizeof(JnFrameInput)},
    {fill_body_input, sizeof(JnBodyInput)},
    {fill_collider_input, sizeof(JnColliderInput)},
    {fill_shape, sizeof(JnShape)},
    {fill_scene_desc, sizeof(JnBakeDesc)},
    {fill_scene_frame, sizeof(JnFrameInput)},
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

typedef union Room { /* aligned for any struct */
    uint32_t struct_size;
    max_align_t align;
    unsigned char bytes[ROOM];
} Room;

/* Whether the bytes from `first` on are as they were. */
static bool untouched(const Room *room, size_t first) {
    for (size_t i = first; i < ROOM; ++i)
        if (room->bytes[i] != CANARY)
            return false;
    return true;
}

TEST(struct_of_this_version_is_filled_to_its_end_and_no_further) {
    beam = fixture_load(BEAM_SCENE("", ""));
    CHECK(beam);
    for (size_t c = 0; c < CALL_COUNT; ++c) {
        Room room;
        CHECK(calls[c].size < ROOM);
        memset(&room, CANARY, sizeof room);
        CHECK(calls[c].fill(&room, calls[c].size) == JN_OK);
        CHECK(room.struct_size == calls[c].size);
        CHECK(!untouched(&room, calls[c].size - 1) && untouched(&room, calls[c].size));
    }
    jn_scene_free(beam);
}

TEST(struct_of_any_other_size_is_refused_and_marked_as_none) {
    beam = fixture_load(BEAM_SCENE("", ""));
    CHECK(beam);
    for (size_t c = 0; c < CALL_COUNT; ++c)
        for (size_t size = 0; size < ROOM; ++size) {
            if (size == calls[c].size)
                continue;
            Room room;
            memset(&room, CANARY, sizeof room);
            CHECK(calls[c].fill(&room, size) == JN_ERR_STRUCT_SIZE);
            CHECK(size < sizeof(uint32_t) ? untouched(&room, 0)
                                          : room.struct_size == 0 && untouched(&room, sizeof(uint32_t)));
        }
    jn_scene_free(beam);
}

TEST(struct_that_is_null_is_an_argument_error) {
    beam = fixture_load(BEAM_SCENE("", ""));
    CHECK(beam);
    for (size_t c = 0; c < CALL_COUNT; ++c) {
        CHECK(calls[c].fill(NULL, calls[c].size) == JN_ERR_ARGUMENT);
        CHECK(calls[c].fill(NULL, 0) == JN_ERR_ARGUMENT);
    }
    jn_scene_free(beam);
}

TEST(struct_refused_by_a_scene_is_named_with_both_sizes) {
    JnBakeDesc desc;
    JnMessage message;
    JnBake *bake;
    beam = fixture_load(BEAM_SCENE("", ""));
    CHECK(beam);
    CHECK(jn_scene_desc(beam, &desc, sizeof desc - 8, &message) == JN_ERR_STRUCT_SIZE);
    char sizes[80];
    snprintf(sizes, sizeof sizes, "JnBakeDesc to fill has %zu bytes, but that of this library has %zu", sizeof desc - 8,
             sizeof desc);
    CHECK_STR_HAS(message.text, sizes);
    CHECK_STR_HAS(message.text, jn_version());
    /* who passes it on all the same is told again */
    CHECK(jn_bake_begin(&desc, &bake, &message) == JN_ERR_STRUCT_SIZE && !bake);
    jn_scene_free(beam);
}
