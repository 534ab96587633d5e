#include "show_movie.h"

#include "os.h"
#include "output_file.h"
#include "path_ending.h"
#include "picture/apng.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool movie_path_is_video(const char *path) {
    return path_has_ending(path, ".mp4");
}

/* Where the pictures go, one after the other. */
typedef struct Sink {
    bool (*add)(struct Sink *sink, const uint32_t *pixels); /* false: errno says why */
    int width, height;
    Apng *apng;
    FILE *video;
    uint8_t *row; /* [width * 3] of the video */
} Sink;

static void say_progress(const Shot *shot, size_t done) {
    if (option_given(shot->film->arguments, "json") || !os_is_terminal(stderr))
        return;
    if (done < shot->frame_count)
        fprintf(stderr, "\rframe %zu of %zu", done + 1, shot->frame_count);
    else
        fprintf(stderr, "\r%40s\r", "");
}

/* Draws every frame and gives it to the sink. */
static ExitCode draw_all(Shot *shot, Sink *sink, const char *path) {
    const Arguments *arguments = shot->film->arguments;
    uint32_t *pictures[SHOT_BATCH];
    size_t batch = shot_batch(shot);
    uint32_t *pixels = shot_pixels(shot, batch, pictures);
    ExitCode code = pixels ? EXIT_DONE : fail(arguments, EXIT_MEMORY, "out of memory for the pictures of a movie");
    for (size_t first = 0; first < shot->frame_count && code == EXIT_DONE; first += batch) {
        size_t left = shot->frame_count - first, count = left < batch ? left : batch;
        say_progress(shot, first);
        code = shot_draw(shot, first, count, pictures);
        for (size_t i = 0; i < count && code == EXIT_DONE; ++i)
            if (!sink->add(sink, pictures[i]))
                code = fail_file(arguments, "write", path);
        if (code == EXIT_DONE && os_interrupt_count() > 0)
            code = fail(arguments, EXIT_CANCELLED, "stopped; no movie was written");
    }
    say_progress(shot, shot->frame_count);
    free(pixels);
    return code;
}

/* -------------------------------------------------------------------------------- animated PNG */

/* Steps of shading are seen where nothing moves, and cost nothing there: each still pixel counts as so many. */
enum { STILL_WEIGHT = 8, LOOKED_AT = 8 };

/* Counts the colours of LOOKED_AT frames or fewer, spread over the shot. `first` [pixel_count] is scratch. */
static ExitCode count_colours(Shot *shot, ColourCounts *counts, uint32_t *const *picture, uint32_t *first,
                              size_t pixel_count) {
    const uint32_t moved = UINT32_MAX;
    size_t looks = shot->frame_count < LOOKED_AT ? shot->frame_count : LOOKED_AT;
    ExitCode code = EXIT_DONE;
    for (size_t look = 0; look < looks && code == EXIT_DONE; ++look) {
        code = shot_draw(shot, looks > 1 ? look * (shot->frame_count - 1) / (looks - 1) : 0, 1, picture);
        for (size_t i = 0; i < pixel_count && code == EXIT_DONE; ++i) {
            uint32_t pixel = picture[0][i];
            colour_counts_add(counts, pixel, 1);
            first[i] = look == 0 || first[i] == pixel ? pixel : moved;
        }
    }
    for (size_t i = 0; i < pixel_count && code == EXIT_DONE; ++i)
        if (first[i] != moved)
            colour_counts_add(counts, first[i], STILL_WEIGHT);
    return code;
}

/* The colours of some frames stand for those of all. */
static ExitCode choose_palette(Shot *shot, Palette *palette) {
    uint32_t *pictures[SHOT_BATCH];
    size_t pixel_count = (size_t)shot->width * (size_t)shot->height;
    uint32_t *pixels = shot_pixels(shot, 1, pictures), *first = malloc(pixel_count * sizeof *first);
    ColourCounts *counts = colour_counts_create();
    bool enough = pixels && first && counts;
    ExitCode code = enough ? count_colours(shot, counts, pictures, first, pixel_count) : EXIT_DONE;
    enough = enough && (code != EXIT_DONE || palette_make(palette, counts));
    colour_counts_free(counts);
    free(pixels);
    free(first);
    return enough ? code : fail(shot->film->arguments, EXIT_MEMORY, "out of memory for the colours of a movie");
}

static bool add_to_apng(Sink *sink, const uint32_t *pixels) {
    return apng_add(sink->apng, pixels);
}

/* Seconds as a fraction of two small numbers. */
static void set_delay(ApngDesc *desc, double rate) {
    uint16_t numerator = 1000;
    while (numerator > 1 && rate * numerator > UINT16_MAX)
        numerator /= 10;
    if (round(rate) == rate)
        numerator = 1;
    desc->delay_numerator = numerator;
    desc->delay_denominator = (uint16_t)fmax(round(rate * numerator), 1);
}

