#include "linear/modes.h"

#include "base/status.h"
#include "linear/connected.h"
#include "linear/modes_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void modes_free(Modes *modes) {
    free(modes->eigenvalues);
    free(modes->shapes);
    free(modes->residuals);
    memset(modes, 0, sizeof *modes);
}

/* ------------------------------------------------------------------------------------------------ connected parts */

typedef struct Part {
    uint32_t first, vertex_count; /* its vertices, in Split.vertices */
    uint32_t block_count;
    uint32_t unknowns;
    uint32_t asked; /* number of modes requested; 0 at first */
    double next;    /* the eigenvalue after those found */
    Modes modes;    /* shapes: [vertex_count * 3] of the part */
} Part;

typedef struct Split {
    uint32_t part_count;
    Part *parts;
    uint32_t *vertices; /* [vertex_count] part by part, ascending in each */
    uint32_t *numbers;  /* [vertex_count] of a vertex in its part */
    uint32_t *owners;   /* [vertex_count] the part of a vertex */
} Split;

static void split_free(Split *split) {
    for (uint32_t p = 0; split->parts && p < split->part_count; ++p)
        modes_free(&split->parts[p].modes);
    free(split->parts);
    free(split->vertices);
    free(split->numbers);
    free(split->owners);
}

/* Numbers the vertices within their parts. */
static void number_vertices(const ModesProblem *problem, Split *split) {
    const BlockMatrix *pattern = problem->stiffness;
    for (uint32_t v = 0; v < pattern->vertex_count; ++v) {
        Part *part = &split->parts[split->owners[v]];
        split->numbers[v] = part->vertex_count++;
        part->block_count += pattern->column_starts[v + 1] - pattern->column_starts[v];
        part->unknowns += problem->fixed && problem->fixed[v] ? 0 : 3;
    }
    for (uint32_t p = 1; p < split->part_count; ++p)
        split->parts[p].first = split->parts[p - 1].first + split->parts[p - 1].vertex_count;
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        split->vertices[split->parts[split->owners[v]].first + split->numbers[v]] = v;
}

