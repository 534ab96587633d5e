#include "apng.h"

#include "deflate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLEND_OVER = 1, INDEXED = 3 };

struct Apng {
    ApngDesc desc;
    FILE *file;
    PaletteMap *map;
    uint32_t crc_table[256];
    uint32_t frames_done, sequence_number;
    uint32_t *before; /* [width * height] the last picture */
    uint8_t *seen;    /* [width * height] the indices seen after it */
    uint8_t *rows;    /* [height * (width + 1)] of the picture under way, as PNG stores them */
};

/* Behind the colours of the palette: a pixel of this index leaves what is seen. */
static uint8_t transparent_index(const Apng *apng) {
    return (uint8_t)apng->desc.palette->count;
}

/* -------------------------------------------------------------------------------- chunks */

static uint32_t crc_of(const Apng *apng, uint32_t crc, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i)
        crc = apng->crc_table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
    return crc;
}

static void fill_crc_table(uint32_t table[256]) {
    for (uint32_t i = 0; i < 256; ++i) {
        table[i] = i;
        for (int bit = 0; bit < 8; ++bit)
            table[i] = table[i] & 1 ? 0xedb88320u ^ table[i] >> 1 : table[i] >> 1;
    }
}

static void put_number(uint8_t bytes[4], uint32_t number) {
    for (int i = 0; i < 4; ++i)
        bytes[i] = (uint8_t)(number >> (24 - 8 * i));
}

/* Writes the chunk and empties its data. */
static bool write_chunk(const Apng *apng, const char name[4], Bytes *data) {
    uint8_t head[8], tail[4];
    bool enough = !data->failed;
    put_number(head, (uint32_t)data->count);
    memcpy(head + 4, name, 4);
    put_number(tail, ~crc_of(apng, crc_of(apng, UINT32_MAX, head + 4, 4), data->data, data->count));
    bool written = enough && fwrite(head, 1, sizeof head, apng->file) == sizeof head &&
                   (data->count == 0 || fwrite(data->data, 1, data->count, apng->file) == data->count) &&
                   fwrite(tail, 1, sizeof tail, apng->file) == sizeof tail;
    bytes_free(data);
    if (!enough)
        errno = ENOMEM;
    return written;
}

static void add_number16(Bytes *bytes, uint32_t number) {
    bytes_add(bytes, (uint8_t)(number >> 8));
    bytes_add(bytes, (uint8_t)number);
}

static bool write_header(const Apng *apng) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t kind[5] = {8, INDEXED, 0, 0, 0}; // bits, colours; usual packing, filters, no interlace
    Bytes header = {0}, control = {0}, colours = {0}, opacities = {0};
    bytes_add_big_endian(&header, (uint32_t)apng->desc.width);
    bytes_add_big_endian(&header, (uint32_t)apng->desc.height);
    for (size_t i = 0; i < sizeof kind; ++i)
        bytes_add(&header, kind[i]);
    bytes_add_big_endian(&control, apng->desc.frame_count);
    bytes_add_big_endian(&control, 0); // plays for ever
    for (int i = 0; i <= apng->desc.palette->count; ++i) {
        uint32_t colour = i < apng->desc.palette->count ? apng->desc.palette->colours[i] : 0;
        for (int shift = 16; shift >= 0; shift -= 8)
            bytes_add(&colours, (uint8_t)(colour >> shift));
        bytes_add(&opacities, i < apng->desc.palette->count ? 255 : 0);
    }
    bool written = fwrite(signature, 1, sizeof signature, apng->file) == sizeof signature;
    // each is called, because it frees its data
    written = write_chunk(apng, "IHDR", &header) && written;
    written = write_chunk(apng, "acTL", &control) && written;
    written = write_chunk(apng, "PLTE", &colours) && written;
    return write_chunk(apng, "tRNS", &opacities) && written;
}

/* -------------------------------------------------------------------------------- pictures */

typedef struct Area {
    int left, top, width, height;
} Area;

static bool is_near(uint32_t a, uint32_t b) {
    for (int shift = 0; shift < 24; shift += 8) {
        int difference = (int)(a >> shift & 255) - (int)(b >> shift & 255);
        if (abs(difference) > APNG_TOLERANCE)
            return false;
    }
    return true;
}

/* What to store for a pixel: the index that its neighbours have, or none where what is seen may stay, if that is near
   enough, because runs and repetitions pack best; else the nearest colour, as in all of the first picture. `row` points
   at the pixel; those on its left and above have been chosen. */
