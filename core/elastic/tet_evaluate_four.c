/* Four tets at once, of isotropic laws. The raw stiffness is computed from invariants if all four laws provide them,
   else from stretches; the projected one always from stretches. The sum of the two is added to the matrix, in the order
   of the tets. */
#include "elastic/tet_elements_internal.h"

#include "base/svd3.h"

/* The data of the four. Most of it is computed only where it is needed. */
typedef struct Four {
    TetElements *elements;
    const Tet *tets;
    Evaluation *e;
    bool by_invariants;
    InvariantLanes lanes;
    Lanes volume;  /* times the stiffness factor: the laws are per volume */
    Lanes damping; /* volume times the time of stiffness damping */
    bool has_stretches;
    Lanes U[9], V[9];
    PrincipalForm raw[LANES]; /* if it has stretches */
    bool is_projected[LANES];
    PrincipalForm projected[LANES]; /* if it is projected */
} Four;

bool tet_can_evaluate_four(const Tet *tets) {
    return tets[0].law->principal && tets[1].law->principal && tets[2].law->principal && tets[3].law->principal;
}

/* ------------------------------------------------------------------------------------------------ in */

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
    four->by_invariants = true;
    for (int l = 0; l < LANES; ++l) {
        const Tet *tet = &four->tets[l];
        double volume = tet->volume * four->elements->stiffness_factors[tet->group];
        for (int n = 0; n < 9; ++n)
            lanes->gradients[n][l] = tet->gradients[n];
        four->volume[l] = volume;
        four->damping[l] = volume * tet->stiffness_damping;
        four->by_invariants &= tet->law->invariants != NULL;
    }
    Lanes edges[9];
    load_edges(four->tets, four->e->q, edges);
    four->elements->kernels.invariants->deform(lanes, edges);
    for (int l = 0; four->by_invariants && l < LANES; ++l) {
        InvariantSlopes slopes;
        four->tets[l].law->invariants(four->tets[l].c, lanes->I[l], lanes->J[l], &slopes);
        lanes->norm[l] = slopes.norm;
        lanes->norm_change[l] = slopes.norm_change;
        lanes->volume[l] = slopes.volume;
        lanes->volume_change[l] = slopes.volume_change;
    }
}

static void lane_of(const Lanes *from, int count, int l, double *to) {
    for (int n = 0; n < count; ++n)
        to[n] = from[n][l];
}

/* Fills in the principal forms. */
static void find_stretches(Four *four) {
    if (four->has_stretches)
        return;
    Lanes s[3];
    LaneMask right;
    four->elements->kernels.stretches->decompose(four->lanes.F, four->U, s, four->V, &right);
    for (int l = 0; l < LANES; ++l) {
        PrincipalForm *raw = &four->raw[l];
        double stretches[3], F[9];
        if (right[l]) {
            lane_of(four->U, 9, l, raw->U);
            lane_of(four->V, 9, l, raw->V);
            lane_of(s, 3, l, stretches);
        } else {
            lane_of(four->lanes.F, 9, l, F);
            svd3(F, raw->U, stretches, raw->V);
            for (int n = 0; n < 9; ++n) {
                four->U[n][l] = raw->U[n];
                four->V[n][l] = raw->V[n];
            }
        }
        four->tets[l].law->principal(four->tets[l].c, stretches, &raw->K);
        four->is_projected[l] = false;
    }
    four->has_stretches = true;
}

static void project(Four *four, int l) {
    if (four->is_projected[l])
        return;
    four->projected[l] = four->raw[l];
    principal_project(&four->projected[l]);
    four->is_projected[l] = true;
}

static void scale_stiffness(double scale, PrincipalStiffness *K) {
    for (int n = 0; n < 9; ++n)
        K->scaling[n] *= scale;
    for (int k = 0; k < 3; ++k) {
        K->flip[k] *= scale;
        K->twist[k] *= scale;
    }
}

