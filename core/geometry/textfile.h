/* A file in memory that is read word by word or byte by byte, and a file that is written. All mesh formats go through
   here: input is checked here once, and every error message names the file, the line or byte, and the value. */
#ifndef JN_GEOMETRY_TEXTFILE_H
#define JN_GEOMETRY_TEXTFILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------ reading */

typedef struct TextFile {       /* owns nothing */
    const char *name;           /* for messages */
    const unsigned char *bytes; /* [size] */
    size_t size;
    size_t at;    /* the next byte */
    size_t line;  /* the line of `at`, from 1 */
    char comment; /* from this character on a line is not read; 0: none */
    bool binary;  /* messages name the byte instead of the line */
    bool big;     /* numbers in binary parts are big-endian */
} TextFile;

typedef struct Word { /* not terminated */
    const char *text;
    size_t length;
} Word;

/* Reads the whole file. The caller frees *bytes. JN_ERR_FILE, JN_ERR_MEMORY. */
JnStatus textfile_load(const char *path, unsigned char **bytes, size_t *size, JnMessage *message);

TextFile textfile_open(const char *name, const unsigned char *bytes, size_t size);

/* JN_ERR_FORMAT with "name, line 12: " or "name, byte 345: " before the message. */
JnStatus textfile_fail(const TextFile *file, JnMessage *message, const char *format, ...) STATUS_PRINTF;

/* The next word, on this line or a later one; false at the end of the file. */
bool textfile_word(TextFile *file, Word *word);
/* The next word on this line; false if there is none. */
bool textfile_word_on_line(TextFile *file, Word *word);
/* Skips to the start of the next line. */
void textfile_next_line(TextFile *file);

bool textfile_is(Word word, const char *text);             /* equal, letters of either case */
bool textfile_is_any(Word word, const char *const *texts); /* equal to one of the list, which ends with NULL */

/* The next word as a finite number or a whole number; `what` names it in messages: "a coordinate". */
JnStatus textfile_number(TextFile *file, const char *what, double *value, JnMessage *message);
JnStatus textfile_integer(TextFile *file, const char *what, int64_t *value, JnMessage *message);

/* The next word as a coordinate of a point: finite, and no farther from 0 than VEC3_FARTHEST. */
JnStatus textfile_coordinate(TextFile *file, const char *what, double *value, JnMessage *message);
/* Refuses a value that was read as `what` if it is no such coordinate. */
JnStatus textfile_check_coordinate(const TextFile *file, const char *what, double value, JnMessage *message);
/* The value as a float; refuses one that is not finite, or that no float can hold. */
JnStatus textfile_narrow(const TextFile *file, const char *what, double value, float *narrow, JnMessage *message);

/* Refuses an impossible count: negative, above 2^32 - 2, or more than the rest of the file can hold at `least_bytes`
   each. `what` is plural: "vertices". */
JnStatus textfile_check_count(const TextFile *file, int64_t value, size_t least_bytes, const char *what,
                              JnMessage *message);
/* Reads a whole number and checks it as above. */
JnStatus textfile_count(TextFile *file, size_t least_bytes, const char *what, uint32_t *count, JnMessage *message);

/* The next `count` bytes, or NULL if the file ends before. */
const unsigned char *textfile_bytes(TextFile *file, size_t count);

/* Numbers in binary parts, `big` as in TextFile. */
uint32_t textfile_u32(const unsigned char *bytes, bool big);
uint64_t textfile_u64(const unsigned char *bytes, bool big);
float textfile_f32(const unsigned char *bytes, bool big);
double textfile_f64(const unsigned char *bytes, bool big);

/* ------------------------------------------------------------------------------------------------ writing */

/* The first failure is kept and later writes are skipped, so that a writer need not check every line. */
typedef struct TextWriter {
    FILE *file;
    bool failed;
} TextWriter;

/* Text with %u for uint32_t, %s for text and %g for a double, which is written so that reading it gives the same
   value. */
void textfile_write(TextWriter *writer, const char *format, ...);

/* A name as one word, or in quotes: _ in place of quotes, control characters and (as a word) spaces, and for an empty
   name. */
void textfile_write_name(TextWriter *writer, const char *name, bool quoted);

#endif
