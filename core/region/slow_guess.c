#include "region/slow_guess.h"

#include "base/status.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>

JnStatus slow_guess_create(size_t n, SlowGuess *guess, JnMessage *message) {
    *guess = (SlowGuess){.n = n};
    double **vectors[SLOW_GUESS_EARLIER] = {&guess->earlier[0], &guess->earlier[1]};
    guess->memory = vectors_make(vectors, SLOW_GUESS_EARLIER, n);
    return guess->memory ? JN_OK : status_no_memory(message, "the fast regions");
}

void slow_guess_free(SlowGuess *guess) {
    free(guess->memory);
    memset(guess, 0, sizeof *guess);
}

void slow_guess_restart(SlowGuess *guess) {
    guess->history = (SlowHistory){0, 0, 0};
}

static uint32_t known_earlier(const SlowGuess *guess, double h) {
    return guess->history.h == h ? guess->history.count : 0;
}

static double extrapolate(const SlowGuess *guess, uint32_t degree, const double *v, size_t i) {
    const double *before = guess->earlier[0], *then = guess->earlier[1];
    return degree == 0 ? v[i] : degree == 1 ? 2 * v[i] - before[i] : 3 * (v[i] - before[i]) + then[i];
}

void slow_guess_find(const SlowGuess *guess, const double *v, double h, double *velocity) {
    uint32_t known = known_earlier(guess, h), degree = guess->history.degree;
    for (size_t i = 0; i < guess->n; ++i)
        velocity[i] = extrapolate(guess, degree < known ? degree : known, v, i);
}

void slow_guess_learn(SlowGuess *guess, const double *v, double h, const double *velocity, const uint8_t *counted) {
    uint32_t known = known_earlier(guess, h), best = 0;
    double least = INFINITY;
    for (uint32_t degree = 0; degree <= known; ++degree) {
        double off = 0;
        for (size_t i = 0; i < guess->n; ++i)
            if (counted[i / 3]) {
                double difference = extrapolate(guess, degree, v, i) - velocity[i];
                off += difference * difference;
            }
        if (off < least) {
            least = off;
            best = degree;
        }
    }
    double *oldest = guess->earlier[SLOW_GUESS_EARLIER - 1];
    memmove(guess->earlier + 1, guess->earlier, (SLOW_GUESS_EARLIER - 1) * sizeof *guess->earlier);
    guess->earlier[0] = oldest;
    memcpy(oldest, v, guess->n * sizeof *v);
    guess->history = (SlowHistory){h, known < SLOW_GUESS_EARLIER ? known + 1 : known, best};
}

bool slow_guess_archive(SlowGuess *guess, Archive *archive) {
    bool ok = archive_piece(archive, &guess->history, sizeof guess->history);
    for (int k = 0; ok && k < SLOW_GUESS_EARLIER; ++k)
        ok = archive_piece(archive, guess->earlier[k], guess->n * sizeof(double));
    return ok;
}
