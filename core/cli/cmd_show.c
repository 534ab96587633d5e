/* jounce show: draws frames of a cache, or of a scene before its bake, as a picture strip or a movie. */
#include "cli.h"
#include "path_ending.h"
#include "picture/strip.h"
#include "show_movie.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRIP_FRAMES_MAXIMUM = 400, MOVIE_FRAMES_MAXIMUM = 100000, PIXELS_MINIMUM = 16, PIXELS_MAXIMUM = 8192 };

/* Frame numbers are times multiplied by a rate: they are whole only up to rounding. */
static const double FRAME_TOLERANCE = 1e-3;

/* -------------------------------------------------------------------------------- what is asked for */

/* Refuses a frame that is not there: it would show the first or last one under a wrong number. */
static ExitCode check_frames(const Film *film, const double *frames, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (frames[i] < film->first_frame - FRAME_TOLERANCE || frames[i] > film->last_frame + FRAME_TOLERANCE)
            return fail(film->arguments, EXIT_USAGE, "--frames asks for frame %g, but %s holds frames %g to %g",
                        frames[i], film->arguments->positionals[0], film->first_frame, film->last_frame);
    return EXIT_DONE;
}

static ExitCode reserve_frames(Shot *shot, size_t count) {
    shot->frames = malloc((count + 1) * sizeof *shot->frames);
    shot->frame_count = count;
    return shot->frames ? EXIT_DONE : fail(shot->film->arguments, EXIT_MEMORY, "out of memory for a list of frames");
}

/* The frames of a strip: those given, else some spread over the range, the first and the last included. */
static ExitCode choose_strip_frames(Shot *shot) {
    const Film *film = shot->film;
    double given[STRIP_FRAMES_MAXIMUM];
    size_t count = option_numbers(film->arguments, "frames", given, STRIP_FRAMES_MAXIMUM);
    bool are_given = count > 0;
    double range = film->last_frame - film->first_frame, whole_frames = floor(range + 1 + FRAME_TOLERANCE);
    if (!are_given)
        count = (size_t)fmin(option_count(film->arguments, "count", 6), whole_frames);
    if (count > STRIP_FRAMES_MAXIMUM)
        return fail(film->arguments, EXIT_USAGE, "a strip has at most %d frames", STRIP_FRAMES_MAXIMUM);
    ExitCode code = reserve_frames(shot, count);
    for (size_t i = 0; i < count && code == EXIT_DONE; ++i) {
        double share = count > 1 ? (double)i / (double)(count - 1) : 0;
        shot->frames[i] = are_given ? given[i] : film->first_frame + round(share * range);
    }
    return code == EXIT_DONE && are_given ? check_frames(film, given, count) : code;
}

/* The frames of a movie, evenly from the first to the last: every one, or every second or third of a fast film, or as
   many as given. *rate: how many a second. */
static ExitCode choose_movie_frames(Shot *shot, double *rate) {
    const Film *film = shot->film;
    double ends[2] = {film->first_frame, film->last_frame};
    size_t given = option_numbers(film->arguments, "frames", ends, 2);
    ExitCode code = check_frames(film, ends, 2);
    if (given > 0 && given != 2)
        code = fail(film->arguments, EXIT_USAGE, "of a movie, --frames takes the first and the last one, such as 1,48");
    if (code != EXIT_DONE)
        return code;
    double range = ends[1] - ends[0], step = ceil(film->fps / MOVIE_RATE_MAXIMUM - FRAME_TOLERANCE);
    double count =
        option_count(film->arguments, "count", (uint32_t)fmin(floor(range / step + FRAME_TOLERANCE) + 1, 1e9));
    if (option_given(film->arguments, "count"))
        step = range / (count - 1);
    if (!(range > FRAME_TOLERANCE) || count < 2)
        return fail(film->arguments, EXIT_USAGE, "a movie has two frames or more, and %s",
                    film->reader ? "these are fewer" : "nothing moves in this scene before its bake");
    if (count > MOVIE_FRAMES_MAXIMUM)
        return fail(film->arguments, EXIT_USAGE, "a movie has at most %d frames: choose a part by --frames",
                    MOVIE_FRAMES_MAXIMUM);
    *rate = film->fps / step;
    code = reserve_frames(shot, (size_t)count);
    for (size_t i = 0; i < shot->frame_count && code == EXIT_DONE; ++i)
        shot->frames[i] = fmin(ends[0] + step * (double)i, ends[1]);
    return code;
}

