#include "contact/contact.h"

/* The methods: to add one, add a file and a line here. */
#define METHODS(METHOD)                                                                                                \
    METHOD(penalty, false, "Penalty", "Pushes back in proportion to depth: fast, lets things sink in by a hair")       \
    METHOD(barrier, true, "Barrier", "Pushes back without limit as things come near: slower, nothing ever crosses")

#define DECLARE(method, crosses, label, summary) CONTACT_METHOD(method);
#define LINE(method, crosses, label, summary)                                                                          \
    {.entry = {#method, label, summary},                                                                               \
     .never_crosses = crosses,                                                                                         \
     .normal = method##_normal,                                                                                        \
     .distance = method##_distance,                                                                                    \
     .stiffest = method##_stiffest},

METHODS(DECLARE)
static const ContactMethod methods[] = {METHODS(LINE)};

const Table contact_table = {
    "contact_methods", "contact method", methods, sizeof methods[0], sizeof methods / sizeof methods[0], NULL};
