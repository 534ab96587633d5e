/* A scene modelled in metres, centimetres or millimetres, with its unit set, moves the same in metres. */
#include "unit/scene_fixture.h"

enum { FRAMES = 16, VALUES_MOST = 3000 };

/* A pinned, keyed bar, a ball thrown at the floor and a cloth, every length of them times `k`. */
static int print_scene(char *text, size_t size, double k) {
    return snprintf(
        text, size,
        "{\"jounce\": 1, \"units\": {\"metres_per_unit\": %.17g}, \"frames\": {\"count\": %d}, \"integrator\": "
        "{\"method\": \"si\"}, \"world\": {\"wind\": "
        "[1, 0, 0.5], \"air_density\": 1.2}, \"bodies\": ["
        "{\"name\": \"bar\", \"mesh\": {\"shape\": \"beam\", \"size\": [%.17g, %.17g, %.17g], \"cells\": [6, 2, 2]}, "
        "\"material\": {\"preset\": \"jelly\", \"settle_seconds\": 2}, \"weights\": {\"s\": {\"field\": \"start\"}, "
        "\"e\": {\"field\": \"end\"}}, \"regions\": [{\"weights\": \"s\", \"effect\": \"pin\"}, {\"weights\": \"e\", "
        "\"effect\": \"goal\", \"value\": 50}], \"animation\": {\"keys\": [{\"frame\": 1}, {\"frame\": 7, "
        "\"translate\": [0, %.17g, %.17g], \"rotate\": [20, 0, 0], \"about\": [%.17g, 0, 0]}, {\"frame\": 12}]}}, "
        "{\"name\": \"ball\", \"mesh\": {\"shape\": \"ball\", \"size\": [%.17g, %.17g, %.17g], \"cells\": [4, 4, 4]}, "
        "\"transform\": {\"translate\": [%.17g, %.17g, 0]}, \"material\": {\"preset\": \"jelly\"}, \"start\": "
        "{\"velocity\": [0, %.17g, 0]}}, "
        "{\"name\": \"cloth\", \"kind\": \"textile\", \"mesh\": {\"shape\": \"cloth\", \"size\": [%.17g, %.17g, 1], "
        "\"cells\": [4, 4, 1]}, \"transform\": {\"translate\": [%.17g, %.17g, 0]}, \"springs\": {\"thickness\": "
        "%.17g}}], \"colliders\": [{\"name\": \"floor\", \"kind\": \"plane\", \"point\": [0, %.17g, 0]}]}",
        1 / k, FRAMES, 0.3 * k, 0.1 * k, 0.1 * k, 0.05 * k, 0.02 * k, 0.1 * k, 0.08 * k, 0.08 * k, 0.08 * k, 0.5 * k,
        -0.1 * k, -1 * k, 0.2 * k, 0.2 * k, 1 * k, 0.1 * k, 0.0005 * k, -0.2 * k);
}

/* Which of the values are the ball's. */
static size_t ball_begin, ball_end;

/* The positions of all bodies after the last frame, in metres; the number of values, 0 on failure. */
static size_t bake_in_metres(double units_per_metre, double *metres) {
    char text[4000];
    JnScene *scene = NULL;
    JnBake *bake = NULL;
    JnFrameInput input;
    size_t filled = 0;
    int length = print_scene(text, sizeof text, units_per_metre);
    JnStatus status = scene_load_text(text, (size_t)length, "units.json", &scene, &fixture_message);
    JnBakeDesc desc;
    if (status == JN_OK)
        status = jn_scene_desc(scene, &desc, sizeof desc, &fixture_message);
    desc.output_path = NULL;
    desc.thread_count = 1;
    if (status == JN_OK)
        status = jn_bake_begin(&desc, &bake, &fixture_message);
    for (int frame = 1; frame <= FRAMES && status == JN_OK; ++frame) {
        status = jn_scene_frame(scene, frame, &input, sizeof input, &fixture_message);
        if (status == JN_OK)
            status = jn_bake_advance(bake, &input, &fixture_message);
    }
    for (uint32_t b = 0; b < 3 && status == JN_OK; ++b) {
        uint32_t count;
        status = jn_bake_positions(bake, b, metres + filled, VALUES_MOST - filled, &count, &fixture_message);
        ball_begin = b == 1 ? filled : ball_begin;
        filled += 3 * (size_t)count;
        ball_end = b == 1 ? filled : ball_end;
    }
    if (status != JN_OK)
        printf("%s\n", fixture_message.text);
    for (size_t i = 0; i < filled; ++i)
        metres[i] /= units_per_metre;
    jn_bake_end(bake, NULL);
    jn_scene_free(scene);
    return status == JN_OK ? filled : 0;
}

TEST(scene_in_centimetres_or_millimetres_moves_as_the_same_in_metres) {
    static double metres[VALUES_MOST], others[VALUES_MOST];
    size_t count = bake_in_metres(1, metres);
    CHECK(count > 300);
    static const double units[] = {100, 1000, 39.37};
    for (int u = 0; u < 3; ++u) {
        double farthest = 0;
        CHECK(bake_in_metres(units[u], others) == count);
        for (size_t i = 0; i < count; ++i)
            farthest = fmax(farthest, fabs(others[i] - metres[i]));
        printf("%g units a metre: at most %.2g m apart\n", units[u], farthest);
        CHECK(farthest < 1e-6);
    }
    /* and it did move: the ball has fallen onto the floor, 0.1 m below its object's centre */
    double lowest = 1;
    for (size_t i = ball_begin + 1; i < ball_end; i += 3)
        lowest = fmin(lowest, metres[i]);
    CHECK(lowest < -0.095 && lowest > -0.105);
}
