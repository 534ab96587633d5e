#include "geometry/textfile.h"
#include "geometry/array.h"
#include "geometry/number.h"
#include "base/math3.h"
#include "base/os/os.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The number of characters of a word that messages show. */
enum { SHOWN = 40 };

JnStatus textfile_load(const char *path, unsigned char **bytes, size_t *size, JnMessage *message) {
    *bytes = NULL;
    *size = 0;
    char reason[128];
    uint64_t file_size;
    if (!os_file_size(path, &file_size))
        return status_fail(message, JN_ERR_FILE, "cannot read %s: %s", path, os_error_text(reason, sizeof reason));
    FILE *file = os_file_open(path, "rb");
    if (!file)
        return status_fail(message, JN_ERR_FILE, "cannot read %s: %s", path, os_error_text(reason, sizeof reason));
    if (file_size < SIZE_MAX)
        *bytes = array_new((size_t)file_size, 1);
    if (!*bytes) {
        fclose(file);
        return status_no_memory(message, path);
    }
    *size = fread(*bytes, 1, (size_t)file_size, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (!failed)
        return JN_OK;
    free(*bytes);
    *bytes = NULL;
    *size = 0;
    return status_fail(message, JN_ERR_FILE, "cannot read all of %s", path);
}

TextFile textfile_open(const char *name, const unsigned char *bytes, size_t size) {
    return (TextFile){.name = name, .bytes = bytes, .size = size, .line = 1};
}

JnStatus textfile_fail(const TextFile *file, JnMessage *message, const char *format, ...) {
    char sentence[JN_MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return status_fail(message, JN_ERR_FORMAT, "%s, %s %zu: %s", file->name, file->binary ? "byte" : "line",
                       file->binary ? file->at : file->line, sentence);
}

static bool is_space(unsigned char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Moves to the next character that belongs to a word, on this line only or anywhere; false if there is none. */
static bool skip_space(TextFile *file, bool on_line) {
    while (file->at < file->size) {
        unsigned char c = file->bytes[file->at];
        if (file->comment && c == (unsigned char)file->comment) {
            while (file->at < file->size && file->bytes[file->at] != '\n')
                ++file->at;
        } else if (!is_space(c)) {
            return true;
        } else if (c == '\n' && on_line) {
            return false;
        } else {
            file->line += c == '\n';
            ++file->at;
        }
    }
    return false;
}

static bool next_word(TextFile *file, bool on_line, Word *word) {
    if (!skip_space(file, on_line))
        return false;
    size_t begin = file->at;
    while (file->at < file->size && !is_space(file->bytes[file->at]) &&
           !(file->comment && file->bytes[file->at] == (unsigned char)file->comment))
        ++file->at;
    *word = (Word){(const char *)&file->bytes[begin], file->at - begin};
    return true;
}

bool textfile_word(TextFile *file, Word *word) {
    return next_word(file, false, word);
}

bool textfile_word_on_line(TextFile *file, Word *word) {
    return next_word(file, true, word);
}

void textfile_next_line(TextFile *file) {
    while (file->at < file->size && file->bytes[file->at] != '\n')
        ++file->at;
    if (file->at < file->size) {
        ++file->at;
        ++file->line;
    }
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool textfile_is(Word word, const char *text) {
    if (strlen(text) != word.length)
        return false;
    for (size_t i = 0; i < word.length; ++i)
        if (lower(word.text[i]) != lower(text[i]))
            return false;
    return true;
}

bool textfile_is_any(Word word, const char *const *texts) {
    for (; *texts; ++texts)
        if (textfile_is(word, *texts))
            return true;
    return false;
}

/* The word for a message: cut, and without characters that a terminal would act on. */
static const char *show(Word word, char shown[SHOWN + 4]) {
    size_t length = word.length < SHOWN ? word.length : SHOWN;
    for (size_t i = 0; i < length; ++i)
        shown[i] = word.text[i] >= ' ' && word.text[i] <= '~' ? word.text[i] : '?';
    strcpy(shown + length, word.length > SHOWN ? "..." : "");
    return shown;
}

JnStatus textfile_number(TextFile *file, const char *what, double *value, JnMessage *message) {
    Word word;
    char shown[SHOWN + 4];
    if (!textfile_word(file, &word))
        return textfile_fail(file, message, "the file ends where %s is expected", what);
    if (!number_parse(word.text, word.length, value))
        return textfile_fail(file, message, "'%s' is given for %s, but is not a finite number", show(word, shown),
                             what);
    return JN_OK;
}

JnStatus textfile_check_coordinate(const TextFile *file, const char *what, double value, JnMessage *message) {
    if (fabs(value) <= VEC3_FARTHEST)
        return JN_OK;
    return textfile_fail(
        file, message,
        "%s is %g: it must be a finite number within %g of 0: mend the mesh where it was made, or scale "
        "it down",
        what, value, VEC3_FARTHEST);
}

JnStatus textfile_coordinate(TextFile *file, const char *what, double *value, JnMessage *message) {
    JnStatus status = textfile_number(file, what, value, message);
    return status == JN_OK ? textfile_check_coordinate(file, what, *value, message) : status;
}

JnStatus textfile_narrow(const TextFile *file, const char *what, double value, float *narrow, JnMessage *message) {
    bool fits = fabs(value) <= (double)FLT_MAX;
    *narrow = fits ? (float)value : 0;
    if (fits)
        return JN_OK;
    return textfile_fail(file, message, "%s is %g: it must be a finite number within %g of 0: mend it or leave it out",
                         what, value, (double)FLT_MAX);
}

JnStatus textfile_integer(TextFile *file, const char *what, int64_t *value, JnMessage *message) {
    Word word;
    char shown[SHOWN + 4];
    if (!textfile_word(file, &word))
        return textfile_fail(file, message, "the file ends where %s is expected", what);
    if (!number_parse_integer(word.text, word.length, value))
        return textfile_fail(file, message, "'%s' is given for %s, but is not a whole number", show(word, shown), what);
    return JN_OK;
}

JnStatus textfile_check_count(const TextFile *file, int64_t value, size_t least_bytes, const char *what,
                              JnMessage *message) {
    size_t left = file->size - file->at;
    if (value < 0 || value >= UINT32_MAX)
        return textfile_fail(file, message, "%lld is not a possible number of %s", (long long)value, what);
    if ((uint64_t)value > (left + 1) / least_bytes)
        return textfile_fail(file, message,
                             "the file announces %lld %s, but only %zu bytes are left: it is cut short or damaged",
                             (long long)value, what, left);
    return JN_OK;
}

JnStatus textfile_count(TextFile *file, size_t least_bytes, const char *what, uint32_t *count, JnMessage *message) {
    int64_t value;
    JnStatus status = textfile_integer(file, what, &value, message);
    if (status == JN_OK)
        status = textfile_check_count(file, value, least_bytes, what, message);
    *count = status == JN_OK ? (uint32_t)value : 0;
    return status;
}

const unsigned char *textfile_bytes(TextFile *file, size_t count) {
    if (count > file->size - file->at)
        return NULL;
    const unsigned char *bytes = &file->bytes[file->at];
    file->at += count;
    return bytes;
}

uint32_t textfile_u32(const unsigned char *bytes, bool big) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value |= (uint32_t)bytes[big ? 3 - i : i] << (8 * i);
    return value;
}

uint64_t textfile_u64(const unsigned char *bytes, bool big) {
    uint64_t low = textfile_u32(bytes + (big ? 4 : 0), big), high = textfile_u32(bytes + (big ? 0 : 4), big);
    return low | high << 32;
}

float textfile_f32(const unsigned char *bytes, bool big) {
    uint32_t bits = textfile_u32(bytes, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double textfile_f64(const unsigned char *bytes, bool big) {
    uint64_t bits = textfile_u64(bytes, big);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put(TextWriter *writer, const char *text, size_t length) {
    if (!writer->failed && fwrite(text, 1, length, writer->file) != length)
        writer->failed = true;
}

void textfile_write(TextWriter *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *c = format; *c; ++c) {
        char text[NUMBER_CAPACITY];
        if (*c != '%') {
            put(writer, c, 1);
        } else if (*++c == 's') {
            const char *words = va_arg(arguments, const char *);
            put(writer, words, strlen(words));
        } else if (*c == 'u') {
            put(writer, text, (size_t)snprintf(text, sizeof text, "%u", va_arg(arguments, uint32_t)));
        } else {
            put(writer, text, number_print(va_arg(arguments, double), text));
        }
    }
    va_end(arguments);
}

void textfile_write_name(TextWriter *writer, const char *name, bool quoted) {
    const unsigned char lowest = quoted ? ' ' : '!';
    if (quoted)
        put(writer, "\"", 1);
    if (!*name)
        put(writer, "_", 1);
    for (const char *c = name; *c; ++c)
        put(writer, (unsigned char)*c < lowest || *c == '"' || *c == 0x7f ? "_" : c, 1);
    if (quoted)
        put(writer, "\"", 1);
}
