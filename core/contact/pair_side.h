/* On which side of a closed surface a pair is: whether one of the two has come into the other. */
#ifndef JN_CONTACT_PAIR_SIDE_H
#define JN_CONTACT_PAIR_SIDE_H

#include "contact/skin.h"

/* 1: apart; -1: one has come into the other; 0: not known, or neither has an inside. `normal`: from the second to the
   first, of length 1; sides: [objects] of skin_side; positions: [skin vertices * 3]. */
int pair_side(const Skin *skin, PairKind kind, const uint32_t pair[2], const uint32_t vertices[4],
              const PairDistance *apart, const double normal[3], const double *sides, const double *positions);

/* Where a point lies on a triangle exactly: the direction out of the triangle's object, if that has an inside and the
   surface around the point looks the other way. false: it is not known. */
bool pair_flush_normal(const Skin *skin, const uint32_t pair[2], const uint32_t vertices[4], const double *sides,
                       const double *positions, double normal[3]);

#endif
