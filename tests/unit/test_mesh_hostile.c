/* Files from outside: cut short at every length, with every byte damaged, with lies in their counts. Run
   under the address and undefined-behaviour sanitizers these tests say that a bad file is a status, and
   nothing else. */
#include "harness.h"
#include "geometry/vec3.h"
#include "unit/test_mesh_samples.h"

TEST(sample_of_every_format_is_the_same_mesh) {
    for (int s = 0; s < SAMPLE_COUNT; ++s) {
        Sample sample;
        JnMesh *mesh = NULL;
        JnMessage message;
        JnMeshView view = {.struct_size = sizeof view};
        sample_fill(s, &sample);
        if (sample_parse(&sample, sample.size, &mesh, &message) != JN_OK)
            printf("%s: %s\n", sample.name, message.text);
        CHECK(mesh != NULL && jn_mesh_view(mesh, &view, NULL) == JN_OK);
        CHECK(view.surface.vertex_count == SAMPLE_VERTICES);
        if (sample_format(&sample)->tets) {
            CHECK(view.tets.tet_count == SAMPLE_TETS && view.surface.face_count == 6);
            CHECK(memcmp(view.tets.positions, sample_positions, sizeof sample_positions) == 0);
            CHECK(memcmp(view.tets.tet_vertices, sample_tets, sizeof sample_tets) == 0);
            for (uint32_t f = 0; f < view.field_count; ++f) {
                CHECK(strcmp(view.fields[f].name, "soft") == 0 && view.fields[f].component_count == 1);
                for (int v = 0; v < SAMPLE_VERTICES; ++v)
                    CHECK(view.fields[f].values[v] == v / 4.0);
            }
            bool has_field = strcmp(sample.ending, ".msh") == 0 || strcmp(sample.ending, ".vtk") == 0;
            CHECK(view.field_count == has_field);
        } else if (strcmp(sample.ending, ".stl") == 0) {
            CHECK(view.surface.face_count == 6 && view.tets.tet_count == 0);
        } else {
            CHECK(view.surface.face_count == SAMPLE_FACES && view.surface.corner_count == 16);
            CHECK(memcmp(view.surface.positions, sample_positions, sizeof sample_positions) == 0);
            CHECK(memcmp(view.surface.face_sizes, sample_sizes, sizeof sample_sizes) == 0);
            CHECK(memcmp(view.surface.face_vertices, sample_corners, sizeof sample_corners) == 0);
        }
        jn_mesh_free(mesh);
    }
}

SLOW_TEST(file_truncated_at_every_byte_returns_status_or_whole_mesh) {
    for (int s = 0; s < SAMPLE_COUNT; ++s) {
        Sample sample;
        sample_fill(s, &sample);
        // text without counts may end anywhere and be a smaller mesh
        bool counted = strcmp(sample.name, "obj") != 0 && strcmp(sample.name, "stl") != 0;
        for (size_t size = 0; size < sample.size; ++size) {
            JnMesh *mesh = NULL;
            JnMessage message = {0};
            JnStatus status = sample_parse(&sample, size, &mesh, &message);
            CHECK((status == JN_OK) == (mesh != NULL));
            CHECK(status == JN_OK || (message.status == status && strlen(message.text) > 10));
            CHECK(status != JN_OK || !counted || mesh->vertex_count == SAMPLE_VERTICES);
            CHECK(status != JN_OK || !sample_format(&sample)->tets || mesh->tet_count == SAMPLE_TETS);
            jn_mesh_free(mesh);
        }
    }
}

SLOW_TEST(file_with_any_byte_changed_returns_status_or_mesh) {
    static const unsigned char values[] = {0, ' ', '\n', '"', '$', '-', '.', '0', '9', 'e', 'n', 0x7f, 0x80, 0xff};
    for (int s = 0; s < SAMPLE_COUNT; ++s) {
        Sample sample;
        sample_fill(s, &sample);
        for (size_t at = 0; at < sample.size; ++at) {
            unsigned char kept = sample.bytes[at];
            for (size_t v = 0; v < sizeof values + 8; ++v) {
                sample.bytes[at] = v < 8 ? (unsigned char)(kept ^ 1u << v) : values[v - 8];
                JnMesh *mesh = NULL;
                JnMessage message = {0};
                JnStatus status = sample_parse(&sample, sample.size, &mesh, &message);
                CHECK((status == JN_OK) == (mesh != NULL));
                CHECK(status == JN_OK || message.text[0]);
                jn_mesh_free(mesh);
            }
            sample.bytes[at] = kept;
        }
    }
}

