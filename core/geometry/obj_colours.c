#include "geometry/obj_colours.h"
#include "geometry/array.h"
#include "geometry/number.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 8 };
static const char block_name[] = "#MRGB ";

/* The colour of `vertex`, and zeros for those without one before it; NULL if out of memory. */
static double *colour_at(ObjColours *colours, size_t vertex) {
    double *rgba = array_grow(colours->rgba, &colours->capacity, vertex + 1, 4 * sizeof *rgba);
    if (!rgba)
        return NULL;
    colours->rgba = rgba;
    if (colours->count <= vertex)
        memset(rgba + 4 * colours->count, 0, 4 * (vertex + 1 - colours->count) * sizeof *rgba);
    colours->count = colours->count <= vertex ? vertex + 1 : colours->count;
    return rgba + 4 * vertex;
}

JnStatus obj_colours_vertex(ObjColours *colours, TextFile *file, size_t vertex, JnMessage *message) {
    double numbers[4] = {0};
    Word word, words[4];
    size_t count = 0;
    while (count < 4 && textfile_word_on_line(file, &word))
        words[count++] = word;
    if (count < 3)
        return JN_OK;
    for (size_t i = 0; i < count; ++i)
        if (!number_parse(words[i].text, words[i].length, &numbers[i]))
            return textfile_fail(file, message,
                                 "'%.*s' stands for the colour of a vertex, but is not a finite number: mend it or "
                                 "leave colours out of the export",
                                 words[i].length < 40 ? (int)words[i].length : 40, words[i].text);
    double *rgba = colour_at(colours, vertex);
    if (!rgba)
        return status_no_memory(message, file->name);
    memcpy(rgba, numbers, sizeof numbers);
    colours->alpha |= count == 4;
    return JN_OK;
}

bool obj_colours_is_block(const TextFile *file) {
    size_t length = sizeof block_name - 1;
    return file->size - file->at >= length && memcmp(file->bytes + file->at, block_name, length) == 0;
}

static int hex_digit(unsigned char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

JnStatus obj_colours_block(ObjColours *colours, TextFile *file, JnMessage *message) {
    if (!colours->block)
        colours->count = 0;
    colours->block = true;
    file->at += sizeof block_name - 1;
    while (file->at < file->size && hex_digit(file->bytes[file->at]) >= 0) {
        double parts[4] = {0};
        for (size_t i = 0; i < DIGITS; ++i, ++file->at) {
            int digit = file->at < file->size ? hex_digit(file->bytes[file->at]) : -1;
            if (digit < 0)
                return textfile_fail(file, message, "the last colour of a line with #MRGB has %zu digits: it needs %d",
                                     i, DIGITS);
            parts[i / 2] = 16 * parts[i / 2] + digit;
        }
        double *rgba = colour_at(colours, colours->count);
        if (!rgba)
            return status_no_memory(message, file->name);
        for (int i = 0; i < 4; ++i)
            rgba[(i + 3) % 4] = parts[i] / 255;
    }
    return JN_OK;
}

JnStatus obj_colours_finish(const ObjColours *colours, JnMesh *mesh, JnMessage *message) {
    if (!colours->count)
        return JN_OK;
    if (colours->count > mesh->vertex_count)
        return status_fail(message, JN_ERR_FORMAT, "the lines with #MRGB hold %zu colours, but there are %u vertices",
                           colours->count, mesh->vertex_count);
    uint32_t width = colours->alpha && !colours->block ? 4 : 3;
    double *values, *mask = NULL;
    JnStatus status = mesh_add_field(mesh, MESH_COLOUR, strlen(MESH_COLOUR), width, &values, message);
    if (status == JN_OK && colours->block)
        status = mesh_add_field(mesh, "Mask", 4, 1, &mask, message);
    for (size_t v = 0; status == JN_OK && v < colours->count; ++v) {
        memcpy(values + v * width, colours->rgba + 4 * v, width * sizeof *values);
        if (mask)
            mask[v] = colours->rgba[4 * v + 3];
    }
    return status;
}

void obj_colours_free(ObjColours *colours) {
    free(colours->rgba);
    *colours = (ObjColours){0};
}
