/* A mesh as read from a file or made as a shape, and the table of file formats. */
#ifndef JN_GEOMETRY_MESH_H
#define JN_GEOMETRY_MESH_H

#include "geometry/textfile.h"

/* The field of the vertex colours in formats that do not name them: red, green, blue and perhaps alpha, 0 to 1. */
#define MESH_COLOUR "Col"

struct JnMesh { /* owns all arrays, names and values of the fields included */
    uint32_t vertex_count, face_count, corner_count, tet_count, field_count;
    uint32_t curve_count, curve_corner_count;
    uint32_t reversed_tet_count; /* tets that were inverted in the file, now turned round */
    double *positions;           /* [vertex_count * 3] */
    uint32_t *face_sizes;        /* [face_count] */
    uint32_t *face_vertices;     /* [corner_count] */
    float *uvs;                  /* [corner_count * 2] or NULL */
    uint32_t *tet_vertices;      /* [tet_count * 4] */
    uint32_t *curve_sizes;       /* [curve_count] */
    uint32_t *curve_vertices;    /* [curve_corner_count] */
    JnMeshField *fields;         /* [field_count] */
};

typedef enum MeshKeeps { KEEPS_FIELDS = 1, KEEPS_COLOUR = 2, KEEPS_UVS = 4, KEEPS_CURVES = 8 } MeshKeeps;

/* A file format: one file read_*.c, one line in the table. A reader fills positions, fields, and either faces and
   curves or tets; mesh_finish checks and completes them. On failure the caller frees what was filled so far. */
typedef struct MeshFormat {
    const char *ending;    /* ".node" */
    const char *companion; /* ending of a second file that belongs to it: ".ele"; NULL: none */
    bool tets;             /* of tets; otherwise of polygons */
    JnStatus (*read)(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message); /* NULL: not read */
    void (*write)(const JnMesh *mesh, TextWriter *writer);                                   /* NULL: not written */
    unsigned keeps; /* what is written besides vertices, faces and tets: bits of MeshKeeps */
} MeshFormat;

/* The format at `index`, NULL past the end. */
const MeshFormat *mesh_format(uint32_t index);

/* Reads a file that is in memory; `companion` may be NULL if the format has none. On failure *mesh is NULL. */
JnStatus mesh_parse(const MeshFormat *format, TextFile *file, TextFile *companion, JnMesh **mesh, JnMessage *message);

/* Arrays of a mesh under construction, zeroed; each is made once, a second time is refused. `count` has passed
   textfile_check_count or is not from a file. */
JnStatus mesh_set_vertex_count(JnMesh *mesh, uint32_t count, JnMessage *message);
JnStatus mesh_set_tet_count(JnMesh *mesh, uint32_t count, JnMessage *message);
JnStatus mesh_set_face_counts(JnMesh *mesh, uint32_t face_count, uint32_t corner_count, JnMessage *message);
JnStatus mesh_set_curve_counts(JnMesh *mesh, uint32_t curve_count, uint32_t corner_count, JnMessage *message);

/* The vertices in formats with a count and numbered vertices: "count dimension ...", then "number x y z" for each, on a
   line of its own if `by_lines`. Makes the positions; *base is the number of the first. */
JnStatus mesh_read_numbered_vertices(JnMesh *mesh, TextFile *file, bool by_lines, int64_t *base, JnMessage *message);

/* Adds a field of zeros for the current vertices, named by the first `name_length` bytes of `name`; *values belongs to
   the mesh. A second field of the same name replaces the first. */
JnStatus mesh_add_field(JnMesh *mesh, const char *name, size_t name_length, uint32_t component_count, double **values,
                        JnMessage *message);

/* For formats whose tets name vertices by their numbers, with the numbers as written in tet_vertices: makes them count
   from 0. They are numbered as the vertices are, from `vertex_base`, or from 0 or 1 although the vertices are not: the
   first of these that all numbers fit, and by which all tets have one orientation if there is such a one. `place` opens
   the message. */
JnStatus mesh_rebase_tets(JnMesh *mesh, int64_t vertex_base, const char *place, JnMessage *message);

/* Turns inverted tets round. */
void mesh_orient_tets(JnMesh *mesh);

/* Completes what a reader or a shape has made. Tets: turns inverted ones round, drops vertices that no tet uses, makes
   the boundary. Then checks everything. `place` opens messages. */
JnStatus mesh_finish(JnMesh *mesh, bool tets, const char *place, JnMessage *message);

/* The faces with only the vertices that they use and the fields of those. On failure *surface is NULL. */
JnStatus mesh_boundary(const JnMesh *mesh, JnMesh **surface, JnMessage *message);

/* Whether the field is the colour of formats that hold one colour alone: MESH_COLOUR of three or four numbers. */
bool mesh_is_colour(const JnMeshField *field);

JnTets mesh_tets(const JnMesh *mesh);
JnSurface mesh_surface(const JnMesh *mesh);
JnCurves mesh_curves(const JnMesh *mesh);

/* The formats. */
JnStatus read_obj(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_ply(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_stl(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_msh(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_medit(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_veg(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_vtk(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_tetgen_node(TextFile *node, TextFile *ele, JnMesh *mesh, JnMessage *message);
JnStatus read_tetgen_ele(TextFile *ele, TextFile *node, JnMesh *mesh, JnMessage *message);
JnStatus read_abc(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
JnStatus read_glb(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message);
void write_msh(const JnMesh *mesh, TextWriter *writer);
void write_medit(const JnMesh *mesh, TextWriter *writer);
void write_vtk(const JnMesh *mesh, TextWriter *writer);
void write_obj(const JnMesh *mesh, TextWriter *writer);
void write_ply(const JnMesh *mesh, TextWriter *writer);

#endif
