/* Shared by the files of Newton's method: newton.c chooses matrices and directions, newton_line.c evaluates the
   equations and searches along a direction. */
#ifndef JN_INTEGRATE_NEWTON_INTERNAL_H
#define JN_INTEGRATE_NEWTON_INTERNAL_H

#include "base/vectors.h"
#include "integrate/anderson.h"
#include "integrate/contact_rounds.h"
#include "integrate/newton.h"

/* The equations evaluated at one x. */
typedef struct Point {
    double *x;
    double *rest_force; /* f(x, 0) */
    double *residual;   /* a M (x - y) - f(x, w) - g; where modes have targets, with `held` added */
    double *held;       /* what holds the modes; 0 if there are none */
    double energy;      /* E(x) */
    double magnitude;   /* N: sum of the magnitudes of the forces */
    double length;      /* |residual| over the free vertices */
} Point;

struct Newton {
    size_t n;
    Point here, trial;
    double *direction;
    double *mass_direction; /* M direction */
    double *way;            /* of a step that follows what turns */
    double *diagonal;       /* [vertex_count] mean of the matrix's diagonal */
    double *velocity, *scratch;
    double *linear; /* minus the residual without contact */
    double *memory;
    JnMessage undefined; /* why a term has no value where the forces were last evaluated; empty: it has */
    Anderson anderson;
    ContactRounds *rounds;
    double shift;       /* 1/s2, multiple of M added to the matrix as the last resort, */
    double shift_least; /* and the smallest that was tried */
    double edge;        /* m, mean */
    double far;         /* m: the largest coordinate at the start */
    bool damped;        /* some force depends on velocity */
    bool fresh;         /* the matrix is of `here` */
    bool has_matrix;    /* there is one of this solve, or of the last, */
    bool keeps_matrix;  /* with which the next one begins */
    bool raw;           /* to be assembled from the raw stiffness first */
    int raw_pause;      /* matrices until that may be tried again */
    double rounding;    /* N: residuals below it are noise */
    double stored;      /* J: energy at strains of 1, the scale of rounding errors in energies */
};

/* Evaluates `here`, at here.x or, if that is the better initial guess, at problem->before; finds out whether any force
   depends on velocity. *finite false: a value is not finite. */
JnStatus newton_evaluate_start(Newton *newton, View *view, const NewtonProblem *problem, bool *finite,
                               JnMessage *message);

/* Adds contact at here.x, times `sign`, to all that `here` holds. */
JnStatus newton_add_contact(Newton *newton, View *view, double sign, JnMessage *message);

/* Line search from `here` along the direction, as far as the merit decreases without contact; moves `here` to its end.
 *taken: the fraction of the direction; 0: no decrease found. */
JnStatus newton_search_line(Newton *newton, View *view, const NewtonProblem *problem, NewtonReport *report,
                            double *taken, JnMessage *message);

#endif
