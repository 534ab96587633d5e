#include "film.h"

#include "film_meshes.h"
#include "os.h"
#include "path_ending.h"
#include "picture/frame_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ExitCode fail_abc(const Arguments *arguments, AbcStatus status, const AbcError *error) {
    ExitCode code = status == ABC_ERR_IO ? EXIT_FILE : status == ABC_ERR_MEMORY ? EXIT_MEMORY : EXIT_INPUT;
    return fail(arguments, code, "%s", error->text);
}

static ExitCode fail_memory(const Arguments *arguments) {
    return fail(arguments, EXIT_MEMORY, "out of memory for the meshes of a frame");
}

/* -------------------------------------------------------------------------------- opening */

/* Frames per second as recorded, else from the sample times of the first animated mesh, else 24. */
static double frame_rate(AbcReader *reader, const AbcArchiveInfo *archive) {
    if (archive->fps > 0)
        return archive->fps;
    for (uint32_t object = 0; object < archive->object_count; ++object) {
        AbcMeshInfo info;
        AbcTimeSampling sampling;
        if (abc_reader_mesh_info(reader, object, &info, NULL) == ABC_OK && info.sample_count > 1 &&
            abc_reader_time_sampling(reader, info.time_sampling, &sampling) == ABC_OK && sampling.kind != ABC_ACYCLIC &&
            sampling.cycle_seconds > 0)
            return 1 / sampling.cycle_seconds;
    }
    return 24;
}

static ExitCode open_cache(Film *film, const char *path) {
    AbcReaderDesc desc = abc_reader_desc_default();
    desc.counter_clockwise = true;
    AbcError error = {0};
    AbcArchiveInfo archive;
    AbcStatus status = abc_reader_open(&film->reader, path, &desc, &error);
    if (status != ABC_OK)
        return fail_abc(film->arguments, status, &error);
    abc_reader_archive_info(film->reader, &archive);
    film->fps = frame_rate(film->reader, &archive);
    film->first_frame = archive.first_time * film->fps;
    film->last_frame = archive.last_time * film->fps;
    return EXIT_DONE;
}

static ExitCode open_scene(Film *film, const char *path) {
    JnMessage message = {0};
    jn_bake_desc_init(&film->desc, sizeof film->desc);
    if (jn_scene_load(path, &film->scene, &message) != JN_OK ||
        jn_scene_desc(film->scene, &film->desc, sizeof film->desc, &message) != JN_OK ||
        jn_preview_create(film->scene, &film->preview, &message) != JN_OK)
        return fail_message(film->arguments, &message);
    return EXIT_DONE;
}

/* The scene that a cache was baked from: the given one, else that of the same name. */
static ExitCode open_scene_of_cache(Film *film, const char *cache_path, const char *wish) {
    const char *given = option_text(film->arguments, "scene");
    char *same = given ? NULL : path_with_ending(cache_path, ".json");
    if (!given && !same)
        return fail_memory(film->arguments);
    ExitCode code = given || os_file_size(same, NULL)
                        ? open_scene(film, given ? given : same)
                        : fail(film->arguments, EXIT_USAGE,
                               "--%s needs the scene that %s was baked from, and there is no %s: give it by --scene "
                               "scene.json",
                               wish, cache_path, same);
    free(same);
    return code;
}

/* Whether any body, or any collider, is moved by the scene. */
static bool is_animated(Film *film, bool with_colliders) {
    JnFrameInput input;
    bool any = false;
    if (jn_scene_frame(film->scene, film->desc.first_frame, &input, sizeof input, NULL) != JN_OK)
        return false;
    for (uint32_t b = 0; b < input.body_count; ++b)
        any |= input.bodies[b].targets || input.bodies[b].has_transform;
    for (uint32_t c = 0; c < input.collider_count && with_colliders; ++c)
        any |= input.colliders[c].has_transform;
    return any;
}

/* That the cache is of this scene: it has the bodies with as many vertices. */
static ExitCode check_bodies(Film *film) {
    for (uint32_t b = 0; b < film->desc.body_count; ++b) {
        char name[256];
        double *positions;
        size_t count;
        uint32_t expected;
        AbcError error = {0};
        JnMessage message = {0};
        abc_make_name(name, sizeof name, film->desc.bodies[b].name);
        AbcStatus status =
            frame_cache_positions(film->reader, name, film->first_frame / film->fps, &positions, &count, &error);
        free(positions);
        if (status != ABC_OK)
            return fail_abc(film->arguments, status, &error);
        if (film_body_vertices(film->preview, b, film->desc.first_frame, &expected, &message) != JN_OK)
            return fail_message(film->arguments, &message);
        if (count != expected)
            return fail(film->arguments, EXIT_INPUT,
                        "%s was not baked from this scene: its body '%s' has %zu vertices, that of the scene %u",
                        film->arguments->positionals[0], name, count, expected);
    }
    return EXIT_DONE;
}

