#include "region/regional_cost.h"

/* As measured with bench_regions: iterations of a solve; operations to assemble an element; the share of steps that
   make a factor, and of large steps that find how a region answers, where matrices change; rounds of a large step and
   Newton's iterations. */
static const double ITERATIONS = 3, PER_ELEMENT = 1000, FACTORS = 0.15, ANSWERS = 0.03, ROUNDS = 3, NEWTON = 4;
/* Operations to find the forces of an element; of backward Euler, rounds along the ways of sets, and by how much of a
   step they make that of the slow part longer. */
static const double PER_FORCE = 300, ALONG = 6, MORE = 0.5;
/* The share of a bake of a hundred steps in what is found once. */
static const double ONCE = 0.01;

/* Forwards and backwards through a factor. */
static double solve_flops(double entries) {
    return 4 * entries;
}

static double step_flops(const RegionalScene *scene) {
    double solve = ITERATIONS * solve_flops(scene->whole.factor_entries), elements = PER_ELEMENT * scene->tet_count;
    if (scene->solves_fully)
        return NEWTON * (solve + elements) + scene->whole.factor_flops;
    return solve + elements + (scene->constant ? 0 : FACTORS * scene->whole.factor_flops);
}

RegionalCost regional_cost(const RegionalScene *scene, const FastSet *set, uint32_t largest,
                           const SolverReport *inside) {
    double border = 3.0 * set->border_count, rounds = scene->constant ? 1 : ROUNDS, step = step_flops(scene);
    double solve = ITERATIONS * solve_flops(scene->whole.factor_entries + border * border / 2);
    double run = set->ratio * solve_flops(inside->factor_entries);
    /* the small steps before the first round and in each, or, where matrices stay, hardly more than once; the slow part
       in all rounds, one of which the step has */
    double runs = scene->constant ? 1.5 : 1 + rounds;
    double region = runs * run + rounds * solve - ITERATIONS * solve_flops(scene->whole.factor_entries);
    double elements = (double)scene->tet_count * set->vertex_count / scene->vertex_count;
    if (scene->solves_fully)
        region = ALONG * (2 * run + set->ratio * PER_FORCE * elements) + MORE * step;
    else if (!scene->constant)
        region += set->ratio * PER_FORCE * elements;
    /* matrices that stay are factored once, the dense block of the border too; how it answers is found then */
    region += (scene->constant ? ONCE : ANSWERS) * 3 * set->longest_border * run;
    if (!scene->constant)
        region += inside->factor_flops + border * border * border / 3;
    return (RegionalCost){step, largest * step, region};
}
