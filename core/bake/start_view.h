/* Views of the system before the first frame, in which some vertices are solved for while the others are held fixed. */
#ifndef JN_BAKE_START_VIEW_H
#define JN_BAKE_START_VIEW_H

#include "bake/bake_internal.h"
#include "system/jacobian.h"

/* Whether a vertex, numbered within its body, is held fixed. */
typedef bool (*StaysPut)(const JnBake *bake, uint32_t body_index, uint32_t vertex);

/* A view at the first frame of the terms with these roles, in which vertices that are held fixed or pinned are not
   solved for. It shares the Jacobian of the lender if both solve for the same unknowns. */
JnStatus start_view_create(JnBake *bake, StaysPut stays_put, uint32_t term_roles, Jacobian *lender, View **view,
                           JnMessage *message);

#endif
