/* Judges a finished bake by its cache: at every sample, joins the meshes of all bodies, read back from the cache, and
   of all colliders of the scene to one mesh and counts the pairs of an edge and a triangle without a common vertex that
   have a point in common, decided exactly.
     contact_judge SCENE CACHE          a line for each sample with crossings and one for the whole; exit code 1 if
   there are any contact_judge SCENE CACHE --json   the joined mesh, and frame, crossings and positions of every sample
   Inside a frame, colliders are where their keys have them, which for those that turn is not quite where the bake has
   them. */
#include "alembic_io.h"
#include "exact_intersection.h"
#include "jounce.h"

#include <stdio.h>

static const double PLANE_CENTRE[3] = {0, 0, 0}, PLANE_RADIUS = 10;

static AbcError abc_error;
static JnMessage message;

static void fail(const char *name, const char *text) {
    fprintf(stderr, "contact_judge: %s: %s\n", name, text);
    exit(2);
}

static void must_read(AbcStatus status) {
    if (status != ABC_OK)
        fail(abc_status_name(status), abc_error.text);
}

static void must(JnStatus status) {
    if (status != JN_OK)
        fail(jn_status_name(status), message.text);
}

static void *room(size_t count, size_t width) {
    void *memory = malloc(count * width + 1);
    if (!memory)
        fail("memory", "there is none left");
    return memory;
}

static void *more(void *memory, size_t count, size_t width) {
    memory = realloc(memory, count * width + 1);
    if (!memory)
        fail("memory", "there is none left");
    return memory;
}

/* ------------------------------------------------------------------------------------------------ the joined mesh */

typedef struct Part {
    char name[64];
    uint32_t source;       /* object of the cache, or collider of the scene */
    uint32_t first_vertex; /* of the joined mesh */
    uint32_t vertex_count;
} Part;

typedef struct Joined {
    uint32_t body_count, part_count; /* bodies first */
    uint32_t vertex_count, edge_count, triangle_count;
    Part *parts;         /* [part_count] */
    double *positions;   /* [vertex_count * 3] of the sample under judgement, scene space */
    uint32_t *edges;     /* [edge_count * 2] lower vertex first */
    uint32_t *triangles; /* [triangle_count * 3] */
} Joined;

static void add_part(Joined *joined, const char *name, uint32_t source, size_t vertex_count) {
    joined->parts = more(joined->parts, joined->part_count + 1, sizeof *joined->parts);
    Part *part = &joined->parts[joined->part_count++];
    snprintf(part->name, sizeof part->name, "%s", name);
    part->source = source;
    part->first_vertex = joined->vertex_count;
    part->vertex_count = (uint32_t)vertex_count;
    joined->vertex_count += part->vertex_count;
    joined->positions = more(joined->positions, 3 * (size_t)joined->vertex_count, sizeof *joined->positions);
}

static void add_edge(Joined *joined, uint32_t a, uint32_t b) {
    joined->edges = more(joined->edges, 2 * (size_t)joined->edge_count + 2, sizeof *joined->edges);
    joined->edges[2 * (size_t)joined->edge_count] = a < b ? a : b;
    joined->edges[2 * (size_t)joined->edge_count++ + 1] = a < b ? b : a;
}

/* A fan from the first corner. `corners` count in the part that was added last. */
static void add_polygon(Joined *joined, const uint32_t *corners, uint32_t count) {
    uint32_t first = joined->parts[joined->part_count - 1].first_vertex;
    for (uint32_t k = 2; k < count; ++k) {
        const uint32_t triangle[3] = {first + corners[0], first + corners[k - 1], first + corners[k]};
        joined->triangles = more(joined->triangles, 3 * (size_t)joined->triangle_count + 3, sizeof *joined->triangles);
        memcpy(&joined->triangles[3 * (size_t)joined->triangle_count++], triangle, sizeof triangle);
        for (int i = 0; i < 3; ++i)
            add_edge(joined, triangle[i], triangle[(i + 1) % 3]);
    }
}

static int compare_edges(const void *a, const void *b) {
    const uint32_t *one = a, *other = b;
    int k = one[0] == other[0];
    return (one[k] > other[k]) - (one[k] < other[k]);
}

static void keep_each_edge_once(Joined *joined) {
    uint32_t kept = 0;
    qsort(joined->edges, joined->edge_count, 2 * sizeof *joined->edges, compare_edges);
    for (uint32_t e = 0; e < joined->edge_count; ++e)
        if (kept == 0 || compare_edges(&joined->edges[2 * (size_t)e], &joined->edges[2 * (size_t)kept - 2]) != 0)
            memmove(&joined->edges[2 * (size_t)kept++], &joined->edges[2 * (size_t)e], 2 * sizeof *joined->edges);
    joined->edge_count = kept;
}

