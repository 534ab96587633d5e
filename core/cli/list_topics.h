/* What `jounce list` can list. */
#ifndef JN_CLI_LIST_TOPICS_H
#define JN_CLI_LIST_TOPICS_H

#include <stddef.h>

/* The topics' names, at most `capacity`; returns how many there are. */
size_t topic_words(const char **words, size_t capacity);

#endif
