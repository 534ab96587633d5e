/* Decimal numbers in files: exact in both directions, and the same in every locale (a host may have set one in which
   the decimal point is a comma). */
#ifndef JN_GEOMETRY_NUMBER_H
#define JN_GEOMETRY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_CAPACITY = 32 };

/* The double nearest to the decimal number that is all of text[0, length): digits with an optional sign,
   point and exponent (e, E, d or D). False if it is anything else, too large, or "nan" or "inf". */
bool number_parse(const char *text, size_t length, double *value);

/* As above for whole numbers. */
bool number_parse_integer(const char *text, size_t length, int64_t *value);

/* The fewest of 15, 16 or 17 digits from which number_parse returns exactly `value`, which must be finite. Terminated;
   returns the length. */
size_t number_print(double value, char text[NUMBER_CAPACITY]);

#endif