/* sum += scale K */
static void add_stiffness(double scale, const PrincipalStiffness *K, PrincipalStiffness *sum) {
    for (int n = 0; n < 9; ++n)
        sum->scaling[n] += scale * K->scaling[n];
    for (int k = 0; k < 3; ++k) {
        sum->flip[k] += scale * K->flip[k];
        sum->twist[k] += scale * K->twist[k];
    }
}

/* out = raw times the raw stiffness and projected times the projected one. */
static void mix_stretches(Four *four, const Lanes *raw, const Lanes *projected, StretchLanes *out) {
    find_stretches(four);
    for (int n = 0; n < 9; ++n) {
        out->U[n] = four->U[n];
        out->V[n] = four->V[n];
    }
    for (int l = 0; l < LANES; ++l) {
        PrincipalStiffness sum = four->raw[l].K;
        scale_stiffness((*raw)[l], &sum);
        if ((*projected)[l] != 0) {
            project(four, l);
            add_stiffness((*projected)[l], &four->projected[l].K, &sum);
        }
        for (int n = 0; n < 9; ++n)
            out->scaling[n][l] = sum.scaling[n];
        for (int k = 0; k < 3; ++k) {
            out->flip[k][l] = sum.flip[k];
            out->twist[k][l] = sum.twist[k];
        }
    }
}

/* ------------------------------------------------------------------------------------------------ out */

/* force -= forces on the first three corners, += their sum on the fourth, where wanted. */
static void subtract_forces(Four *four, const LaneMask *wanted, const Lanes forces[9]) {
    Scatter *scatter = &four->elements->force_scatter;
    for (int l = 0; l < LANES; ++l) {
        const uint32_t *places = four->tets[l].force_places;
        double *fourth = scatter_at(scatter, four->e->force, places[3]);
        if (!(*wanted)[l])
            continue;
        for (int a = 0; a < 3; ++a) {
            double *corner = scatter_at(scatter, four->e->force, places[a]);
            for (int i = 0; i < 3; ++i)
                corner[i] -= forces[3 * a + i][l];
        }
        for (int i = 0; i < 3; ++i)
            fourth[i] += forces[i][l] + forces[3 + i][l] + forces[6 + i][l];
    }
}

/* matrix += blocks, where wanted. */
static void add_blocks(Four *four, const LaneMask *wanted, Lanes blocks[TET_PAIRS][9]) {
    for (int l = 0; l < LANES; ++l)
        for (int p = 0; (*wanted)[l] && p < TET_PAIRS; ++p) {
            double *target =
                scatter_at(&four->elements->block_scatter, four->e->matrix->values, four->tets[l].block_places[p]);
            for (int n = 0; n < 9; ++n)
                target[n] += blocks[p][n][l];
        }
}

static void add_force(Four *four) {
    LaneMask all = {-1, -1, -1, -1};
    Lanes forces[9];
    if (four->by_invariants) {
        four->elements->kernels.invariants->force(&four->lanes, &four->volume, forces);
        subtract_forces(four, &all, forces);
        return;
    }
    for (int l = 0; l < LANES; ++l) {
        double F[9], P[9];
        lane_of(four->lanes.F, 9, l, F);
        four->tets[l].law->stress(four->tets[l].c, F, P);
        tet_add_force(four->elements, &four->tets[l], four->volume[l], P, four->e->force);
    }
}

/* The force of the raw stiffness times raw and of the projected one times projected, at the velocities. */
static void add_damping_force(Four *four, const Lanes *raw, const Lanes *projected) {
    LaneMask is_raw = *raw != 0, is_projected = *projected != 0;
    Lanes edges[9], forces[9];
    load_edges(four->tets, four->e->v, edges);
    if (four->by_invariants && lanes_any(&is_raw)) {
        four->elements->kernels.invariants->force_change(&four->lanes, edges, raw, forces);
        subtract_forces(four, &is_raw, forces);
    }
    LaneMask rest = four->by_invariants ? is_projected : is_projected | is_raw;
    if (lanes_any(&rest)) {
        Lanes none = {0};
        StretchLanes stiffness;
        mix_stretches(four, four->by_invariants ? &none : raw, projected, &stiffness);
        four->elements->kernels.stretches->force_change(&stiffness, four->lanes.gradients, edges, forces);
        subtract_forces(four, &rest, forces);
    }
}

