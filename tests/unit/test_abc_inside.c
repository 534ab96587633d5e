/* alembic_io: parts that the public calls do not show: digests, bounds, where counts stand in the file. */
#include "harness.h"
#include "unit/abc_scene.h"

#include "abc_digest.h"
#include "bounds_scan.h"
#include "reader.h"

static unsigned char message[1000];

static void fill_message(void) {
    for (int i = 0; i < 1000; ++i)
        message[i] = (unsigned char)(i * 7 + 3);
}

/* Values of the author's own program, for messages that it takes in the long form. */
TEST(abc_digest_is_spooky_hash) {
    static const struct {
        size_t size;
        uint64_t first, second;
    } expected[] = {
        {192, 0x4bd5231fc1b3b9cfu, 0xf70d440762d6f476u},
        {200, 0x46897e1d30e09f68u, 0x0255641f19d14a6au},
        {576, 0x126e3c73b74f94a1u, 0x087be317c117c801u},
        {1000, 0x85072d3218a51b05u, 0x2412672ca9b5bf48u},
    };
    fill_message();
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        Digest digest = abc_digest_of(message, expected[i].size);
        CHECK(digest.words[0] == expected[i].first);
        CHECK(digest.words[1] == expected[i].second);
    }
}

TEST(abc_digest_of_pieces_is_that_of_the_whole) {
    fill_message();
    for (size_t size = 0; size < sizeof message; size += 37) {
        Digest whole = abc_digest_of(message, size);
        for (size_t piece = 1; piece < 300; piece += 31) {
            DigestState state;
            abc_digest_start(&state);
            for (size_t done = 0; done < size; done += piece)
                abc_digest_add(&state, message + done, size - done < piece ? size - done : piece);
            Digest pieces = abc_digest_finish(&state);
            CHECK(pieces.words[0] == whole.words[0] && pieces.words[1] == whole.words[1]);
        }
    }
}

TEST(abc_digest_changes_with_every_bit_and_with_the_length) {
    fill_message();
    Digest plain = abc_digest_of(message, 500);
    for (int bit = 0; bit < 500 * 8; ++bit) {
        message[bit / 8] ^= (unsigned char)(1 << bit % 8);
        Digest changed = abc_digest_of(message, 500);
        message[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(changed.words[0] != plain.words[0] && changed.words[1] != plain.words[1]);
    }
    unsigned char zeros[200] = {0};
    for (size_t size = 1; size < 96; ++size)
        CHECK(abc_digest_of(zeros, size).words[0] != abc_digest_of(zeros, size - 1).words[0]);
}

TEST(abc_bounds_scan_agrees_with_one_by_one) {
    enum { COUNT = 103 };
    float xyz[3 * COUNT];
    for (size_t count = 0; count <= COUNT; ++count) {
        double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
        for (size_t k = 0; k < 3 * count; ++k) {
            xyz[k] = (float)sin((double)(k * k + count)) * (float)(k % 3 + 1);
            low[k % 3] = fmin(low[k % 3], (double)xyz[k]);
            high[k % 3] = fmax(high[k % 3], (double)xyz[k]);
        }
        BoundsScan scan;
        abc_bounds_scan_start(&scan);
        abc_bounds_scan_add(&scan, xyz, count / 3);
        abc_bounds_scan_add(&scan, xyz + 3 * (count / 3), count - count / 3);
        AbcBounds bounds = abc_bounds_scan_result(&scan);
        CHECK(abc_bounds_scan_is_finite(&scan));
        for (int axis = 0; count > 0 && axis < 3; ++axis)
            CHECK(bounds.min[axis] == low[axis] && bounds.max[axis] == high[axis]);
        CHECK(count > 0 || bounds.min[0] > bounds.max[0]);
    }
}

TEST(abc_bounds_and_digest_in_one_pass_are_those_of_two) {
    enum { COUNT = 77 };
    float xyz[3 * COUNT];
    for (int k = 0; k < 3 * COUNT; ++k)
        xyz[k] = (float)sin(k * 0.7) * (float)(k % 5);
    for (size_t count = 0; count <= COUNT; ++count)
        for (size_t first = 0; first <= count; first += 8) {
            BoundsScan together, apart;
            DigestState state;
            abc_bounds_scan_start(&together);
            abc_bounds_scan_start(&apart);
            abc_digest_start(&state);
            abc_bounds_scan_digest(&together, &state, xyz, first);
            abc_bounds_scan_digest(&together, &state, xyz + 3 * first, count - first);
            abc_bounds_scan_add(&apart, xyz, count);
            Digest one = abc_digest_finish(&state), two = abc_digest_of(xyz, 12 * count);
            CHECK(one.words[0] == two.words[0] && one.words[1] == two.words[1]);
            AbcBounds a = abc_bounds_scan_result(&together), b = abc_bounds_scan_result(&apart);
            CHECK(memcmp(&a, &b, sizeof a) == 0);
        }
}

TEST(abc_bounds_scan_finds_every_value_that_is_not_finite) {
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int where = 0; where < 3 * 9; ++where)
        for (int kind = 0; kind < 3; ++kind) {
            float xyz[27] = {0};
            BoundsScan scan;
            xyz[where] = bad[kind];
            abc_bounds_scan_start(&scan);
            abc_bounds_scan_add(&scan, xyz, 9);
            CHECK(!abc_bounds_scan_is_finite(&scan));
        }
}

