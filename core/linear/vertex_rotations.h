/* The local rotation of each vertex's neighbourhood between two poses. Elements rotate far more than they stretch, and
   the stiffness of a rotated element is the rotated stiffness. So the factor P of an earlier matrix, rotated vertex by
   vertex, R P^-1 R', remains a good preconditioner under large motion, where P^-1 alone would not (Courtecuisse et al.
   2010, "Asynchronous preconditioners for efficient solving of non-linear deformations"). */
#ifndef JN_LINEAR_VERTEX_ROTATIONS_H
#define JN_LINEAR_VERTEX_ROTATIONS_H

#include "linear/free_unknowns.h"

/* rotations: [free count * 9] by rows, of each free vertex from the pose `then` to the pose `now`, both
   [vertex_count * 3]: the rotation of the map that takes the edges to its neighbours in `matrix` from one to the other
   in the least-squares sense. */
void vertex_rotations_find(const BlockMatrix *matrix, const FreeUnknowns *unknowns, const double *then,
                           const double *now, double *scratch, double *rotations);
/* Doubles in the scratch. */
size_t vertex_rotations_scratch(const BlockMatrix *matrix);

/* out = R_row' block R_column, block and out by rows; must not alias. row, column: free vertices. */
void vertex_rotations_turn_block(const double *rotations, uint32_t row, uint32_t column, const double block[9],
                                 double out[9]);

/* out = R x, or R' x; [free count * 3], x may alias out. */
void vertex_rotations_apply(const double *rotations, uint32_t count, const double *x, double *out);
void vertex_rotations_apply_transposed(const double *rotations, uint32_t count, const double *x, double *out);

#endif
