/* What the integrator "auto" takes: a method, how many modes it keeps and time steps per frame, from facts of the
   scene. */
#ifndef JN_INTEGRATE_AUTO_RULES_H
#define JN_INTEGRATE_AUTO_RULES_H

#include "integrate/integrator.h"

typedef struct AutoFacts {
    double fps;
    uint32_t body_count;
    double wobble;    /* Hz: the fastest among the bodies' slowest wobbles that are seen, less than one a frame; of what
                         creeps back instead, as fast as that; 0: there is none */
    bool driven;      /* nothing is free to move */
    bool unseen;      /* some body's slowest wobble is faster than that */
    bool slack;       /* some body has no wobble of its own */
    bool fibres;      /* some bodies are fibres, */
    bool only_fibres; /* or all */
    bool contact;     /* something may touch */
    bool held;        /* some body has pins, goals or a rest shape that follows, which its inputs may move */
    bool fast_regions; /* some parts take small time steps */
    double damping;    /* the largest among the dampings of the slowest wobbles of bodies that may turn far, as what is
                          free and what is slender does; as part of the critical one */
    double wound_up;   /* sizes of a body that the energy of a start pose, as motion, would take it in 1/24 s */
} AutoFacts;

enum { AUTO_REASON_CAPACITY = 200 };

typedef struct AutoChoice {
    const Integrator *method; /* in integrator_table */
    uint32_t mode_count;      /* how many modes it keeps; 0: as many as the desc says */
    uint32_t steps_per_frame;
    char reason[AUTO_REASON_CAPACITY]; /* the end of a sentence */
} AutoChoice;

/* Depends on nothing but the facts. */
void auto_choose(const AutoFacts *facts, AutoChoice *choice);

#endif
