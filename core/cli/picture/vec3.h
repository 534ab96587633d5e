/* Vectors of the picture code: three floats, which are accurate enough for pixels. */
#ifndef JN_CLI_PICTURE_VEC3_H
#define JN_CLI_PICTURE_VEC3_H

#include <math.h>

typedef struct Vec3 {
    float x, y, z;
} Vec3;

static inline Vec3 vec3(float x, float y, float z) {
    return (Vec3){x, y, z};
}

static inline Vec3 vec3_add(Vec3 a, Vec3 b) {
    return (Vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline Vec3 vec3_sub(Vec3 a, Vec3 b) {
    return (Vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Vec3 vec3_scale(Vec3 a, float s) {
    return (Vec3){a.x * s, a.y * s, a.z * s};
}

/* a + s b */
static inline Vec3 vec3_along(Vec3 a, float s, Vec3 b) {
    return (Vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline Vec3 vec3_times(Vec3 a, Vec3 b) {
    return (Vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline float vec3_dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return (Vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float vec3_length(Vec3 a) {
    return sqrtf(vec3_dot(a, a));
}

/* Unit vector along a; `otherwise` if a is zero. */
static inline Vec3 vec3_unit(Vec3 a, Vec3 otherwise) {
    float length = vec3_length(a);
    return length > 0 ? vec3_scale(a, 1 / length) : otherwise;
}

#endif
