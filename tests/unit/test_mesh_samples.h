/* The same mesh, two tets on a common face or a pyramid of five faces, in every format: what the tests of
   readers cut short, damage and compare. */
#ifndef JN_TESTS_MESH_SAMPLES_H
#define JN_TESTS_MESH_SAMPLES_H

#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

typedef struct Sample {
    const char *name;   /* of the kind, for messages of tests */
    const char *ending; /* in the table of formats */
    unsigned char bytes[4096];
    size_t size;
    unsigned char other[1024]; /* the companion */
    size_t other_size;
} Sample;

static void put_text(Sample *sample, const char *text) {
    memcpy(&sample->bytes[sample->size], text, strlen(text));
    sample->size += strlen(text);
}

static void put_bytes(Sample *sample, const void *value, size_t size, bool big) {
    const unsigned char *bytes = value;
    const unsigned one = 1;
    bool host_big = *(const unsigned char *)&one == 0;
    for (size_t i = 0; i < size; ++i)
        sample->bytes[sample->size++] = bytes[big == host_big ? i : size - 1 - i];
}

static void put_i32(Sample *sample, int32_t value, bool big) {
    put_bytes(sample, &value, sizeof value, big);
}

static void put_u64(Sample *sample, uint64_t value, bool big) {
    put_bytes(sample, &value, sizeof value, big);
}

static void put_f64(Sample *sample, double value, bool big) {
    put_bytes(sample, &value, sizeof value, big);
}

static void put_f32(Sample *sample, float value, bool big) {
    put_bytes(sample, &value, sizeof value, big);
}

enum { SAMPLE_VERTICES = 5, SAMPLE_TETS = 2, SAMPLE_FACES = 5 };
static const double sample_positions[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1.25};
static const uint32_t sample_tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};
/* Another mesh on the same vertices: a pyramid whose base, vertices 0 1 4 2, is a quad, and whose tip is
   vertex 3. */
static const uint32_t sample_sizes[5] = {4, 3, 3, 3, 3};
static const uint32_t sample_corners[16] = {0, 2, 4, 1, 0, 1, 3, 1, 4, 3, 4, 2, 3, 2, 0, 3};

