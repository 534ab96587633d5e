/* base/os: clock, machine, files and interrupts. */
#include "base/os/os.h"

#include <sys/stat.h>
#include <unistd.h>
#include "harness.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

static const char path[] = JN_TEST_OUTPUT "/one.tmp", other_path[] = JN_TEST_OUTPUT "/other.tmp";

static int write_text(const char *where, const char *text) {
    FILE *file = os_file_open(where, "wb");
    return file && fputs(text, file) >= 0 && os_file_sync(file) && fclose(file) == 0;
}

TEST(clock_goes_forward) {
    double start = os_clock_seconds(), now = start;
    for (int i = 0; i < 1000000 && now == start; ++i)
        now = os_clock_seconds();
    CHECK(now > start);
    CHECK(now - start < 60);
}

TEST(machine_has_processors_and_memory) {
    CHECK(os_processor_count() >= 1);
    uint64_t before = os_peak_memory_bytes();
    size_t size = (size_t)64 << 20;
    volatile char *block = malloc(size);
    CHECK(block);
    for (size_t i = 0; i < size; i += 1024)
        block[i] = 1;
    CHECK(os_peak_memory_bytes() >= before + size / 2);
    free((void *)block);
}

TEST(file_size_of_missing_file_or_folder_fails_with_reason) {
    char reason[64];
    uint64_t size = 7;
    os_file_remove(path);
    CHECK(!os_file_size(path, &size));
    CHECK(errno == ENOENT);
    CHECK(strlen(os_error_text(reason, sizeof reason)) > 5);
    CHECK(!os_file_size(JN_TEST_OUTPUT, &size));
    CHECK(size == 7);
}

TEST(file_that_is_a_pipe_a_folder_or_a_device_is_not_opened_for_reading) {
    char reason[96];
    os_file_remove(path);
    CHECK(mkfifo(path, 0600) == 0);
    CHECK(os_file_open(path, "rb") == NULL);
    CHECK_STR_HAS(os_error_text(reason, sizeof reason), "plain file");
    CHECK(!os_file_size(path, NULL));
    CHECK_STR_HAS(os_error_text(reason, sizeof reason), "plain file");
    CHECK(os_file_open(JN_TEST_OUTPUT, "rb") == NULL && errno == EISDIR);
    CHECK(os_file_open("/dev/zero", "rb") == NULL);
    CHECK(os_file_remove(path));
}

TEST(file_replace_puts_the_new_file_in_place_of_the_old) {
    uint64_t size = 0;
    CHECK(write_text(path, "old"));
    CHECK(write_text(other_path, "newer"));
    CHECK(os_file_replace(other_path, path));
    CHECK(os_file_size(path, &size) && size == 5);
    CHECK(!os_file_size(other_path, NULL));
    CHECK(!os_file_replace(other_path, path));
    CHECK(os_file_remove(path));
    CHECK(os_file_remove(path));
}

TEST(file_truncate_cuts_and_writes_on) {
    uint64_t size = 0;
    CHECK(write_text(path, "0123456789"));
    FILE *file = os_file_open(path, "r+b");
    CHECK(file);
    CHECK(os_file_truncate(file, 4));
    CHECK(fputs("ab", file) >= 0 && fclose(file) == 0);
    CHECK(os_file_size(path, &size) && size == 6);
    CHECK(os_file_remove(path));
}

TEST(terminal_width_of_a_file_is_80) {
    FILE *file = os_file_open(path, "wb");
    CHECK(file);
    CHECK(!os_is_terminal(file));
    CHECK(os_terminal_width(file) == 80);
    fclose(file);
    os_file_remove(path);
}

static void count_call(void *counter) {
    atomic_fetch_add((atomic_int *)counter, 1);
}

TEST(interrupts_are_counted_and_called_until_released) {
    atomic_int calls = 0;
    CHECK(os_interrupt_catch(NULL, NULL));
    CHECK(os_interrupt_count() == 0);
    raise(SIGINT);
    CHECK(os_interrupt_count() == 1);
    CHECK(os_interrupt_catch(count_call, &calls));
    raise(SIGINT);
    raise(SIGTERM);
    CHECK(os_interrupt_count() == 3);
    CHECK(calls == 2);
    os_interrupt_release();
    CHECK(os_interrupt_count() == 0);
    struct sigaction now;
    CHECK(sigaction(SIGINT, NULL, &now) == 0);
    CHECK(now.sa_handler == SIG_DFL);
}

TEST(interrupt_after_a_pause_ends_the_process_by_the_signal) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        signal(SIGTERM, SIG_DFL);
        os_interrupt_catch(NULL, NULL);
        raise(SIGTERM);
        raise(SIGTERM); /* the same request, sent twice */
        nanosleep(&(struct timespec){0, (long)(1.2e9 * OS_INTERRUPT_SECONDS)}, NULL);
        if (os_interrupt_count() == 2)
            raise(SIGTERM);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(interrupts_that_were_ignored_stay_ignored) {
    signal(SIGINT, SIG_IGN);
    CHECK(os_interrupt_catch(NULL, NULL));
    raise(SIGINT);
    CHECK(os_interrupt_count() == 0);
    os_interrupt_release();
    signal(SIGINT, SIG_DFL);
}

TEST(program_reads_what_is_written_and_tells_how_it_ended) {
    FILE *input = NULL;
    const char *const copies[] = {"sh", "-c", "cat > \"$0\"; echo dropped", path, NULL};
    OsProgram *program = os_program_start(copies, &input);
    CHECK(program && input);
    CHECK(fputs("for the program", input) >= 0);
    CHECK(os_program_end(program));
    char text[40] = "";
    FILE *file = os_file_open(path, "rb");
    CHECK(file && fgets(text, sizeof text, file));
    fclose(file);
    os_file_remove(path);
    CHECK(strcmp(text, "for the program") == 0);
    const char *const fails[] = {"sh", "-c", "exit 3", NULL};
    program = os_program_start(fails, &input);
    CHECK(program && !os_program_end(program));
    const char *const missing[] = {"no-program-has-this-name", NULL};
    CHECK(!os_program_start(missing, &input) && !input && errno == ENOENT);
}

TEST(program_that_has_ended_makes_writing_fail_without_ending_us) {
    FILE *input = NULL;
    const char *const reads_nothing[] = {"sh", "-c", "exit 0", NULL};
    struct sigaction before, after;
    sigaction(SIGPIPE, NULL, &before);
    OsProgram *program = os_program_start(reads_nothing, &input);
    CHECK(program);
    bool written = true;
    for (int i = 0; i < 100000 && written; ++i)
        written = fputs("more than a pipe holds, written to nobody\n", input) >= 0 && fflush(input) == 0;
    CHECK(!written && errno == EPIPE);
    os_program_end(program);
    sigaction(SIGPIPE, NULL, &after);
    CHECK(after.sa_handler == before.sa_handler);
}
