/* Which kind of file a path names. */
#ifndef JN_CLI_PATH_ENDING_H
#define JN_CLI_PATH_ENDING_H

#include <stdbool.h>
#include <string.h>

/* "a.csv" has the ending ".csv"; ".csv" itself has not. */
static inline bool path_has_ending(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

#endif
