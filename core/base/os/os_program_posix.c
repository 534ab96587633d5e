/* Programs that this one starts, for POSIX systems. */
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct OsProgram {
    pid_t process;
    FILE *input;
    struct sigaction pipe_action; /* as it was before */
};

/* Both ends are closed in programs that are started. */
static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* 0, or the error's number. */
static int spawn(pid_t *process, const char *const *words, int input) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        if (!error)
            error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        if (!error)
            error = posix_spawnattr_setsigdefault(&attributes, &usual);
        if (!error)
            error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        if (!error)
            error = posix_spawnp(process, words[0], &actions, &attributes, (char *const *)words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

OsProgram *os_program_start(const char *const *words, FILE **input) {
    int ends[2];
    OsProgram *program = calloc(1, sizeof *program);
    *input = NULL;
    if (!program || !open_pipe(ends)) {
        free(program);
        return NULL;
    }
    program->input = fdopen(ends[1], "wb");
    int error = program->input ? spawn(&program->process, words, ends[0]) : errno;
    close(ends[0]);
    if (error) {
        if (program->input)
            fclose(program->input);
        else
            close(ends[1]);
        free(program);
        errno = error;
        return NULL;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, &program->pipe_action);
    *input = program->input;
    return program;
}

bool os_program_end(OsProgram *program) {
    int result = -1;
    bool all_read = fclose(program->input) == 0;
    while (waitpid(program->process, &result, 0) < 0 && errno == EINTR) {
    }
    sigaction(SIGPIPE, &program->pipe_action, NULL);
    free(program);
    return all_read && WIFEXITED(result) && WEXITSTATUS(result) == 0;
}
