/* One of everything that alembic_io writes, in one small archive, for the tests. Include after abc_scene.h.

     /rig            transform: translate, rotate, scale, animated
       /rig/skin     SubD with creases, corners, a hole, constant uv on vertices, user properties
       /rig/skin/lid face set
     /still          transform: a constant matrix that ignores its parent; hidden
       /still/shell  constant PolyMesh with indexed normals, float64 input
     /waves          PolyMesh with velocities and normals, two samples a frame (cyclic)
     /hair           Curves, cubic, with widths, acyclic
     /dust           Points, a growing number
     /again          instance of /rig */
#ifndef ABC_ZOO_H
#define ABC_ZOO_H

enum { ZOO_FRAMES = 3 };

static const double ZOO_SHUTTER[2] = {0.0, 0.02}, ZOO_TIMES[ZOO_FRAMES] = {0.0, 0.5, 0.6};
static const int32_t ZOO_COUNTS[] = {4, 4, 4, 4, 4, 4};
static const int32_t ZOO_CORNERS[] = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};

typedef struct Zoo {
    AbcWriter *writer;
    uint32_t rig, skin, still, shell, waves, hair, dust, again;
} Zoo;

static inline void zoo_cube(double *xyz, double size) {
    for (int v = 0; v < 8; ++v)
        for (int axis = 0; axis < 3; ++axis)
            xyz[3 * v + axis] = (v >> axis & 1 ? 0.5 : -0.5) * size;
}

static inline AbcMeshDesc zoo_cube_desc(const char *name) {
    AbcMeshDesc desc = abc_mesh_desc_default();
    desc.name = name;
    desc.vertex_count = 8;
    desc.face_count = 6;
    desc.index_count = 24;
    desc.face_counts = ZOO_COUNTS;
    desc.face_indices = ZOO_CORNERS;
    return desc;
}

static inline bool zoo_add_rig(Zoo *zoo, uint32_t sampling) {
    static const int32_t crease[] = {0, 1, 3}, crease_lengths[] = {3}, corner[] = {7}, holes[] = {5};
    static const float crease_sharpness[] = {2.5f}, corner_sharpness[] = {10};
    static const float uv[] = {0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1};
    const AbcSubdData subd = {.crease_indices = crease,
                              .crease_index_count = 3,
                              .crease_lengths = crease_lengths,
                              .crease_sharpnesses = crease_sharpness,
                              .crease_count = 1,
                              .corner_indices = corner,
                              .corner_sharpnesses = corner_sharpness,
                              .corner_count = 1,
                              .holes = holes,
                              .hole_count = 1,
                              .interpolate_boundary = 1};
    const AbcGeomValues uvs = {uv, 8, NULL, 0, ABC_SCOPE_VERTEX, NULL};
    static const int32_t lid[] = {1};
    uint32_t set;
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = "rig";
    xform.trs = true;
    xform.animation = (AbcAnimation){sampling, ZOO_FRAMES};
    AbcMeshDesc mesh = zoo_cube_desc("skin");
    mesh.animation = xform.animation;
    mesh.subd = true;
    mesh.subd_data = &subd;
    mesh.uvs = &uvs;
    AbcWriter *w = zoo->writer;
    return !abc_writer_add_xform(w, ABC_ROOT, &xform, &zoo->rig, &abc_error) &&
           !abc_writer_add_mesh(w, zoo->rig, &mesh, &zoo->skin, &abc_error) &&
           !abc_writer_add_face_set(w, zoo->skin, "lid", lid, 1, &set, &abc_error) &&
           !abc_writer_add_user_string(w, zoo->skin, "note", "", &abc_error) &&
           !abc_writer_add_user_double(w, zoo->skin, "mass", 12.5, &abc_error) &&
           !abc_writer_add_user_string(w, zoo->rig, "owner", "rigger", &abc_error);
}

static inline bool zoo_add_still(Zoo *zoo) {
    double xyz[24];
    float normals[18];
    uint32_t indices[24];
    zoo_cube(xyz, 2);
    for (int f = 0; f < 6; ++f)
        for (int k = 0; k < 3; ++k)
            normals[3 * f + k] = k == f / 2 ? (f % 2 ? 1.0f : -1.0f) : 0.0f;
    for (uint32_t c = 0; c < 24; ++c)
        indices[c] = c / 4;
    const AbcGeomValues values = {normals, 6, indices, 24, ABC_SCOPE_FACEVARYING, NULL};
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = "still";
    xform.ignore_parent = true;
    xform.matrix[12] = 7;
    AbcMeshDesc mesh = zoo_cube_desc("shell");
    mesh.positions.f64 = xyz;
    mesh.constant_normals = &values;
    AbcWriter *w = zoo->writer;
    return !abc_writer_add_xform(w, ABC_ROOT, &xform, &zoo->still, &abc_error) &&
           !abc_writer_add_visibility(w, zoo->still, 0, &abc_error) &&
           !abc_writer_add_mesh(w, zoo->still, &mesh, &zoo->shell, &abc_error);
}

