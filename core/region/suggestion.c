#include "region/suggestion.h"

#include "base/status.h"
#include "region/part_marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Wobbles that lose this part of their height in a swing, by the method alone, are damped; one that a suggestion keeps
   is off the truth by at most so much of what it is off by steps for all, in the first swings. */
static const double LOST = 0.3, NEARER = 0.6;
enum { SWINGS = 6 };
/* All wobbles together must be nearer the truth by the first part; the second is worth the cost of one large step. */
static const double GAIN_LEAST = 0.3, PRICE = 0.05;
/* h omega of the small steps, of which a swing has 42 or 21. */
static const double ANGLES[] = {0.15, 0.3};
/* Parts of the wobbles that a candidate has. */
static const double TARGETS[] = {0.95, 0.98, 0.995};
/* At most so much of the cost of small steps for all, and of all that can move: else those are simpler. */
static const double COST_MOST = 0.6, PART_MOST = 0.6;
/* A further wobble begins a new group if it makes the candidate larger by this factor. */
static const double NEW_GROUP = 1.2;
/* Parts that would do with fewer steps than this part of the most get them. */
static const double FEWER = 0.6;
/* An island is for the wobbles of which it has this part, or this part of what the one that has most has. */
static const double ISLAND_SHARE = 0.1, ISLAND_PART = 0.3;
enum { RATIO_MOST = 150, TARGET_COUNT = 3, ANGLE_COUNT = 2 };

double suggestion_kept_in_a_swing(double damping) {
    return exp(-acos(-1) * damping);
}

typedef struct Search {
    const SuggestionProblem *problem;
    const Wobbles *wobbles;
    uint8_t *marked;       /* [vertex_count] the candidate */
    uint32_t *ratios;      /* [vertex_count] its small steps */
    PartMarks parts;       /* scratch */
    double *damping;       /* [wobble] d / omega of the scene's method now */
    double *island_shares; /* [vertex_count] scratch */
    Suggestion *best;
    double score; /* of the best */
} Search;

static double damping_of(const Search *search, const Wobble *wobble, bool regional, double steps) {
    return search->problem->damping(search->problem->owner, regional, search->problem->h * wobble->omega / steps);
}

/* Whether the time steps take much of the wobble's height. */
static bool is_damped(const Search *search, uint32_t k) {
    return suggestion_kept_in_a_swing(search->damping[k]) < 1 - LOST;
}

static uint32_t ratio_for(const Search *search, const Wobble *wobble, double angle) {
    return (uint32_t)fmin(fmax(ceil(search->problem->h * wobble->omega / angle), 2), RATIO_MOST);
}

/* ------------------------------------------------------------------------------------------------ judging */

/* The least ratio above this one; 0: there is none. */
static uint32_t next_ratio(const Search *search, uint32_t above) {
    uint32_t next = 0;
    for (uint32_t v = 0; v < search->wobbles->pattern->vertex_count; ++v)
        if (search->ratios[v] > above && (next == 0 || search->ratios[v] < next))
            next = search->ratios[v];
    return next;
}

/* What a swing does to a wobble, per radian of it: how much the amplitude decays, and how far the phase falls behind.
 */
typedef struct Swing {
    double decay, lag;
} Swing;

/* Of a backward Euler step the phase goes on by atan(h omega). */
static Swing swing_of(const Search *search, const Wobble *wobble, bool regional, double steps) {
    double angle = search->problem->h * wobble->omega / steps;
    return (Swing){0.5 * damping_of(search, wobble, regional, steps), 1 - atan(angle) / angle};
}

/* The same with the candidate's small steps. */
static Swing swing_with(const Search *search, uint32_t k) {
    const Wobbles *wobbles = search->wobbles;
    const Wobble *wobble = &wobbles->items[k];
    const Swing slow = swing_of(search, wobble, true, 1);
    Swing swing = slow;
    /* one ratio after the other */
    for (uint32_t ratio = next_ratio(search, 1); ratio > 0; ratio = next_ratio(search, ratio)) {
        for (uint32_t v = 0; v < wobbles->pattern->vertex_count; ++v)
            wobbles->scratch[v] = search->ratios[v] == ratio;
        double share = wobble_share(wobbles, wobble, wobbles->scratch);
        const Swing fast = swing_of(search, wobble, true, ratio);
        swing.decay += share * (fast.decay - slow.decay);
        swing.lag += share * (fast.lag - slow.lag);
    }
    return swing;
}

