#include "modes_film.h"

#include "alembic_io.h"
#include "os.h"
#include "output_file.h"
#include "path_ending.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MARK[] = "jounce_modes"; /* the text property by which a film is known */

/* How a mode is shown: twice, in swings that the eye can follow, out to this part of the size of what moves most. */
enum { SWINGS = 2, LEAST_SWING_FRAMES = 8 };
static const double SHORTEST_SWING = 0.5, LONGEST_SWING = 2; /* s */
static const double AMPLITUDE = 0.1;

/* -------------------------------------------------------------------------------- the plan */

static uint32_t swing_frames(double frequency, double fps) {
    double seconds = frequency > 0 ? 1 / frequency : 1;
    return (uint32_t)fmax(round(fps * fmin(fmax(seconds, SHORTEST_SWING), LONGEST_SWING)), LEAST_SWING_FRAMES);
}

bool modes_film_plan(ModesFilm *film, const JnBakeDesc *desc, const JnMode *modes, uint32_t count, uint32_t most) {
    double frame = desc->first_frame;
    *film = (ModesFilm){.spans = calloc((size_t)count + 1, sizeof *film->spans)};
    for (uint32_t k = 0; film->spans && k < count && film->count < most; ++k) {
        if (modes[k].rigid)
            continue;
        uint32_t frames = swing_frames(modes[k].frequency, desc->fps);
        double slowed = modes[k].frequency > 0 ? frames * modes[k].frequency / desc->fps : (double)NAN;
        film->spans[film->count++] = (ModeSpan){k, frames, frame, frame + SWINGS * frames - 1, slowed};
        frame += SWINGS * frames;
    }
    // back to rest
    if (film->count > 0)
        ++film->spans[film->count - 1].last_frame;
    return film->spans != NULL;
}

void modes_film_free(ModesFilm *film) {
    free(film->spans);
    *film = (ModesFilm){0};
}

/* -------------------------------------------------------------------------------- words */

/* "2.3 Hz, at its own speed" */
static const char *say_rhythm(const JnMode *mode, double slowed, char *text, size_t capacity) {
    if (isnan(slowed))
        snprintf(text, capacity, "%s, without a rhythm of its own", mode->eigenvalue < 0 ? "not stable" : "slack");
    else if (fabs(slowed - 1) < 0.1)
        snprintf(text, capacity, "%.4g Hz, at its own speed", mode->frequency);
    else
        snprintf(text, capacity, "%.4g Hz, %.3g times %s", mode->frequency, slowed > 1 ? slowed : 1 / slowed,
                 slowed > 1 ? "slower" : "faster");
    return text;
}

void modes_film_print(const ModesFilm *film, const JnMode *modes, const char *path) {
    printf("\n%s plays them one after the other, two swings each:\n", path);
    for (const ModeSpan *span = film->spans; span < film->spans + film->count; ++span) {
        char frames[SAY_CAPACITY], rhythm[2 * SAY_CAPACITY];
        snprintf(frames, sizeof frames, "%.6g to %.6g", span->first_frame, span->last_frame);
        printf("  frames %-14s mode %u, %s\n", frames, (unsigned)(span - film->spans) + 1,
               say_rhythm(&modes[span->mode], span->slowed, rhythm, sizeof rhythm));
    }
}

cJSON *modes_film_json(const ModesFilm *film, const JnMode *modes) {
    cJSON *list = cJSON_CreateArray();
    for (const ModeSpan *span = film->spans; span < film->spans + film->count; ++span) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddNumberToObject(item, "mode", (double)(span - film->spans) + 1);
        cJSON_AddNumberToObject(item, "frequency", modes[span->mode].frequency);
        cJSON_AddNumberToObject(item, "first_frame", span->first_frame);
        cJSON_AddNumberToObject(item, "last_frame", span->last_frame);
        json_add_finite(item, "slowed", span->slowed);
    }
    return list;
}

/* -------------------------------------------------------------------------------- the archive */

typedef struct FilmWriter {
    const JnBakeDesc *desc;
    const JnModes *found;
    AbcWriter *writer;
    AbcError error;
    JnMessage message; /* of the core, where that failed */
    uint32_t *shapes;  /* [body_count] objects of the archive */
    double *positions; /* of the largest body */
    size_t capacity;   /* of positions */
} FilmWriter;

/* From the scene's axes to the y-up ones of Alembic. */
static void turn_up(uint32_t up_axis, double *positions, size_t count) {
    for (size_t v = 0; up_axis == JN_UP_Z && v < count; ++v) {
        double y = positions[3 * v + 1];
        positions[3 * v + 1] = positions[3 * v + 2];
        positions[3 * v + 2] = -y;
    }
}

