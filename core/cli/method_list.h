/* Integrators by name, as options list them: "si,be", or "all"; "siere:5" keeps 5 modes. */
#ifndef JN_CLI_METHOD_LIST_H
#define JN_CLI_METHOD_LIST_H

#include "cli.h"

enum { METHOD_CAPACITY = 64 };

typedef struct MethodList {
    const char *names[METHOD_CAPACITY];    /* of the core's table, in the order given */
    uint32_t mode_counts[METHOD_CAPACITY]; /* how many modes it is to keep; 0: not said. No two have both alike */
    size_t count;
} MethodList;

/* The integrator that stands for another one, which it chooses for the scene. */
extern const char METHOD_AUTO[];

/* What a comparison of integrators takes unless told: one of each family, without those that are slow on stiff bodies.
 */
#define METHODS_TO_COMPARE "auto,si,siere,ssdirk,ssdirkere,be,sdirk,midpoint"

/* with_modes: numbers of modes may be given. Reports errors, and what was probably meant. */
ExitCode method_list_read(const Arguments *arguments, const char *option, const char *text, bool with_modes,
                          MethodList *list);

/* Leaves METHOD_AUTO out. */
void method_list_drop_auto(MethodList *list);

#endif
