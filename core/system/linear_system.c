#include "system/linear_system.h"

#include "base/status.h"
#include "elastic/force_term.h"

#include <stdlib.h>
#include <string.h>

JnStatus linear_system_create(const BlockMatrix *pattern, LinearSystem **out, JnMessage *message) {
    size_t n = (size_t)pattern->vertex_count + 1;
    LinearSystem *linear = calloc(1, sizeof *linear);
    *out = NULL;
    if (!linear)
        return status_no_memory(message, "a matrix");
    linear->fixed = calloc(n, 1);
    linear->eliminated_last = calloc(n, 1);
    linear->marked = calloc(n, 1);
    JnStatus status = linear->fixed && linear->eliminated_last && linear->marked
                          ? block_matrix_share_pattern(pattern, &linear->matrix, message)
                          : status_no_memory(message, "a matrix");
    if (status == JN_OK)
        *out = linear;
    else
        linear_system_destroy(linear);
    return status;
}

void linear_system_destroy(LinearSystem *linear) {
    if (!linear)
        return;
    solver_destroy(linear->solver);
    solver_destroy(linear->indefinite_solver);
    block_matrix_free(&linear->matrix);
    block_matrix_free(&linear->sum);
    pair_blocks_free(&linear->pairs);
    free(linear->fixed);
    free(linear->eliminated_last);
    free(linear->marked);
    free(linear);
}

/* ------------------------------------------------------------------------------------------------ solvers */

/* Replaces the solver by one that eliminates the marked vertices last. */
static JnStatus replace_solver(LinearSystem *linear, const uint8_t *marked, JnMessage *message) {
    uint32_t vertex_count = linear->matrix.vertex_count, count = 0;
    uint32_t *last = malloc(((size_t)vertex_count + 1) * sizeof *last);
    if (!last)
        return status_no_memory(message, "the linear solver");
    for (uint32_t v = 0; v < vertex_count; ++v)
        if (marked[v])
            last[count++] = v;
    Solver *solver;
    SolverDesc desc = {.pattern = &linear->matrix, .fixed = linear->fixed, .last = last, .last_count = count};
    JnStatus status = solver_create(&desc, &solver, message);
    free(last);
    if (status != JN_OK)
        return status;
    solver_allow_reuse(solver, linear->reuse);
    if (linear->solver)
        solver_count_on(solver, linear->solver);
    solver_destroy(linear->solver);
    linear->solver = solver;
    memmove(linear->eliminated_last, marked, vertex_count);
    return JN_OK;
}

