/* What the assembly of the elastic force and stiffness costs on one thread, per material law, for a box of 50,400 tets
   that is slightly deformed (few elements to project) and badly (most of them). Each case at its quickest of many
   turns, in nanoseconds of processor time a tet; the last column is the first as a part of one factorization of that
   matrix.

     bench_assembly [law]

   Machines are shared and noisy: read the ratios. */
#include "random.h"
#include "tet_box.h"

#include "terms.h"

#include "elastic/tet_elements.h"
#include "linear/solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15 };
static const double CELL = 0.02, DENSITY = 1000, STEP = 0.01;

static double processor_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

typedef struct Case {
    const char *name;
    bool bad, damped, energy_only;
    StiffnessKind kind;
} Case;

static const Case cases[] = {
    {"safe", false, false, false, STIFFNESS_SAFE},           {"damped", false, true, false, STIFFNESS_SAFE},
    {"projected", false, false, false, STIFFNESS_PROJECTED}, {"safe, bad", true, false, false, STIFFNESS_SAFE},
    {"projected", true, false, false, STIFFNESS_PROJECTED},  {"energy", false, false, true, STIFFNESS_SAFE},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct Bench {
    TetBox box;
    BlockMatrix matrix;
    double *slightly, *badly, *velocities, *force;
    Solver *solver;
} Bench;

/* Nanoseconds of the quickest pass, over all tets. */
static double measure(Bench *bench, const ForceTerm *term, const Case *what) {
    double quickest = INFINITY, energy = 0;
    for (int run = 0; run < RUNS; ++run) {
        Evaluation e = {.q = what->bad ? bench->badly : bench->slightly, .stiffness = what->kind};
        if (what->energy_only) {
            e.energy = &energy;
        } else {
            e.force = bench->force;
            e.matrix = &bench->matrix;
            e.stiffness_scale = STEP * STEP;
        }
        if (what->damped) {
            e.v = bench->velocities;
            e.damping_scale = STEP;
        }
        double start = processor_ns();
        if (e.matrix)
            block_matrix_set_zero(e.matrix);
        term_evaluate(term, &e);
        quickest = fmin(quickest, processor_ns() - start);
    }
    return quickest;
}

/* Nanoseconds of the quickest factorization of M + h^2 K. */
static double measure_factor(Bench *bench, const ForceTerm *term, JnStatus *status, JnMessage *message) {
    double quickest = INFINITY, mass = DENSITY * CELL * CELL * CELL;
    block_matrix_set_zero(&bench->matrix);
    Evaluation e = {
        .q = bench->slightly, .matrix = &bench->matrix, .stiffness_scale = STEP * STEP, .stiffness = STIFFNESS_SAFE};
    term_evaluate(term, &e);
    for (uint32_t v = 0; v < bench->matrix.vertex_count; ++v)
        for (size_t i = 0; i < 9; i += 4)
            bench->matrix.values[9 * (size_t)bench->matrix.column_starts[v] + i] += mass;
    for (int run = 0; *status == JN_OK && run < 3; ++run) {
        bool positive_definite;
        double start = processor_ns();
        *status = solver_factor(bench->solver, &bench->matrix, NULL, &positive_definite, message);
        quickest = fmin(quickest, processor_ns() - start);
    }
    return quickest;
}

/* Rest positions moved at random by up to `amount` in each direction; free it. */
static double *deformed(const TetBox *box, double amount) {
    size_t n = 3 * (size_t)box->vertex_count;
    uint64_t seed = 5;
    double *q = malloc(n * sizeof *q);
    for (size_t i = 0; i < n; ++i)
        q[i] = box->positions[i] + amount * random_signed(&seed);
    return q;
}

static JnStatus create_term(const TetBox *box, const Material *law, double damping_time, const BlockMatrix *matrix,
                            ForceTerm *term, JnMessage *message) {
    const Material **laws = malloc(box->tet_count * sizeof *laws);
    double *young = malloc(box->tet_count * sizeof *young), *poisson = malloc(box->tet_count * sizeof *poisson);
    double *damping = calloc(box->tet_count, sizeof *damping);
    double *damping_mass = calloc(box->vertex_count, sizeof *damping_mass);
    for (uint32_t t = 0; t < box->tet_count; ++t)
        laws[t] = law, young[t] = 1e5, poisson[t] = 0.4, damping[t] = damping_time;
    TetElementsDesc desc = {.vertex_count = box->vertex_count,
                            .tet_count = box->tet_count,
                            .rest_positions = box->positions,
                            .tet_vertices = box->tets,
                            .laws = laws,
                            .young_modulus = young,
                            .poisson_ratio = poisson,
                            .stiffness_damping = damping,
                            .damping_mass = damping_mass};
    JnStatus status = tet_elements_create(&desc, matrix, term, message);
    free(laws), free(young), free(poisson), free(damping), free(damping_mass);
    return status;
}

static JnStatus measure_law(Bench *bench, const Material *law, JnMessage *message) {
    double ns[CASES], factor = 0;
    JnStatus status = JN_OK;
    for (int damped = 0; damped < 2 && status == JN_OK; ++damped) {
        ForceTerm term;
        status = create_term(&bench->box, law, damped ? 0.01 : 0, &bench->matrix, &term, message);
        if (status != JN_OK)
            break;
        for (int k = 0; k < CASES; ++k)
            if (cases[k].damped == (bool)damped)
                ns[k] = measure(bench, &term, &cases[k]);
        if (!damped)
            factor = measure_factor(bench, &term, &status, message);
        term_destroy(&term);
    }
    if (status != JN_OK)
        return status;
    printf("%-20s |", law->entry.name);
    for (int k = 0; k < CASES; ++k)
        printf(" %9.0f", ns[k] / bench->box.tet_count);
    printf(" | %6.3f\n", ns[0] / factor);
    return JN_OK;
}

int main(int count, char **arguments) {
    Bench bench = {.box = tet_box_make(30, 28, 10, CELL)};
    JnMessage message;
    bench.slightly = deformed(&bench.box, 0.02 * CELL);
    bench.badly = deformed(&bench.box, 0.4 * CELL);
    bench.velocities = deformed(&bench.box, CELL);
    bench.force = calloc(3 * (size_t)bench.box.vertex_count, sizeof *bench.force);
    VertexGroups corners = vertex_groups_of_tets(bench.box.tets, bench.box.tet_count);
    JnStatus status = block_matrix_build(bench.box.vertex_count, &corners, 1, &bench.matrix, &message);
    if (status == JN_OK)
        status = solver_create(&(SolverDesc){.pattern = &bench.matrix}, &bench.solver, &message);
    printf("%u tets\n%-20s |", bench.box.tet_count, "law");
    for (int k = 0; k < CASES; ++k)
        printf(" %9s", cases[k].name);
    printf(" | / factor\n");
    for (uint32_t m = 0; status == JN_OK && m < material_table.count; ++m) {
        const Material *law = (const Material *)table_at(&material_table, m);
        if (count < 2 || strcmp(arguments[1], law->entry.name) == 0)
            status = measure_law(&bench, law, &message);
    }
    if (status != JN_OK)
        fprintf(stderr, "%s\n", message.text);
    solver_destroy(bench.solver);
    block_matrix_free(&bench.matrix);
    free(bench.force), free(bench.slightly), free(bench.badly), free(bench.velocities);
    tet_box_free(&bench.box);
    return status != JN_OK;
}
