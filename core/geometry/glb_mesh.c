#include "geometry/array.h"
#include "geometry/glb.h"
#include "base/math3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void glb_mesh_free(GlbMesh *mesh) {
    free(mesh->parts);
    free(mesh->joints);
    free(mesh->inverse_binds);
    free(mesh->joint_matrices);
    *mesh = (GlbMesh){0};
}

/* ------------------------------------------------------------------------------------------------ which mesh */

/* The name of a node, or of its mesh; "" if it has none. */
static const char *node_name(const cJSON *node) {
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(node, "name");
    return cJSON_IsString(name) ? name->valuestring : "";
}

/* The node called `object` that has a mesh, or the only one that has. */
static JnStatus find_node(const Glb *glb, const char *object, uint32_t *node, JnMessage *message) {
    uint32_t count = 0;
    const char *first = "";
    for (uint32_t n = 0; n < glb->nodes.count; ++n) {
        const char *name = node_name(glb->nodes.items[n]);
        if (!cJSON_GetObjectItemCaseSensitive(glb->nodes.items[n], "mesh") || (object && strcmp(object, name) != 0))
            continue;
        if (count++ == 0) {
            *node = n;
            first = name;
        }
    }
    if (count == 1)
        return JN_OK;
    if (count == 0)
        return status_fail(message, JN_ERR_MESH, "%.300s holds no mesh%s%.100s: export one", glb->name,
                           object ? " " : "", object ? object : "");
    return status_fail(message, JN_ERR_MESH, "%.300s holds %u meshes, '%.100s' the first: export one of them alone",
                       glb->name, count, first);
}

/* ------------------------------------------------------------------------------------------------ parts */

/* The numbers of an attribute, count 0 if there is none. */
static JnStatus read_attribute(const Glb *glb, const cJSON *attributes, const char *name, uint32_t width,
                               GlbNumbers *numbers, JnMessage *message) {
    int64_t accessor;
    *numbers = (GlbNumbers){0};
    JnStatus status = glb_index(glb, attributes, name, glb->accessors.count, GLB_NONE, &accessor, message);
    return status == JN_OK && accessor != GLB_NONE ? glb_numbers(glb, accessor, width, numbers, message) : status;
}

static JnStatus read_part(const Glb *glb, const cJSON *primitive, GlbPart *part, JnMessage *message) {
    int64_t mode, corners;
    *part = (GlbPart){.attributes = cJSON_GetObjectItemCaseSensitive(primitive, "attributes")};
    JnStatus status = glb_index(glb, primitive, "mode", 7, 4, &mode, message);
    if (status == JN_OK && mode != 4)
        return glb_fail(glb, message, "a part of the mesh is not made of triangles: export triangles");
    if (status == JN_OK)
        status = read_attribute(glb, part->attributes, "POSITION", 3, &part->positions, message);
    if (status == JN_OK)
        status = read_attribute(glb, part->attributes, "TEXCOORD_0", 2, &part->uvs, message);
    if (status == JN_OK)
        status = read_attribute(glb, part->attributes, "JOINTS_0", 4, &part->joints, message);
    if (status == JN_OK)
        status = read_attribute(glb, part->attributes, "WEIGHTS_0", 4, &part->weights, message);
    if (status == JN_OK)
        status = glb_index(glb, primitive, "indices", glb->accessors.count, GLB_NONE, &corners, message);
    if (status == JN_OK && corners != GLB_NONE)
        status = glb_numbers(glb, corners, 1, &part->corners, message);
    if (status != JN_OK)
        return status;
    uint32_t count = part->positions.count, corner_count = corners == GLB_NONE ? count : part->corners.count;
    if (count == 0 || corner_count % 3 != 0)
        return glb_fail(glb, message, "a part of the mesh has %u vertices and %u corners of triangles", count,
                        corner_count);
    const GlbNumbers *others[] = {&part->uvs, &part->joints, &part->weights};
    for (int i = 0; i < 3; ++i)
        if (others[i]->count && others[i]->count < count)
            return glb_fail(glb, message, "an attribute of the mesh has %u values for %u vertices", others[i]->count,
                            count);
    for (uint32_t c = 0; c < part->corners.count; ++c)
        if (!(glb_number(&part->corners, c, 0) < count && glb_number(&part->corners, c, 0) >= 0))
            return glb_fail(glb, message, "a triangle names vertex %g of %u", glb_number(&part->corners, c, 0), count);
    return JN_OK;
}

