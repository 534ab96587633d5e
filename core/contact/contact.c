#include "contact/contact.h"

/* To add a method, add a line. */
static const ContactMethod methods[] = {
    {{"penalty", "Penalty", "Pushes back in proportion to depth: fast, lets things sink in by a hair"},
     &penalty_curve,
     false},
    {{"barrier", "Barrier", "Pushes back ever harder as things come near: slower, nothing crosses"},
     &barrier_curve,
     true}};

const Table contact_table = {
    "contact_methods", "contact method", methods, sizeof methods[0], sizeof methods / sizeof methods[0], NULL};