static void joined_free(Joined *joined) {
    free(joined->parts);
    free(joined->positions);
    free(joined->edges);
    free(joined->triangles);
}

static const char *part_of(const Joined *joined, uint32_t vertex) {
    const Part *part = joined->parts;
    while (vertex >= part->first_vertex + part->vertex_count)
        ++part;
    return part->name;
}

/* ------------------------------------------------------------------------------------------------ bodies */

static void add_body(Joined *joined, AbcReader *reader, uint32_t object, const AbcObjectInfo *info) {
    AbcMeshSizes sizes;
    must_read(abc_reader_mesh_sizes(reader, object, 0, &sizes, &abc_error));
    int32_t *counts = room(sizes.face_count, sizeof *counts), *indices = room(sizes.index_count, sizeof *indices);
    must_read(
        abc_reader_mesh_topology(reader, object, 0, counts, sizes.face_count, indices, sizes.index_count, &abc_error));
    add_part(joined, info->name, object, sizes.vertex_count);
    const uint32_t *corners = (const uint32_t *)indices;
    uint32_t vertex = joined->parts[joined->part_count - 1].first_vertex;
    for (size_t f = 0; f < sizes.face_count; ++f) {
        uint32_t count = (uint32_t)counts[f];
        if (info->schema == ABC_SCHEMA_CURVES) {
            for (uint32_t k = 1; k < count; ++k)
                add_edge(joined, vertex + k - 1, vertex + k);
            vertex += count;
        } else {
            add_polygon(joined, corners, count);
            corners += count;
        }
    }
    free(counts);
    free(indices);
}

/* The bodies of the cache. All have the samples of the first one, whose times and number are returned. */
static uint32_t add_bodies(Joined *joined, AbcReader *reader, AbcTimeSampling *times) {
    AbcArchiveInfo archive;
    uint32_t sample_count = 0;
    abc_reader_archive_info(reader, &archive);
    for (uint32_t i = 0; i < archive.object_count; ++i) {
        AbcObjectInfo object;
        AbcMeshInfo mesh;
        must_read(abc_reader_object(reader, i, &object));
        if (abc_reader_mesh_info(reader, i, &mesh, &abc_error) != ABC_OK)
            continue;
        if (joined->part_count == 0) {
            sample_count = mesh.sample_count;
            must_read(abc_reader_time_sampling(reader, mesh.time_sampling, times));
        }
        if (mesh.sample_count != sample_count || !mesh.constant_topology)
            fail(object.path, "is not sampled as the first body");
        add_body(joined, reader, i, &object);
    }
    joined->body_count = joined->part_count;
    return sample_count;
}

static void pose_bodies(Joined *joined, AbcReader *reader, uint32_t sample, double time) {
    for (uint32_t b = 0; b < joined->body_count; ++b) {
        const Part *part = &joined->parts[b];
        double world[16], *positions = &joined->positions[3 * (size_t)part->first_vertex];
        float *xyz = room(3 * (size_t)part->vertex_count, sizeof *xyz);
        must_read(
            abc_reader_mesh_positions(reader, part->source, sample, xyz, 3 * (size_t)part->vertex_count, &abc_error));
        must_read(abc_reader_world_matrix(reader, part->source, time, world, &abc_error));
        for (size_t v = 0; v < part->vertex_count; ++v)
            for (size_t i = 0; i < 3; ++i)
                positions[3 * v + i] = world[12 + i] + (double)xyz[3 * v] * world[i] +
                                       (double)xyz[3 * v + 1] * world[4 + i] + (double)xyz[3 * v + 2] * world[8 + i];
        free(xyz);
    }
}

/* ------------------------------------------------------------------------------------------------ colliders */

static JnMesh *collider_at(JnPreview *preview, uint32_t collider, double frame, JnMeshView *view) {
    JnMesh *mesh;
    must(jn_preview_collider(preview, collider, frame, PLANE_CENTRE, PLANE_RADIUS, &mesh, &message));
    *view = (JnMeshView){.struct_size = sizeof *view};
    must(jn_mesh_view(mesh, view, &message));
    return mesh;
}

static void add_colliders(Joined *joined, JnPreview *preview, const JnBakeDesc *desc) {
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        JnMeshView view;
        JnMesh *mesh = collider_at(preview, c, desc->first_frame, &view);
        const uint32_t *corners = view.surface.face_vertices;
        add_part(joined, desc->colliders[c].name, c, view.surface.vertex_count);
        for (uint32_t f = 0; f < view.surface.face_count; corners += view.surface.face_sizes[f++])
            add_polygon(joined, corners, view.surface.face_sizes[f]);
        jn_mesh_free(mesh);
    }
}

