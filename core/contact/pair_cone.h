/* Which pairs hold two surfaces apart, of the many that are near: those that are nearest to each other, not beside. */
#ifndef JN_CONTACT_PAIR_CONE_H
#define JN_CONTACT_PAIR_CONE_H

#include "contact/skin.h"

/* Whether the distance of the pair is a local minimum over the surfaces around it, and no other pair of the same two
   features comes before it. `normal`: from the second to the first, of length 1; positions: [skin vertices * 3].

   A point over a triangle is one. A point over an edge or a corner of a triangle is one if what lies around that does
   not rise towards the point. Two edges that cross are one if at least one of them stands out, or if a surface ends at
   both: else flat surfaces are held by their points. Of colliders before which bodies are held point by point, only
   what stands out, and where they end, counts. */
bool pair_cone_holds(const Skin *skin, PairKind kind, const uint32_t pair[2], const uint32_t vertices[4],
                     const PairDistance *apart, const double normal[3], const double *positions);

/* Whether a pair's side on the skin of a collider is an edge, or a point, in the middle of a flat part of it: points of
   bodies are held before that, and nothing there can reach into a body. */
bool pair_cone_is_flat(const Skin *skin, PairKind kind, const uint32_t pair[2], const uint32_t vertices[4],
                       const double *positions);

#endif
