/* Files of matrices: the place of a bone or a body at each frame. */
#include "scene/scene.h"

#include "base/rigid.h"
#include "base/status.h"
#include "geometry/number.h"
#include "scene/scene_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 13 }; /* numbers of a frame: the frame, and the rows of a 3x4 matrix */

/* All numbers of a text file; the caller frees *numbers. */
static JnStatus read_numbers(const char *path, const char *place, double **numbers, size_t *count, JnMessage *message) {
    static const char *const between = " \t\r\n,";
    char *text;
    size_t length;
    *numbers = NULL;
    *count = 0;
    JnStatus status = scene_text_read(path, "file of matrices", &text, &length, message);
    if (status != JN_OK)
        return scene_fail_in(place, status, message);
    *numbers = malloc((length / 2 + 1) * sizeof **numbers); /* each takes two bytes at least */
    if (!*numbers)
        status = status_no_memory(message, "matrices");
    for (const char *word = text + strspn(text, between); status == JN_OK && *word;) {
        size_t bytes = strcspn(word, between);
        if (!number_parse(word, bytes, &(*numbers)[*count]))
            status = status_fail(message, JN_ERR_FORMAT, "%s: %s: after %zu numbers comes '%.*s', which is not one",
                                 place, path, *count, bytes < 40 ? (int)bytes : 40, word);
        ++*count;
        word += bytes + strspn(word + bytes, between);
    }
    free(text);
    return status;
}

/* That frames are in order. */
static JnStatus check_lines(const SceneMatrices *matrices, const char *place, const char *path, JnMessage *message) {
    for (uint32_t i = 1; i < matrices->count; ++i) {
        const double *before = matrices->lines + LINE * (size_t)(i - 1), *line = before + LINE;
        if (!(line[0] > before[0]))
            return status_fail(message, JN_ERR_SCENE, "%s: %s: frame %g comes after frame %g: give them in order",
                               place, path, line[0], before[0]);
    }
    return JN_OK;
}

JnStatus scene_matrices_read(JnScene *scene, const char *name, const char *owner, SceneMatrices *matrices,
                             JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    double *numbers;
    size_t count;
    snprintf(place, sizeof place, "%s.matrices", owner);
    const char *path = scene_input_path(scene, name);
    if (!path)
        return status_no_memory(message, "a path");
    JnStatus status = read_numbers(path, place, &numbers, &count, message);
    if (status == JN_OK && (count == 0 || count % LINE != 0))
        status =
            status_fail(message, JN_ERR_SCENE,
                        "%s: %s holds %zu numbers: give thirteen for each frame, its number and a 3x4 matrix by rows",
                        place, path, count);
    matrices->lines = status == JN_OK ? scene_alloc(scene, count, sizeof *matrices->lines) : NULL;
    if (status == JN_OK && !matrices->lines)
        status = status_no_memory(message, "matrices");
    if (status == JN_OK) {
        matrices->count = (uint32_t)(count / LINE);
        memcpy(matrices->lines, numbers, count * sizeof *numbers);
        status = check_lines(matrices, place, path, message);
    }
    free(numbers);
    return status;
}

void scene_matrix_at(const SceneMatrices *matrices, double frame, double matrix[12]) {
    uint32_t after = 0;
    while (after < matrices->count && matrices->lines[LINE * (size_t)after] <= frame)
        ++after;
    const double *b = matrices->lines + LINE * (size_t)(after < matrices->count ? after : matrices->count - 1);
    const double *a = after > 0 ? matrices->lines + LINE * (size_t)(after - 1) : b;
    affine_blend(a + 1, b + 1, a == b ? 1 : (frame - a[0]) / (b[0] - a[0]), matrix);
}