static void pose_colliders(Joined *joined, JnPreview *preview, double frame) {
    for (uint32_t p = joined->body_count; p < joined->part_count; ++p) {
        const Part *part = &joined->parts[p];
        JnMeshView view;
        JnMesh *mesh = collider_at(preview, part->source, frame, &view);
        if (view.surface.vertex_count != part->vertex_count)
            fail(part->name, "has not the vertices of the first frame");
        memcpy(&joined->positions[3 * (size_t)part->first_vertex], view.surface.positions,
               3 * (size_t)part->vertex_count * sizeof(double));
        jn_mesh_free(mesh);
    }
}

/* ------------------------------------------------------------------------------------------------ the verdict */

static void print_indices(const char *name, const uint32_t *values, size_t count) {
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; ++i)
        printf("%s%u", i ? ", " : "", values[i]);
    printf("]");
}

static void print_mesh(const Joined *joined) {
    printf("{\"parts\": [");
    for (uint32_t p = 0; p < joined->part_count; ++p)
        printf("%s{\"name\": \"%s\", \"body\": %s, \"vertex_count\": %u}", p ? ", " : "", joined->parts[p].name,
               p < joined->body_count ? "true" : "false", joined->parts[p].vertex_count);
    printf("]");
    print_indices("edges", joined->edges, 2 * (size_t)joined->edge_count);
    print_indices("triangles", joined->triangles, 3 * (size_t)joined->triangle_count);
}

static void print_sample(const Joined *joined, uint32_t sample, double frame, long crossings) {
    printf("%s\n{\"frame\": %.17g, \"crossings\": %ld, \"positions\": [", sample ? "," : ", \"samples\": [", frame,
           crossings);
    for (size_t i = 0; i < 3 * (size_t)joined->vertex_count; ++i)
        printf("%s%.17g", i ? ", " : "", joined->positions[i]);
    printf("]}");
}

static long judge_sample(const Joined *joined, double frame, int quiet) {
    uint32_t first[2] = {0, 0};
    for (size_t i = 0; i < 3 * (size_t)joined->vertex_count; ++i)
        if (!isfinite(joined->positions[i]))
            fail(part_of(joined, (uint32_t)(i / 3)), "is not finite");
    long crossings = exact_count_crossings(joined->positions, joined->edges, joined->edge_count, joined->triangles,
                                           joined->triangle_count, first);
    if (crossings < 0)
        fail("memory", "there is none left");
    if (crossings > 0 && !quiet) {
        const uint32_t *edge = &joined->edges[2 * (size_t)first[0]];
        const double *at = &joined->positions[3 * (size_t)edge[0]];
        printf("frame %g: %ld crossings; an edge of %s and a triangle of %s near (%.4g, %.4g, %.4g)\n", frame,
               crossings, part_of(joined, edge[0]), part_of(joined, joined->triangles[3 * (size_t)first[1]]), at[0],
               at[1], at[2]);
    }
    return crossings;
}

int main(int argc, char **argv) {
    int json = argc == 4 && strcmp(argv[3], "--json") == 0;
    if (argc != 3 && !json) {
        fprintf(stderr, "usage: contact_judge SCENE CACHE [--json]\n");
        return 2;
    }
    JnScene *scene;
    JnBakeDesc desc;
    JnPreview *preview;
    AbcReader *reader;
    AbcTimeSampling times;
    Joined joined = {0};
    must(jn_scene_load(argv[1], &scene, &message));
    must(jn_scene_desc(scene, &desc, sizeof desc, &message));
    must(jn_preview_create(scene, &preview, &message));
    must_read(abc_reader_open(&reader, argv[2], NULL, &abc_error));
    if (desc.up_axis != JN_UP_Y)
        fail(argv[1], "is not y-up, as the cache is");
    uint32_t sample_count = add_bodies(&joined, reader, &times);
    add_colliders(&joined, preview, &desc);
    keep_each_edge_once(&joined);

    long total = 0;
    if (json)
        print_mesh(&joined);
    for (uint32_t sample = 0; sample < sample_count; ++sample) {
        double time = abc_sample_time(&times, sample), frame = time * desc.fps;
        pose_bodies(&joined, reader, sample, time);
        pose_colliders(&joined, preview, frame);
        long crossings = judge_sample(&joined, frame, json);
        total += crossings;
        if (json)
            print_sample(&joined, sample, frame, crossings);
    }
    if (json)
        printf("%s]}\n", sample_count ? "" : ", \"samples\": [");
    else
        printf("%ld crossings in %u samples of %u edges and %u triangles\n", total, sample_count, joined.edge_count,
               joined.triangle_count);
    joined_free(&joined);
    abc_reader_close(reader);
    jn_preview_free(preview);
    jn_scene_free(scene);
    return !json && total > 0;
}
