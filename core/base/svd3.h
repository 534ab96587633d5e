/* Singular values of 3x3 matrices, stored by rows, in the variant used for deformation gradients: both factors are
   rotations, and a reflection gives a negative smallest singular value. */
#ifndef JN_BASE_SVD3_H
#define JN_BASE_SVD3_H

/* F = U diag(s) V' with rotations U and V, s[0] >= s[1] >= |s[2]|, and s[2] of the sign of det F. Any finite F is
   allowed: repeated, zero, tiny and huge values. If F is not finite, neither is the result, but the function always
   returns. */
void svd3(const double F[9], double U[9], double s[3], double V[9]);

#endif
