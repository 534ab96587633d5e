/* What the parts of Newton's method share: newton.c chooses matrices and directions, newton_line.c evaluates the
   equations and searches along a direction. */
#ifndef JN_INTEGRATE_NEWTON_INTERNAL_H
#define JN_INTEGRATE_NEWTON_INTERNAL_H

#include "base/vectors.h"
#include "integrate/anderson.h"
#include "integrate/newton.h"

/* All that is known at one x. */
typedef struct Point {
    double *x;
    double *rest_force; /* f(x, 0) */
    double *residual;   /* a M (x - y) - f(x, w) - g */
    double energy;      /* E(x) */
    double magnitude;   /* N: of the forces that compete here */
    double length;      /* |residual| over the free vertices */
} Point;

struct Newton {
    size_t n;
    Point here, trial;
    double *direction;
    double *mass_direction; /* M direction */
    double *diagonal;       /* [vertex_count] mean of the matrix's diagonal */
    double *velocity, *scratch;
    double *memory;
    Anderson anderson;
    double shift;       /* 1/s2, added to the mass in the matrix where nothing else helps, */
    double shift_least; /* and the smallest that was tried */
    double edge;        /* m, mean */
    double far;         /* m: the largest coordinate at the start */
    bool damped;        /* some force depends on velocity */
    bool fresh;         /* the matrix is of `here` */
    bool raw;           /* it is to be made of the raw stiffness first */
    int raw_pause;      /* matrices until that may be tried again */
    double rounding;    /* N: residuals below it are noise */
    double stored;      /* J: what strains of 1 would store; energies are differences of such numbers */
};

/* Everything at `here`, which is here.x or, if that is the better start, problem->before; finds out whether anything is
   damped. *finite false: something is not. */
JnStatus newton_evaluate_start(Newton *newton, View *view, const NewtonProblem *problem, bool *finite,
                               JnMessage *message);

/* Goes from `here` along the direction as far as the merit falls and nothing is touched, which makes `here` the place
   where it ends: *taken of the way; 0: nowhere. */
JnStatus newton_search_line(Newton *newton, View *view, const NewtonProblem *problem, NewtonReport *report,
                            double *taken, JnMessage *message);

#endif