static void fill_msh_binary(Sample *sample, bool version4, bool big) {
    put_text(sample, version4 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n2.2 1 8\n");
    put_i32(sample, 1, big);
    put_text(sample, "\n$EndMeshFormat\n$Nodes\n");
    if (version4) {
        const uint64_t head[4] = {1, SAMPLE_VERTICES, 10, 14};
        for (int i = 0; i < 4; ++i)
            put_u64(sample, head[i], big);
        for (int i = 0; i < 3; ++i)
            put_i32(sample, i == 0 ? 3 : 0, big);
        put_u64(sample, SAMPLE_VERTICES, big);
        for (uint64_t v = 0; v < SAMPLE_VERTICES; ++v)
            put_u64(sample, v + 10, big);
    } else {
        put_text(sample, "5\n");
    }
    for (int32_t v = 0; v < SAMPLE_VERTICES; ++v) {
        if (!version4)
            put_i32(sample, v + 10, big);
        for (int i = 0; i < 3; ++i)
            put_f64(sample, sample_positions[3 * v + i], big);
    }
    put_text(sample, "\n$EndNodes\n$Elements\n");
    if (version4) {
        const uint64_t head[4] = {1, SAMPLE_TETS, 1, 2};
        for (int i = 0; i < 4; ++i)
            put_u64(sample, head[i], big);
        const int32_t block[3] = {3, 1, 4};
        for (int i = 0; i < 3; ++i)
            put_i32(sample, block[i], big);
        put_u64(sample, SAMPLE_TETS, big);
    } else {
        put_text(sample, "2\n");
        const int32_t head[3] = {4, SAMPLE_TETS, 1};
        for (int i = 0; i < 3; ++i)
            put_i32(sample, head[i], big);
    }
    for (uint32_t t = 0; t < SAMPLE_TETS; ++t) {
        if (version4) {
            put_u64(sample, t + 1, big);
        } else {
            put_i32(sample, (int32_t)t + 1, big);
            put_i32(sample, 0, big);
        }
        for (uint32_t i = 0; i < 4; ++i) {
            if (version4)
                put_u64(sample, sample_tets[4 * t + i] + 10, big);
            else
                put_i32(sample, (int32_t)sample_tets[4 * t + i] + 10, big);
        }
    }
    put_text(sample, "\n$EndElements\n$NodeData\n1\n\"soft\"\n1\n0\n3\n0\n1\n5\n");
    for (int32_t v = 0; v < SAMPLE_VERTICES; ++v) {
        put_i32(sample, v + 10, big);
        put_f64(sample, v / 4.0, big);
    }
    put_text(sample, "\n$EndNodeData\n");
}

static void fill_vtk_binary(Sample *sample, bool version5) {
    put_text(sample,
             version5 ? "# vtk DataFile Version 5.1\ntwo tets\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
                      : "# vtk DataFile Version 3.0\ntwo tets\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n");
    for (int i = 0; i < 15; ++i)
        put_f64(sample, sample_positions[i], true);
    if (version5) {
        put_text(sample, "\nCELLS 3 8\nOFFSETS vtktypeint64\n");
        for (uint64_t i = 0; i < 3; ++i)
            put_u64(sample, 4 * i, true);
        put_text(sample, "\nCONNECTIVITY vtktypeint64\n");
        for (int i = 0; i < 8; ++i)
            put_u64(sample, sample_tets[i], true);
    } else {
        put_text(sample, "\nCELLS 2 10\n");
        for (int i = 0; i < 8; ++i) {
            if (i % 4 == 0)
                put_i32(sample, 4, true);
            put_i32(sample, (int32_t)sample_tets[i], true);
        }
    }
    put_text(sample, "\nCELL_TYPES 2\n");
    put_i32(sample, 10, true);
    put_i32(sample, 10, true);
    put_text(sample, "\nPOINT_DATA 5\nSCALARS soft float 1\nLOOKUP_TABLE default\n");
    for (int v = 0; v < SAMPLE_VERTICES; ++v)
        put_f32(sample, (float)v / 4, true);
    put_text(sample, "\n");
}

static void fill_ply_binary(Sample *sample, bool big) {
    put_text(sample, "ply\nformat ");
    put_text(sample, big ? "binary_big_endian" : "binary_little_endian");
    put_text(sample,
             " 1.0\ncomment a pyramid\nelement vertex 5\nproperty double x\nproperty double y\nproperty double z\n"
             "property uchar red\nelement face 5\nproperty list uchar int vertex_indices\nend_header\n");
    for (int v = 0; v < SAMPLE_VERTICES; ++v) {
        for (int i = 0; i < 3; ++i)
            put_f64(sample, sample_positions[3 * v + i], big);
        sample->bytes[sample->size++] = 255;
    }
    for (int f = 0, c = 0; f < SAMPLE_FACES; ++f) {
        sample->bytes[sample->size++] = (unsigned char)sample_sizes[f];
        for (uint32_t i = 0; i < sample_sizes[f]; ++i, ++c)
            put_i32(sample, (int32_t)sample_corners[c], big);
    }
}

static void fill_stl_binary(Sample *sample) {
    sample->size = 80;
    put_i32(sample, 6, false);
    // the pyramid in triangles: its quad is fanned
    for (uint32_t f = 0, c = 0; f < SAMPLE_FACES; c += sample_sizes[f++])
        for (uint32_t i = 2; i < sample_sizes[f]; ++i) {
            const uint32_t corners[3] = {sample_corners[c], sample_corners[c + i - 1], sample_corners[c + i]};
            for (int k = 0; k < 3; ++k)
                put_f32(sample, 0, false);
            for (int k = 0; k < 9; ++k)
                put_f32(sample, (float)sample_positions[3 * corners[k / 3] + (uint32_t)k % 3], false);
            put_bytes(sample, (const unsigned char[2]){0, 0}, 2, false);
        }
}

static const struct {
    const char *name, *ending, *text, *other;
} sample_texts[] = {
    {"obj", ".obj",
     "# a pyramid\nmtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1.25 0.5 0.5 0.5\nvt 0 0\nvt 1 "
     "0.5\ng all\n"
     "f 1/1 3/2 5/1 2/2\nf 1//7 2//7 4//7\nf 2/1/3 5/2/3 -2/1/3\nf 5 3 \\\n4\nf -3 -5 -2\n",
     NULL},
    {"ply", ".ply",
     "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float "
     "z\nproperty float s\n"
     "property float t\nelement face 5\nproperty list uchar uint vertex_index\nproperty list uchar float "
     "weights\n"
     "end_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n0 0 1 .5 .5\n1 1 1.25 1 1\n4 0 2 4 1 0\n3 0 1 3 1 0.5\n3 "
     "1 4 3 0\n"
     "3 4 2 3 2 1 2\n3 2 0 3 0\n",
     NULL},
    {"stl", ".stl",
     "solid pyramid\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 1 "
     "1.25\nendloop\nendfacet\n"
     "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 1 1.25\nvertex 1 0 0\nendloop\nendfacet\n"
     "facet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
     "facet normal 0 0 0\nouter loop\nvertex 1 0 0\nvertex 1 1 1.25\nvertex 0 0 1\nendloop\nendfacet\n"
     "facet normal 0 0 0\nouter loop\nvertex 1 1 1.25\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n"
     "facet normal 0 0 0\nouter loop\nvertex 0 1 0\nvertex 0 0 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid "
     "pyramid\n",
     NULL},
    {"msh 2.2", ".msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "
     "\"body\"\n$EndPhysicalNames\n$Nodes\n6\n10 0 0 0\n"
     "999 7 7 7\n11 1 0 0\n12 0 1 0\n13 0 0 1\n14 1 1 1.25\n$EndNodes\n$Elements\n4\n1 15 2 0 1 999\n"
     "2 2 2 0 1 10 11 12\n3 4 2 1 1 10 11 12 13\n4 4 0 11 12 13 14\n$EndElements\n"
     "$NodeData\n1\n\"soft\"\n1\n0\n3\n0\n1\n5\n10 0\n11 .25\n12 .5\n13 .75\n14 1\n$EndNodeData\n",
     NULL},
    {"msh 4.1", ".msh",
     "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 5 "
     "1 30\n"
     "2 1 1 2\n30\n7\n0 0 0 0.5 0.5\n1 0 0 0.25 0\n3 1 0 3\n1\n2\n3\n0 1 0\n0 0 1\n1 1 "
     "1.25\n$EndNodes\n$Elements\n"
     "2 3 1 3\n2 1 2 1\n1 30 7 1\n3 1 4 2\n2 30 7 1 2\n3 7 1 2 3\n$EndElements\n"
     "$NodeData\n1\n\"soft\"\n1\n0\n4\n0\n1\n5\n0\n30 0\n7 .25\n1 .5\n2 .75\n3 1\n$EndNodeData\n",
     NULL},
    {"mesh", ".mesh",
     "MeshVersionFormatted 2\n\nDimension\n3\n# a comment\nVertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 "
     "1\n1 1 1.25 1\n"
     "Triangles\n1\n1 2 3 5\nTetrahedra\n2\n1 2 3 4 0\n2 3 4 5 0\nEnd\n",
     NULL},
    {"veg", ".veg",
     "# Vega mesh file.\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 "
     "1.25\n\n*ELEMENTS\nTETS\n2 4 0\n"
     "1 1 2 3 4\n2 2 3 4 5\n\n*MATERIAL soft\nENU, 1000, 1E6, 0.45\n*REGION\nallElements, soft\n",
     NULL},
    {"vtk", ".vtk",
     "# vtk DataFile Version 2.0\ntwo tets\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n0 0 0 1 0 0 0 "
     "1 0\n"
     "0 0 1 1 1 1.25\nCELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 1 2 3 4\nCELL_TYPES 3\n10\n5\n10\nCELL_DATA 3\n"
     "SCALARS material int\nLOOKUP_TABLE default\n1 1 1\nPOINT_DATA 5\nFIELD extra 1\nsoft 1 5 double\n0 .25 "
     ".5 .75 1\n",
     NULL},
    {"node", ".node", "# nodes\n5 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 1\n4 0 0 1\n5 1 1 1.25 1\n",
     "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n"},
    {"ele", ".ele", "2 4 0\n0 0 1 2 3\n1 1 2 3 4\n", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1.25\n"},
};

enum { TEXT_COUNT = sizeof sample_texts / sizeof sample_texts[0], SAMPLE_COUNT = TEXT_COUNT + 9 };

/* Fills sample `index` of SAMPLE_COUNT. */
static inline void sample_fill(int index, Sample *sample) {
    memset(sample, 0, sizeof *sample);
    if (index < TEXT_COUNT) {
        sample->name = sample_texts[index].name;
        sample->ending = sample_texts[index].ending;
        put_text(sample, sample_texts[index].text);
        sample->other_size = sample_texts[index].other ? strlen(sample_texts[index].other) : 0;
        memcpy(sample->other, sample_texts[index].other ? sample_texts[index].other : "", sample->other_size);
        return;
    }
    index -= TEXT_COUNT;
    static const char *const names[] = {"msh 2.2 binary",      "msh 2.2 binary, big", "msh 4.1 binary",
                                        "msh 4.1 binary, big", "vtk binary",          "vtk 5 binary",
                                        "ply binary",          "ply binary, big",     "stl binary"};
    sample->name = names[index];
    sample->ending = index < 4 ? ".msh" : index < 6 ? ".vtk" : index < 8 ? ".ply" : ".stl";
    if (index < 4)
        fill_msh_binary(sample, index >= 2, index % 2 != 0);
    else if (index < 6)
        fill_vtk_binary(sample, index == 5);
    else if (index < 8)
        fill_ply_binary(sample, index == 7);
    else
        fill_stl_binary(sample);
}

static const MeshFormat *sample_format(const Sample *sample) {
    const MeshFormat *format = NULL;
    for (uint32_t i = 0; (format = mesh_format(i)) && strcmp(format->ending, sample->ending) != 0; ++i)
        ;
    return format;
}

/* Parses the first `size` bytes, in memory of exactly that size, so that a sanitizer sees a read past the
   end. */
static inline JnStatus sample_parse(const Sample *sample, size_t size, JnMesh **mesh, JnMessage *message) {
    unsigned char *bytes = malloc(size ? size : 1), *other = malloc(sample->other_size + 1);
    memcpy(bytes, sample->bytes, size);
    memcpy(other, sample->other, sample->other_size);
    TextFile file = textfile_open("sample", bytes, size);
    TextFile companion = textfile_open("companion", other, sample->other_size);
    JnStatus status = mesh_parse(sample_format(sample), &file, &companion, mesh, message);
    free(bytes);
    free(other);
    return status;
}

#endif
