/* How the polar rotation R of F = R S turns with F, for laws that contain it: |F - R|^2 has the gradient 2 (F - R), and
   the trace of S = R'F, the sum of the stretches, has the gradient R. */
#ifndef JN_ELASTIC_ROTATION_H
#define JN_ELASTIC_ROTATION_H

/* The sum of two stretches below which R counts as jumping: derivatives divide by it and are cut off there. */
#define ROTATION_SMALLEST_SUM 1e-4

/* dPdF += scale dR/dF. R: of F, by polar3. */
void rotation_add_derivative(double scale, const double F[9], const double R[9], double dPdF[81]);

/* The trace of S. */
double rotation_trace(const double F[9], const double R[9]);

/* |F - R|^2. */
double rotation_distance(const double F[9], const double R[9]);

#endif