/* That what is wished for is there. */
static ExitCode check_wishes(Film *film) {
    const FilmWishes *wishes = &film->wishes;
    if (wishes->colliders && film->desc.collider_count == 0)
        return fail(film->arguments, EXIT_INPUT, "the scene has no colliders to draw: leave out --colliders");
    if (wishes->ghost && !film->reader)
        return fail(film->arguments, EXIT_USAGE,
                    "a scene is drawn in its animated pose already: --ghost is for caches");
    if (wishes->ghost && !is_animated(film, false))
        return fail(film->arguments, EXIT_INPUT, "no body of the scene is animated: leave out --ghost");
    if (wishes->map) {
        char names[600];
        JnMessage message = {0};
        bool found = false;
        if (film_list_maps(film->preview, &film->desc, wishes->map, &found, names, sizeof names, &message) != JN_OK)
            return fail_message(film->arguments, &message);
        if (!found)
            return fail(film->arguments, EXIT_USAGE, "no body has a painted map '%s'; there %s", wishes->map,
                        names[0] ? names : "is none in the scene");
    }
    return EXIT_DONE;
}

ExitCode film_open(Film *film, const Arguments *arguments) {
    const char *path = arguments->positionals[0];
    *film = (Film){.arguments = arguments,
                   .wishes = {.colliders = option_given(arguments, "colliders"),
                              .simulation = option_given(arguments, "simulation"),
                              .ghost = option_given(arguments, "ghost"),
                              .map = option_text(arguments, "map")}};
    const FilmWishes *wishes = &film->wishes;
    const char *wish = wishes->colliders    ? "colliders"
                       : wishes->simulation ? "simulation"
                       : wishes->ghost      ? "ghost"
                       : wishes->map        ? "map"
                                            : NULL;
    if (path_has_ending(path, ".json")) {
        ExitCode code = option_given(arguments, "scene")
                            ? fail(arguments, EXIT_USAGE, "%s is a scene already: --scene is for caches", path)
                            : open_scene(film, path);
        if (code != EXIT_DONE)
            return code;
        film->fps = film->desc.fps;
        film->first_frame = film->last_frame = film->desc.first_frame;
        if (is_animated(film, wishes->colliders))
            film->last_frame += film->desc.frame_count - 1;
        return check_wishes(film);
    }
    ExitCode code = open_cache(film, path);
    if (code != EXIT_DONE || !wish)
        return code;
    code = open_scene_of_cache(film, path, wish);
    if (code == EXIT_DONE)
        code = check_wishes(film);
    return code == EXIT_DONE ? check_bodies(film) : code;
}

void film_close(Film *film) {
    abc_reader_close(film->reader);
    jn_preview_free(film->preview);
    jn_scene_free(film->scene);
    free(film->weights);
    *film = (Film){0};
}

/* -------------------------------------------------------------------------------- a frame */

/* FramePaint.find: the painted map on the body of this name. */
static const float *find_paint(void *context, const char *body_name, size_t vertex_count) {
    Film *film = context;
    for (uint32_t b = 0; b < film->desc.body_count; ++b) {
        char name[256];
        abc_make_name(name, sizeof name, film->desc.bodies[b].name);
        if (strcmp(name, body_name) != 0)
            continue;
        free(film->weights);
        film->weights = film_map_weights(film->preview, b, film->desc.first_frame, film->wishes.map, vertex_count);
        return film->weights;
    }
    return NULL;
}

static ExitCode add_cached_bodies(Film *film, double frame, Scenery *scenery) {
    AbcError error = {0};
    const FramePaint paint = {find_paint, film};
    AbcStatus status =
        frame_cache_read(film->reader, frame / film->fps, film->wishes.map ? &paint : NULL, &scenery->solid, &error);
    return status == ABC_OK ? EXIT_DONE : fail_abc(film->arguments, status, &error);
}

/* Adds the mesh and frees it. */
static ExitCode add_mesh(const Film *film, FrameMesh *to, JnMesh *mesh, int32_t object, const char *map) {
    bool enough = film_add_mesh(to, mesh, film->desc.up_axis, object, map);
    jn_mesh_free(mesh);
    return enough ? EXIT_DONE : fail_memory(film->arguments);
}

