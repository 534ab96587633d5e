/* What the assembly of force and stiffness costs on one thread, per material law, for a box of 50,000 tets: raw and
   with every element's stiffness projected, slightly deformed (few elements to project) and badly (most of them).

     bench_assembly

   Times are medians in milliseconds. Machines are shared and noisy: read the ratios to the first line. */
#include "random.h"
#include "tet_box.h"

#include "base/os/os.h"
#include "elastic/tet_elements.h"

#include <stdio.h>

enum { RUNS = 15 };
static const double CELL = 0.02;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median milliseconds of one pass for force and matrix. */
static double measure(const ForceTerm *term, BlockMatrix *matrix, const double *q, double *force, bool projected) {
    double times[RUNS];
    for (int run = 0; run < RUNS; ++run) {
        double start = os_clock_seconds();
        block_matrix_set_zero(matrix);
        Evaluation e = {.q = q,
                        .force = force,
                        .matrix = matrix,
                        .stiffness_scale = 1,
                        .stiffness = projected ? STIFFNESS_PROJECTED : STIFFNESS_RAW};
        term->evaluate(term->self, &e);
        times[run] = 1000 * (os_clock_seconds() - start);
    }
    qsort(times, RUNS, sizeof times[0], compare_doubles);
    return times[RUNS / 2];
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

static JnStatus create_term(const TetBox *box, const Material *law, const BlockMatrix *matrix, ForceTerm *term,
                            JnMessage *message) {
    const Material **laws = malloc(box->tet_count * sizeof *laws);
    double *young = malloc(box->tet_count * sizeof *young), *poisson = malloc(box->tet_count * sizeof *poisson);
    double *damping = calloc(box->tet_count, sizeof *damping);
    double *damping_mass = calloc(box->vertex_count, sizeof *damping_mass);
    for (uint32_t t = 0; t < box->tet_count; ++t)
        laws[t] = law, young[t] = 1e5, poisson[t] = 0.4;
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

int main(void) {
    TetBox box = tet_box_make(30, 28, 10, CELL);
    double *slightly = deformed(&box, 0.02 * CELL), *badly = deformed(&box, 0.4 * CELL);
    double *force = calloc(3 * (size_t)box.vertex_count, sizeof *force);
    BlockMatrix matrix;
    JnMessage message;
    JnStatus status =
        block_matrix_build(box.vertex_count, &(VertexGroups){box.tet_count, 4, NULL, box.tets}, 1, &matrix, &message);
    printf("%u tets\n%-20s | %8s %10s | %8s %10s\n", box.tet_count, "law", "slight", "projected", "bad", "projected");
    for (uint32_t m = 0; status == JN_OK && m < material_table.count; ++m) {
        const Material *law = (const Material *)table_at(&material_table, m);
        ForceTerm term;
        status = create_term(&box, law, &matrix, &term, &message);
        if (status != JN_OK)
            break;
        printf("%-20s | %8.2f %10.2f | %8.2f %10.2f\n", law->entry.name,
               measure(&term, &matrix, slightly, force, false), measure(&term, &matrix, slightly, force, true),
               measure(&term, &matrix, badly, force, false), measure(&term, &matrix, badly, force, true));
        term.destroy(term.self);
    }
    if (status != JN_OK)
        fprintf(stderr, "%s\n", message.text);
    block_matrix_free(&matrix);
    free(force), free(slightly), free(badly);
    tet_box_free(&box);
    return status != JN_OK;
}