/* How far a wobble is from another one in the first swings, relative to that. */
static double distance(double material, Swing swing, Swing truth) {
    double off = 0, all = 0;
    for (int n = 1; n <= SWINGS; ++n) {
        double turn = 2 * acos(-1) * n, height = exp(-turn * (0.5 * material + swing.decay)),
               right = exp(-turn * (0.5 * material + truth.decay));
        off += height * height + right * right - 2 * height * right * cos(turn * (swing.lag - truth.lag));
        all += right * right;
    }
    return sqrt(fmax(off, 0) / all);
}

/* How far from the motion of small steps for all every wobble is with the candidate, against steps for all that cost as
   much. */
static void judge(Search *search, double with, double small) {
    const Wobbles *wobbles = search->wobbles;
    Suggestion judged = {.cost_of_large = with, .cost_of_small = with / small};
    double all_off = 0, all_off_for_all = 0, steps = fmax(1, search->problem->h * search->best->fastest / ANGLES[0]);
    for (uint32_t k = 0; k < wobbles->count; ++k) {
        const Wobble *wobble = &wobbles->items[k];
        const Swing truth = swing_of(search, wobble, true, steps), own = swing_with(search, k),
                    for_all = swing_of(search, wobble, false, with);
        double off = distance(wobble->material, own, truth), off_for_all = distance(wobble->material, for_all, truth);
        /* a shake moves it by so much */
        all_off += off / (wobble->omega * wobble->omega);
        all_off_for_all += off_for_all / (wobble->omega * wobble->omega);
        if (is_damped(search, k) && off <= NEARER * off_for_all) {
            ++judged.kept;
            judged.kept_now += suggestion_kept_in_a_swing(wobble->material + search->damping[k]);
            judged.kept_with += suggestion_kept_in_a_swing(wobble->material + 2 * own.decay);
            judged.kept_for_all += suggestion_kept_in_a_swing(wobble->material + 2 * for_all.decay);
        }
    }
    double gain = 1 - all_off / all_off_for_all, score = gain - PRICE * (with - 1);
    if (judged.kept == 0 || gain < GAIN_LEAST || score <= search->score || judged.cost_of_small > COST_MOST)
        return;
    Suggestion *best = search->best;
    memcpy(best->ratios, search->ratios, wobbles->pattern->vertex_count * sizeof *best->ratios);
    judged.kept_now /= judged.kept;
    judged.kept_with /= judged.kept;
    judged.kept_for_all /= judged.kept;
    judged.found = true;
    judged.ratios = best->ratios;
    judged.damped = best->damped;
    judged.slowest = best->slowest;
    judged.fastest = best->fastest;
    judged.steps_for_all = best->steps_for_all;
    *best = judged;
    search->score = score;
}

/* ------------------------------------------------------------------------------------------------ candidates */

/* The ratios of islands, each by the fastest of the first `count` wobbles that it has a part in; an island that has
   none of them is left out. */
static void choose_ratios(Search *search, uint32_t count, double angle) {
    const Wobbles *wobbles = search->wobbles;
    const PartMarks *parts = &search->parts;
    uint32_t n = wobbles->pattern->vertex_count, most = 0;
    uint32_t *of_island = parts->counts;
    memset(of_island, 0, parts->island_count * sizeof *of_island);
    for (uint32_t k = 0; k < count; ++k) {
        const Wobble *wobble = &wobbles->items[k];
        double largest = 0;
        if (!is_damped(search, k))
            continue;
        memset(search->island_shares, 0, parts->island_count * sizeof(double));
        for (uint32_t v = 0; v < n; ++v)
            if (search->marked[v])
                search->island_shares[parts->islands[v]] += wobble->kinetic[v];
        for (uint32_t i = 0; i < parts->island_count; ++i)
            largest = fmax(largest, search->island_shares[i]);
        uint32_t ratio = ratio_for(search, wobble, angle);
        for (uint32_t i = 0; i < parts->island_count; ++i)
            if (search->island_shares[i] >= fmin(ISLAND_SHARE, ISLAND_PART * largest) && ratio > of_island[i])
                of_island[i] = ratio;
    }
    for (uint32_t i = 0; i < parts->island_count; ++i)
        most = of_island[i] > most ? of_island[i] : most;
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t ratio = search->marked[v] ? of_island[parts->islands[v]] : 0;
        search->ratios[v] = ratio >= FEWER * most ? most : ratio;
    }
}

