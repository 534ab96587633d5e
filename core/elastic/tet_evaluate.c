/* Evaluation of tets: force on corner a: -V P g_a; stiffness of corners a, b: V g_a . dP/dF . g_b. Since the gradients
   of a tet sum to zero, the fourth corner's force and stiffness are minus the sum of the others', exactly: momentum is
   conserved. */
#include "elastic/tet_elements_internal.h"

/* ------------------------------------------------------------------------------------------------ one element */

void tet_add_force(TetElements *elements, const Tet *tet, double scale, const double P[9], double *force) {
    Scatter *scatter = &elements->force_scatter;
    double sum[3] = {0, 0, 0}, *fourth = scatter_at(scatter, force, tet->force_places[3]);
    for (int a = 0; a < 3; ++a) {
        const double *g = tet->gradients + 3 * a;
        double *corner = scatter_at(scatter, force, tet->force_places[a]);
        for (int i = 0; i < 3; ++i) {
            double f = scale * vec3_dot(P + 3 * i, g);
            corner[i] -= f;
            sum[i] += f;
        }
    }
    for (int i = 0; i < 3; ++i)
        fourth[i] += sum[i];
}

DEFINE_BALANCE_BLOCKS(balance_blocks, double)

void tet_add_stiffness(TetElements *elements, const Tet *tet, double scale, const StiffnessForm *stiffness,
                       BlockMatrix *matrix) {
    double blocks[TET_PAIRS][9];
    stiffness_blocks(stiffness, tet->gradients, scale, blocks);
    balance_blocks(blocks);
    for (int p = 0; p < TET_PAIRS; ++p) {
        double *target = scatter_at(&elements->block_scatter, matrix->values, tet->block_places[p]);
        for (int n = 0; n < 9; ++n)
            target[n] += blocks[p][n];
    }
}

uint32_t tet_evaluate_one(TetElements *elements, const Tet *tet, Evaluation *e) {
    /* the law is per volume, so that scaling its stiffness is scaling the volume */
    double F[9], P[9], volume = tet->volume * elements->stiffness_factors[tet->group];
    double damping_volume = volume * tet->stiffness_damping;
    bool damped_force = e->force && e->v && damping_volume > 0;
    bool damped_matrix = e->matrix && e->damping_scale != 0 && damping_volume > 0;
    StiffnessForm stiffness, damping;
    tet_deformation_gradient(tet->vertices, tet->gradients, e->q, F);
    if (e->force) {
        tet->law->stress(tet->c, F, P);
        tet_add_force(elements, tet, volume, P, e->force);
    }
    if (e->matrix || damped_force)
        stiffness_raw(tet->law, tet->c, F, &stiffness);

    /* Damping takes the positive part of the stiffness, so that it is always dissipative, or all of it if the raw one
       is requested. Slightly negative eigenvalues, harmless in the matrix, are not so here: nothing compensates for
       them where damping is strong. Nor may damping be discontinuous, as the safe stiffness is: an implicit step could
       have no solution. */
    bool damps_otherwise = false;
    if (damped_force || damped_matrix) {
        damping = stiffness;
        damps_otherwise = e->stiffness != STIFFNESS_RAW && !tet->positive && stiffness_project(&damping);
    }
    if (damped_force) {
        double Fdot[9];
        tet_deformation_gradient(tet->vertices, tet->gradients, e->v, Fdot);
        stiffness_apply(&damping, Fdot, P);
        tet_add_force(elements, tet, damping_volume, P, e->force);
    }
    if (!e->matrix)
        return 0;
    bool projects = e->stiffness == STIFFNESS_PROJECTED && !tet->positive;
    if (e->stiffness == STIFFNESS_SAFE && !tet->positive)
        projects = !stiffness_is_above(&stiffness, tet->harmless);
    bool changed = false;
    if (projects) {
        StiffnessForm raw = stiffness;
        changed = stiffness_project(&stiffness) && !stiffness_is_above(&raw, TET_NOTICEABLE * tet->harmless);
        damps_otherwise = false;
    }
    double stiffness_scale = volume * e->stiffness_scale;
    double damping_scale = damped_matrix ? damping_volume * e->damping_scale : 0;
    tet_add_stiffness(elements, tet, damps_otherwise ? stiffness_scale : stiffness_scale + damping_scale, &stiffness,
                      e->matrix);
    if (damps_otherwise && damped_matrix)
        tet_add_stiffness(elements, tet, damping_scale, &damping, e->matrix);
    return changed;
}

