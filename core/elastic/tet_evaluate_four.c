/* Four tets at once, of laws with invariants: what they have raw is computed side by side, what must be projected one
   by one. The sum of the two goes into the matrix, in the order of the tets. */
#include "elastic/invariant_lanes.h"
#include "elastic/tet_elements_internal.h"

/* What is known of the four. */
typedef struct Four {
    const TetElements *elements;
    const Tet *tets;
    const Evaluation *e;
    const InvariantKernels *kernels;
    InvariantLanes lanes;
    Lanes volume;             /* times the stiffness factor: the laws are per volume */
    Lanes damping;            /* volume times the time of stiffness damping */
    bool is_projected[LANES]; /* whether `projected` is filled in */
    StiffnessForm projected[LANES];
} Four;

bool tet_can_evaluate_four(const Tet *tets) {
    for (int l = 0; l < LANES; ++l)
        if (!tets[l].law->invariants || !tets[l].law->principal)
            return false;
    return true;
}

/* edges: [9] x_a - x_3 of the corners a = 0, 1, 2. */
static void load_edges(const Tet *tets, const double *x, Lanes edges[9]) {
    for (int l = 0; l < LANES; ++l) {
        const uint32_t *vertices = tets[l].vertices;
        const double *fourth = x + 3 * (size_t)vertices[3];
        for (int a = 0; a < 3; ++a)
            for (int i = 0; i < 3; ++i)
                edges[3 * a + i][l] = x[3 * (size_t)vertices[a] + (size_t)i] - fourth[i];
    }
}

static void load(Four *four) {
    InvariantLanes *lanes = &four->lanes;
    for (int l = 0; l < LANES; ++l) {
        const Tet *tet = &four->tets[l];
        double volume = tet->volume * four->elements->stiffness_factors[tet->group];
        for (int n = 0; n < 9; ++n)
            lanes->gradients[n][l] = tet->gradients[n];
        four->volume[l] = volume;
        four->damping[l] = volume * tet->stiffness_damping;
        four->is_projected[l] = false;
    }
    Lanes edges[9];
    load_edges(four->tets, four->e->q, edges);
    four->kernels->deform(lanes, edges);
    for (int l = 0; l < LANES; ++l) {
        InvariantSlopes slopes;
        four->tets[l].law->invariants(four->tets[l].c, lanes->I[l], lanes->J[l], &slopes);
        lanes->norm[l] = slopes.norm;
        lanes->norm_change[l] = slopes.norm_change;
        lanes->volume[l] = slopes.volume;
        lanes->volume_change[l] = slopes.volume_change;
    }
}

static const StiffnessForm *project(Four *four, int l) {
    if (!four->is_projected[l]) {
        double F[9];
        for (int n = 0; n < 9; ++n)
            F[n] = four->lanes.F[n][l];
        stiffness_projected(four->tets[l].law, four->tets[l].c, F, &four->projected[l]);
        four->is_projected[l] = true;
    }
    return &four->projected[l];
}

/* force -= forces on the first three corners, += their sum on the fourth. */
static void subtract_forces(const Four *four, const Lanes forces[9]) {
    const Scatter *scatter = &four->elements->force_scatter;
    for (int l = 0; l < LANES; ++l) {
        const uint32_t *places = four->tets[l].force_places;
        double *fourth = scatter_at(scatter, four->e->force, places[3]);
        for (int a = 0; a < 3; ++a) {
            double *corner = scatter_at(scatter, four->e->force, places[a]);
            for (int i = 0; i < 3; ++i)
                corner[i] -= forces[3 * a + i][l];
        }
        for (int i = 0; i < 3; ++i)
            fourth[i] += forces[i][l] + forces[3 + i][l] + forces[6 + i][l];
    }
}

/* raw: where the damping stiffness is the raw one. */
static void add_damping_forces(Four *four, const LaneMask *raw) {
    Lanes edges[9], forces[9], scale = (Lanes)((LaneMask)four->damping & *raw);
    load_edges(four->tets, four->e->v, edges);
    four->kernels->force_change(&four->lanes, edges, &scale, forces);
    subtract_forces(four, forces);
    for (int l = 0; l < LANES; ++l) {
        const Tet *tet = &four->tets[l];
        if ((*raw)[l] || four->damping[l] == 0)
            continue;
        double Fdot[9], P[9];
        tet_deformation_gradient(tet->vertices, tet->gradients, four->e->v, Fdot);
        stiffness_apply(project(four, l), Fdot, P);
        tet_add_force(four->elements, tet, four->damping[l], P, four->e->force);
    }
}

/* matrix += the raw stiffness times raw, and the projected one times projected. */
static void add_matrix(Four *four, const Lanes *raw, const Lanes *projected) {
    Lanes blocks[TET_PAIRS][9];
    double *values = four->e->matrix->values;
    four->kernels->blocks(&four->lanes, raw, blocks);
    for (int l = 0; l < LANES; ++l) {
        const Tet *tet = &four->tets[l];
        for (int p = 0; (*raw)[l] != 0 && p < TET_PAIRS; ++p) {
            double *target = scatter_at(&four->elements->block_scatter, values, tet->block_places[p]);
            for (int n = 0; n < 9; ++n)
                target[n] += blocks[p][n][l];
        }
        if ((*projected)[l] != 0)
            tet_add_stiffness(four->elements, tet, (*projected)[l], project(four, l), four->e->matrix);
    }
}

void tet_evaluate_four(const TetElements *elements, const Tet *tets, const Evaluation *e) {
    Four four; /* most of it is filled in only where it is needed */
    four.elements = elements;
    four.tets = tets;
    four.e = e;
    four.kernels = elements->kernels;
    load(&four);
    if (e->force) {
        Lanes forces[9];
        four.kernels->force(&four.lanes, &four.volume, forces);
        subtract_forces(&four, forces);
    }

    /* where stiffness is taken as it is: by damping, and by the matrix */
    LaneMask all = {-1, -1, -1, -1}, damps_raw = all, raw = all;
    bool damped = false, damps = e->force && e->v;
    for (int l = 0; l < LANES; ++l)
        damped |= four.damping[l] > 0;
    damps = damped && (damps || (e->matrix && e->damping_scale != 0));
    if (e->stiffness != STIFFNESS_RAW && (damps || e->stiffness == STIFFNESS_PROJECTED))
        four.kernels->judge_positive(&four.lanes, &damps_raw);
    if (damps && e->force && e->v)
        add_damping_forces(&four, &damps_raw);
    if (!e->matrix)
        return;
    if (e->stiffness == STIFFNESS_SAFE)
        four.kernels->judge_harmless(&four.lanes, TET_HARMLESS_STIFFNESS, &raw);
    else
        raw = damps_raw;
    Lanes stiffness = e->stiffness_scale * four.volume, damping = e->damping_scale * four.damping;
    Lanes raw_scale = (Lanes)((LaneMask)stiffness & raw) + (Lanes)((LaneMask)damping & damps_raw);
    Lanes projected_scale = (Lanes)((LaneMask)stiffness & ~raw) + (Lanes)((LaneMask)damping & ~damps_raw);
    add_matrix(&four, &raw_scale, &projected_scale);
}
