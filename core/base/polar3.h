/* The polar rotation of 3x3 matrices, stored by rows. */
#ifndef JN_BASE_POLAR3_H
#define JN_BASE_POLAR3_H

/* R: the rotation nearest to F, U V' of svd3, a rotation for reflected F, too. Where the two smallest stretches add up
   to 0 (F flat in two directions, or mirrored with equal stretches) it is not unique; R is one of them. */
void polar3(const double F[9], double R[9]);

#endif
