/* libFuzzer target for glTF binary files, as surfaces and as animation. Whatever the bytes are, reading gives a status,
   and every position that it gives is finite. The first byte says whether the rest is a whole file or its JSON, to
   which some numbers are added. */
#include "geometry/glb.h"
#include "geometry/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void move(const Glb *glb, GlbMesh *mesh, GlbNodes *nodes) {
    static const double times[] = {-1e9, 0, 0.3, 1, 3.5, 1e9};
    JnMessage message;
    double *out = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *out);
    for (size_t i = 0; out && i < sizeof times / sizeof times[0]; ++i)
        if (glb_nodes_place(glb, nodes, times[i], &message) == JN_OK &&
            glb_mesh_positions(glb, mesh, nodes, out, &message) == JN_OK)
            for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; ++k)
                if (!isfinite(out[k]))
                    abort();
    free(out);
}

static void read_all(const uint8_t *bytes, size_t size) {
    JnMessage message;
    Glb glb;
    GlbMesh mesh;
    GlbNodes nodes;
    if (glb_open(&glb, "fuzz", bytes, size, &message) == JN_OK) {
        if (glb_mesh_read(&glb, NULL, &mesh, &message) == JN_OK) {
            if (glb_nodes_read(&glb, &nodes, &message) == JN_OK) {
                move(&glb, &mesh, &nodes);
                glb_nodes_free(&nodes);
            }
            glb_mesh_free(&mesh);
        }
        glb_close(&glb);
    }
    TextFile file = textfile_open("fuzz", bytes, size);
    JnMesh *read = calloc(1, sizeof *read);
    if (read)
        read_glb(&file, NULL, read, &message);
    jn_mesh_free(read);
}

static void put_u32(uint8_t *to, size_t value) {
    for (int i = 0; i < 4; ++i)
        to[i] = (uint8_t)(value >> (8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { HEADS = 28, NUMBERS = 356 };
    if (size < 1)
        return 0;
    if (data[0] & 1) {
        read_all(data + 1, size - 1);
        return 0;
    }
    uint8_t *bytes = calloc(HEADS + size + NUMBERS, 1);
    if (!bytes)
        return 0;
    memcpy(bytes, "glTF\2", 5);
    put_u32(bytes + 8, HEADS + size - 1 + NUMBERS);
    put_u32(bytes + 12, size - 1);
    memcpy(bytes + 16, "JSON", 4);
    memcpy(bytes + 20, data + 1, size - 1);
    put_u32(bytes + 19 + size, NUMBERS);
    memcpy(bytes + 23 + size, "BIN", 4);
    for (size_t i = 0; i < NUMBERS; ++i)
        bytes[27 + size + i] = i < 64 ? (uint8_t)(i % 4 == 3 ? 0x3f : i) : (uint8_t)(i % 2);
    read_all(bytes, HEADS - 1 + size + NUMBERS);
    free(bytes);
    return 0;
}