JnStatus linear_system_make_solver(LinearSystem *linear, const uint8_t *fixed, bool reuse, JnMessage *message) {
    SolverReport report;
    memcpy(linear->fixed, fixed, linear->matrix.vertex_count);
    linear->reuse = reuse;
    JnStatus status = replace_solver(linear, linear->eliminated_last, message);
    if (status != JN_OK)
        return status;
    solver_report(linear->solver, &report);
    linear->sparse_flops = report.factor_flops;
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ pairs */

/* A dense block pays while the factorization of what may touch in this step, which is repeated for every system, costs
   less than this many times a sparse one, and that of the whole block, once for each factor of A, less than the second
   number times it: or less than a sparse one where it has more vertices than the third number, for its memory. */
static const double DENSE_PART = 2, BLOCK_PART = 6;
enum { LARGE_BLOCK = 1000 };
/* What is eliminated last is reduced if for so many systems in a row less than this part of it was needed. */
enum { SPARE_MOST = 48 };
static const double NEEDED_PART = 0.3;
/* Where it is changed in any case, what is not needed now is kept if all of it is at most so many times what is. */
static const double SPARE_KEPT = 1.25;

/* The marked vertices that are solved for. */
typedef struct Marked {
    uint32_t count, near; /* all; those that may touch in one of the next steps only */
    uint32_t across;      /* joined outside the pattern */
    uint32_t missing;     /* that may touch in this step, and are not eliminated last */
    uint32_t last;        /* eliminated last, marked or not */
} Marked;

static Marked count_marked(const LinearSystem *linear, const uint8_t *marks) {
    Marked marked = {0, 0, 0, 0, 0};
    for (uint32_t v = 0; v < linear->matrix.vertex_count; ++v)
        if (!linear->fixed[v]) {
            marked.count += marks[v] != 0;
            marked.near += marks[v] == COUPLED_NEAR;
            marked.across += marks[v] == COUPLED_ACROSS;
            marked.missing += marks[v] > COUPLED_NEAR && !linear->eliminated_last[v];
            marked.last += linear->eliminated_last[v];
        }
    return marked;
}

/* Of a factorization with the unknowns of so many vertices. */
static double dense_flops(uint32_t vertex_count) {
    double unknowns = 3.0 * vertex_count;
    return unknowns * unknowns * unknowns / 3;
}

JnStatus linear_system_expect_pairs(LinearSystem *linear, const uint8_t *marks, JnMessage *message) {
    uint32_t vertex_count = linear->matrix.vertex_count;
    Marked marked = count_marked(linear, marks);
    double block_part = marked.count > LARGE_BLOCK ? 1 : BLOCK_PART;
    /* the factor 2 keeps it from changing back and forth */
    double sparse = linear->sparse_flops * (linear->sums ? 0.5 : 1);
    bool sums = marked.across == 0 && (dense_flops(marked.count - marked.near) > DENSE_PART * sparse ||
                                       dense_flops(marked.count) > block_part * sparse);
    if (sums && linear->sums)
        return JN_OK;
    bool spare = !sums && marked.last > 0 && marked.count < NEEDED_PART * marked.last;
    linear->spare_systems = spare ? linear->spare_systems + 1 : 0;
    bool reduce = linear->spare_systems > SPARE_MOST;
    linear->sums = sums;
    if (!reduce && (sums ? marked.last == 0 : marked.missing == 0))
        return JN_OK;
    bool keep = !reduce && marked.last <= SPARE_KEPT * marked.count;
    for (uint32_t v = 0; v < vertex_count; ++v)
        linear->marked[v] = !sums && (marks[v] != 0 || (linear->eliminated_last[v] && keep));
    linear->spare_systems = 0;
    return replace_solver(linear, linear->marked, message);
}

/* sum = A + C, C in the pattern. */
static JnStatus add_up(LinearSystem *linear, JnMessage *message) {
    JnStatus status = linear->sum.values ? JN_OK : block_matrix_share_pattern(&linear->matrix, &linear->sum, message);
    if (status != JN_OK)
        return status;
    memcpy(linear->sum.values, linear->matrix.values, (size_t)linear->matrix.block_count * 9 * sizeof(double));
    for (size_t k = 0; k < linear->pairs.count; ++k) {
        const PairBlock *pair = &linear->pairs.blocks[k];
        block_matrix_add(&linear->sum, pair->row, pair->column, pair->block);
    }
    return JN_OK;
}

JnStatus linear_system_give(LinearSystem *linear, LinearGift gift, const double *positions, bool *positive_definite,
                            JnMessage *message) {
    const BlockMatrix *matrix = &linear->matrix;
    const PairBlocks *pairs = &linear->pairs;
    if (linear->sums && !pair_blocks_empty(pairs)) {
        JnStatus status = add_up(linear, message);
        if (status != JN_OK)
            return status;
        matrix = &linear->sum;
        pairs = NULL;
        /* a factor with other contacts is a bad preconditioner */
        gift = gift == GIFT_FACTOR_EXACTLY ? gift : GIFT_FACTOR;
    }
    if (gift == GIFT_FACTOR_EXACTLY)
        return solver_factor(linear->solver, matrix, pairs, positive_definite, message);
    if (gift == GIFT_FACTOR)
        return solver_factor_mixed(linear->solver, matrix, pairs, positions, positive_definite, message);
    if (gift == GIFT_NEW_PAIRS)
        return solver_change_pairs(linear->solver, matrix, pairs, positions, positive_definite, message);
    return solver_update(linear->solver, matrix, pairs, positions, positive_definite, message);
}

JnStatus linear_system_factor_indefinite(LinearSystem *linear, bool *regular, JnMessage *message) {
    SolverDesc desc = {.pattern = &linear->matrix, .fixed = linear->fixed, .kind = SOLVER_SYMMETRIC_INDEFINITE};
    JnStatus status = add_up(linear, message);
    if (status == JN_OK && !linear->indefinite_solver)
        status = solver_create(&desc, &linear->indefinite_solver, message);
    return status == JN_OK ? solver_factor(linear->indefinite_solver, &linear->sum, NULL, regular, message) : status;
}

/* ------------------------------------------------------------------------------------------------ products, archive */

void linear_system_multiply(const LinearSystem *linear, const double *x, double *y) {
    block_matrix_multiply(&linear->matrix, x, y);
    pair_blocks_multiply(&linear->pairs, x, y);
}

bool linear_system_archive(LinearSystem *linear, Archive *archive) {
    uint32_t vertex_count = linear->matrix.vertex_count;
    memcpy(linear->marked, linear->eliminated_last, vertex_count);
    if (!archive_piece(archive, linear->marked, vertex_count) ||
        !archive_piece(archive, &linear->spare_systems, sizeof linear->spare_systems) ||
        !archive_piece(archive, &linear->sums, sizeof linear->sums))
        return false;
    if (memcmp(linear->marked, linear->eliminated_last, vertex_count) != 0 &&
        replace_solver(linear, linear->marked, NULL) != JN_OK)
        return false;
    return solver_archive(linear->solver, archive);
}