static JnStatus read_parts(const Glb *glb, const cJSON *json, GlbMesh *mesh, JnMessage *message) {
    GlbList primitives;
    uint64_t vertices = 0, corners = 0;
    JnStatus status = glb_list_make(glb, json, "primitives", &primitives, message);
    mesh->parts = array_new(primitives.count, sizeof *mesh->parts);
    if (status == JN_OK && !mesh->parts)
        status = status_no_memory(message, glb->name);
    for (uint32_t p = 0; p < primitives.count && status == JN_OK; ++p) {
        GlbPart *part = &mesh->parts[p];
        status = read_part(glb, primitives.items[p], part, message);
        /* parts with the positions of the part before are other triangles on its vertices */
        const GlbPart *before = p ? part - 1 : NULL;
        part->repeats = before && before->positions.first == part->positions.first &&
                        before->positions.count == part->positions.count;
        part->first_vertex = part->repeats ? before->first_vertex : (uint32_t)vertices;
        vertices += part->repeats ? 0 : part->positions.count;
        corners += part->corners.count ? part->corners.count : part->positions.count;
        /* every vertex and corner takes at least a byte, unless they are named again and again */
        if (status == JN_OK && (vertices > glb->size || corners > glb->size))
            status = glb_fail(glb, message, "the mesh has more vertices or triangles than the file has bytes");
        mesh->part_count = p + 1;
    }
    mesh->vertex_count = (uint32_t)vertices;
    mesh->corner_count = (uint32_t)corners;
    free(primitives.items);
    if (status == JN_OK && !mesh->part_count)
        return glb_fail(glb, message, "the mesh has no triangles");
    return status;
}

/* ------------------------------------------------------------------------------------------------ skin */

static JnStatus read_binds(const Glb *glb, int64_t accessor, GlbMesh *mesh, JnMessage *message) {
    GlbNumbers matrices;
    JnStatus status = glb_numbers(glb, accessor, 16, &matrices, message);
    if (status == JN_OK && matrices.count < mesh->joint_count)
        return glb_fail(glb, message, "its skin has %u matrices for %u joints", matrices.count, mesh->joint_count);
    for (uint32_t j = 0; j < mesh->joint_count && status == JN_OK; ++j)
        for (size_t i = 0; i < 12; ++i)
            mesh->inverse_binds[12 * (size_t)j + i] = glb_number(&matrices, j, 4 * (i % 4) + i / 4);
    return status;
}

static JnStatus read_skin(const Glb *glb, const cJSON *skin, GlbMesh *mesh, JnMessage *message) {
    const cJSON *joints = cJSON_GetObjectItemCaseSensitive(skin, "joints");
    uint32_t count = joints ? (uint32_t)cJSON_GetArraySize(joints) : 0;
    int64_t binds;
    mesh->joints = array_new(count, sizeof *mesh->joints);
    mesh->inverse_binds = array_new(12 * (size_t)count, sizeof *mesh->inverse_binds);
    mesh->joint_matrices = array_new(12 * (size_t)count, sizeof *mesh->joint_matrices);
    if (!mesh->joints || !mesh->inverse_binds || !mesh->joint_matrices)
        return status_no_memory(message, glb->name);
    for (const cJSON *item = count ? joints->child : NULL; item; item = item->next) {
        double joint = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(joint >= 0 && joint < glb->nodes.count && joint == floor(joint)))
            return glb_fail(glb, message, "its skin names node %g of %u", joint, glb->nodes.count);
        for (size_t i = 0; i < 12; i += 5)
            mesh->inverse_binds[12 * (size_t)mesh->joint_count + i] = 1;
        mesh->joints[mesh->joint_count++] = (uint32_t)joint;
    }
    JnStatus status = glb_index(glb, skin, "inverseBindMatrices", glb->accessors.count, GLB_NONE, &binds, message);
    return status == JN_OK && binds != GLB_NONE ? read_binds(glb, binds, mesh, message) : status;
}

