/* What a time step costs, per mesh size and method, against the floor: one numeric CHOLMOD factorization and one solve
   of the same matrix, measured in the same run, step by step in turn. A bar pinned at one end swings under gravity;
   every step writes a cache sample.

     bench_step [folder] [largest vertex count]      writes step.json and step.csv there; 13,000 vertices by default

   Times are medians in milliseconds. Machines are shared and noisy: read the ratios. */
#include "baking.h"

#include "bake/bake_internal.h"
#include "base/os/os.h"
#include "linear/cholmod_guard.h"

#include <stdio.h>

enum { STEPS = 15 };

typedef struct Row {
    const char *method;
    uint32_t vertices, tets;
    double assembly, factor, solve, contact, output, step, floor_factor, floor_solve;
} Row;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return values[count / 2];
}

/* ------------------------------------------------------------------------------------------------ the floor */

typedef struct Floor {
    cholmod_common common;
    cholmod_sparse *matrix;
    cholmod_factor *factor;
    cholmod_dense *rhs;
} Floor;

/* The free part of the system's matrix as CHOLMOD sees it, made apart from the solver under test. */
static void floor_open(Floor *floor, const View *view) {
    const BlockMatrix *blocks = &view->jacobian->linear->matrix;
    int *free_of_vertex = malloc(blocks->vertex_count * sizeof *free_of_vertex), free_count = 0;
    for (uint32_t v = 0; v < blocks->vertex_count; ++v)
        free_of_vertex[v] = view_is_free(view, v) ? free_count++ : -1;
    cholmod_guard_start(&floor->common);
    size_t n = 3 * (size_t)free_count, capacity = 9 * (size_t)blocks->block_count;
    cholmod_triplet *triplet = cholmod_allocate_triplet(n, n, capacity, -1, CHOLMOD_REAL, &floor->common);
    cholmod_triplet *graph = cholmod_allocate_triplet((size_t)free_count, (size_t)free_count, blocks->block_count, -1,
                                                      CHOLMOD_REAL, &floor->common);
    for (uint32_t column = 0; column < blocks->vertex_count; ++column)
        for (uint32_t k = blocks->column_starts[column]; k < blocks->column_starts[column + 1]; ++k) {
            int i = free_of_vertex[blocks->rows[k]], j = free_of_vertex[column];
            if (i < 0 || j < 0)
                continue;
            ((int *)graph->i)[graph->nnz] = i, ((int *)graph->j)[graph->nnz] = j;
            ((double *)graph->x)[graph->nnz++] = 1;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    if (3 * i + r < 3 * j + c)
                        continue;
                    ((int *)triplet->i)[triplet->nnz] = 3 * i + r, ((int *)triplet->j)[triplet->nnz] = 3 * j + c;
                    ((double *)triplet->x)[triplet->nnz++] = blocks->values[9 * (size_t)k + (size_t)(3 * r + c)];
                }
        }
    floor->matrix = cholmod_triplet_to_sparse(triplet, 0, &floor->common);
    cholmod_sparse *pattern = cholmod_triplet_to_sparse(graph, 0, &floor->common);
    const char *ordering;
    CholmodHold hold = cholmod_guard_hold();
    floor->factor = cholmod_guard_analyze(pattern, floor->matrix, 3, NULL, &ordering, &floor->common);
    cholmod_guard_release(hold);
    floor->rhs = cholmod_ones(n, 1, CHOLMOD_REAL, &floor->common);
    cholmod_free_sparse(&pattern, &floor->common);
    cholmod_free_triplet(&triplet, &floor->common);
    cholmod_free_triplet(&graph, &floor->common);
    free(free_of_vertex);
}

static void floor_measure(Floor *floor, double *factor_ms, double *solve_ms) {
    CholmodHold hold = cholmod_guard_hold();
    double start = os_clock_seconds();
    cholmod_factorize(floor->matrix, floor->factor, &floor->common);
    double factored = os_clock_seconds();
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, floor->factor, floor->rhs, &floor->common);
    *factor_ms = 1000 * (factored - start);
    *solve_ms = 1000 * (os_clock_seconds() - factored);
    cholmod_free_dense(&x, &floor->common);
    cholmod_guard_release(hold);
}

static void floor_close(Floor *floor) {
    cholmod_free_sparse(&floor->matrix, &floor->common);
    cholmod_free_factor(&floor->factor, &floor->common);
    cholmod_free_dense(&floor->rhs, &floor->common);
    cholmod_finish(&floor->common);
}

/* ------------------------------------------------------------------------------------------------ the step */

static JnStatus begin_bar(OneBody *scene, const char *method, const char *cache, JnBake **bake, JnMessage *message) {
    one_body_pin(scene);
    scene->desc.integrator = method;
    scene->desc.gravity[1] = -9.81;
    scene->desc.fps = 100;
    scene->desc.steps_per_frame = 1;
    scene->desc.frame_count = STEPS + 3;
    scene->desc.reuse_factor = 0; /* bench_reuse measures that */
    scene->desc.output_path = cache;
    scene->desc.thread_count = 0;
    scene->desc.collider_count = 1;
    scene->collider.point[1] = -0.01;
    scene->collider.normal[1] = 1;
    return jn_bake_begin(&scene->desc, bake, message);
}

