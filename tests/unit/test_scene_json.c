/* The JSON scanner: what it lets pass, what it stops, and where. */
#include "scene/json_scan.h"
#include "scene/scene_text.h"
#include "harness.h"

TEST(json_every_good_text_passes_and_cjson_agrees) {
    const char *good[] = {"0",
                          "-0",
                          "12.5e-3",
                          "1E+9",
                          "true",
                          "false",
                          "null",
                          "\"\"",
                          "[]",
                          "{}",
                          " [ 1 , 2 ] \r\n",
                          "{\"a\": {\"b\": [[], {}, \"x\"]}}",
                          "\"\\u00e9\\n\\\\ \\\" \\/ \\ud83d\\ude00\"",
                          "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"",
                          "\xEF\xBB\xBF{}"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        size_t offset;
        cJSON *json;
        CHECK(json_scan(good[i], strlen(good[i]), &offset) == NULL && offset == strlen(good[i]));
        CHECK(scene_text_parse(good[i], strlen(good[i]), &json, NULL) == JN_OK);
        cJSON_Delete(json);
    }
}

TEST(json_every_bad_text_is_stopped_at_its_first_bad_byte) {
    const struct {
        const char *text;
        size_t offset;
        const char *problem;
    } bad[] = {
        {"", 0, "empty"},
        {" \n ", 3, "empty"},
        {"{\"a\" 1}", 5, "a colon"},
        {"{\"a\": 1,}", 8, "there is a comma before this }"},
        {"[1, 2,]", 6, "there is a comma before this ]"},
        {"{\"a\": 1 \"b\": 2}", 8, "a comma or }"},
        {"[1 2]", 3, "a comma or ]"},
        {"{a: 1}", 1, "a key in double quotes"},
        {"{'a': 1}", 1, "a key in double quotes"},
        {"[NaN]", 1, "a number, a text"},
        {"[01]", 2, "a comma or ]"},
        {"[1.]", 3, "a digit"},
        {"[-]", 2, "a digit"},
        {"[.5]", 1, "a number, a text"},
        {"[+1]", 1, "a number, a text"},
        {"[1e]", 3, "a digit"},
        {"// no\n{}", 0, "no comments"},
        {"{} {}", 3, "nothing may follow"},
        {"{\"a\": [1, 2}", 11, "a comma or ]"},
        {"{\"a\": \"b", 8, "ends too early"},
        {"[[[", 3, "ends too early"},
        {"tru", 0, "a number, a text"},
        {"\"\\x\"", 2, "not a known escape"},
        {"\"\\u12g4\"", 5, "four hexadecimal"},
        {"\"\\ud800\"", 7, "half of a pair"},
        {"\"\\udc00\"", 7, "half of a pair"},
        {"\"a\tb\"", 2, "control character"},
        {"\"\xC0\x80\"", 1, "not UTF-8"},
        {"\"\xF5\x80\x80\x80\"", 1, "not UTF-8"},
        {"\"\xE2\x82", 1, "not UTF-8"},
        {"[1234567890123456789012345678901234567890123456789012345678901234567890]", 1, "too many digits"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        size_t offset = 999;
        const char *problem = json_scan(bad[i].text, strlen(bad[i].text), &offset);
        if (!problem || offset != bad[i].offset)
            printf("%s: %s at %zu\n", bad[i].text, problem ? problem : "passed", offset);
        CHECK(problem != NULL && offset == bad[i].offset);
        CHECK_STR_HAS(problem, bad[i].problem);
    }
}

TEST(json_nests_to_the_limit_and_no_deeper) {
    char text[2 * JSON_DEPTH + 3];
    size_t offset;
    for (int depth = JSON_DEPTH; depth <= JSON_DEPTH + 1; ++depth) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        const char *problem = json_scan(text, 2 * (size_t)depth, &offset);
        CHECK((problem == NULL) == (depth == JSON_DEPTH));
    }
    CHECK(offset == JSON_DEPTH);
}
