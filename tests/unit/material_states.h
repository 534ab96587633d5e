/* The deformations at which material laws are checked. */
#ifndef JN_TESTS_MATERIAL_STATES_H
#define JN_TESTS_MATERIAL_STATES_H

#include "elastic/material.h"

static const double YOUNG = 2e5, POISSON = 0.35;

/* Where every law is smooth: rest first, then stretched. */
static const double smooth_states[][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},                         /* rest */
    {1.6, 0.1, 0, 0, 0.9, 0.2, -0.1, 0, 1.1},            /* stretched and sheared */
    {0.3, 0, 0.1, 0, 0.5, 0, 0.05, 0, 0.4},              /* compressed */
    {0, -1.2, 0, 1.1, 0, 0, 0, 0, 0.9},                  /* rotated */
    {-0.8, 0.1, 0, 0, 1.1, 0, 0.2, 0, 1.2},              /* inverted */
    {-2, 0.3, 0.1, 0.2, -2.5, 0, 0.1, 0.3, -1.5},        /* inverted in all directions */
    {1e-3, 0, 0, 0, 1, 0, 0, 0, 1},                      /* nearly flat */
    {0, 0, 0, 0, 1, 0.2, 0, 0, 0.8},                     /* flat */
    {0.7, 0, 0, 0, 0.7, 0, 0, 0, 0.7},                   /* equal stretches */
    {0, 0, 1.3, 1.3, 0, 0, 0, 1.3, 0},                   /* equal stretches, rotated */
    {1.2, 0, 0, 0, 1.2 + 1e-9, 0, 0, 0, 0.6},            /* two nearly equal */
    {0.6, 1e-9, 0, -1e-9, 1.2, 1e-10, 0, 0, 0.6 - 1e-8}, /* two nearly equal, slightly turned */
    {1, 0, 0, 0, 0.4, 0, 0, 0, 0.26},                    /* a tenth of the volume */
    {2.5, 1, -0.5, 0.5, 3, 0, 0, 1, 2},                  /* blown up */
};
enum { SMOOTH_STATES = sizeof smooth_states / sizeof smooth_states[0] };

/* Where some laws jump, because the nearest rotation does. */
static const double degenerate_states[][9] = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0},              /* a point */
    {1, 0, 0, 0, 0, 0, 0, 0, 0},              /* a line */
    {4, 0, 0, 0, 1e-9, 0, 0, 0, 0},           /* a long line */
    {-1, 0, 0, 0, 1, 0, 0, 0, 1},             /* mirrored */
    {-1, 0, 0, 0, -1, 0, 0, 0, -1},           /* mirrored at a point */
    {2, 0, 0, 0, 0.5, 0, 0, 0, -0.5 + 1e-12}, /* opposite stretches */
};
enum { DEGENERATE_STATES = sizeof degenerate_states / sizeof degenerate_states[0] };

static inline const Material *law_at(uint32_t index) {
    return (const Material *)table_at(&material_table, index);
}

#endif