static bool read_view(FilmWriter *film, uint32_t body, JnMeshView *view) {
    *view = (JnMeshView){.struct_size = sizeof *view};
    return jn_modes_mesh(film->found, body, view, &film->message) == JN_OK;
}

static size_t view_vertex_count(const JnMeshView *view) {
    return view->curves.curve_count > 0 ? view->curves.vertex_count : view->surface.vertex_count;
}

static bool add_body(FilmWriter *film, uint32_t body, AbcAnimation animation) {
    JnMeshView view;
    if (!read_view(film, body, &view))
        return false;
    char name[256], shape_name[264];
    abc_make_name(name, sizeof name, film->desc->bodies[body].name);
    snprintf(shape_name, sizeof shape_name, "%sShape", name);
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = name;
    uint32_t parent = 0;
    if (abc_writer_add_xform(film->writer, ABC_ROOT, &xform, &parent, &film->error) != ABC_OK)
        return false;
    if (view.curves.curve_count > 0) {
        AbcCurvesDesc curves = abc_curves_desc_default();
        curves.name = shape_name;
        curves.animation = animation;
        curves.curve_count = view.curves.curve_count;
        curves.vertex_counts = (const int32_t *)view.curves.curve_sizes;
        curves.vertex_count = view.curves.vertex_count;
        return abc_writer_add_curves(film->writer, parent, &curves, &film->shapes[body], &film->error) == ABC_OK;
    }
    AbcMeshDesc mesh = abc_mesh_desc_default();
    mesh.name = shape_name;
    mesh.animation = animation;
    mesh.counter_clockwise = true;
    mesh.vertex_count = view.surface.vertex_count;
    mesh.face_count = view.surface.face_count;
    mesh.index_count = view.surface.corner_count;
    mesh.face_counts = (const int32_t *)view.surface.face_sizes;
    mesh.face_indices = (const int32_t *)view.surface.face_vertices;
    return abc_writer_add_mesh(film->writer, parent, &mesh, &film->shapes[body], &film->error) == ABC_OK;
}