static ExitCode read_look(Shot *shot) {
    const Arguments *arguments = shot->film->arguments;
    double size[2] = {0, 0}, view[3] = {0.6, 0.35, 1};
    size_t size_count = option_numbers(arguments, "size", size, 2);
    if (size_count > 0 &&
        (size_count != 2 || fmin(size[0], size[1]) < PIXELS_MINIMUM || fmax(size[0], size[1]) > PIXELS_MAXIMUM))
        return fail(arguments, EXIT_USAGE, "--size takes a width and a height of %d to %d pixels, not '%s'",
                    PIXELS_MINIMUM, PIXELS_MAXIMUM, option_text(arguments, "size"));
    option_numbers(arguments, "view", view, 3);
    shot->view = vec3((float)view[0], (float)view[1], (float)view[2]);
    if (!(vec3_length(shot->view) > 0))
        return fail(arguments, EXIT_USAGE, "--view 0,0,0 is not a direction");
    shot->width = (int)size[0];
    shot->height = (int)size[1];
    shot->floor = option_number(arguments, "floor", NAN);
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------- what is written */

static void say_result(const Shot *shot, const char *path, int width, int height, double rate) {
    if (option_given(shot->film->arguments, "json")) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "output", path);
        cJSON_AddNumberToObject(object, "width", width);
        cJSON_AddNumberToObject(object, "height", height);
        if (rate > 0)
            cJSON_AddNumberToObject(object, "frames_per_second", rate);
        cJSON_AddItemToObject(object, "frames", cJSON_CreateDoubleArray(shot->frames, (int)shot->frame_count));
        print_json(object);
    } else {
        printf("%s: %zu %s, %d x %d pixels", path, shot->frame_count, shot->frame_count == 1 ? "frame" : "frames",
               width, height);
        if (rate > 0)
            printf(", %.4g s", (double)shot->frame_count / rate);
        putchar('\n');
    }
}

/* Rows of one length: 8 frames make two rows of 4, not 6 and 2. */
static int choose_columns(const Shot *shot) {
    int count = (int)shot->frame_count, rows = (count + 5) / 6;
    int columns = (int)option_count(shot->film->arguments, "columns", (uint32_t)((count + rows - 1) / rows));
    return columns < count ? columns : count;
}

static ExitCode draw_strip(Shot *shot, Strip *strip) {
    uint32_t *pictures[SHOT_BATCH];
    size_t batch = shot_batch(shot);
    uint32_t *pixels = shot_pixels(shot, batch, pictures);
    bool enough = pixels != NULL;
    ExitCode code = EXIT_DONE;
    for (size_t first = 0; first < shot->frame_count && enough && code == EXIT_DONE; first += batch) {
        size_t left = shot->frame_count - first, count = left < batch ? left : batch;
        code = shot_draw(shot, first, count, pictures);
        for (size_t i = 0; i < count && code == EXIT_DONE; ++i)
            enough = enough && strip_place(strip, (int)(first + i), pictures[i]);
    }
    free(pixels);
    return enough ? code : fail(shot->film->arguments, EXIT_MEMORY, "out of memory for the pictures of a strip");
}

static ExitCode write_strip(Shot *shot, const char *path) {
    const Arguments *arguments = shot->film->arguments;
    Strip *strip = strip_create((int)shot->frame_count, choose_columns(shot), shot->width, shot->height);
    if (!strip)
        return fail(arguments, EXIT_USAGE, "the picture would be too large: use fewer frames or a smaller --size");
    ExitCode code = draw_strip(shot, strip);
    if (code == EXIT_DONE && !strip_write_png(strip, path))
        code = fail_file(arguments, "write", path);
    if (code == EXIT_DONE)
        say_result(shot, path, strip_width(strip), strip_height(strip), 0);
    strip_free(strip);
    return code;
}

/* -------------------------------------------------------------------------------- the command */

static ExitCode show(Film *film, const char *path) {
    Shot shot = {.film = film};
    double rate = 0;
    bool movie = option_given(film->arguments, "movie") || movie_path_is_video(path);
    ExitCode code = read_look(&shot);
    if (code == EXIT_DONE)
        code = movie ? choose_movie_frames(&shot, &rate) : choose_strip_frames(&shot);
    shot.stage.has_edges = !movie;
    if (code == EXIT_DONE)
        code = shot_aim(&shot);
    if (code == EXIT_DONE && movie) {
        code = movie_write(&shot, rate, path);
        if (code == EXIT_DONE)
            say_result(&shot, path, shot.width, shot.height, rate);
    } else if (code == EXIT_DONE) {
        code = write_strip(&shot, path);
    }
    free(shot.frames);
    return code;
}

ExitCode run_show(const Arguments *arguments) {
    Film film = {0};
    char *own_path = NULL;
    const char *path = option_text(arguments, "output");
    if (!path)
        path = own_path = path_with_ending(arguments->positionals[0], ".png");
    if (!path)
        return fail(arguments, EXIT_MEMORY, "out of memory for the name of the picture");
    ExitCode code = path_has_ending(path, ".png") || movie_path_is_video(path)
                        ? EXIT_DONE
                        : fail(arguments, EXIT_USAGE, "the picture is a .png file, or an .mp4, not '%s'", path);
    if (code == EXIT_DONE)
        code = check_output(arguments, path, NULL);
    if (code == EXIT_DONE)
        code = film_open(&film, arguments);
    if (code == EXIT_DONE)
        code = check_output(arguments, path, film.scene);
    if (code == EXIT_DONE)
        code = show(&film, path);
    film_close(&film);
    free(own_path);
    return code;
}
