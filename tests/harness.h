/* The test harness: each file under tests/ is one program, each TEST(name) in it one CTest test.
   A program runs the tests named on its command line, or all. Exit code 0: all passed; 1: one failed; 77: skipped.
   Each test runs in an empty folder of its own, JN_TEST_OUTPUT, so that tests that run side by side share no file. */
#ifndef JN_TESTS_HARNESS_H
#define JN_TESTS_HARNESS_H

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JN_TEST_OUTPUT "." /* of the test; JN_TEST_OUTPUTS is the absolute path of the folder of all */

typedef struct TestCase {
    const char *name;
    void (*run)(void);
    struct TestCase *next;
} TestCase;

static TestCase *harness_tests;
static int harness_failed;
static int harness_skipped;

/* Defines and registers a test. Name it <subject>_<condition>_<expectation>. */
#define TEST(test_name)                                                                                                \
    static void test_name(void);                                                                                       \
    __attribute__((constructor)) static void harness_add_##test_name(void) {                                           \
        static TestCase test_case = {#test_name, test_name, NULL};                                                     \
        test_case.next = harness_tests;                                                                                \
        harness_tests = &test_case;                                                                                    \
    }                                                                                                                  \
    static void test_name(void)

/* The same, for what takes over a second, and for loops of crashes, cuts and damage: the quick run leaves it out. */
#define SLOW_TEST(test_name) TEST(test_name)

/* The same, for what takes over ten seconds, if shorter tests run the same code: left out under the sanitizers too. */
#define LONG_TEST(test_name) TEST(test_name)

/* The same, for what takes over ten seconds and looks for leaks and stray accesses: the whole run leaves it to the
   sanitizers. */
#define SANITIZED_TEST(test_name) TEST(test_name)

/* Records a failure and leaves the test. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                                             \
            harness_failed = 1;                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

/* |a - b| <= tolerance; a NaN fails. */
#define CHECK_NEAR(a, b, tolerance)                                                                                    \
    do {                                                                                                               \
        double harness_a = (a), harness_b = (b), harness_t = (tolerance);                                              \
        if (!(fabs(harness_a - harness_b) <= harness_t)) {                                                             \
            printf("%s:%d: failed: %s = %.17g is not within %g of %s = %.17g\n", __FILE__, __LINE__, #a, harness_a,    \
                   harness_t, #b, harness_b);                                                                          \
            harness_failed = 1;                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

#define CHECK_STR_HAS(text, part)                                                                                      \
    do {                                                                                                               \
        if (!strstr((text), (part))) {                                                                                 \
            printf("%s:%d: failed: \"%s\" does not contain \"%s\"\n", __FILE__, __LINE__, (text), (part));             \
            harness_failed = 1;                                                                                        \
            return;                                                                                                    \
        }                                                                                                              \
    } while (0)

/* Leaves the test as skipped, saying why (an absent asset): never counted as passed. */
#define SKIP(reason)                                                                                                   \
    do {                                                                                                               \
        printf("skipped: %s\n", reason);                                                                               \
        harness_skipped = 1;                                                                                           \
        return;                                                                                                        \
    } while (0)

/* Makes JN_TEST_OUTPUT the folder of the test, without the files of an earlier run. Returns 0 if it cannot. */
static int harness_enter(const char *program, const char *test) {
    char folder[1000];
    const char *slash = strrchr(program, '/');
    snprintf(folder, sizeof folder, "%s/%s", JN_TEST_OUTPUTS, slash ? slash + 1 : program);
    mkdir(JN_TEST_OUTPUTS, 0777);
    mkdir(folder, 0777);
    snprintf(&folder[strlen(folder)], sizeof folder - strlen(folder), "/%s", test);
    mkdir(folder, 0777);
    DIR *directory = chdir(folder) == 0 ? opendir(".") : NULL;
    if (!directory)
        return 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        remove(entry->d_name); /* the folder itself and the one above stay, as they are not empty */
    closedir(directory);
    return 1;
}

int main(int argc, char **argv) {
    int failed = 0, skipped = 0, run = 0;
    for (TestCase *test = harness_tests; test; test = test->next) {
        int wanted = argc < 2;
        for (int i = 1; i < argc; ++i)
            wanted |= strcmp(argv[i], test->name) == 0;
        if (!wanted)
            continue;
        ++run;
        harness_failed = harness_skipped = 0;
        if (harness_enter(argv[0], test->name)) {
            test->run();
        } else {
            printf("cannot work in a folder of %s\n", JN_TEST_OUTPUTS);
            harness_failed = 1;
        }
        failed += harness_failed;
        skipped += !harness_failed && harness_skipped;
        printf("%s %s\n", harness_failed ? "FAIL" : harness_skipped ? "SKIP" : "pass", test->name);
    }
    if (run == 0) {
        printf("no such test\n");
        return 1;
    }
    return failed ? 1 : skipped == run ? 77 : 0;
}

#endif