/* ------------------------------------------------------------------------------------------------ all elements */

typedef struct PartWork {
    TetElements *elements;
    Evaluation *evaluation;
} PartWork;

static double tet_energy(const TetElements *elements, const Tet *tet, const double *q) {
    double F[9];
    tet_deformation_gradient(tet->vertices, tet->gradients, q, F);
    return tet->volume * elements->stiffness_factors[tet->group] * tet->law->energy(tet->c, F);
}

static bool is_in_subset(const Tet *tet, Evaluation *e) {
    return element_subset_has(&e->subset, tet->vertices, 4);
}

/* Whether it adds anything to force or matrix. */
static bool takes_part(const Tet *tet, Evaluation *e) {
    return (e->force || e->stiffness_scale != 0 || tet->stiffness_damping > 0) && is_in_subset(tet, e);
}

/* Whether all of tets[0] to tets[LANES - 1] do. */
static bool take_part(const Tet *tets, Evaluation *e) {
    bool all = true;
    for (int l = 0; l < LANES; ++l)
        all &= takes_part(&tets[l], e);
    return all;
}

/* The first tet from here on, before `end`, that is in a bundle with something to do. */
static const Tet *next_tet(const TetElements *elements, const Tet *tet, const Tet *end, const Evaluation *e) {
    while (tet < end) {
        uint32_t bundle = (uint32_t)(tet - elements->tets) / TET_BUNDLE;
        if (!tet_bundle_is_idle(elements, bundle, &e->subset))
            return tet;
        const Tet *next = elements->tets + ((size_t)bundle + 1) * TET_BUNDLE;
        tet = next < end ? next : end;
    }
    return end;
}

static void evaluate_part(void *context, uint32_t part) {
    const PartWork *work = context;
    TetElements *elements = work->elements;
    Evaluation *e = work->evaluation;
    const Tet *tet = elements->tets + elements->part_starts[part];
    const Tet *end = elements->tets + elements->part_starts[part + 1];
    uint64_t projected = 0;
    double energy = 0;
    for (const Tet *t = tet; e->energy && t < end; ++t)
        energy += is_in_subset(t, e) ? tet_energy(elements, t, e->q) : 0;
    elements->part_energies[part] = energy;
    const Tet *looked = tet = next_tet(elements, tet, end, e);
    while ((e->force || e->matrix) && tet < end) {
        if (tet - looked >= TET_BUNDLE) {
            looked = tet = next_tet(elements, tet, end, e);
            continue;
        }
        if (end - tet >= LANES && tet_can_evaluate_four(tet) && take_part(tet, e)) {
            projected += tet_evaluate_four(elements, tet, e);
            tet += LANES;
        } else {
            if (takes_part(tet, e))
                projected += tet_evaluate_one(elements, tet, e);
            ++tet;
        }
    }
    elements->part_projected[part] = projected;
}

static void add_mass_damping(const TetElements *elements, Evaluation *e) {
    for (uint32_t v = 0; v < elements->vertex_count; ++v) {
        double damping = elements->damping_mass[v];
        if (damping == 0 || !element_subset_has(&e->subset, &v, 1))
            continue;
        if (e->force && e->v)
            for (size_t i = 0; i < 3; ++i)
                e->force[3 * (size_t)v + i] -= damping * e->v[3 * (size_t)v + i];
        if (e->matrix) {
            double *diagonal = e->matrix->values + 9 * (size_t)e->matrix->column_starts[v];
            for (int i = 0; i < 3; ++i)
                diagonal[4 * i] += e->damping_scale * damping;
        }
    }
}

JnStatus tet_elements_evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    TetElements *elements = self;
    if (!e->force && !e->energy && e->stiffness_scale == 0 && !elements->damped) {
        add_mass_damping(elements, e);
        return JN_OK;
    }
    if (e->force)
        scatter_clear(&elements->force_scatter);
    if (e->matrix)
        scatter_clear(&elements->block_scatter);
    pool_run(e->pool, TET_PARTS, evaluate_part, &(PartWork){elements, e});
    if (e->force)
        scatter_reduce(&elements->force_scatter, e->force);
    if (e->matrix)
        scatter_reduce(&elements->block_scatter, e->matrix->values);
    if (e->energy)
        for (int part = 0; part < TET_PARTS; ++part)
            *e->energy += elements->part_energies[part];
    if (e->projected)
        for (int part = 0; part < TET_PARTS; ++part)
            *e->projected += elements->part_projected[part];
    add_mass_damping(elements, e);
    return JN_OK;
}
