/* Natural modes as an Alembic file that plays them one after the other. */
#ifndef JN_CLI_MODES_FILM_H
#define JN_CLI_MODES_FILM_H

#include "cli.h"

typedef struct ModeSpan { /* the frames that show one mode */
    uint32_t mode;        /* index in the modes */
    uint32_t swing_frames;
    double first_frame, last_frame;
    double slowed; /* how many times slower than it is; below 1: faster; NaN: it has no frequency */
} ModeSpan;

typedef struct ModesFilm {
    ModeSpan *spans; /* [count] rigid modes are left out */
    uint32_t count;
} ModesFilm;

/* Which frames show which of the modes, at most `most` of them: each swings twice, at its own speed where that can be
   followed. False: out of memory. */
bool modes_film_plan(ModesFilm *film, const JnBakeDesc *desc, const JnMode *modes, uint32_t count, uint32_t most);
void modes_film_free(ModesFilm *film); /* may be all zero */

/* Writes it. Reports errors. Replaces nothing but another film of modes. */
ExitCode modes_film_write(const ModesFilm *film, const Arguments *arguments, const JnScene *scene,
                          const JnBakeDesc *desc, const JnModes *found, const JnMode *modes, const char *path);

void modes_film_print(const ModesFilm *film, const JnMode *modes, const char *path);
struct cJSON *modes_film_json(const ModesFilm *film, const JnMode *modes);

#endif