/* Every vertex of a skinned mesh must name joints of the skin. */
static JnStatus check_joints(const Glb *glb, const GlbMesh *mesh, JnMessage *message) {
    for (uint32_t p = 0; p < mesh->part_count && mesh->joint_count; ++p) {
        const GlbPart *part = &mesh->parts[p];
        if (!part->joints.count || !part->weights.count)
            return glb_fail(glb, message, "it has a skin, but a part of the mesh has no JOINTS_0 and WEIGHTS_0");
        for (uint32_t v = 0; v < part->positions.count; ++v)
            for (size_t k = 0; k < 4; ++k)
                if (!(glb_number(&part->joints, v, k) >= 0 && glb_number(&part->joints, v, k) < mesh->joint_count))
                    return glb_fail(glb, message, "vertex %u is bound to joint %g of %u", v,
                                    glb_number(&part->joints, v, k), mesh->joint_count);
    }
    return JN_OK;
}

JnStatus glb_mesh_read(const Glb *glb, const char *object, GlbMesh *mesh, JnMessage *message) {
    GlbList meshes = {0}, skins = {0};
    int64_t number, skin = GLB_NONE;
    *mesh = (GlbMesh){0};
    JnStatus status = find_node(glb, object, &mesh->node, message);
    if (status == JN_OK)
        status = glb_list_make(glb, glb->json, "meshes", &meshes, message);
    if (status == JN_OK)
        status = glb_list_make(glb, glb->json, "skins", &skins, message);
    const cJSON *node = status == JN_OK ? glb->nodes.items[mesh->node] : NULL;
    if (status == JN_OK)
        status = glb_index(glb, node, "mesh", meshes.count, GLB_NONE, &number, message);
    if (status == JN_OK)
        status = glb_index(glb, node, "skin", skins.count, GLB_NONE, &skin, message);
    if (status == JN_OK)
        status = read_parts(glb, meshes.items[number], mesh, message);
    if (status == JN_OK && skin != GLB_NONE)
        status = read_skin(glb, skins.items[skin], mesh, message);
    if (status == JN_OK)
        status = check_joints(glb, mesh, message);
    free(meshes.items);
    free(skins.items);
    if (status != JN_OK)
        glb_mesh_free(mesh);
    return status;
}

/* ------------------------------------------------------------------------------------------------ positions */

/* world of the joint times its inverse bind */
static void find_joint_matrices(GlbMesh *mesh, const GlbNodes *nodes) {
    for (size_t j = 0; j < mesh->joint_count; ++j) {
        const double *world = nodes->world + 12 * (size_t)mesh->joints[j], *bind = mesh->inverse_binds + 12 * j;
        double *out = mesh->joint_matrices + 12 * j;
        for (size_t i = 0; i < 12; ++i) {
            out[i] = i % 4 == 3 ? world[i] : 0;
            for (size_t k = 0; k < 3; ++k)
                out[i] += world[i / 4 * 4 + k] * bind[4 * k + i % 4];
        }
    }
}

/* The matrix of one vertex: of its joints by their weights, or of the node. */
static void vertex_matrix(const GlbMesh *mesh, const GlbPart *part, const GlbNodes *nodes, size_t v, double m[12]) {
    double sum = 0;
    memset(m, 0, 12 * sizeof *m);
    for (size_t k = 0; k < 4 && mesh->joint_count; ++k) {
        double weight = glb_number(&part->weights, v, k);
        const double *joint = mesh->joint_matrices + 12 * (size_t)glb_number(&part->joints, v, k);
        for (size_t i = 0; i < 12 && weight != 0; ++i)
            m[i] += weight * joint[i];
        sum += weight;
    }
    if (!mesh->joint_count)
        memcpy(m, nodes->world + 12 * (size_t)mesh->node, 12 * sizeof *m);
    for (size_t i = 0; i < 12 && sum > 0; ++i)
        m[i] /= sum;
}

JnStatus glb_mesh_positions(const Glb *glb, GlbMesh *mesh, const GlbNodes *nodes, double *out, JnMessage *message) {
    find_joint_matrices(mesh, nodes);
    for (uint32_t p = 0; p < mesh->part_count; ++p) {
        const GlbPart *part = &mesh->parts[p];
        for (size_t v = 0; v < part->positions.count && !part->repeats; ++v) {
            double m[12], *x = out + 3 * (part->first_vertex + v);
            for (size_t i = 0; i < 3; ++i)
                x[i] = glb_number(&part->positions, v, i);
            vertex_matrix(mesh, part, nodes, v, m);
            affine_apply(m, x, x);
            if (!vec3_in_reach(x))
                return glb_fail(
                    glb, message,
                    "vertex %zu is at (%g, %g, %g): every coordinate must be a finite number within %g of 0",
                    part->first_vertex + v, x[0], x[1], x[2], VEC3_FARTHEST);
        }
    }
    return JN_OK;
}
