#include "stroke_font.h"

#include <stdbool.h>
#include <stddef.h>

/* -------------------------------------------------------------------------------- the letters

   A letter consists of its width and its strokes. A stroke is a sequence of points, a point is two characters: x counts
   from '0', y is a letter that counts from the lowest line: 'e' is the baseline, 'o' the height of small letters, 's'
   that of capitals. The stroke is smooth at a point with a small letter and has a corner at one with a capital (a
   quadratic B-spline, in which a sharp point counts twice). A stroke that ends with '@' is closed. */

enum { EM = 20, BEARING = 2, BASELINE = 'e' }; /* units of a letter; room on either side of it */

typedef struct Glyph {
    uint32_t code;
    int width;
    const char *strokes;
} Glyph;

static const Glyph glyphs[] = {
    {' ', 2, ""},
    {'!', 0, "0S0I 0E0E"},
    {'"', 3, "0S0O 3S3O"},
    {'#', 9, "2E4S 6E8S 0I8I 1N9N"},
    {'$', 8, "8p8r0r0l8l8f0f0h 4S4E"},
    {'%', 10, "0E:S 0n0s4s4n@ 6e6j:j:e@"},
    {'&', 10, "9E2o2s7s7o0i0e6e9k"},
    {'\'', 0, "0S0O"},
    {'(', 3, "3t0q0f3b"},
    {')', 3, "0t3q3f0b"},
    {'*', 6, "3S3L 0Q6N 6Q0N"},
    {'+', 8, "4G4O 0K8K"},
    {',', 1, "1F0B"},
    {'-', 5, "0K5K"},
    {'.', 0, "0E0E"},
    {'/', 6, "0C6S"},
    {'0', 8, "0e8e8s0s@"},
    {'1', 8, "2P5S5E"},
    {'2', 8, "0o0s8s8l0E8E"},
    {'3', 8, "0q0s8s8l3L8l8e0e0g"},
    {'4', 8, "6E6S0I8I"},
    {'5', 8, "7S1S0L2n8n8e0e0g"},
    {'6', 8, "7r0s0e8e8n0n0i"},
    {'7', 8, "0S8S3E"},
    {'8', 8, "1l1s7s7l@ 0e0l8l8e@"},
    {'9', 8, "1f8e8s0s0j8j8o"},
    {':', 0, "0E0E 0M0M"},
    {';', 1, "1M1M 1F0B"},
    {'<', 7, "7O0K7G"},
    {'=', 7, "0M7M 0I7I"},
    {'>', 7, "0O7K0G"},
    {'?', 7, "0p0s7s7l3l3I 3E3E"},
    {'@', 12, "4h8h8n4n@ 8N8h<h<s0s0e:e"},
    {'A', 10, "0E5S:E 2J8J"},
    {'B', 8, "0L0S7s7l0L 0L0E8e8l0L"},
    {'C', 9, "9p9s0s0e9e9h"},
    {'D', 9, "0E0S9s9e0E"},
    {'E', 7, "7E0E0S7S 0L6L"},
    {'F', 7, "0E0S7S 0L6L"},
    {'G', 9, "9p9s0s0e9e9K5K"},
    {'H', 9, "0E0S 9E9S 0L9L"},
    {'I', 0, "0E0S"},
    {'J', 6, "6S6j6e0e0h"},
    {'K', 8, "0E0S 8S0J 3M8E"},
    {'L', 7, "0S0E7E"},
    {'M', 10, "0E0S5G:S:E"},
    {'N', 9, "0E0S9E9S"},
    {'O', 10, "0e:e:s0s@"},
    {'P', 8, "0E0S8s8k0K"},
    {'Q', 10, "0e:e:s0s@ 6I:D"},
    {'R', 8, "0E0S8s8k0K 4K8E"},
    {'S', 8, "8p8s0s0l8l8e0e0h"},
    {'T', 8, "0S8S 4S4E"},
    {'U', 9, "0S0j0e9e9j9S"},
    {'V', 10, "0S5E:S"},
    {'W', 12, "0S3E6S9E<S"},
    {'X', 9, "0S9E 9S0E"},
    {'Y', 8, "0S4L8S 4L4E"},
    {'Z', 8, "0S8S0E8E"},
    {'[', 3, "3S0S0C3C"},
    {'\\', 6, "0S6C"},
    {']', 3, "0S3S3C0C"},
    {'^', 6, "0O3S6O"},
    {'_', 8, "0C8C"},
    {'`', 2, "0S2P"},
    {'a', 7, "0e7e7o0o@ 7O7E"},
    {'b', 7, "0S0E 0e7e7o0o@"},
    {'c', 7, "7m7o0o0e7e7g"},
    {'d', 7, "7S7E 0e7e7o0o@"},
    {'e', 7, "0J7J7o0o0e7e7g"},
    {'f', 5, "5s2s2m2E 0O5O"},
    {'g', 7, "0e7e7o0o@ 7O7f7a1a"},
    {'h', 7, "0S0E 0J0o7o7j7E"},
    {'i', 0, "0O0E 0S0S"},
    {'j', 2, "2O2f2a0a 2S2S"},
    {'k', 6, "0S0E 6O0I 2K6E"},
    {'l', 2, "0S0h0e2e"},
    {'m', 10, "0O0E 0J0o5o5j5E 5J5o:o:j:E"},
    {'n', 7, "0O0E 0J0o7o7j7E"},
    {'o', 8, "0e8e8o0o@"},
    {'p', 7, "0O0A 0e7e7o0o@"},
    {'q', 7, "7O7A 0e7e7o0o@"},
    {'r', 4, "0O0E 0J0o4o"},
    {'s', 6, "6m6o0o0j6j6e0e0g"},
    {'t', 5, "2R2h2e5e 0O5O"},
    {'u', 7, "7O7E 7J7e0e0j0O"},
    {'v', 8, "0O4E8O"},
    {'w', 12, "0O3E6O9E<O"},
    {'x', 7, "0O7E 7O0E"},
    {'y', 8, "0O4E 8O2A"},
    {'z', 7, "0O7O0E7E"},
    {'{', 4, "4S2s2k0K 0K2k2c4C"},
    {'|', 0, "0S0C"},
    {'}', 4, "0S2s2k4K 4K2k2c0C"},
    {'~', 8, "0j0m4m4i8i8l"},
    {0xB2, 4, "0r0t4t4p0M4M"},            /* superscript two */
    {0xB5, 7, "0O0A 0j0e7e7j7O 7J7E"},    /* micro */
    {0xB7, 0, "0K0K"},                    /* middle dot */
    {0xD7, 6, "0H6N 6H0N"},               /* times */
    {0x3C9, 10, "2o0l0e5e5l 5l5e:e:l8o"}, /* omega */
    {0x2212, 8, "0K8K"},                  /* minus */
    {0xFFFD, 6, "0E6E6S0S0E"},            /* what is missing */
};

