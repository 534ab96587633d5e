#include "region/border_answer.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct Borders {
    uint32_t vertex_count;
} Borders;

typedef struct Lag {
    BorderAnswer answer; /* all zero: none */
    double *stretch;     /* [vertex_count * 3] q - end */
    double *pull;        /* [vertex_count * 3] W times it */
} Lag;

static void *lag_create(const void *self) {
    const Borders *borders = self;
    size_t n = (size_t)borders->vertex_count * 3 + 1;
    Lag *lag = calloc(1, sizeof *lag);
    if (!lag)
        return NULL;
    lag->stretch = calloc(2 * n, sizeof(double));
    if (!lag->stretch) {
        free(lag);
        return NULL;
    }
    lag->pull = lag->stretch + n;
    return lag;
}

static void lag_destroy(void *self) {
    Lag *lag = self;
    if (lag)
        free(lag->stretch);
    free(lag);
}

/* Nothing of it is found from the start of a step: what it holds is set. */
static JnStatus begin_step(const void *self, void *lag, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    (void)self, (void)lag, (void)scope, (void)start, (void)message;
    return JN_OK;
}

static JnStatus add_pairs(const BorderAnswer *answer, Evaluation *e, JnMessage *message) {
    double scale = e->stiffness_scale / (answer->h * answer->h);
    for (uint32_t a = 0; a < answer->answer_count; ++a)
        for (size_t k = 0; k < answer->answers[a].count; ++k) {
            const PairBlock *pair = &answer->answers[a].blocks[k];
            double block[9];
            for (int i = 0; i < 9; ++i)
                block[i] = scale * pair->block[i];
            if (!pair_blocks_add(e->pairs, pair->row, pair->column, block))
                return status_no_memory(message, "the border of fast regions");
        }
    return JN_OK;
}

static JnStatus evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    const Borders *borders = self;
    const Lag *lag = lagged;
    const BorderAnswer *answer = &lag->answer;
    size_t n = (size_t)borders->vertex_count * 3;
    if (answer->h == 0)
        return JN_OK;
    if (e->energy || e->force) {
        memset(lag->pull, 0, n * sizeof(double));
        for (size_t i = 0; i < n; ++i)
            lag->stretch[i] = answer->marked[i / 3] ? e->q[i] - answer->end[i] : 0;
        for (uint32_t a = 0; a < answer->answer_count; ++a)
            pair_blocks_multiply(&answer->answers[a], lag->stretch, lag->pull);
        for (size_t i = 0; i < n; ++i) {
            double force = answer->impulse[i] / answer->h, pull = lag->pull[i] / (answer->h * answer->h);
            if (e->force)
                e->force[i] += force - pull;
            if (e->energy && !e->stored_energy)
                *e->energy += lag->stretch[i] * (0.5 * pull - force);
        }
    }
    return e->matrix ? add_pairs(answer, e, message) : JN_OK;
}

static void mark_coupled(const void *self, const void *lagged, uint8_t *marks) {
    const Borders *borders = self;
    const BorderAnswer *answer = &((const Lag *)lagged)->answer;
    for (uint32_t v = 0; answer->h != 0 && v < borders->vertex_count; ++v)
        if (answer->marked[v])
            marks[v] = COUPLED_ACROSS;
}

static const TermOperations operations = {.name = "borders of fast regions",
                                          .role = TERM_BORDERS,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = free,
                                          .lag_create = lag_create,
                                          .lag_destroy = lag_destroy,
                                          .begin_step = begin_step,
                                          .mark_coupled = mark_coupled};

JnStatus border_answer_create(uint32_t vertex_count, ForceTerm *term, JnMessage *message) {
    Borders *borders = malloc(sizeof *borders);
    if (!borders)
        return status_no_memory(message, "the borders of fast regions");
    *borders = (Borders){vertex_count};
    *term = (ForceTerm){&operations, borders};
    return JN_OK;
}

bool border_answer_is_there(const System *system) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations == &operations)
            return true;
    return false;
}

void border_answer_set(View *view, const BorderAnswer *answer) {
    for (uint32_t k = 0; k < view->system->term_count; ++k)
        if (view->system->terms[k].operations == &operations)
            ((Lag *)view->lags[k])->answer = *answer;
}
