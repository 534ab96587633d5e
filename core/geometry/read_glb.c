/* glTF binary .glb: its only mesh with the nodes as modelled, in the world's space. Colours, skin weights by the names
   of their joints, and attributes of the exporter's own become fields. */
#include "geometry/array.h"
#include "geometry/glb.h"
#include "geometry/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Skin weights are left out where they would need more numbers than this. */
static const double JOINT_NUMBERS_MOST = 3e7;

static JnStatus read_faces(const Glb *glb, const GlbMesh *from, JnMesh *mesh, JnMessage *message) {
    JnStatus status = mesh_set_face_counts(mesh, from->corner_count / 3, from->corner_count, message);
    size_t corner = 0;
    for (uint32_t f = 0; f < mesh->face_count && status == JN_OK; ++f)
        mesh->face_sizes[f] = 3;
    bool has_uvs = true;
    for (uint32_t p = 0; p < from->part_count; ++p)
        has_uvs &= from->parts[p].uvs.count > 0;
    if (status == JN_OK && has_uvs) {
        mesh->uvs = array_new(2 * (size_t)from->corner_count, sizeof *mesh->uvs);
        status = mesh->uvs ? JN_OK : status_no_memory(message, glb->name);
    }
    for (uint32_t p = 0; p < from->part_count && status == JN_OK; ++p) {
        const GlbPart *part = &from->parts[p];
        size_t count = part->corners.count ? part->corners.count : part->positions.count;
        for (size_t c = 0; c < count; ++c, ++corner) {
            size_t v = part->corners.count ? (size_t)glb_number(&part->corners, c, 0) : c;
            mesh->face_vertices[corner] = part->first_vertex + (uint32_t)v;
            for (size_t k = 0; has_uvs && k < 2; ++k) {
                double uv = glb_number(&part->uvs, v, k);
                /* the origin of its textures is at the top */
                mesh->uvs[2 * corner + k] = isfinite(uv) ? (float)(k ? 1 - uv : uv) : 0;
            }
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ fields */

/* The field of an attribute: a colour, or one of the exporter's own, whose name begins with _. NULL: none. */
static const char *field_name(const char *attribute) {
    if (strcmp(attribute, "COLOR_0") == 0)
        return MESH_COLOUR;
    return attribute[0] == '_' && attribute[1] ? attribute + 1 : NULL;
}

/* Every such attribute of the first part; other parts that have it not, or otherwise, get 0. */
static JnStatus read_attributes(const Glb *glb, const GlbMesh *from, JnMesh *mesh, JnMessage *message) {
    JnStatus status = JN_OK;
    uint32_t count = 0;
    const cJSON *attributes = from->parts[0].attributes;
    for (const cJSON *item = attributes->child; item && status == JN_OK && count < 64; item = item->next) {
        const char *name = field_name(item->string);
        double *values = NULL;
        uint32_t width = 0;
        for (uint32_t p = 0; name && p < from->part_count && status == JN_OK; ++p) {
            const GlbPart *part = &from->parts[p];
            GlbNumbers numbers;
            int64_t accessor;
            status = glb_index(glb, part->attributes, item->string, glb->accessors.count, GLB_NONE, &accessor, message);
            if (status != JN_OK || accessor == GLB_NONE)
                continue;
            status = glb_numbers(glb, accessor, 0, &numbers, message);
            if (status != JN_OK || numbers.width > 4 || numbers.count < part->positions.count)
                continue;
            if (p == 0) {
                width = numbers.width;
                status = mesh_add_field(mesh, name, strlen(name), width, &values, message);
                ++count;
            }
            if (status != JN_OK || !values || width != numbers.width)
                continue;
            for (size_t i = 0; i < (size_t)part->positions.count * width; ++i) {
                double value = glb_number(&numbers, i / width, i % width);
                values[(size_t)part->first_vertex * width + i] = isfinite(value) ? value : 0;
            }
        }
    }
    return status;
}

/* The weights of one joint, by its name. */
static JnStatus read_joint(const Glb *glb, const GlbMesh *from, uint32_t joint, JnMesh *mesh, JnMessage *message) {
    char number[24];
    snprintf(number, sizeof number, "joint_%u", joint);
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(glb->nodes.items[from->joints[joint]], "name");
    const char *text = cJSON_IsString(name) && name->valuestring[0] ? name->valuestring : number;
    double *values;
    JnStatus status = mesh_add_field(mesh, text, strlen(text), 1, &values, message);
    for (uint32_t p = 0; p < from->part_count && status == JN_OK; ++p) {
        const GlbPart *part = &from->parts[p];
        for (size_t v = 0; v < part->positions.count && !part->repeats; ++v)
            for (size_t k = 0; k < 4; ++k) {
                double weight = glb_number(&part->weights, v, k);
                if (glb_number(&part->joints, v, k) == joint && isfinite(weight))
                    values[part->first_vertex + v] += weight;
            }
    }
    return status;
}

static JnStatus read_mesh(const Glb *glb, GlbMesh *from, GlbNodes *nodes, JnMesh *mesh, JnMessage *message) {
    JnStatus status = mesh_set_vertex_count(mesh, from->vertex_count, message);
    if (status == JN_OK)
        status = glb_nodes_place(glb, nodes, NAN, message);
    if (status == JN_OK)
        status = glb_mesh_positions(glb, from, nodes, mesh->positions, message);
    if (status == JN_OK)
        status = read_faces(glb, from, mesh, message);
    if (status == JN_OK)
        status = read_attributes(glb, from, mesh, message);
    bool few = (double)from->joint_count * from->vertex_count <= JOINT_NUMBERS_MOST;
    for (uint32_t j = 0; j < from->joint_count && few && status == JN_OK; ++j)
        status = read_joint(glb, from, j, mesh, message);
    return status;
}

JnStatus read_glb(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Glb glb;
    GlbMesh from = {0};
    GlbNodes nodes = {0};
    JnStatus status = glb_open(&glb, file->name, file->bytes, file->size, message);
    if (status == JN_OK)
        status = glb_mesh_read(&glb, NULL, &from, message);
    if (status == JN_OK)
        status = glb_nodes_read(&glb, &nodes, message);
    if (status == JN_OK)
        status = read_mesh(&glb, &from, &nodes, mesh, message);
    glb_nodes_free(&nodes);
    glb_mesh_free(&from);
    glb_close(&glb);
    return status;
}
