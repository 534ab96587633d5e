/* Views of the system before the first frame, in which some vertices are brought to rest while the others stay. */
#ifndef JN_BAKE_START_VIEW_H
#define JN_BAKE_START_VIEW_H

#include "bake/bake_internal.h"
#include "system/jacobian.h"

/* Whether a vertex, counted within its body, stays where it is. */
typedef bool (*StaysPut)(const JnBake *bake, uint32_t body_index, uint32_t vertex);

/* A view at the first frame of the terms with these roles, in which vertices that stay put are not solved for, besides
   those that are pinned. Its Jacobian is the lender's where both solve for the same unknowns. */
JnStatus start_view_create(const JnBake *bake, StaysPut stays_put, uint32_t term_roles, Jacobian *lender, View **view,
                           JnMessage *message);

#endif
