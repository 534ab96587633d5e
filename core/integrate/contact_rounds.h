/* Contact in a step of Newton's method: the other forces are linear in the unknowns z, contact is not.

       A z = b + c(z),

   A the matrix of view->jacobian without its contacts, c the force of contact at the step's end for z (view_set_reach).
   It has a potential, while the normal forces of friction are held, so z is the minimum of a convex function, and
   Newton's method with a line search finds it. Each round changes the blocks of vertices that touch and nothing else; a
   step in which nothing begins to touch, slide or stick takes one. Between rounds the normal forces of friction are
   renewed, until they change no more; and what the solution would cross on its way is held too, until it crosses
   nothing. (In a solve that is one of many of Newton's method, that is left to the owner of them all.) */
#ifndef JN_INTEGRATE_CONTACT_ROUNDS_H
#define JN_INTEGRATE_CONTACT_ROUNDS_H

#include "integrate/guess.h"
#include "integrate/modal_split.h"

/* How often a solution is looked at again, and what it would cross is held too. */
enum { CONTACT_LOOKS_MOST = 8 };

typedef struct ContactRounds ContactRounds; /* workspace */

JnStatus contact_rounds_create(const View *view, ContactRounds **rounds, JnMessage *message);
void contact_rounds_destroy(ContactRounds *rounds); /* may be NULL */

typedef struct LinearStep { /* borrowed arrays, [vertex_count * 3] */
    const double *b;
    const double *known;   /* z of the vertices that are not free, 0 elsewhere; NULL: all 0 */
    bool good_guess;       /* z is near the solution on entry; else it only tells where contact is looked for first */
    const GuessSpan *span; /* not NULL: of where else the solution may be near, read where anything may touch */
    const double *origin;  /* not NULL: b is what is left of it at these z, which `known` repeats, and the solution is
                              as precise as `precision` says; else as far as anybody can see */
    double precision;      /* with an origin: the part of the force of contact by which it may be off; 0: by rounding */
    ModalSplit *split;     /* not NULL: some modes of z have targets, and A acts on the others (modal_split.h) */
    bool roughly;          /* z is on the way to something else: where nothing may touch, the solve may stop early, as
                              in solver_solve_near */
} LinearStep;

/* Solves for z, [vertex_count * 3], from what it is on entry, at which jacobian_give_contacts or
   jacobian_renew_contacts was called, or nearly. Entries of vertices that are not free are `known` on return.
   JN_ERR_DIVERGED: it was not found, and a shorter step may help; for a precise solution, z is then as near as it came,
   and JN_OK is returned. */
JnStatus contact_rounds_solve(ContactRounds *rounds, View *view, const LinearStep *step, double *z, JnMessage *message);

#endif