/* The longest side of the body. */
static double body_size(const JnMeshView *view) {
    const double *positions = view->curves.curve_count > 0 ? view->curves.positions : view->surface.positions;
    double size = 0;
    for (size_t c = 0; c < 3; ++c) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = 0; v < view_vertex_count(view); ++v) {
            low = fmin(low, positions[3 * v + c]);
            high = fmax(high, positions[3 * v + c]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

static bool write_frame(FilmWriter *film, uint32_t mode, double amount) {
    for (uint32_t b = 0; b < film->desc->body_count; ++b) {
        JnMeshView view;
        if (!read_view(film, b, &view) ||
            jn_modes_pose(film->found, mode, b, amount, film->positions, film->capacity, &film->message) != JN_OK)
            return false;
        AbcMeshSample sample = {.vertex_count = view_vertex_count(&view), .positions.f64 = film->positions};
        turn_up(film->desc->up_axis, film->positions, sample.vertex_count);
        if (abc_writer_mesh_sample(film->writer, film->shapes[b], &sample, &film->error) != ABC_OK)
            return false;
    }
    return abc_writer_archive_bounds_sample(film->writer, &film->error) == ABC_OK;
}

static bool write_span(FilmWriter *film, const ModeSpan *span, const JnMode *mode) {
    JnMeshView view;
    if (!read_view(film, mode->body_index, &view))
        return false;
    double reach = AMPLITUDE * body_size(&view);
    bool written = true;
    for (uint32_t k = 0; written && k <= span->last_frame - span->first_frame; ++k)
        written = write_frame(film, span->mode, reach * sin(2 * acos(-1) * k / span->swing_frames));
    return written;
}

static bool write_archive(FilmWriter *film, const ModesFilm *plan, const JnMode *modes, const char *path,
                          const char *note) {
    const JnBakeDesc *desc = film->desc;
    double start = plan->spans[0].first_frame / desc->fps;
    uint32_t frames = (uint32_t)(plan->spans[plan->count - 1].last_frame - plan->spans[0].first_frame) + 1;
    AbcTimeSampling sampling = {ABC_UNIFORM, 1 / desc->fps, 1, &start};
    AbcAnimation animation = {0, frames};
    AbcWriterDesc archive = abc_writer_desc_default();
    char application[64];
    snprintf(application, sizeof application, "Jounce %s", jn_version());
    archive.application = application;
    archive.fps = desc->fps;
    AbcError *error = &film->error;
    bool written = abc_writer_create(&film->writer, path, &archive, error) == ABC_OK &&
                   abc_writer_add_time_sampling(film->writer, &sampling, &animation.time_sampling, error) == ABC_OK &&
                   abc_writer_add_user_string(film->writer, ABC_ROOT, MARK, note, error) == ABC_OK &&
                   abc_writer_add_archive_bounds(film->writer, &animation, error) == ABC_OK;
    for (uint32_t b = 0; written && b < desc->body_count; ++b)
        written = add_body(film, b, animation);
    written = written && abc_writer_begin(film->writer, error) == ABC_OK;
    for (const ModeSpan *span = plan->spans; written && span < plan->spans + plan->count; ++span)
        written = write_span(film, span, &modes[span->mode]);
    written = written && abc_writer_commit(film->writer, error) == ABC_OK;
    if (!written) {
        abc_writer_abandon(film->writer);
        return false;
    }
    return abc_writer_close(film->writer, error) == ABC_OK;
}

/* -------------------------------------------------------------------------------- the file */

/* Whether a film may be written there: nothing is there, or an older film. */
static ExitCode check_place(const Arguments *arguments, const JnScene *scene, const char *path) {
    if (!path_has_ending(path, ".abc"))
        return fail(arguments, EXIT_USAGE, "%s must end with .abc: a film of modes is an Alembic file", path);
    ExitCode code = check_output(arguments, path, scene);
    if (code != EXIT_DONE || (!os_file_size(path, NULL) && !os_path_is_special(path)))
        return code;
    AbcReader *reader = NULL;
    size_t size = 0;
    if (!os_path_is_special(path) && abc_reader_open(&reader, path, NULL, NULL) == ABC_OK)
        abc_reader_user_string(reader, ABC_ROOT, MARK, NULL, 0, &size, NULL);
    abc_reader_close(reader);
    if (size > 0)
        return EXIT_DONE;
    return fail(arguments, EXIT_FILE,
                "%s is there and is no film of modes, so it is left alone: remove it, or name another file", path);
}

static ExitCode fail_film(const Arguments *arguments, const FilmWriter *film) {
    if (film->message.status != JN_OK)
        return fail_message(arguments, &film->message);
    return fail(arguments, film->error.status == ABC_ERR_MEMORY ? EXIT_MEMORY : EXIT_FILE, "%s", film->error.text);
}

/* Room for every body. False: out of memory, or a body cannot be read. */
static bool make_room(FilmWriter *film) {
    for (uint32_t b = 0; b < film->desc->body_count; ++b) {
        JnMeshView view;
        if (!read_view(film, b, &view))
            return false;
        film->capacity = view_vertex_count(&view) * 3 > film->capacity ? view_vertex_count(&view) * 3 : film->capacity;
    }
    film->shapes = calloc((size_t)film->desc->body_count + 1, sizeof *film->shapes);
    film->positions = malloc((film->capacity + 1) * sizeof *film->positions);
    if (!film->shapes || !film->positions)
        film->error = (AbcError){.status = ABC_ERR_MEMORY, .text = "out of memory for the film"};
    return film->shapes && film->positions;
}

ExitCode modes_film_write(const ModesFilm *plan, const Arguments *arguments, const JnScene *scene,
                          const JnBakeDesc *desc, const JnModes *found, const JnMode *modes, const char *path) {
    ExitCode code = check_place(arguments, scene, path);
    if (code != EXIT_DONE)
        return code;
    if (plan->count == 0)
        return fail(arguments, EXIT_INPUT, "there is no mode to show, so %s is not written: every vertex is pinned",
                    path);
    cJSON *list = modes_film_json(plan, modes);
    char *note = cJSON_PrintUnformatted(list);
    cJSON_Delete(list);
    FilmWriter film = {.desc = desc, .found = found};
    OutputFile output = {0};
    if (!note)
        code = fail(arguments, EXIT_MEMORY, "out of memory for the film");
    else if (!output_file_name(&output, path))
        code = fail_file(arguments, "write", path);
    else if (!make_room(&film) || !write_archive(&film, plan, modes, output.unfinished, note))
        code = fail_film(arguments, &film);
    if (!output_file_close(&output, code == EXIT_DONE))
        code = fail_file(arguments, "write", path);
    cJSON_free(note);
    free(film.shapes);
    free(film.positions);
    return code;
}