static inline bool zoo_add_moving(Zoo *zoo, uint32_t uniform, uint32_t cyclic, uint32_t acyclic) {
    static const int32_t curve_counts[] = {4, 5};
    static const float widths[] = {1, 1, 1, 0, 1, 1, 1, 1, 0};
    AbcMeshDesc mesh = zoo_cube_desc("waves");
    mesh.animation = (AbcAnimation){cyclic, 2 * ZOO_FRAMES};
    mesh.velocities = mesh.normals = true;
    AbcCurvesDesc curves = abc_curves_desc_default();
    curves.name = "hair";
    curves.animation = (AbcAnimation){acyclic, ZOO_FRAMES};
    curves.curve_count = 2;
    curves.vertex_counts = curve_counts;
    curves.vertex_count = 9;
    curves.cubic = true;
    curves.widths = widths;
    AbcPointsDesc points = abc_points_desc_default();
    points.name = "dust";
    points.animation = (AbcAnimation){uniform, ZOO_FRAMES};
    points.velocities = true;
    AbcWriter *w = zoo->writer;
    return !abc_writer_add_mesh(w, ABC_ROOT, &mesh, &zoo->waves, &abc_error) &&
           !abc_writer_add_curves(w, ABC_ROOT, &curves, &zoo->hair, &abc_error) &&
           !abc_writer_add_points(w, ABC_ROOT, &points, &zoo->dust, &abc_error) &&
           !abc_writer_add_instance(w, ABC_ROOT, "again", zoo->rig, &zoo->again, &abc_error);
}

/* Positions of `count` vertices of an object at a sample: all different, all exact in float32. */
static inline void zoo_positions(uint32_t object, uint32_t sample, float *xyz, size_t count) {
    for (size_t k = 0; k < 3 * count; ++k)
        xyz[k] = (float)object + 0.25f * (float)sample + 0.125f * (float)k;
}

static inline bool zoo_put(Zoo *zoo, uint32_t object, uint32_t sample, size_t count, bool velocities, bool normals) {
    float xyz[3 * 16];
    zoo_positions(object, sample, xyz, count);
    AbcMeshSample values = {.vertex_count = count, .positions.f32 = xyz};
    if (velocities)
        values.velocities.f32 = xyz;
    if (normals)
        values.normals.f32 = xyz;
    return !abc_writer_mesh_sample(zoo->writer, object, &values, &abc_error);
}

static inline bool zoo_frame(Zoo *zoo, uint32_t frame) {
    const AbcTrs trs = {{frame, 0, 0}, {90, 0, 0}, {1, 2, 1}};
    return !abc_writer_xform_trs_sample(zoo->writer, zoo->rig, &trs, &abc_error) &&
           zoo_put(zoo, zoo->skin, frame, 8, false, false) && zoo_put(zoo, zoo->waves, 2 * frame, 8, true, true) &&
           zoo_put(zoo, zoo->waves, 2 * frame + 1, 8, true, true) && zoo_put(zoo, zoo->hair, frame, 9, false, false) &&
           zoo_put(zoo, zoo->dust, frame, 2 * frame, true, false) && !abc_writer_commit(zoo->writer, &abc_error);
}

static inline bool zoo_write(Zoo *zoo, const char *path) {
    uint32_t uniform, cyclic, acyclic;
    *zoo = (Zoo){0};
    AbcWriterDesc desc = abc_writer_desc_default();
    desc.date = "2026-01-31 12:00";
    desc.description = "one of everything";
    desc.durability = ABC_SURVIVE_POWER_LOSS;
    bool good = !abc_writer_create(&zoo->writer, path, &desc, &abc_error) &&
                !abc_writer_add_time_sampling(zoo->writer, &(AbcTimeSampling){ABC_UNIFORM, 0.04, 1, ZOO_TIMES},
                                              &uniform, &abc_error) &&
                !abc_writer_add_time_sampling(zoo->writer, &(AbcTimeSampling){ABC_CYCLIC, 0.04, 2, ZOO_SHUTTER},
                                              &cyclic, &abc_error) &&
                !abc_writer_add_time_sampling(zoo->writer, &(AbcTimeSampling){ABC_ACYCLIC, 0, ZOO_FRAMES, ZOO_TIMES},
                                              &acyclic, &abc_error) &&
                zoo_add_rig(zoo, uniform) && zoo_add_still(zoo) && zoo_add_moving(zoo, uniform, cyclic, acyclic);
    for (uint32_t frame = 0; good && frame < ZOO_FRAMES; ++frame)
        good = zoo_frame(zoo, frame);
    AbcWriter *writer = zoo->writer;
    zoo->writer = NULL;
    return !abc_writer_close(writer, good ? &abc_error : NULL) && good;
}

#endif
