/* The matrix a M + b D + c K of a view at one state, and its linear solver. A view may have several: one for its steps,
   others for products. */
#ifndef JN_SYSTEM_JACOBIAN_H
#define JN_SYSTEM_JACOBIAN_H

#include "linear/operator.h"
#include "system/linear_system.h"
#include "system/view.h"

/* Which contacts are in a matrix. */
typedef enum JacobianContacts {
    CONTACTS_HERE,  /* those at its own q */
    CONTACTS_GIVEN, /* those of the last jacobian_give_contacts */
} JacobianContacts;

/* A sum of the mass, damping and stiffness matrices. */
typedef struct JacobianScales {
    double mass, damping, stiffness;
    JacobianContacts contacts;
} JacobianScales;

/* Which stiffness is tried first, and what to do if the matrix is then not positive definite. */
typedef struct StiffnessTreatment {
    StiffnessKind first;
    bool keep_indefinite; /* it is solved without change; else the projected stiffness replaces it */
} StiffnessTreatment;

/* The treatment that the view asks for: the raw stiffness, even if indefinite, or the safe one. */
StiffnessTreatment view_treatment(const View *view);

struct Jacobian {
    View *view; /* borrowed */
    LinearSystem *linear;
    bool borrows; /* `linear` is another Jacobian's */
    bool turns;   /* its stiffness turns with the vertices */
    /* the matrix in use, as requested */
    double *q, *v;     /* [vertex_count * 3] where it was evaluated */
    bool has_velocity; /* v is used; else all is at rest */
    JacobianScales scales;
    StiffnessTreatment treatment;
    StiffnessKind kind; /* that it is made of */
    uint64_t projected; /* elements whose stiffness was projected in it */
    bool factored;      /* with its own factor, not that of an earlier matrix */
    bool indefinite;    /* and in indefinite_solver */
    double *coupling;   /* [vertex_count * 3], of jacobian_solve_near */
    uint8_t *marks;     /* [vertex_count] scratch */
};

/* A matrix for products only. */
JnStatus jacobian_create(View *view, Jacobian **jacobian, JnMessage *message);
void jacobian_destroy(Jacobian *jacobian); /* may be NULL */

/* Makes view->jacobian, with a solver for the unknowns of the view. reuse: jacobian_update may keep an old factor. */
JnStatus view_make_jacobian(View *view, bool reuse, JnMessage *message);
/* Makes view->jacobian, sharing matrix and solver with another view's if both solve for the same unknowns. If shared,
   the other view must outlive this one, and must assemble its matrix again after this one was used. */
JnStatus view_share_jacobian(View *view, Jacobian *lender, JnMessage *message);

/* matrix = the sum at q, v (v NULL: at rest); in the same pass, force as in view_force (NULL: not wanted). */
JnStatus jacobian_assemble(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                           StiffnessKind kind, double *force, JnMessage *message);

/* Assembles as above and factors, as the treatment says. With mass, and unless indefinite matrices are kept, the factor
   may be in single precision and solves iterate. Then it may be detected only in a solve that the matrix is not
   positive definite; that solve falls back to the projected stiffness. So the view's time and what its terms lag must
   not change until the last solve with this matrix, unless jacobian_keep was called. */
JnStatus jacobian_factor(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                         StiffnessTreatment treatment, double *force, JnMessage *message);

/* As jacobian_factor, for methods that solve with a matrix once or twice: the solver keeps its last factor if that is
   cheaper. */
JnStatus jacobian_update(Jacobian *jacobian, const double *q, const double *v, const JacobianScales *scales,
                         StiffnessTreatment treatment, double *force, JnMessage *message);

/* For scales with CONTACTS_GIVEN, before jacobian_update or jacobian_factor: the contacts are those at z, as the view's
   reach scales them. */
JnStatus jacobian_give_contacts(Jacobian *jacobian, const double *z, JnMessage *message);
/* As above after them: these contacts take the place of the ones before in the matrix in use. */
JnStatus jacobian_renew_contacts(Jacobian *jacobian, const double *z, JnMessage *message);
bool jacobian_has_contacts(const Jacobian *jacobian);
/* As jacobian_give_contacts where nothing touches. */
void jacobian_drop_contacts(Jacobian *jacobian);
/* b += C z, C the contacts of the matrix, [vertex_count * 3]. */
void jacobian_add_contact_product(const Jacobian *jacobian, const double *z, double *b);
/* y = (matrix - C) x, [vertex_count * 3]; must not alias. */
void jacobian_multiply_without_contacts(const Jacobian *jacobian, const double *x, double *y);

/* Keeps the matrix for solves at a state near that of jacobian_update, after time and what terms lag have changed. A
   solve that finds it not positive definite falls back to the projected matrix at this state. */
void jacobian_keep(Jacobian *jacobian, const double *q, const double *v);

/* x = matrix^-1 b in the free unknowns, 0 in the others; x may alias b. */
JnStatus jacobian_solve(Jacobian *jacobian, const double *b, double *x, JnMessage *message);

/* As above, with the other unknowns known and a guess at the free ones: x = matrix^-1 (b - matrix known). known: 0 in
   the free unknowns; NULL: all zero. guess: NULL for none. All [vertex_count * 3]; x may alias guess or b. rough: NULL,
   or the solve may stop early, as in solver_solve_near. */
JnStatus jacobian_solve_near(Jacobian *jacobian, const double *b, const double *known, const double *guess, double *x,
                             bool *rough, JnMessage *message);

/* Its solver, which holds the matrix in use; NULL if that is indefinite and was kept so. */
Solver *jacobian_solver(const Jacobian *jacobian);

/* y = matrix x, [vertex_count * 3], pairs included; must not alias. As an operator: uses the current matrix in each
   product. */
void jacobian_multiply(const Jacobian *jacobian, const double *x, double *y);
Operator jacobian_operator(Jacobian *jacobian);

/* The state that later solves depend on, in addition to their matrices. */
bool jacobian_archive(Jacobian *jacobian, Archive *archive);

#endif
