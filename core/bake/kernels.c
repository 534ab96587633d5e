/* Which BLAS kernels the frames of a cache are computed by.

   OpenBLAS chooses its kernels by the processor. Others sum in another order, so their results differ in the last bits
   and then, step by step, a little more. A bake that resumes on another kind of processor goes on all the same: on a
   farm the next machine is the one that is free, and a job that refused it would never end. But it says so, here and in
   the receipt. */
#include "bake/bake_internal.h"

#include "linear/blas_guard.h"

#include <stdio.h>
#include <string.h>

void kernels_begin(JnBake *bake) {
    blas_guard_kernels(bake->output.kernels, sizeof bake->output.kernels);
}

/* Whether `name` is one of the names between commas. */
static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

void kernels_resume(JnBake *bake, const char saved[KERNELS_CAPACITY]) {
    BakeOutput *output = &bake->output;
    char now[KERNELS_CAPACITY];
    blas_guard_kernels(now, sizeof now);
    snprintf(output->kernels, sizeof output->kernels, "%s", saved);
    size_t length = strlen(saved);
    output->kernels_changed = !is_listed(saved, now) && length + 2 + strlen(now) < sizeof output->kernels;
    if (output->kernels_changed)
        snprintf(output->kernels + length, sizeof output->kernels - length, ", %s", now);
    if (strcmp(output->kernels, now) != 0)
        snprintf(
            output->note, sizeof output->note,
            "this processor computes with %s, but frames of the cache were computed with %s: the frames that follow "
            "may differ in the last digits from those of a bake on one kind of processor; for the same bits, bake "
            "anew without resume",
            now, saved);
}

const char *jn_bake_note(const JnBake *bake) {
    return bake ? bake->output.note : "";
}
