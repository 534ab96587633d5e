/* Integrators by name, as options list them: "si,be", or "all". */
#ifndef JN_CLI_METHOD_LIST_H
#define JN_CLI_METHOD_LIST_H

#include "cli.h"

enum { METHOD_CAPACITY = 64 };

typedef struct MethodList {
    const char *names[METHOD_CAPACITY]; /* of the core's table; each once, in the order given */
    size_t count;
} MethodList;

/* The integrator that stands for another one, which it chooses for the scene. */
extern const char METHOD_AUTO[];

/* `text`: NULL is taken as "all". Reports errors, and what was probably meant. */
ExitCode method_list_read(const Arguments *arguments, const char *option, const char *text, MethodList *list);

/* Leaves METHOD_AUTO out. */
void method_list_drop_auto(MethodList *list);

#endif
