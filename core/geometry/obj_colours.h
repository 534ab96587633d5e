/* Vertex colours of .obj files: three or four numbers after the coordinates of a vertex, or comments #MRGB of
   hexadecimal digits, MMRRGGBB for each vertex in turn, MM being a painted mask. */
#ifndef JN_GEOMETRY_OBJ_COLOURS_H
#define JN_GEOMETRY_OBJ_COLOURS_H

#include "geometry/mesh.h"

typedef struct ObjColours { /* all zero at first; owns its array */
    double *rgba;           /* [count * 4]; of a block, the mask is in place of alpha */
    size_t count, capacity; /* vertices up to the last that has a colour */
    bool alpha;             /* some vertex has four numbers */
    bool block;             /* the colours are of blocks */
} ObjColours;

/* The rest of the line of vertex `vertex`: a colour, a weight, which is skipped, or nothing. */
JnStatus obj_colours_vertex(ObjColours *colours, TextFile *file, size_t vertex, JnMessage *message);

/* Whether a line with #MRGB begins here; and that line, up to its end. */
bool obj_colours_is_block(const TextFile *file);
JnStatus obj_colours_block(ObjColours *colours, TextFile *file, JnMessage *message);

/* Adds the colours to the mesh, whose vertices are made, as the field MESH_COLOUR, and the mask as "Mask"; vertices
   without a colour get 0. JN_ERR_FORMAT if blocks hold more colours than there are vertices. */
JnStatus obj_colours_finish(const ObjColours *colours, JnMesh *mesh, JnMessage *message);

void obj_colours_free(ObjColours *colours);

#endif