static ExitCode write_apng(Shot *shot, double rate, const char *path) {
    const Arguments *arguments = shot->film->arguments;
    Palette palette;
    OutputFile output = {0};
    ExitCode code = choose_palette(shot, &palette);
    if (code != EXIT_DONE)
        return code;
    if (!output_file_open(&output, path))
        return fail_file(arguments, "write", path);
    ApngDesc desc = {
        .width = shot->width, .height = shot->height, .frame_count = (uint32_t)shot->frame_count, .palette = &palette};
    set_delay(&desc, rate);
    Sink sink = {.add = add_to_apng, .apng = apng_begin(output.file, &desc)};
    code = sink.apng ? draw_all(shot, &sink, path) : fail_file(arguments, "write", path);
    bool written = code == EXIT_DONE && apng_end(sink.apng);
    if (code != EXIT_DONE)
        apng_free(sink.apng);
    if (!output_file_close(&output, written) || (code == EXIT_DONE && !written))
        code = fail_file(arguments, "write", path);
    return code;
}

/* -------------------------------------------------------------------------------- video */

static bool add_to_video(Sink *sink, const uint32_t *pixels) {
    for (int y = 0; y < sink->height; ++y) {
        for (int x = 0; x < sink->width; ++x)
            for (int c = 0; c < 3; ++c)
                sink->row[3 * x + c] = (uint8_t)(pixels[(size_t)y * (size_t)sink->width + (size_t)x] >> (16 - 8 * c));
        size_t length = 3 * (size_t)sink->width;
        if (fwrite(sink->row, 1, length, sink->video) != length)
            return false;
    }
    return true;
}

/* "file:" before a path keeps ffmpeg from taking it for an option or an address. */
static char *file_address(const char *path) {
    size_t size = strlen(path) + sizeof "file:";
    char *address = malloc(size);
    if (address)
        snprintf(address, size, "file:%s", path);
    return address;
}

static ExitCode run_ffmpeg(Shot *shot, double rate, const char *path, const char *address) {
    const Arguments *arguments = shot->film->arguments;
    char size[32], speed[32];
    snprintf(size, sizeof size, "%dx%d", shot->width, shot->height);
    snprintf(speed, sizeof speed, "%.6f", rate);
    // H.264 in YUV 4:2:0 with even sides is what every player shows
    const char *const words[] = {"ffmpeg",
                                 "-v",
                                 "error",
                                 "-y",
                                 "-f",
                                 "rawvideo",
                                 "-pixel_format",
                                 "rgb24",
                                 "-video_size",
                                 size,
                                 "-framerate",
                                 speed,
                                 "-i",
                                 "-",
                                 "-an",
                                 "-c:v",
                                 "libx264",
                                 "-preset",
                                 "slow",
                                 "-crf",
                                 "17",
                                 "-vf",
                                 "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
                                 "-movflags",
                                 "+faststart",
                                 address,
                                 NULL};
    Sink sink = {.add = add_to_video, .width = shot->width, .height = shot->height};
    sink.row = malloc(3 * (size_t)shot->width);
    if (!sink.row)
        return fail(arguments, EXIT_MEMORY, "out of memory for a row of the movie");
    OsProgram *program = os_program_start(words, &sink.video);
    ExitCode code = EXIT_DONE;
    if (!program)
        code = errno == ENOENT
                   ? fail(arguments, EXIT_FILE,
                          "an .mp4 is written by the program ffmpeg, which is not installed: install it, or "
                          "name a .png, which browsers play too")
                   : fail_file(arguments, "start", "ffmpeg");
    else
        code = draw_all(shot, &sink, path);
    if (program && !os_program_end(program) && (code == EXIT_DONE || code == EXIT_FILE))
        code = fail(arguments, EXIT_FILE, "ffmpeg could not write %s; what it said is above", path);
    free(sink.row);
    return code;
}

static ExitCode write_video(Shot *shot, double rate, const char *path) {
    const Arguments *arguments = shot->film->arguments;
    OutputFile output;
    if (!output_file_name(&output, path))
        return fail_file(arguments, "write", path);
    char *address = file_address(output.unfinished);
    ExitCode code = address ? run_ffmpeg(shot, rate, path, address)
                            : fail(arguments, EXIT_MEMORY, "out of memory for the name of the movie");
    free(address);
    if (!output_file_close(&output, code == EXIT_DONE))
        code = fail_file(arguments, "write", path);
    return code;
}

ExitCode movie_write(Shot *shot, double rate, const char *path) {
    if (!os_interrupt_catch(NULL, NULL))
        return fail_file(shot->film->arguments, "watch for Ctrl-C while writing", path);
    ExitCode code = movie_path_is_video(path) ? write_video(shot, rate, path) : write_apng(shot, rate, path);
    os_interrupt_release();
    return code;
}
