/* The derivative of the polar rotation R of F = R S, for laws that contain it: |F - R|^2 has the gradient 2 (F - R),
   and the trace of S = R'F, the sum of the stretches, has the gradient R. */
#ifndef JN_ELASTIC_ROTATION_H
#define JN_ELASTIC_ROTATION_H

/* The sum of two stretches below which R is treated as discontinuous: derivatives divide by this sum, which is clamped
   there. */
#define ROTATION_SMALLEST_SUM 1e-4

/* dPdF += scale dR/dF. R: of F, by polar3. */
void rotation_add_derivative(double scale, const double F[9], const double R[9], double dPdF[81]);

/* The trace of S. */
double rotation_trace(const double F[9], const double R[9]);

/* |F - R|^2. */
double rotation_distance(const double F[9], const double R[9]);

#endif