static int measure(const char *method, const uint32_t cells[3], const char *cache, Row *row, JnMessage *message) {
    OneBody scene;
    JnBake *bake;
    Floor floor = {.matrix = NULL};
    double assembly[STEPS], factor[STEPS], solve[STEPS], contact[STEPS], output[STEPS], step[STEPS];
    double floor_factor[STEPS], floor_solve[STEPS];
    one_body_init(&scene, tet_box_make(cells[0], cells[1], cells[2], 0.02));
    if (begin_bar(&scene, method, cache, &bake, message) != JN_OK || advance_frames(bake, 3, message) != JN_OK)
        return 0;
    floor_open(&floor, bake->motion.view);
    for (int s = 0; s < STEPS; ++s) {
        SystemTimes before = bake->model.system.times;
        double output_before = bake->counts.output_seconds, since = os_clock_seconds();
        if (advance(bake, message) != JN_OK)
            return 0;
        step[s] = 1000 * (os_clock_seconds() - since);
        assembly[s] = 1000 * (bake->model.system.times.assembly - before.assembly);
        factor[s] = 1000 * (bake->model.system.times.factor - before.factor);
        solve[s] = 1000 * (bake->model.system.times.solve - before.solve);
        contact[s] = 1000 * (bake->model.system.times.contact - before.contact);
        output[s] = 1000 * (bake->counts.output_seconds - output_before);
        floor_measure(&floor, &floor_factor[s], &floor_solve[s]);
    }
    *row = (Row){method,
                 bake->model.vertex_count,
                 bake->model.tet_count,
                 median(assembly, STEPS),
                 median(factor, STEPS),
                 median(solve, STEPS),
                 median(contact, STEPS),
                 median(output, STEPS),
                 median(step, STEPS),
                 median(floor_factor, STEPS),
                 median(floor_solve, STEPS)};
    floor_close(&floor);
    jn_bake_end(bake, NULL);
    os_file_remove(cache);
    one_body_free(&scene);
    return 1;
}

static double ratio(const Row *row) {
    return row->step / (row->floor_factor + row->floor_solve);
}

static void print_header(FILE *csv, FILE *json) {
    fprintf(csv, "method,vertices,tets,assembly_ms,factor_ms,solve_ms,contact_ms,output_ms,step_ms,floor_factor_ms,"
                 "floor_solve_ms,step_to_floor\n");
    fprintf(json, "[\n");
    printf("%-8s %8s %8s | %8s %8s %8s %8s %8s %8s | %8s %8s | %6s\n", "method", "vertices", "tets", "assembly",
           "factor", "solve", "contact", "output", "step", "floor f", "floor s", "ratio");
}

static void print_row(const Row *row, int first, FILE *csv, FILE *json) {
    fprintf(csv, "%s,%u,%u,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", row->method, row->vertices, row->tets,
            row->assembly, row->factor, row->solve, row->contact, row->output, row->step, row->floor_factor,
            row->floor_solve, ratio(row));
    fprintf(json,
            "%s  {\"method\": \"%s\", \"vertices\": %u, \"tets\": %u, \"assembly_ms\": %.4f, \"factor_ms\": %.4f, "
            "\"solve_ms\": %.4f, \"contact_ms\": %.4f, \"output_ms\": %.4f, \"step_ms\": %.4f, "
            "\"floor_factor_ms\": %.4f, \"floor_solve_ms\": %.4f, \"step_to_floor\": %.4f}",
            first ? "" : ",\n", row->method, row->vertices, row->tets, row->assembly, row->factor, row->solve,
            row->contact, row->output, row->step, row->floor_factor, row->floor_solve, ratio(row));
    printf("%-8s %8u %8u | %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f | %8.2f %8.2f | %6.3f\n", row->method, row->vertices,
           row->tets, row->assembly, row->factor, row->solve, row->contact, row->output, row->step, row->floor_factor,
           row->floor_solve, ratio(row));
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const uint32_t sizes[][3] = {{20, 6, 6}, {30, 11, 11}, {40, 15, 15}, {48, 15, 15}, {80, 19, 19}};
    const char *folder = argc > 1 ? argv[1] : ".";
    unsigned long largest = argc > 2 ? strtoul(argv[2], NULL, 10) : 13000;
    char path[3][1024];
    snprintf(path[0], sizeof path[0], "%s/step.csv", folder);
    snprintf(path[1], sizeof path[1], "%s/step.json", folder);
    snprintf(path[2], sizeof path[2], "%s/step.abc", folder);
    FILE *csv = fopen(path[0], "w"), *json = fopen(path[1], "w");
    if (!csv || !json) {
        fprintf(stderr, "cannot write to the folder %s\n", folder);
        return 1;
    }
    print_header(csv, json);
    int rows = 0;
    for (uint32_t m = 0; m < jn_table_size(JN_TABLE_INTEGRATORS); ++m)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
            const uint32_t *cells = sizes[s];
            if ((unsigned long)(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) > largest)
                continue;
            Row row;
            JnMessage message;
            if (!measure(jn_table_entry(JN_TABLE_INTEGRATORS, m)->name, cells, path[2], &row, &message)) {
                fprintf(stderr, "%s\n", message.text);
                return 1;
            }
            print_row(&row, rows++ == 0, csv, json);
        }
    fprintf(json, "\n]\n");
    fclose(csv);
    return fclose(json) != 0;
}
