/* The "lattice" mesher: cubes around the inside of a closed surface, five tets each. */
#ifndef JN_GEOMETRY_LATTICE_H
#define JN_GEOMETRY_LATTICE_H

#include "geometry/embedding.h"

/* As Mesher.build. A cube is kept if its centre is inside the surface or the surface enters it, so the tets cover the
   whole body, and a little more. Refuses with JN_ERR_MESH a surface that is open (after welding coincident vertices) or
   encloses no volume; with JN_ERR_ARGUMENT a resolution that needs too many cells. */
JnStatus lattice_build(const JnSurface *surface, double resolution, TetMesh *mesh, Embedding *embedding,
                       JnMessage *message);

#endif