/* Writes an archive with a long name, and says whether a count of samples crosses a sector. */
static bool count_crosses_a_sector(const char *path, size_t name_size, int *seen) {
    char name[400];
    const int32_t counts[] = {3}, corners[] = {0, 1, 2};
    const double start = 0;
    uint32_t sampling = 0, object;
    AbcWriter *writer = NULL;
    AbcReader *reader;
    memset(name, 'n', name_size);
    name[name_size] = '\0';
    AbcMeshDesc desc = abc_mesh_desc_default();
    desc.name = name;
    desc.vertex_count = 3;
    desc.face_count = 1;
    desc.index_count = 3;
    desc.face_counts = counts;
    desc.face_indices = corners;
    desc.velocities = true;
    bool crosses = abc_writer_create(&writer, path, NULL, &abc_error) ||
                   abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 1 / 24.0, 1, &start}, &sampling,
                                                &abc_error);
    desc.animation = (AbcAnimation){sampling, 1};
    crosses = crosses || abc_writer_add_mesh(writer, ABC_ROOT, &desc, &object, &abc_error) ||
              abc_writer_begin(writer, &abc_error);
    abc_writer_abandon(writer);
    if (crosses || abcr_open_plain(&reader, path, &abc_error))
        return true;
    ReaderProperty *geom;
    ReaderCompound *inside;
    crosses = abcr_find(reader, 1, ".geom", &geom, &abc_error) || abcr_inside(reader, geom, &inside, &abc_error);
    for (uint32_t i = 0; !crosses && i < inside->count; ++i) {
        const PropertyHeader *header = &inside->properties[i].header;
        uint64_t first = inside->headers_position + header->count_offset;
        if (header->kind == PROPERTY_COMPOUND || header->constant)
            continue;
        crosses = first / 512 != (first + 3) / 512;
        ++*seen;
    }
    abc_reader_close(reader);
    return crosses;
}

TEST(abc_doubles_are_rounded_as_the_language_does) {
    double from[23];
    float to[23];
    for (int count = 0; count < 23; ++count) {
        for (int i = 0; i < count; ++i)
            from[i] = sin(i * 1.7 + count) * pow(10, 3 * i - 30);
        abc_round_to_floats(to, from, (size_t)count);
        for (int i = 0; i < count; ++i)
            CHECK(to[i] == (float)from[i]);
    }
    const double large = 1e300;
    abc_round_to_floats(to, &large, 1);
    CHECK(isinf(to[0]));
}

TEST(abc_counts_never_cross_a_sector) {
    char path[512];
    int seen = 0;
    scene_path(path, sizeof path, "abc_sector_borders.abc");
    for (size_t name_size = 1; name_size < 300; ++name_size)
        CHECK(!count_crosses_a_sector(path, name_size, &seen));
    CHECK(seen == 3 * 299);
    remove(path);
}
