/* Layer 2, writing: the state of objects in a reopened archive. See writer_reopen.h. */
#include "writer_reopen.h"
#include "xform_ops.h"

#include <math.h>

/* The properties that samples are written to, as this library makes them. */
typedef struct RoleShape {
    PropertyRole role;
    const char *compound, *name;
    PropertyKind kind;
    AbcPod pod;
    uint32_t extent; /* 0: one of several */
} RoleShape;

static const RoleShape ROLE_SHAPES[] = {
    {ROLE_POSITIONS, ".geom", "P", PROPERTY_ARRAY, ABC_FLOAT32, 3},
    {ROLE_VELOCITIES, ".geom", ".velocities", PROPERTY_ARRAY, ABC_FLOAT32, 3},
    {ROLE_NORMALS, ".geom", "N", PROPERTY_ARRAY, ABC_FLOAT32, 3},
    {ROLE_BOUNDS, ".geom", ".selfBnds", PROPERTY_SCALAR, ABC_FLOAT64, 6},
    {ROLE_IDS, ".geom", ".pointIds", PROPERTY_ARRAY, ABC_UINT64, 1},
    {ROLE_XFORM_VALUES, ".xform", ".vals", PROPERTY_SCALAR, ABC_FLOAT64, 0},
    {ROLE_INHERITS, ".xform", ".inherits", PROPERTY_SCALAR, ABC_BOOL, 1},
};

AbcStatus abcw_assign_role(AbcWriter *writer, uint32_t number, AbcError *error) {
    const WriterProperty *p = &writer->properties[number];
    WriterObject *object = &writer->objects[p->object];
    bool bounds = p->object == ABC_ROOT && p->parent == NO_PROPERTY && strcmp(p->name, ".childBnds") == 0;
    if (bounds && p->mode == MODE_ANIMATED && p->pod == ABC_FLOAT64 && p->extent == 6)
        writer->archive_bounds = number;
    if (p->parent == NO_PROPERTY || p->kind == PROPERTY_COMPOUND)
        return ABC_OK;
    for (size_t i = 0; i < sizeof ROLE_SHAPES / sizeof *ROLE_SHAPES; ++i) {
        const RoleShape *shape = &ROLE_SHAPES[i];
        if ((p->mode == MODE_CONSTANT && shape->role != ROLE_INHERITS) || strcmp(p->name, shape->name) != 0 ||
            strcmp(writer->properties[p->parent].name, shape->compound) != 0)
            continue;
        if (p->kind != shape->kind || p->pod != shape->pod || (shape->extent && p->extent != shape->extent))
            return abc_fail(error, ABC_ERR_CORRUPT, "The property \"%s\" of \"%.200s\" is not as its writer makes it.",
                            p->name, object->path);
        object->property[shape->role] = number;
    }
    return ABC_OK;
}

/* An animated object must have all properties that its samples are written to. */
static AbcStatus check_roles(const AbcWriter *writer, const WriterObject *object, AbcError *error) {
    bool xform = object->schema == ABC_SCHEMA_XFORM;
    const uint32_t *property = object->property;
    const PropertyRole needed[2] = {xform ? ROLE_XFORM_VALUES : ROLE_POSITIONS, xform ? ROLE_INHERITS : ROLE_BOUNDS};
    bool whole = !object->animated;
    if (object->animated && property[needed[0]] != NO_PROPERTY && property[needed[1]] != NO_PROPERTY) {
        const WriterProperty *values = &writer->properties[property[needed[0]]];
        PropertyMode second = writer->properties[property[needed[1]]].mode;
        whole = second == (xform ? MODE_REPEATED : MODE_ANIMATED) &&
                (!xform || values->extent == (object->trs ? TRS_CHANNEL_COUNT : 16));
    }
    if (!whole)
        return abc_fail(error, ABC_ERR_CORRUPT, "The object \"%.200s\" is not as its writer makes it.", object->path);
    return ABC_OK;
}

/* Whether a transform ignores its parent: the stored sample, which exists before any is committed. */
static AbcStatus read_inherits(Reopening *r, WriterObject *object, AbcError *error) {
    uint32_t number = object->property[ROLE_INHERITS];
    if (number == NO_PROPERTY)
        return ABC_OK;
    const WriterProperty *p = &r->writer->properties[number];
    OgawaData data;
    uint8_t inherits = 1;
    AbcStatus status = ogawa_data_at(&r->reader->source, p->constant_link, p->table, &data, "sample", error);
    if (status == ABC_OK && data.size == 17)
        status = ogawa_read(&r->reader->source, data.position + 16, &inherits, 1, "sample", error);
    object->ignore_parent = inherits == 0;
    return status;
}

/* The latest transform and bounds of an object, from which those of the archive are computed. */
static AbcStatus restore_state(Reopening *r, uint32_t number, AbcError *error) {
    WriterObject *object = &r->writer->objects[number];
    uint32_t in_reader = r->object_in_reader[number];
    bool xform = object->schema == ABC_SCHEMA_XFORM;
    uint32_t moving = object->property[xform ? ROLE_XFORM_VALUES : ROLE_POSITIONS];
    object->animated = moving != NO_PROPERTY;
    uint32_t kept = object->animated ? r->writer->properties[moving].committed : 1;
    uint32_t last = kept ? kept - 1 : 0;
    double time = 0;
    if (object->animated)
        time = abc_sample_time(&r->writer->samplings[r->writer->properties[moving].time_sampling].sampling, last);
    if (xform) {
        AbcPropertyInfo ops;
        AbcStatus status = abc_reader_property(r->reader, in_reader, ".xform/.ops", &ops, error);
        if (status == ABC_OK)
            status = read_inherits(r, object, error);
        object->trs = status == ABC_OK && ops.extent == TRS_OP_COUNT;
        if (status == ABC_OK && kept)
            status = abc_reader_local_matrix(r->reader, in_reader, time, object->matrix, error);
        return status;
    }
    AbcMeshInfo info;
    if (abc_reader_mesh_info(r->reader, in_reader, &info, NULL) != ABC_OK || info.sample_count == 0)
        return ABC_OK;
    AbcMeshSizes sizes;
    AbcStatus status = abc_reader_mesh_sizes(r->reader, in_reader, last, &sizes, error);
    if (status == ABC_OK && kept)
        status = abc_reader_mesh_bounds(r->reader, in_reader, last, &object->bounds, error);
    if (status == ABC_OK) {
        object->vertex_count = sizes.vertex_count;
        object->has_bounds = kept > 0;
    }
    return status;
}

AbcStatus abcw_restore_object(Reopening *r, uint32_t number, AbcError *error) {
    AbcStatus status = restore_state(r, number, error);
    return status ? status : check_roles(r->writer, &r->writer->objects[number], error);
}