static const Glyph *find_glyph(uint32_t code) {
    size_t count = sizeof glyphs / sizeof glyphs[0];
    for (size_t i = 0; i < count; ++i)
        if (glyphs[i].code == code)
            return &glyphs[i];
    return &glyphs[count - 1];
}

/* -------------------------------------------------------------------------------- text */

uint32_t utf8_next(const char **text) {
    const unsigned char *bytes = (const unsigned char *)*text;
    if (!bytes[0])
        return 0;
    *text += 1;
    int extra = bytes[0] < 0x80 ? 0 : bytes[0] >> 5 == 6 ? 1 : bytes[0] >> 4 == 14 ? 2 : bytes[0] >> 3 == 30 ? 3 : -1;
    if (extra < 0)
        return 0xFFFD;
    uint32_t code = extra == 0 ? bytes[0] : bytes[0] & (0x3Fu >> extra);
    for (int i = 1; i <= extra; ++i) {
        if (bytes[i] >> 6 != 2)
            return 0xFFFD;
        code = code << 6 | (bytes[i] & 0x3Fu);
    }
    *text += extra;
    return code;
}

double stroke_text_width(const char *text, double size) {
    double units = 0;
    for (uint32_t code; (code = utf8_next(&text));)
        units += find_glyph(code)->width + 2 * BEARING;
    return units * size / EM;
}

/* -------------------------------------------------------------------------------- strokes */

enum { STROKE_CAPACITY = 40 };

typedef struct Stroke {
    double points[STROKE_CAPACITY][2]; /* sharp ones twice */
    int count;
    bool closed;
} Stroke;

/* Reads the stroke at `strokes` and returns what follows it. */
static const char *read_stroke(const char *strokes, Stroke *stroke) {
    stroke->count = 0;
    for (; *strokes && *strokes != ' ' && *strokes != '@'; strokes += 2) {
        bool sharp = strokes[1] >= 'A' && strokes[1] <= 'Z';
        double x = strokes[0] - '0', y = (sharp ? strokes[1] + ('a' - 'A') : strokes[1]) - BASELINE;
        for (int i = 0; i <= sharp && stroke->count < STROKE_CAPACITY; ++i) {
            stroke->points[stroke->count][0] = x;
            stroke->points[stroke->count++][1] = y;
        }
    }
    stroke->closed = *strokes == '@';
    strokes += stroke->closed;
    return strokes + (*strokes == ' ');
}

static void draw_stroke(const Stroke *stroke, double left, double scale, const StrokePen *pen) {
    const double(*p)[2] = stroke->points;
    int n = stroke->count;
    double start[2] = {p[0][0], p[0][1]};
    if (stroke->closed)
        for (int i = 0; i < 2; ++i)
            start[i] = 0.5 * (p[n - 1][i] + p[0][i]);
    pen->move(pen->context, scale * (left + start[0]), scale * start[1]);
    // from the middle of one side of the polygon to that of the next; an open stroke ends at its last point
    for (int k = stroke->closed ? 0 : 1; k < n - !stroke->closed; ++k) {
        const double *next = p[(k + 1) % n];
        bool last = !stroke->closed && k == n - 2;
        double x = last ? p[n - 1][0] : 0.5 * (p[k][0] + next[0]), y = last ? p[n - 1][1] : 0.5 * (p[k][1] + next[1]);
        pen->curve(pen->context, scale * (left + p[k][0]), scale * p[k][1], scale * (left + x), scale * y);
    }
}

void stroke_text_draw(const char *text, double size, const StrokePen *pen) {
    double left = 0;
    for (uint32_t code; (code = utf8_next(&text));) {
        const Glyph *glyph = find_glyph(code);
        Stroke stroke;
        for (const char *strokes = glyph->strokes; *strokes;) {
            strokes = read_stroke(strokes, &stroke);
            draw_stroke(&stroke, left + BEARING, size / EM, pen);
        }
        left += glyph->width + 2 * BEARING;
    }
}