/* matrix += the raw stiffness times raw, and the projected one times projected. */
static void add_matrix(Four *four, const Lanes *raw, const Lanes *projected) {
    LaneMask is_raw = *raw != 0, is_projected = *projected != 0;
    Lanes blocks[TET_PAIRS][9];
    if (four->by_invariants && lanes_any(&is_raw)) {
        four->elements->kernels.invariants->blocks(&four->lanes, raw, blocks);
        add_blocks(four, &is_raw, blocks);
    }
    LaneMask rest = four->by_invariants ? is_projected : is_projected | is_raw;
    if (lanes_any(&rest)) {
        Lanes none = {0};
        StretchLanes stiffness;
        mix_stretches(four, four->by_invariants ? &none : raw, projected, &stiffness);
        four->elements->kernels.stretches->blocks(&stiffness, four->lanes.gradients, blocks);
        add_blocks(four, &rest, blocks);
    }
}

/* ------------------------------------------------------------------------------------------------ the four */

static void judge_positive(Four *four, LaneMask *positive) {
    if (four->by_invariants)
        four->elements->kernels.invariants->judge_positive(&four->lanes, positive);
    else
        *positive = (LaneMask){0}; /* an unnecessary projection changes nothing */
}

/* Whether no eigenvalue is below -scale times the harmless one. */
static void judge_above(Four *four, double scale, LaneMask *above) {
    Lanes allowed;
    for (int l = 0; l < LANES; ++l)
        allowed[l] = scale * four->tets[l].harmless;
    if (four->by_invariants) {
        four->elements->kernels.invariants->judge_above(&four->lanes, &allowed, above);
        return;
    }
    find_stretches(four);
    for (int l = 0; l < LANES; ++l)
        (*above)[l] = principal_is_above(&four->raw[l], allowed[l]) ? -1 : 0;
}

static uint32_t count_false(const LaneMask *mask) {
    uint32_t count = 0;
    for (int l = 0; l < LANES; ++l)
        count += (*mask)[l] == 0;
    return count;
}

uint32_t tet_evaluate_four(TetElements *elements, const Tet *tets, Evaluation *e) {
    Four four;
    four.elements = elements;
    four.tets = tets;
    four.e = e;
    four.has_stretches = false;
    load(&four);
    if (e->force)
        add_force(&four);

    /* where damping and the matrix use the raw stiffness; tet_evaluate_one gives the reasons */
    LaneMask all = {-1, -1, -1, -1}, damped = four.damping > 0, damps_raw = all, raw = all;
    bool damped_force = e->force && e->v && lanes_any(&damped);
    bool damped_matrix = e->matrix && e->damping_scale != 0 && lanes_any(&damped);
    if (e->stiffness == STIFFNESS_PROJECTED || (e->stiffness == STIFFNESS_SAFE && (damped_force || damped_matrix)))
        judge_positive(&four, &damps_raw);
    if (damped_force) {
        Lanes as_is = four.damping, projected = four.damping;
        LaneMask others = ~damps_raw;
        lanes_keep(&damps_raw, &as_is);
        lanes_keep(&others, &projected);
        add_damping_force(&four, &as_is, &projected);
    }
    if (!e->matrix)
        return 0;
    LaneMask kept = all;
    if (e->stiffness == STIFFNESS_SAFE) {
        judge_above(&four, 1, &raw);
        kept = raw;
    } else if (e->stiffness == STIFFNESS_PROJECTED) {
        raw = damps_raw;
        judge_above(&four, TET_NOTICEABLE, &kept);
    }
    Lanes stiffness = e->stiffness_scale * four.volume, damping = e->damping_scale * four.damping;
    Lanes raw_scale = (Lanes)((LaneMask)stiffness & raw) + (Lanes)((LaneMask)damping & damps_raw);
    Lanes projected_scale = (Lanes)((LaneMask)stiffness & ~raw) + (Lanes)((LaneMask)damping & ~damps_raw);
    add_matrix(&four, &raw_scale, &projected_scale);
    return count_false(&kept);
}