/* Bodies in their animated pose; as a ghost, those that have one. */
static ExitCode add_animated_bodies(Film *film, double frame, bool as_ghost, FrameMesh *to) {
    ExitCode code = EXIT_DONE;
    for (uint32_t b = 0; b < film->desc.body_count && code == EXIT_DONE; ++b) {
        JnFrameInput input;
        JnMessage message = {0};
        JnMesh *mesh = NULL;
        JnStatus status = jn_scene_frame(film->scene, frame, &input, sizeof input, &message);
        if (status == JN_OK && as_ghost && !input.bodies[b].targets && !input.bodies[b].has_transform)
            continue;
        if (status == JN_OK)
            status = jn_preview_body(film->preview, b, frame, &mesh, &message);
        if (status != JN_OK)
            return fail_message(film->arguments, &message);
        code = add_mesh(film, to, mesh, (int32_t)b, as_ghost ? NULL : film->wishes.map);
    }
    return code;
}

/* Round ones first, because flat ones cast no shadows. */
static ExitCode add_colliders(Film *film, double frame, const FilmArea *area, FrameMesh *to) {
    double centre[3];
    film_to_scene(film->desc.up_axis, area->middle, centre);
    ExitCode code = EXIT_DONE;
    for (int flat = 0; flat < 2; ++flat) {
        for (uint32_t c = 0; c < film->desc.collider_count && code == EXIT_DONE; ++c) {
            JnMessage message = {0};
            JnMesh *mesh = NULL;
            if (jn_preview_collider(film->preview, c, frame, centre, (double)area->radius, &mesh, &message) != JN_OK)
                return fail_message(film->arguments, &message);
            if (film_mesh_is_flat(mesh) == (flat == 1))
                code = add_mesh(film, to, mesh, OBJECT_COLLIDER, NULL);
            else
                jn_mesh_free(mesh);
        }
        if (!flat)
            frame_mesh_end_casters(to);
    }
    return code;
}

/* What is simulated of a body, as its points in the cache pose it, or those of the scene. */
static ExitCode add_simulated(Film *film, double frame, uint32_t body, FrameMesh *to) {
    JnMessage message = {0};
    AbcError error = {0};
    JnMesh *mesh = NULL;
    double *positions = NULL;
    size_t count = 0;
    JnStatus status = JN_OK;
    if (film->reader) {
        char name[256];
        abc_make_name(name, sizeof name, film->desc.bodies[body].name);
        AbcStatus read = frame_cache_positions(film->reader, name, frame / film->fps, &positions, &count, &error);
        if (read != ABC_OK)
            return fail_abc(film->arguments, read, &error);
        film_turn_to_scene(film->desc.up_axis, positions, count);
    } else {
        status = film_body_positions(film->preview, body, frame, &positions, &count, &message);
    }
    if (status == JN_OK && positions)
        status = jn_preview_simulated(film->preview, body, positions, (uint32_t)count, &mesh, &message);
    free(positions);
    if (status != JN_OK)
        return fail_message(film->arguments, &message);
    return mesh ? add_mesh(film, to, mesh, (int32_t)body, NULL) : EXIT_DONE;
}

ExitCode film_frame(Film *film, double frame, const FilmArea *area, Scenery *scenery) {
    const FilmWishes *wishes = &film->wishes;
    FrameMesh *veils = scenery->veils;
    ExitCode code = film->reader ? add_cached_bodies(film, frame, scenery)
                                 : add_animated_bodies(film, frame, false, &scenery->solid);
    if (code == EXIT_DONE && wishes->colliders && area)
        code = add_colliders(film, frame, area, &scenery->solid);
    if (code == EXIT_DONE && wishes->ghost)
        code = add_animated_bodies(film, frame, true, &veils[VEIL_GHOST]);
    for (uint32_t b = 0; b < film->desc.body_count && code == EXIT_DONE && wishes->simulation; ++b)
        code = add_simulated(film, frame, b, &veils[VEIL_SIMULATION]);
    if (code != EXIT_DONE)
        return code;
    bool enough = frame_mesh_finish(&scenery->solid);
    for (int kind = 0; kind < VEIL_KINDS; ++kind)
        enough = enough && frame_mesh_finish(&veils[kind]);
    return enough ? EXIT_DONE : fail_memory(film->arguments);
}