SLOW_TEST(companion_truncated_or_damaged_returns_status) {
    for (int s = 0; s < TEXT_COUNT; ++s) {
        Sample sample;
        sample_fill(s, &sample);
        for (size_t left = sample.other_size; left-- > 0;) {
            sample.other_size = left;
            sample.other[left / 2] ^= 0x10;
            JnMesh *mesh = NULL;
            JnStatus status = sample_parse(&sample, sample.size, &mesh, NULL);
            CHECK((status == JN_OK) == (mesh != NULL));
            jn_mesh_free(mesh);
        }
    }
}

/* A bad file, the status it must get, and words that the message must hold. */
typedef struct Bad {
    const char *ending, *text;
    JnStatus status;
    const char *words, *more_words;
} Bad;

#define PLY_UV                                                                                                         \
    "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"                  \
    "property float s\nproperty float t\nend_header\n"
#define VTK_HEAD "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n"

TEST(bad_file_is_refused_with_line_and_value) {
    static const Bad cases[] = {
        {".obj", "", JN_ERR_MESH, "sample", "empty"},
        {".obj", "v 0 0 0\nv 1 0 nan\n", JN_ERR_FORMAT, "line 2", "'nan'"},
        {".obj", "v 0 0 0\nv 1e999 0 0\n", JN_ERR_FORMAT, "line 2", "'1e999'"},
        {".obj", "v 0 0\n", JN_ERR_FORMAT, "ends", "coordinate"},
        {".obj", "v 0 0 0\nv 1e30 0 0\n", JN_ERR_FORMAT, "line 2: a coordinate of a vertex is 1e+30", "scale it down"},
        {".obj", "vt 0 0\nvt 0 -1e308\n", JN_ERR_FORMAT, "line 2: a texture coordinate is -1e+308", "leave it out"},
        {".obj", "vt 1e308 0\n", JN_ERR_FORMAT, "line 1: a texture coordinate is 1e+308", "leave it out"},
        {".obj", "vt 0 inf\n", JN_ERR_FORMAT, "line 1: 'inf'", "texture coordinate"},
        {".ply", PLY_UV "1e30 0 0 0 0\n", JN_ERR_FORMAT, "line 10: a coordinate of a vertex is 1e+30", ""},
        {".ply", PLY_UV "0 0 0 0 1e300\n", JN_ERR_FORMAT, "line 10: a texture coordinate is 1e+300", ""},
        {".stl", "solid s\nfacet\nvertex 0 -1e30 0\n", JN_ERR_FORMAT, "line 3: a coordinate", "-1e+30"},
        {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 1e30 0\n", JN_ERR_FORMAT, "line 6", "1e+30"},
        {".mesh", "MeshVersionFormatted 1\nVertices 1\n0 1e30 0 0\n", JN_ERR_FORMAT, "line 3", "1e+30"},
        {".veg", "*VERTICES\n1 3 0 0\n1 0 0 1e30\n", JN_ERR_FORMAT, "line 3", "1e+30"},
        {".vtk", VTK_HEAD "POINTS 1 float\n0 1e30 0\n", JN_ERR_FORMAT, "line 6", "1e+30"},
        {".vtk", VTK_HEAD "POINTS 1 float\n0 0 0\nCELLS 1 5\ninf 0 0 0 0\n", JN_ERR_FORMAT, "line 8", "'inf'"},
        {".vtk", VTK_HEAD "POINTS 1 float\n0 0 0\nCELLS 1 5\n1e300 0 0 0 0\n", JN_ERR_FORMAT, "line 8", "1e+300"},
        {".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", JN_ERR_FORMAT, "face 1", "vertex 4"},
        {".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", JN_ERR_FORMAT, "line 4", "'0'"},
        {".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", JN_ERR_FORMAT, "line 4", "'-4'"},
        {".obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", JN_ERR_FORMAT, "line 3", "2 corners"},
        {".obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/9 2/9 3/9\n", JN_ERR_FORMAT, "face 1", "coordinate 9"},
        {".ply", "plx\n", JN_ERR_FORMAT, "line 1", "'ply'"},
        {".ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\n", JN_ERR_FORMAT, "line 3", "4000000000"},
        {".ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", JN_ERR_FORMAT,
         "x, y and z", ""},
        {".stl", "neither", JN_ERR_FORMAT, "7 bytes", "stl"},
        {".stl", "solid s\nfacet\nvertex 0 0 0\nendfacet\n", JN_ERR_FORMAT, "line 4", "1 vertices"},
        {".msh", "hello", JN_ERR_FORMAT, "line 1", "$MeshFormat"},
        {".msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", JN_ERR_FORMAT, "version 4", "4.1"},
        {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n99999999\n1 0 0 0\n", JN_ERR_FORMAT, "line 5",
         "99999999"},
        {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n-1\n", JN_ERR_FORMAT, "line 5", "-1"},
        {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", JN_ERR_FORMAT,
         "tag 1", ""},
        {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", JN_ERR_FORMAT,
         "$Nodes", ""},
        {".msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 5 0 1 1 1 1 1 "
         "1 1 1\n",
         JN_ERR_FORMAT, "line 10", "type 5"},
        {".msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n", JN_ERR_MESH, "no tets",
         "sample"},
        {".mesh", "MeshVersionFormatted 1\nDimension 2\n", JN_ERR_FORMAT, "line 2", "2"},
        {".mesh", "MeshVersionFormatted 1\nDimension 3\nTetrahedra 1\n1 2 3 4 0\nEnd", JN_ERR_FORMAT,
         "tets name vertices 1 to 4", "there are 0"},
        {".mesh", "MeshVersionFormatted 1\nVertices 1\n0 0 0 0\nVertices 1\n0 0 0 0\n", JN_ERR_FORMAT, "two lists", ""},
        {".veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nCUBIC\n", JN_ERR_FORMAT, "line 5", "TETS"},
        {".veg", "*VERTICES\n2 3 0 0\n1 0 0 0\n3 0 0 0\n", JN_ERR_FORMAT, "line 4", "vertex 3"},
        {".vtk", "# vtk DataFile Version 2.0\n\nASCII\nDATASET POLYDATA\n", JN_ERR_FORMAT, "line 4",
         "UNSTRUCTURED_GRID"},
        {".vtk",
         "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 9\n"
         "8 0 0 0 0 0 0 0 0\nCELL_TYPES 1\n12\n",
         JN_ERR_FORMAT, "line 10", "type 12"},
        {".vtk",
         "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\nCELLS 1 "
         "5\n4 0 0 0 1\n"
         "CELL_TYPES 1\n10\n",
         JN_ERR_FORMAT, "cell 0", "point 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        Sample sample = {.name = "bad", .ending = cases[i].ending};
        put_text(&sample, cases[i].text);
        JnMesh *mesh = NULL;
        JnMessage message;
        JnStatus status = sample_parse(&sample, sample.size, &mesh, &message);
        if (status != cases[i].status)
            printf("case %zu: %s\n", i, message.text);
        CHECK(status == cases[i].status);
        CHECK_STR_HAS(message.text, cases[i].words);
        CHECK_STR_HAS(message.text, cases[i].more_words);
    }
}

/* Reads `bytes` as a file of `ending`, and looks for JN_ERR_FORMAT and `words`. */
static void check_binary_refused(const char *ending, const unsigned char *bytes, size_t size, const char *words) {
    Sample sample = {.name = "bad", .ending = ending, .size = size};
    JnMesh *mesh = NULL;
    JnMessage message;
    memcpy(sample.bytes, bytes, size);
    CHECK(sample_parse(&sample, sample.size, &mesh, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, words);
}

/* `head`, then the big-endian float `bits` with zeros after it. */
static size_t with_float(const char *head, uint32_t bits, size_t zeros, unsigned char *bytes) {
    size_t size = strlen(head);
    memcpy(bytes, head, size);
    for (int i = 3; i >= 0; --i)
        bytes[size++] = (unsigned char)(bits >> (8 * i));
    memset(bytes + size, 0, zeros);
    return size + zeros;
}

TEST(binary_file_with_numbers_that_are_not_finite_or_too_large_is_refused) {
    static const struct {
        const char *ending, *head, *words;
    } files[] = {
        {".vtk", "# vtk DataFile Version 2.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n", "not a finite"},
        {".vtk",
         "# vtk DataFile Version 5.1\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 0 float\n\nCELLS 2 4\n"
         "OFFSETS float\n",
         "not a finite"},
        {".ply",
         "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
         "end_header\n",
         "a coordinate of a vertex is"},
        {".ply",
         "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float s\nproperty float t\nproperty float x\n"
         "property float y\nproperty float z\nend_header\n",
         "a texture coordinate is"},
    };
    static const uint32_t infinite = 0x7f800000, not_a_number = 0x7fc00000;
    unsigned char bytes[512];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        size_t size = with_float(files[i].head, infinite, 40, bytes);
        check_binary_refused(files[i].ending, bytes, size, files[i].words);
        size = with_float(files[i].head, not_a_number, 40, bytes);
        check_binary_refused(files[i].ending, bytes, size, files[i].words);
    }
}

TEST(ply_with_two_corner_lists_takes_the_first) {
    Sample sample = {.name = "two lists", .ending = ".ply"};
    put_text(&sample, "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
                      "element face 1\nproperty list uchar int vertex_indices\nproperty list uchar int vertex_indices\n"
                      "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 3 2 1 0\n");
    JnMesh *mesh = NULL;
    CHECK(sample_parse(&sample, sample.size, &mesh, NULL) == JN_OK);
    CHECK(mesh->face_count == 1 && mesh->face_vertices[0] == 0);
    jn_mesh_free(mesh);
}

#define FIVE_VERTICES                                                                                                  \
    "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\nTetrahedra 2\n"

TEST(inverted_tets_of_a_file_are_turned_round_and_counted) {
    static const struct {
        const char *tets;
        uint32_t reversed;
    } cases[] = {{"1 2 3 4 0\n2 3 4 5 0\n", 0}, {"1 3 2 4 0\n2 4 3 5 0\n", 2}, {"1 2 3 4 0\n2 4 3 5 0\n", 1}};
    for (int i = 0; i < 3; ++i) {
        Sample sample = {.name = "inverted", .ending = ".mesh"};
        JnMesh *mesh = NULL;
        JnMeshView view = {.struct_size = sizeof view};
        put_text(&sample, FIVE_VERTICES);
        put_text(&sample, cases[i].tets);
        put_text(&sample, "End\n");
        CHECK(sample_parse(&sample, sample.size, &mesh, NULL) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK);
        CHECK(view.reversed_tet_count == cases[i].reversed && view.tets.tet_count == 2);
        for (int t = 0; t < 2; ++t) {
            const double *p[4];
            for (int k = 0; k < 4; ++k)
                p[k] = &view.tets.positions[3 * view.tets.tet_vertices[4 * t + k]];
            CHECK(vec3_tet_det(p[0], p[1], p[2], p[3]) > 0);
        }
        jn_mesh_free(mesh);
    }
}

TEST(inverted_tets_that_overlap_are_refused_with_their_numbers) {
    /* the second tet lies on the side of the common face where the first one is, so turning it round mends nothing */
    Sample sample = {.name = "folded", .ending = ".mesh"};
    JnMesh *mesh = NULL;
    JnMessage message;
    put_text(&sample,
             "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n.1 .1 .1 0\n"
             "Tetrahedra 2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n");
    CHECK(sample_parse(&sample, sample.size, &mesh, &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "tet");
}

TEST(tets_numbered_otherwise_than_their_vertices_are_read) {
    /* .mesh from 0; .veg with vertices from 1 and tets from 0 */
    static const struct {
        const char *ending, *text;
    } files[] = {{".mesh",
                  "MeshVersionFormatted 1\nDimension 3\nVertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1.25 0\n"
                  "Tetrahedra 2\n0 1 2 3 0\n1 2 3 4 0\nEnd\n"},
                 {".veg", "*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1.25\n*ELEMENTS\nTETS\n2 4 0\n"
                          "1 0 1 2 3\n2 1 2 3 4\n"}};
    for (int i = 0; i < 2; ++i) {
        Sample sample = {.name = "base", .ending = files[i].ending};
        JnMesh *mesh = NULL;
        put_text(&sample, files[i].text);
        CHECK(sample_parse(&sample, sample.size, &mesh, NULL) == JN_OK);
        CHECK(memcmp(mesh->tet_vertices, sample_tets, sizeof sample_tets) == 0);
        jn_mesh_free(mesh);
    }
}

TEST(base_that_fits_by_range_but_inverts_some_tets_gives_way_to_one_that_does_not) {
    /* vertices from 1, tets from 0; vertex 0 stands apart and no tet names it, so that from 1 the numbers fit too, but
       shifted by one vertex the tets are a tangle */
    Sample sample = {.name = "mismatch", .ending = ".node"};
    put_text(&sample, "6 3 0 0\n1 9 9 9\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 1 1 1.25\n");
    const char *tets = "2 4 0\n0 1 2 3 4\n1 2 3 4 5\n";
    sample.other_size = strlen(tets);
    memcpy(sample.other, tets, sample.other_size);
    JnMesh *mesh = NULL;
    CHECK(sample_parse(&sample, sample.size, &mesh, NULL) == JN_OK);
    CHECK(mesh->vertex_count == 5 && mesh->reversed_tet_count == 0);
    CHECK(memcmp(mesh->positions, sample_positions, sizeof sample_positions) == 0);
    CHECK(memcmp(mesh->tet_vertices, sample_tets, sizeof sample_tets) == 0);
    jn_mesh_free(mesh);
}

TEST(tetgen_with_mismatched_base_is_read) {
    // vertices from 0, tets from 1; vertices from 1, tets from 0 is a sample
    Sample sample = {.name = "mismatch", .ending = ".node"};
    put_text(&sample, "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1.25\n");
    const char *tets = "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n";
    sample.other_size = strlen(tets);
    memcpy(sample.other, tets, sample.other_size);
    JnMesh *mesh = NULL;
    CHECK(sample_parse(&sample, sample.size, &mesh, NULL) == JN_OK);
    CHECK(memcmp(mesh->tet_vertices, sample_tets, sizeof sample_tets) == 0);
    jn_mesh_free(mesh);
    JnMessage message;
    sample.other[sample.other_size - 2] = '6';
    CHECK(sample_parse(&sample, sample.size, &mesh, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, "vertices 1 to 6");
}
