/* What `jounce show` draws: the frames of a cache, or of a scene before its bake, and what is drawn over them. */
#ifndef JN_CLI_FILM_H
#define JN_CLI_FILM_H

#include "alembic_io.h"
#include "cli.h"
#include "picture/drawing.h"

/* What is drawn besides the bodies. All of it needs the scene. */
typedef struct FilmWishes {
    bool colliders, simulation, ghost;
    const char *map; /* the painted map that colours the bodies; NULL: none */
} FilmWishes;

typedef struct Film {
    const Arguments *arguments;
    FilmWishes wishes;
    AbcReader *reader;  /* NULL: the scene itself is drawn */
    JnScene *scene;     /* NULL: not needed */
    JnPreview *preview; /* NULL without a scene */
    JnBakeDesc desc;    /* of the scene */
    double fps, first_frame, last_frame;
    float *weights; /* of the body painted last */
} Film;

/* Where endless colliders are drawn. */
typedef struct FilmArea {
    Vec3 middle;
    float radius;
} FilmArea;

/* Opens the cache or scene that the command line names, and the scene that its wishes need. Else says what is wrong.
   Close it in either case. */
ExitCode film_open(Film *film, const Arguments *arguments);
void film_close(Film *film);

/* Everything of a frame; `area`: NULL: without colliders. Else says what is wrong. Free the scenery in either case. */
ExitCode film_frame(Film *film, double frame, const FilmArea *area, Scenery *scenery);

#endif