static uint8_t choose_index(const Apng *apng, uint32_t pixel, uint32_t before, uint8_t seen, const uint8_t *row, int x,
                            int y) {
    const uint32_t *colours = apng->desc.palette->colours;
    uint8_t keep = transparent_index(apng);
    uint8_t nearest = palette_map_nearest(apng->map, pixel);
    if (apng->frames_done == 0)
        return nearest;
    if (nearest == seen)
        return keep;
    // what has come to rest is put right: where a body has passed, no trail is left
    if (pixel == before)
        return nearest;
    bool may_stay = is_near(colours[seen], pixel);
    if (may_stay && (x == 0 || row[-1] == keep))
        return keep;
    if (x > 0 && row[-1] != keep && is_near(colours[row[-1]], pixel))
        return row[-1];
    if (may_stay)
        return keep;
    uint8_t above = y > 0 ? row[-(apng->desc.width + 1)] : keep;
    return above != keep && is_near(colours[above], pixel) ? above : nearest;
}

/* Brings `seen` up to date; marks in `rows` what has changed, by index; returns the smallest area with all of that. */
static Area find_changes(Apng *apng, const uint32_t *pixels) {
    int width = apng->desc.width, height = apng->desc.height, left = width, right = 0, top = height, bottom = 0;
    for (int y = 0; y < height; ++y) {
        uint8_t *row = apng->rows + (size_t)y * (size_t)(width + 1) + 1;
        for (int x = 0; x < width; ++x) {
            size_t pixel = (size_t)y * (size_t)width + (size_t)x;
            uint8_t *seen = apng->seen + pixel;
            row[x] = choose_index(apng, pixels[pixel], apng->before[pixel], *seen, row + x, x, y);
            if (row[x] == transparent_index(apng))
                continue;
            *seen = row[x];
            left = x < left ? x : left;
            right = x + 1 > right ? x + 1 : right;
            top = y < top ? y : top;
            bottom = y + 1;
        }
    }
    memcpy(apng->before, pixels, (size_t)width * (size_t)height * sizeof *pixels);
    // a picture must have a pixel, even if nothing has changed
    return right > left ? (Area){left, top, right - left, bottom - top} : (Area){0, 0, 1, 1};
}

/* Packs the area of `rows`, each row with the filter "none" before it. */
static bool pack(Apng *apng, const Area *area, Bytes *data) {
    size_t stride = (size_t)apng->desc.width + 1, length = (size_t)area->width + 1;
    for (int y = 0; y < area->height; ++y) {
        uint8_t *to = apng->rows + (size_t)y * length;
        memmove(to + 1, apng->rows + (size_t)(area->top + y) * stride + 1 + (size_t)area->left, length - 1);
        to[0] = 0;
    }
    return deflate_pack(apng->rows, (size_t)area->height * length, data);
}

bool apng_add(Apng *apng, const uint32_t *pixels) {
    bool first = apng->frames_done == 0;
    Area area = find_changes(apng, pixels);
    Bytes control = {0}, data = {0};
    bytes_add_big_endian(&control, apng->sequence_number++);
    bytes_add_big_endian(&control, (uint32_t)area.width);
    bytes_add_big_endian(&control, (uint32_t)area.height);
    bytes_add_big_endian(&control, (uint32_t)area.left);
    bytes_add_big_endian(&control, (uint32_t)area.top);
    add_number16(&control, apng->desc.delay_numerator);
    add_number16(&control, apng->desc.delay_denominator);
    bytes_add(&control, 0); // what is seen stays
    bytes_add(&control, first ? 0 : BLEND_OVER);
    if (!first)
        bytes_add_big_endian(&data, apng->sequence_number++);
    apng->frames_done += 1;
    if (!pack(apng, &area, &data)) {
        bytes_free(&control);
        bytes_free(&data);
        errno = ENOMEM;
        return false;
    }
    bool written = write_chunk(apng, "fcTL", &control);
    return write_chunk(apng, first ? "IDAT" : "fdAT", &data) && written;
}

/* -------------------------------------------------------------------------------- begin, end */

Apng *apng_begin(FILE *file, const ApngDesc *desc) {
    Apng *apng = calloc(1, sizeof *apng);
    if (!apng) {
        errno = ENOMEM;
        return NULL;
    }
    apng->desc = *desc;
    apng->file = file;
    apng->map = palette_map_create(desc->palette);
    apng->before = calloc((size_t)desc->width * (size_t)desc->height, sizeof *apng->before);
    apng->seen = calloc((size_t)desc->width, (size_t)desc->height);
    apng->rows = malloc((size_t)(desc->width + 1) * (size_t)desc->height);
    fill_crc_table(apng->crc_table);
    errno = ENOMEM;
    if (apng->map && apng->before && apng->seen && apng->rows && write_header(apng))
        return apng;
    int reason = errno;
    apng_free(apng);
    errno = reason;
    return NULL;
}

bool apng_end(Apng *apng) {
    Bytes nothing = {0};
    bool written = write_chunk(apng, "IEND", &nothing);
    int reason = errno;
    apng_free(apng);
    errno = reason;
    return written;
}

void apng_free(Apng *apng) {
    if (!apng)
        return;
    palette_map_free(apng->map);
    free(apng->before);
    free(apng->seen);
    free(apng->rows);
    free(apng);
}
