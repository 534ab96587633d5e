/* A small .glb file for tests: a strip of two triangles on a skin of two joints, of which the second bends by 90
   degrees about z within a second. */
#ifndef JN_TESTS_GLB_ARM_H
#define JN_TESTS_GLB_ARM_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct GlbFile {
    unsigned char bytes[6000];
    size_t size;
} GlbFile;

static inline void glb_put(GlbFile *file, const void *bytes, size_t size) {
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static inline void glb_put_u32(GlbFile *file, uint32_t value) {
    const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 24)};
    glb_put(file, bytes, 4);
}

/* A file of this JSON, padded with spaces, and this binary part. */
static inline GlbFile glb_make(const char *json, const void *binary, size_t binary_size) {
    GlbFile file = {.size = 0};
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    glb_put(&file, "glTF", 4);
    glb_put_u32(&file, 2);
    glb_put_u32(&file, (uint32_t)(28 + padded + binary_size));
    glb_put_u32(&file, (uint32_t)padded);
    glb_put(&file, "JSON", 4);
    glb_put(&file, json, length);
    glb_put(&file, "    ", padded - length);
    glb_put_u32(&file, (uint32_t)binary_size);
    glb_put(&file, "BIN", 4);
    glb_put(&file, binary, binary_size);
    return file;
}

/* Four vertices: 0 and 1 at the shoulder, on joint 0; 2 half on each; 3 at the hand, on joint 1, which is at (1, 0, 0).
   The root turns nothing and lifts by 5 along y. */
static const float glb_arm_floats[] = {
    0, 0,    0, 0, 0.5f, 0, 1,           0.5f,        0,     2,    0, 0,              /* 0: positions */
    1, 0,    0, 0, 1,    0, 0,           0,           0.5f,  0.5f, 0, 0, 1,  0, 0, 0, /* 48: weights */
    0, 0.5f, 1, 1, 1,    0, 0,           0,           0.25f, 0,    0, 0,              /* 112: colours */
    1, 0,    0, 0, 0,    1, 0,           0,           0,     0,    1, 0, 0,  0, 0, 1, /* 160: inverse binds */
    1, 0,    0, 0, 0,    1, 0,           0,           0,     0,    1, 0, -1, 0, 0, 1, /* 224 */
    3, 4,                                                                             /* 288: times */
    0, 0,    0, 1, 0,    0, 0.70710678f, 0.70710678f,                                 /* 296: rotations */
};
static const unsigned char glb_arm_joints[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}; /* 328 */
static const unsigned char glb_arm_corners[12] = {0, 0, 3, 0, 1, 0, 1, 0, 3, 0, 2, 0};            /* 344 */
enum { GLB_ARM_BYTES = 356 };

#define GLB_ARM_NODES                                                                                                  \
    "\"nodes\": [{\"name\": \"root\", \"children\": [1, 3], \"translation\": [0, 5, 0]}, {\"name\": \"upper\", "       \
    "\"children\": [2]}, {\"name\": \"lower\", \"translation\": [1, 0, 0]}, {\"name\": \"arm\", \"mesh\": 0, "         \
    "\"skin\": 0, \"translation\": [9, 9, 9]}]"
#define GLB_ARM_MESHES                                                                                                 \
    "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, \"WEIGHTS_0\": 1, \"COLOR_0\": 2, "             \
    "\"JOINTS_0\": 6}, \"indices\": 7}]}]"
#define GLB_ARM_SKINS "\"skins\": [{\"joints\": [1, 2], \"inverseBindMatrices\": 3}]"
#define GLB_ARM_ANIMATIONS                                                                                             \
    "\"animations\": [{\"channels\": [{\"sampler\": 0, \"target\": {\"node\": 2, \"path\": \"rotation\"}}], "          \
    "\"samplers\": [{\"input\": 4, \"output\": 5}]}]"
#define GLB_ARM_ACCESSORS                                                                                              \
    "\"accessors\": ["                                                                                                 \
    "{\"bufferView\": 0, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"}, "                                 \
    "{\"bufferView\": 0, \"byteOffset\": 48, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC4\"}, "             \
    "{\"bufferView\": 0, \"byteOffset\": 112, \"componentType\": 5126, \"count\": 4, \"type\": \"VEC3\"}, "            \
    "{\"bufferView\": 0, \"byteOffset\": 160, \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"}, "            \
    "{\"bufferView\": 0, \"byteOffset\": 288, \"componentType\": 5126, \"count\": 2, \"type\": \"SCALAR\"}, "          \
    "{\"bufferView\": 0, \"byteOffset\": 296, \"componentType\": 5126, \"count\": 2, \"type\": \"VEC4\"}, "            \
    "{\"bufferView\": 0, \"byteOffset\": 328, \"componentType\": 5121, \"count\": 4, \"type\": \"VEC4\"}, "            \
    "{\"bufferView\": 0, \"byteOffset\": 344, \"componentType\": 5123, \"count\": 6, \"type\": \"SCALAR\"}]"
#define GLB_ARM_VIEWS "\"bufferViews\": [{\"buffer\": 0, \"byteLength\": 356}], \"buffers\": [{\"byteLength\": 356}]"

/* The file with other text in place of some of it. */
static inline GlbFile glb_arm_with(const char *json) {
    unsigned char binary[GLB_ARM_BYTES];
    memcpy(binary, glb_arm_floats, sizeof glb_arm_floats);
    memcpy(binary + 328, glb_arm_joints, sizeof glb_arm_joints);
    memcpy(binary + 344, glb_arm_corners, sizeof glb_arm_corners);
    return glb_make(json, binary, sizeof binary);
}

#define GLB_ARM                                                                                                        \
    "{\"asset\": {\"version\": \"2.0\"}, " GLB_ARM_NODES ", " GLB_ARM_MESHES ", " GLB_ARM_SKINS                        \
    ", " GLB_ARM_ANIMATIONS ", " GLB_ARM_ACCESSORS ", " GLB_ARM_VIEWS "}"

#endif