static uint32_t count_marked(const Search *search) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < search->wobbles->pattern->vertex_count; ++v)
        count += search->marked[v] != 0;
    return count;
}

/* Marks what has this part of each of the first `count` wobbles, if they are damped. */
static void mark(Search *search, uint32_t count, double part) {
    memset(search->marked, 0, search->wobbles->pattern->vertex_count);
    for (uint32_t k = 0; k < count; ++k)
        if (is_damped(search, k))
            wobble_mark(search->wobbles, &search->wobbles->items[k], part, search->marked);
}

static JnStatus try_group(Search *search, uint32_t count, JnMessage *message) {
    JnStatus status = JN_OK;
    for (int t = 0; status == JN_OK && t < TARGET_COUNT; ++t) {
        mark(search, count, TARGETS[t]);
        part_marks_tidy(&search->parts, search->marked);
        if (count_marked(search) > PART_MOST * search->wobbles->free_count)
            return JN_OK; /* so do the next ones */
        part_marks_find_islands(&search->parts, search->marked);
        for (int a = 0; status == JN_OK && a < ANGLE_COUNT; ++a) {
            double with = INFINITY, small = 1;
            choose_ratios(search, count, ANGLES[a]);
            status = search->problem->cost(search->problem->owner, search->ratios, &with, &small, message);
            if (status == JN_OK)
                judge(search, with, small);
        }
    }
    return status;
}

/* Groups of wobbles, the most local first: each ends where the next wobble is much wider. */
static JnStatus try_groups(Search *search, JnMessage *message) {
    JnStatus status = JN_OK;
    double size = 0;
    for (uint32_t count = 1; status == JN_OK && count <= search->wobbles->count; ++count) {
        uint32_t next = 0;
        mark(search, count, TARGETS[0]);
        size = count_marked(search);
        if (count < search->wobbles->count) {
            mark(search, count + 1, TARGETS[0]);
            next = count_marked(search);
        }
        if (size > 0 && (next == 0 || next > NEW_GROUP * size))
            status = try_group(search, count, message);
        if (size > PART_MOST * search->wobbles->free_count)
            break;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ the whole */

/* Which wobbles are damped, and how many steps for all would do. */
static void look_at_wobbles(Search *search) {
    search->best->damped = 0;
    search->best->steps_for_all = 1;
    for (uint32_t k = 0; k < search->wobbles->count; ++k) {
        const Wobble *wobble = &search->wobbles->items[k];
        search->damping[k] = damping_of(search, wobble, false, 1);
        if (!is_damped(search, k))
            continue;
        search->best->fastest = fmax(search->best->fastest, wobble->omega);
        search->best->slowest = search->best->damped++ ? fmin(search->best->slowest, wobble->omega) : wobble->omega;
        uint32_t *steps = &search->best->steps_for_all;
        while (*steps < RATIO_MOST && suggestion_kept_in_a_swing(damping_of(search, wobble, false, *steps)) < 1 - LOST)
            ++*steps;
    }
}

JnStatus suggestion_find(const SuggestionProblem *problem, Suggestion *suggestion, JnMessage *message) {
    const Wobbles *wobbles = problem->wobbles;
    size_t n = (size_t)wobbles->pattern->vertex_count + 1, count = (size_t)wobbles->count + 1;
    Search search = {.problem = problem,
                     .wobbles = wobbles,
                     .marked = calloc(n, 1),
                     .ratios = calloc(n, sizeof(uint32_t)),
                     .damping = calloc(count, sizeof(double)),
                     .island_shares = calloc(n, sizeof(double)),
                     .best = suggestion,
                     .score = 0};
    *suggestion = (Suggestion){.ratios = suggestion->ratios};
    memset(suggestion->ratios, 0, (n - 1) * sizeof(uint32_t));
    bool ok = part_marks_create(wobbles->pattern, wobbles->roles, &search.parts) && search.marked && search.ratios &&
              search.damping && search.island_shares;
    JnStatus status = ok ? JN_OK : status_no_memory(message, "the suggestion of fast regions");
    if (ok)
        look_at_wobbles(&search);
    if (ok && suggestion->damped > 0 && !problem->never)
        status = try_groups(&search, message);
    part_marks_free(&search.parts);
    free(search.marked);
    free(search.ratios);
    free(search.damping);
    free(search.island_shares);
    return status;
}
