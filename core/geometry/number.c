/* A number is split into an integer and a power of ten. Few digits and a small power are exact in doubles (W. Clinger,
   How to Read Floating Point Numbers Accurately, 1990); the rest goes to strtod as "digits e power", which has no
   decimal point for a locale to change. */
#include "geometry/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* No double needs more digits to be distinguished from its neighbours; one more represents all that follow. */
enum { MOST_DIGITS = 780, MOST_POWER = 100000 };

typedef struct Decimal {
    bool negative;
    int digit_count; /* without leading zeros */
    int64_t power;   /* value = digits * 10^power */
    char digits[MOST_DIGITS + 1];
} Decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Appends a digit of the mantissa; `after_point` if it is after the decimal point. */
static void add_digit(Decimal *decimal, char digit, bool after_point) {
    if (digit == '0' && decimal->digit_count == 0) {
        decimal->power -= after_point;
    } else if (decimal->digit_count < MOST_DIGITS) {
        decimal->digits[decimal->digit_count++] = digit;
        decimal->power -= after_point;
    } else {
        if (digit != '0')
            decimal->digits[MOST_DIGITS - 1] = '1';
        decimal->power += !after_point;
    }
}

static bool take_apart(const char *text, size_t length, Decimal *decimal) {
    size_t at = 0;
    bool after_point = false, any = false;
    decimal->negative = false;
    decimal->digit_count = 0;
    decimal->power = 0;
    if (at < length && (text[at] == '-' || text[at] == '+'))
        decimal->negative = text[at++] == '-';
    for (; at < length && (is_digit(text[at]) || (text[at] == '.' && !after_point)); ++at) {
        if (text[at] == '.') {
            after_point = true;
        } else {
            any = true;
            add_digit(decimal, text[at], after_point);
        }
    }
    if (!any)
        return false;
    if (at == length)
        return true;

    // the exponent, clamped so that it cannot overflow, without changing the result
    if (text[at] != 'e' && text[at] != 'E' && text[at] != 'd' && text[at] != 'D')
        return false;
    ++at;
    bool negative = false;
    if (at < length && (text[at] == '-' || text[at] == '+'))
        negative = text[at++] == '-';
    if (at == length)
        return false;
    int64_t exponent = 0;
    for (; at < length && is_digit(text[at]); ++at)
        exponent = exponent < MOST_POWER ? 10 * exponent + (text[at] - '0') : exponent;
    decimal->power += negative ? -exponent : exponent;
    return at == length;
}

bool number_parse(const char *text, size_t length, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    Decimal decimal;
    if (!take_apart(text, length, &decimal))
        return false;
    double magnitude = 0;
    if (decimal.digit_count <= 15 && decimal.power >= -22 && decimal.power <= 22) {
        int64_t whole = 0;
        for (int i = 0; i < decimal.digit_count; ++i)
            whole = 10 * whole + (decimal.digits[i] - '0');
        magnitude = decimal.power < 0 ? (double)whole / powers[-decimal.power] : (double)whole * powers[decimal.power];
    } else if (decimal.digit_count > 0) {
        char plain[MOST_DIGITS + 32];
        int64_t power = decimal.power < -MOST_POWER  ? -MOST_POWER
                        : decimal.power > MOST_POWER ? MOST_POWER
                                                     : decimal.power;
        snprintf(plain, sizeof plain, "%.*se%lld", decimal.digit_count, decimal.digits, (long long)power);
        magnitude = strtod(plain, NULL);
    }
    *value = decimal.negative ? -magnitude : magnitude;
    return isfinite(magnitude);
}

bool number_parse_integer(const char *text, size_t length, int64_t *value) {
    size_t at = 0;
    bool negative = false;
    if (at < length && (text[at] == '-' || text[at] == '+'))
        negative = text[at++] == '-';
    if (at == length || length - at > 18)
        return false;
    int64_t whole = 0;
    for (; at < length; ++at) {
        if (!is_digit(text[at]))
            return false;
        whole = 10 * whole + (text[at] - '0');
    }
    *value = negative ? -whole : whole;
    return true;
}

size_t number_print(double value, char text[NUMBER_CAPACITY]) {
    size_t length = 0;
    for (int digits = 15; digits <= 17; ++digits) {
        char local[NUMBER_CAPACITY];
        snprintf(local, sizeof local, "%.*g", digits, value);

        // replace the decimal point of the locale by a point
        length = 0;
        for (const char *c = local; *c; ++c) {
            bool plain = is_digit(*c) || *c == '-' || *c == '+' || *c == 'e';
            if (plain)
                text[length++] = *c;
            else if (length == 0 || text[length - 1] != '.')
                text[length++] = '.';
        }
        text[length] = '\0';
        double back;
        if (number_parse(text, length, &back) && back == value)
            break;
    }
    return length;
}
