#include "geometry/number.h"
#include "harness.h"
#include <stdbool.h>

#include <locale.h>
#include <stdint.h>

static int parses(const char *text, double expected) {
    double value = -12345;
    return number_parse(text, strlen(text), &value) && memcmp(&value, &expected, sizeof value) == 0;
}

TEST(number_of_each_form_parses_exactly) {
    CHECK(parses("0", 0.0) && parses("-0", -0.0) && parses("1", 1) && parses("+1", 1) && parses("-17", -17));
    CHECK(parses("1.5", 1.5) && parses(".5", .5) && parses("5.", 5) && parses("1e3", 1e3) && parses("1E-3", 1e-3));
    CHECK(parses("1d3", 1e3) && parses("0.1", 0.1) && parses("123456789012345678", 123456789012345678.0));
    CHECK(parses("2.2250738585072011e-308", 2.2250738585072011e-308) && parses("5e-324", 5e-324));
    CHECK(parses("1.7976931348623157e308", 1.7976931348623157e308) && parses("1e-999999999999999999", 0.0));
    CHECK(parses("0.000000000000000000000000000000000000001e39", 1) && parses("0e999999", 0.0));
}

TEST(number_between_two_doubles_rounds_to_even) {
    // 2^53 + 1 lies exactly between two doubles; a digit far behind tips it
    CHECK(parses("9007199254740993", 9007199254740992.0));
    CHECK(parses("9007199254740993.0000000000000000000000000000000000000000000000001", 9007199254740994.0));
    char text[1200] = "9007199254740993.";
    memset(text + 17, '0', 1000);
    text[1017] = '1';
    CHECK(parses(text, 9007199254740994.0));
}

TEST(number_malformed_or_not_finite_is_refused) {
    static const char *const bad[] = {"",    "-",   "+",    ".",     "e5", "1e", "1e+", "1.2.3", "1,5",   "0x10",
                                      "nan", "inf", "-inf", "1e309", "1 ", " 1", "1f",  "--1",   "1e5.0", "infinity"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        double value;
        CHECK(!number_parse(bad[i], strlen(bad[i]), &value));
    }
}

TEST(integer_of_each_form_parses) {
    int64_t value;
    CHECK(number_parse_integer("42", 2, &value) && value == 42);
    CHECK(number_parse_integer("-7", 2, &value) && value == -7);
    CHECK(!number_parse_integer("", 0, &value) && !number_parse_integer("1.0", 3, &value));
    CHECK(!number_parse_integer("99999999999999999999", 20, &value) && !number_parse_integer("-", 1, &value));
}

TEST(number_printed_parses_back_to_the_same_bits) {
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 200000; ++i) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value;
        char text[NUMBER_CAPACITY];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        size_t length = number_print(value, text);
        CHECK(length < NUMBER_CAPACITY && text[length] == '\0');
        CHECK(parses(text, value));
    }
    char text[NUMBER_CAPACITY];
    number_print(0.1, text);
    CHECK(strcmp(text, "0.1") == 0);
}

TEST(number_in_comma_locale_is_unchanged) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "fr_FR"};
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof names[0]; ++i)
        found = setlocale(LC_NUMERIC, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0;
    if (!found)
        SKIP("no locale with a decimal comma is installed");
    char text[NUMBER_CAPACITY];
    number_print(-1.5, text);
    bool right = strcmp(text, "-1.5") == 0 && parses("1.2345678901234567e-5", 1.2345678901234567e-5);
    setlocale(LC_NUMERIC, "C");
    CHECK(right);
}