static JnStatus split_make(const ModesProblem *problem, Split *split, JnMessage *message) {
    size_t n = problem->stiffness->vertex_count;
    split->vertices = malloc((n + 1) * sizeof *split->vertices);
    split->numbers = malloc((n + 1) * sizeof *split->numbers);
    split->owners = malloc((n + 1) * sizeof *split->owners);
    if (!split->vertices || !split->numbers || !split->owners)
        return status_no_memory(message, "the modes");
    split->part_count = connected_parts(problem->stiffness, split->owners);
    split->parts = calloc((size_t)split->part_count + 1, sizeof *split->parts);
    if (!split->parts)
        return status_no_memory(message, "the modes");
    number_vertices(problem, split);
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ one part */

typedef struct PartProblem { /* owns what `problem` borrows */
    BlockMatrix stiffness;
    double *masses, *mass_blocks, *positions;
    uint8_t *fixed;
    ModesProblem problem;
} PartProblem;

static void part_problem_free(PartProblem *own) {
    block_matrix_free(&own->stiffness);
    free(own->masses);
    free(own->mass_blocks);
    free(own->positions);
    free(own->fixed);
}

static JnStatus part_problem_allocate(const Part *part, PartProblem *own, JnMessage *message) {
    size_t n = part->vertex_count, m = part->block_count;
    *own = (PartProblem){.stiffness = {.vertex_count = part->vertex_count,
                                       .block_count = part->block_count,
                                       .column_starts = malloc((n + 1) * sizeof(uint32_t)),
                                       .rows = malloc(m * sizeof(uint32_t)),
                                       .values = malloc(9 * m * sizeof(double))},
                         .masses = malloc(n * sizeof(double)),
                         .mass_blocks = malloc(m * sizeof(double)),
                         .positions = malloc(3 * n * sizeof(double)),
                         .fixed = malloc(n)};
    return own->stiffness.column_starts && own->stiffness.rows && own->stiffness.values && own->masses &&
                   own->mass_blocks && own->positions && own->fixed
               ? JN_OK
               : status_no_memory(message, "the modes");
}

static void part_problem_fill(const ModesProblem *whole, const Split *split, const Part *part, PartProblem *own) {
    const BlockMatrix *from = whole->stiffness;
    BlockMatrix *to = &own->stiffness;
    uint32_t filled = 0;
    for (uint32_t i = 0; i < part->vertex_count; ++i) {
        uint32_t v = split->vertices[part->first + i], start = from->column_starts[v];
        uint32_t count = from->column_starts[v + 1] - start;
        own->masses[i] = whole->masses[v];
        own->fixed[i] = whole->fixed ? whole->fixed[v] : 0;
        memcpy(own->positions + 3 * (size_t)i, whole->positions + 3 * (size_t)v, 3 * sizeof(double));
        to->column_starts[i] = filled;
        for (uint32_t k = 0; k < count; ++k)
            to->rows[filled + k] = split->numbers[from->rows[start + k]];
        memcpy(to->values + 9 * (size_t)filled, from->values + 9 * (size_t)start, 9 * (size_t)count * sizeof(double));
        if (whole->mass_blocks)
            memcpy(own->mass_blocks + filled, whole->mass_blocks + start, count * sizeof(double));
        filled += count;
    }
    to->column_starts[part->vertex_count] = filled;
    own->problem = (ModesProblem){to,
                                  own->masses,
                                  whole->mass_blocks ? own->mass_blocks : NULL,
                                  own->fixed,
                                  own->positions,
                                  whole->exactly_count,
                                  whole->precision};
}

/* Finds `count` modes of part p, which replace its previous ones. */
static JnStatus solve_part(const ModesProblem *whole, Split *split, uint32_t p, uint32_t count, JnMessage *message) {
    Part *part = &split->parts[p];
    uint64_t solve_count = part->modes.solve_count;
    PartProblem own;
    modes_free(&part->modes);
    part->asked = count;
    part->next = INFINITY;
    if (part->unknowns == 0)
        return JN_OK;
    JnStatus status = part_problem_allocate(part, &own, message);
    if (status == JN_OK) {
        part_problem_fill(whole, split, part, &own);
        status = modes_solve_part(&own.problem, count, &part->modes, &part->next, message);
        part->modes.solve_count += solve_count;
    }
    part_problem_free(&own);
    return status;
}

/* ------------------------------------------------------------------------------------------------ the lowest of all */

typedef struct Candidate {
    double eigenvalue;
    uint32_t part, index; /* of a mode of the part */
} Candidate;

static int compare_candidates(const void *a, const void *b) {
    const Candidate *x = a, *y = b;
    if (x->eigenvalue != y->eigenvalue)
        return x->eigenvalue < y->eigenvalue ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

typedef struct Choice {
    Candidate *list; /* rigid modes first, part by part, then the elastic ones by eigenvalue */
    size_t count, rigid_count;
} Choice;

static JnStatus choose(const ModesProblem *problem, const Split *split, uint32_t count, Choice *choice,
                       JnMessage *message) {
    size_t all = 0, filled = 0;
    for (uint32_t p = 0; p < split->part_count; ++p)
        all += split->parts[p].modes.count;
    choice->list = malloc((all + 1) * sizeof *choice->list);
    if (!choice->list)
        return status_no_memory(message, "the modes");
    for (uint32_t p = 0; !problem->exactly_count && p < split->part_count; ++p)
        for (uint32_t k = 0; k < split->parts[p].modes.rigid_count; ++k)
            choice->list[filled++] = (Candidate){split->parts[p].modes.eigenvalues[k], p, k};
    choice->rigid_count = filled;
    for (uint32_t p = 0; p < split->part_count; ++p)
        for (uint32_t k = split->parts[p].modes.rigid_count; k < split->parts[p].modes.count; ++k)
            choice->list[filled++] = (Candidate){split->parts[p].modes.eigenvalues[k], p, k};
    Candidate *elastic = choice->list + choice->rigid_count;
    size_t found = filled - choice->rigid_count, end = count < found ? count : found;
    qsort(elastic, found, sizeof *elastic, compare_candidates);
    while (!problem->exactly_count && end > 0 && end < found &&
           modes_same(0, elastic[end - 1].eigenvalue, elastic[end].eigenvalue))
        ++end;
    choice->count = choice->rigid_count + end;
    return JN_OK;
}

/* Whether the part has a mode, not found yet, that belongs to those chosen: a cluster may reach from part to part. */
static bool lacks_modes(const Part *part, const Choice *choice) {
    if (choice->count == choice->rigid_count)
        return false;
    double last = choice->list[choice->count - 1].eigenvalue;
    return part->next < last || (part->next < INFINITY && modes_same(0, last, part->next));
}

static JnStatus solve_parts(const ModesProblem *problem, Split *split, uint32_t count, Choice *choice,
                            JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t p = 0; status == JN_OK && p < split->part_count; ++p)
        status = solve_part(problem, split, p, count, message);
    bool complete = false;
    while (status == JN_OK && !complete) {
        free(choice->list);
        choice->list = NULL;
        status = choose(problem, split, count, choice, message);
        complete = true;
        for (uint32_t p = 0; status == JN_OK && !problem->exactly_count && p < split->part_count; ++p) {
            const Part *part = &split->parts[p];
            if (!lacks_modes(part, choice))
                continue;
            uint32_t found = part->modes.count - part->modes.rigid_count;
            complete = false;
            status = solve_part(problem, split, p, 2 * (found > part->asked ? found : part->asked), message);
        }
    }
    return status;
}

static JnStatus gather(const Split *split, size_t size, const Choice *choice, Modes *modes, JnMessage *message) {
    modes->eigenvalues = malloc((choice->count + 1) * sizeof(double));
    modes->residuals = malloc((choice->count + 1) * sizeof(double));
    modes->shapes = calloc(choice->count * size + 1, sizeof(double));
    if (!modes->eigenvalues || !modes->residuals || !modes->shapes)
        return status_no_memory(message, "the shapes of the modes");
    modes->count = (uint32_t)choice->count;
    modes->rigid_count = (uint32_t)choice->rigid_count;
    for (uint32_t p = 0; p < split->part_count; ++p)
        modes->solve_count += split->parts[p].modes.solve_count;
    for (size_t k = 0; k < choice->count; ++k) {
        const Part *part = &split->parts[choice->list[k].part];
        size_t index = choice->list[k].index;
        const double *shape = part->modes.shapes + index * 3 * part->vertex_count;
        modes->eigenvalues[k] = part->modes.eigenvalues[index];
        modes->residuals[k] = part->modes.residuals[index];
        for (size_t i = 0; i < part->vertex_count; ++i)
            memcpy(modes->shapes + k * size + 3 * (size_t)split->vertices[part->first + i], shape + 3 * i,
                   3 * sizeof(double));
    }
    return JN_OK;
}

JnStatus modes_solve(const ModesProblem *problem, uint32_t count, Modes *modes, JnMessage *message) {
    Split split = {0};
    Choice choice = {0};
    size_t size = 3 * (size_t)problem->stiffness->vertex_count;
    memset(modes, 0, sizeof *modes);
    JnStatus status = split_make(problem, &split, message);
    if (status == JN_OK)
        status = solve_parts(problem, &split, count < size ? count : (uint32_t)size, &choice, message);
    if (status == JN_OK)
        status = gather(&split, size, &choice, modes, message);
    free(choice.list);
    split_free(&split);
    if (status != JN_OK)
        modes_free(modes);
    return status;
}
