#include "scene/json_scan.h"

#include <stdbool.h>
#include <string.h>

typedef struct Scan {
    const char *text;
    size_t length, at;
    unsigned depth;
    const char *problem; /* NULL: no error so far */
} Scan;

static const char *const ends_early = "the file ends too early: a text, list or object is not closed";

/* Records the problem, or its cause: the end of the text or a zero byte. Always false. */
static bool fail(Scan *scan, const char *problem) {
    scan->problem = scan->at >= scan->length       ? ends_early
                    : scan->text[scan->at] == '\0' ? "a zero byte: this is not a JSON file"
                                                   : problem;
    return false;
}

/* The byte at the scan, 0 at the end. */
static unsigned char peek(const Scan *scan) {
    return scan->at < scan->length ? (unsigned char)scan->text[scan->at] : 0;
}

static bool accept(Scan *scan, char c) {
    if (scan->at >= scan->length || scan->text[scan->at] != c)
        return false;
    ++scan->at;
    return true;
}

static void skip_space(Scan *scan) {
    while (scan->at < scan->length && strchr(" \t\r\n", scan->text[scan->at]) && scan->text[scan->at])
        ++scan->at;
}

static bool skip_digits(Scan *scan) {
    size_t start = scan->at;
    while (peek(scan) >= '0' && peek(scan) <= '9')
        ++scan->at;
    return scan->at > start;
}

static bool scan_number(Scan *scan) {
    size_t start = scan->at;
    accept(scan, '-');
    /* no digit follows a leading 0 */
    bool good = accept(scan, '0') || skip_digits(scan);
    if (good && accept(scan, '.'))
        good = skip_digits(scan);
    if (good && (peek(scan) == 'e' || peek(scan) == 'E')) {
        ++scan->at;
        if (!accept(scan, '+'))
            accept(scan, '-');
        good = skip_digits(scan);
    }
    if (!good)
        return fail(scan, "a digit is expected here");
    if (scan->at - start > JSON_NUMBER_BYTES) {
        scan->at = start;
        return fail(scan, "this number has too many digits");
    }
    return true;
}

/* Bytes of the UTF-8 character at the scan; 0 if it is none (overlong, a surrogate, cut short, beyond
 * U+10FFFF). */
static size_t utf8_length(const Scan *scan) {
    const unsigned char *text = (const unsigned char *)scan->text + scan->at;
    unsigned char first = text[0];
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length > scan->length - scan->at)
        return 0;
    for (size_t i = 1; i < length; ++i)
        if ((text[i] & 0xC0u) != 0x80u)
            return 0;
    if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) || (first == 0xF0 && text[1] < 0x90) ||
        (first == 0xF4 && text[1] > 0x8F))
        return 0;
    return length;
}

/* The four hexadecimal digits of a \u escape; -1 if there are not four. */
static long hex4(Scan *scan) {
    long value = 0;
    for (int i = 0; i < 4; ++i, ++scan->at) {
        unsigned char c = peek(scan);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* What follows a backslash. */
static bool scan_escape(Scan *scan) {
    unsigned char c = peek(scan);
    if (!c || !strchr("\"\\/bfnrtu", c))
        return fail(scan, "this is not a known escape: write a backslash as \\\\");
    ++scan->at;
    if (c != 'u')
        return true;
    long code = hex4(scan);
    if (code < 0)
        return fail(scan, "\\u needs four hexadecimal digits");
    if (code == 0)
        return fail(scan, "a text may not contain \\u0000");
    if (code < 0xD800 || code > 0xDFFF)
        return true;
    /* the first half of a pair, then the second */
    long second = code < 0xDC00 && accept(scan, '\\') && accept(scan, 'u') ? hex4(scan) : -1;
    return second >= 0xDC00 && second <= 0xDFFF ? true : fail(scan, "this \\u escape is half of a pair");
}

static bool scan_text(Scan *scan) {
    ++scan->at;
    while (!accept(scan, '"')) {
        if (scan->at >= scan->length)
            return fail(scan, ends_early);
        size_t length = utf8_length(scan);
        if (length == 0) {
            scan->problem = "the text is not UTF-8: save the file as UTF-8";
            return false;
        }
        if (peek(scan) < 0x20)
            return fail(scan, "a line end or control character inside a text: is the closing \" missing?");
        bool escape = peek(scan) == '\\';
        scan->at += length;
        if (escape && !scan_escape(scan))
            return false;
    }
    return true;
}

static bool scan_value(Scan *scan);

/* The members of a list or object behind its opening bracket. */
static bool scan_members(Scan *scan, bool is_object) {
    char close = is_object ? '}' : ']';
    skip_space(scan);
    if (accept(scan, close))
        return true;
    do {
        skip_space(scan);
        if (is_object) {
            if (peek(scan) != '"')
                return fail(scan, peek(scan) == '}' ? "there is a comma before this }: remove it"
                                                    : "a key in double quotes is expected here");
            if (!scan_text(scan))
                return false;
            skip_space(scan);
            if (!accept(scan, ':'))
                return fail(scan, "a colon is expected here, after the key");
            skip_space(scan);
        }
        if (!scan_value(scan))
            return false;
        skip_space(scan);
    } while (accept(scan, ','));
    return accept(scan, close)
               ? true
               : fail(scan, is_object ? "a comma or } is expected here" : "a comma or ] is expected here");
}

static bool scan_word(Scan *scan, const char *word) {
    size_t length = strlen(word);
    if (scan->length - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0)
        return false;
    scan->at += length;
    return true;
}

static bool scan_value(Scan *scan) {
    unsigned char c = peek(scan);
    if (c == '{' || c == '[') {
        if (scan->depth == JSON_DEPTH)
            return fail(scan, "lists and objects are nested too deeply");
        ++scan->depth;
        ++scan->at;
        bool good = scan_members(scan, c == '{');
        --scan->depth;
        return good;
    }
    if (c == '"')
        return scan_text(scan);
    if (c == '-' || (c >= '0' && c <= '9'))
        return scan_number(scan);
    if (scan_word(scan, "true") || scan_word(scan, "false") || scan_word(scan, "null"))
        return true;
    return fail(scan, c == '/' || c == '#' ? "JSON has no comments: use the key \"note\""
                      : c == ']'
                          ? "there is a comma before this ]: remove it"
                          : "a number, a text in double quotes, true, false, a list or an object is expected here");
}

const char *json_scan(const char *text, size_t length, size_t *offset) {
    Scan scan = {.text = text, .length = length};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        scan.at = 3;
    skip_space(&scan);
    if (scan.at == length) {
        scan.problem = "the file is empty";
    } else if (scan_value(&scan)) {
        skip_space(&scan);
        if (scan.at < length)
            scan.problem = "nothing may follow the end of the scene";
    }
    *offset = scan.at < length ? scan.at : length;
    return scan.problem;
}
