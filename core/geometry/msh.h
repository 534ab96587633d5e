/* The parts of the .msh reader: one struct that they share, one file each for numbers and sections, nodes,
   elements, data. */
#ifndef JN_GEOMETRY_MSH_H
#define JN_GEOMETRY_MSH_H

#include "geometry/mesh.h"

typedef struct MshTag {
    int64_t tag;
    uint32_t vertex;
} MshTag;

typedef struct Msh {
    TextFile *file;
    JnMesh *mesh;
    bool version4;
    MshTag *tags;     /* [vertex_count], ascending; NULL before the nodes were read */
    int64_t base_tag; /* the lowest; if the tags have no gap, tag - base_tag is the place in `tags` */
    bool no_gaps;
} Msh;

/* Numbers, from text or binary, whichever the file is. `what` names them in messages. */
JnStatus msh_int(Msh *msh, const char *what, int64_t *value, JnMessage *message);
JnStatus msh_real(Msh *msh, const char *what, double *value, JnMessage *message); /* finite */
/* A tag: version 4 stores it in 8 bytes, version 2 in 4. */
JnStatus msh_tag(Msh *msh, const char *what, int64_t *value, JnMessage *message);
/* A count that the rest of the file can hold: in version 2 always text, with the binary part on the next line; in
   version 4 like all other numbers. */
JnStatus msh_count(Msh *msh, size_t least_bytes, const char *what, uint32_t *count, JnMessage *message);

/* The vertex of a node's tag. */
JnStatus msh_find_vertex(const Msh *msh, int64_t tag, uint32_t *vertex, JnMessage *message);

/* Sections, starting after their first line. */
JnStatus msh_read_nodes(Msh *msh, JnMessage *message);
JnStatus msh_read_elements(Msh *msh, JnMessage *message);
JnStatus msh_read_node_data(Msh *msh, JnMessage *message);

#endif
