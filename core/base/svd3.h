/* Singular values of 3x3 matrices, stored by rows, in the variant that deformation needs: both factors are rotations,
   and a reflection shows as a negative smallest singular value. */
#ifndef JN_BASE_SVD3_H
#define JN_BASE_SVD3_H

/* F = U diag(s) V' with rotations U and V, s[0] >= s[1] >= |s[2]|, and s[2] of the sign of det F. Any finite F will do:
   repeated, zero, tiny and huge values. F that is not finite gives values that are not, never an endless loop. */
void svd3(const double F[9], double U[9], double s[3], double V[9]);

#endif
