#include "bake/scene_text.h"

#include "base/os/os.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

JnStatus scene_text_read(const char *path, const char *what, char **text, size_t *length,
                         JnMessage *message) {
    char reason[128];
    uint64_t size = 0;
    *text = NULL;
    *length = 0;
    if (!os_file_size(path, &size))
        return status_fail(message, JN_ERR_FILE, "cannot open the %s %s: %s", what, path,
                           os_error_text(reason, sizeof reason));
    if (size > SCENE_TEXT_BYTES)
        return status_fail(message, JN_ERR_FORMAT, "the %s %s has %llu bytes, more than the %d allowed", what,
                           path, (unsigned long long)size, SCENE_TEXT_BYTES);
    FILE *file = os_file_open(path, "rb");
    if (!file)
        return status_fail(message, JN_ERR_FILE, "cannot open the %s %s: %s", what, path,
                           os_error_text(reason, sizeof reason));
    char *bytes = malloc((size_t)size + 1);
    if (!bytes) {
        fclose(file);
        return status_no_memory(message, what);
    }
    *length = fread(bytes, 1, (size_t)size, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) {
        free(bytes);
        return status_fail(message, JN_ERR_FILE, "cannot read the %s %s", what, path);
    }
    bytes[*length] = '\0';
    *text = bytes;
    return JN_OK;
}

/* Fails with `problem` at the line and column (in characters, from 1) of text[offset]. */
static JnStatus fail_at(const char *text, size_t offset, const char *problem, JnMessage *message) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++line;
            column = 1;
        } else if (((unsigned char)text[i] & 0xC0u) != 0x80u) {
            ++column;
        }
    }
    return status_fail(message, JN_ERR_SCENE, "line %zu, column %zu: %s", line, column, problem);
}

/* Bytes of the UTF-8 character at `text`; 0 if it is none (overlong, a surrogate, cut short, beyond
 * U+10FFFF). */
static size_t utf8_length(const unsigned char *text, size_t available) {
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > available)
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((text[i] & 0xC0u) != 0x80u)
            return 0;
    if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ||
        (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F))
        return 0;
    return length;
}

/* Refuses what cJSON would let pass: bad UTF-8, zero bytes, bare control characters in texts, deep nesting.
 */
static JnStatus scan(const char *text, size_t length, JnMessage *message) {
    bool in_text = false;
    uint32_t depth = 0;
    for (size_t i = 0; i < length;) {
        size_t step = utf8_length((const unsigned char *)text + i, length - i);
        char c = text[i];
        if (step == 0)
            return fail_at(text, i, "the text is not UTF-8: save the file as UTF-8", message);
        if (c == '\0')
            return fail_at(text, i, "a zero byte: this is not a JSON file", message);
        if (in_text) {
            if ((unsigned char)c < 0x20)
                return fail_at(text, i,
                               "a line end or control character inside a text: is the closing \" missing?",
                               message);
            if (c == '\\' && strncmp(text + i, "\\u0000", 6) == 0)
                return fail_at(text, i, "a text may not contain \\u0000", message);
            step += c == '\\' && i + 1 < length && (text[i + 1] == '"' || text[i + 1] == '\\');
            in_text = c != '"';
        } else {
            in_text = c == '"';
            depth += c == '{' || c == '[';
            depth -= (c == '}' || c == ']') && depth > 0;
            if (depth > SCENE_TEXT_DEPTH)
                return fail_at(text, i, "lists and objects are nested too deeply", message);
        }
        i += step;
    }
    return JN_OK;
}

JnStatus scene_text_parse(const char *text, size_t length, cJSON **json, JnMessage *message) {
    *json = NULL;
    JnStatus status = scan(text, length, message);
    if (status != JN_OK)
        return status;

    /* the terminator counts, so that cJSON can see that nothing follows */
    const char *end = text;
    *json = cJSON_ParseWithLengthOpts(text, length + 1, &end, 1);
    if (*json)
        return JN_OK;
    size_t offset = (size_t)(end - text);
    return fail_at(
        text, offset < length ? offset : length,
        offset < length
            ? "this is not valid JSON: look for a missing or extra comma, quote or bracket just before"
            : "the file ends too early: a bracket or brace is not closed",
        message);
}
