/* jounce show: draws frames of a cache as a picture strip. */
#include "alembic_io.h"
#include "cli.h"
#include "os.h"
#include "path_ending.h"
#include "picture/strip.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_CAPACITY = 400, PIXELS_MINIMUM = 16, PIXELS_MAXIMUM = 8192, PIXELS_OF_A_FRAME = 140000 };

/* What to draw. */
typedef struct ShowJob {
    const Arguments *arguments;
    AbcReader *reader;
    double fps;
    double frames[FRAME_CAPACITY];
    size_t frame_count;
    int columns, width, height; /* of one frame, pixels; 0: the shape of the motion */
    Vec3 view;
    Stage stage;
} ShowJob;

static ExitCode fail_abc(const Arguments *arguments, AbcStatus status, const AbcError *error) {
    ExitCode code = status == ABC_ERR_IO ? EXIT_FILE : status == ABC_ERR_MEMORY ? EXIT_MEMORY : EXIT_INPUT;
    return fail(arguments, code, "%s", error->text);
}

/* -------------------------------------------------------------------------------- what is asked for */

/* Frame numbers are times multiplied by a rate: they are whole only up to rounding. */
static const double FRAME_TOLERANCE = 1e-3;

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

/* Refuses a frame of which the cache has no sample: it would show the first or last one under a wrong number. */
static ExitCode check_frames(const ShowJob *job) {
    AbcArchiveInfo archive;
    abc_reader_archive_info(job->reader, &archive);
    double first = archive.first_time * job->fps, last = archive.last_time * job->fps;
    for (size_t i = 0; i < job->frame_count; ++i)
        if (job->frames[i] < first - FRAME_TOLERANCE || job->frames[i] > last + FRAME_TOLERANCE)
            return fail(job->arguments, EXIT_USAGE, "--frames asks for frame %g, but %s holds frames %g to %g",
                        job->frames[i], job->arguments->positionals[0], first, last);
    return EXIT_DONE;
}

/* The given frames, else some spread over the range, the first and the last included. */
static bool choose_frames(ShowJob *job) {
    AbcArchiveInfo archive;
    abc_reader_archive_info(job->reader, &archive);
    job->fps = frame_rate(job->reader, &archive);
    job->frame_count = option_numbers(job->arguments, "frames", job->frames, FRAME_CAPACITY);
    if (job->frame_count > 0)
        return job->frame_count <= FRAME_CAPACITY;
    double first = archive.first_time * job->fps, last = archive.last_time * job->fps;
    uint32_t count = option_count(job->arguments, "count", 6);
    uint32_t whole_frames = (uint32_t)fmin(floor(last - first + 1.001), FRAME_CAPACITY + 1);
    job->frame_count = count < whole_frames ? count : whole_frames;
    for (size_t i = 0; i < job->frame_count && i < FRAME_CAPACITY; ++i) {
        double share = job->frame_count > 1 ? (double)i / (double)(job->frame_count - 1) : 0;
        job->frames[i] = first + round(share * (last - first));
    }
    return job->frame_count <= FRAME_CAPACITY;
}

static ExitCode read_options(ShowJob *job) {
    const Arguments *arguments = job->arguments;
    double size[2] = {0, 0}, view[3] = {0.6, 0.35, 1};
    size_t size_count = option_numbers(arguments, "size", size, 2);
    if (size_count > 0 &&
        (size_count != 2 || fmin(size[0], size[1]) < PIXELS_MINIMUM || fmax(size[0], size[1]) > PIXELS_MAXIMUM))
        return fail(arguments, EXIT_USAGE, "--size takes a width and a height of %d to %d pixels, not '%s'",
                    PIXELS_MINIMUM, PIXELS_MAXIMUM, option_text(arguments, "size"));
    option_numbers(arguments, "view", view, 3);
    job->view = vec3((float)view[0], (float)view[1], (float)view[2]);
    if (!(vec3_length(job->view) > 0))
        return fail(arguments, EXIT_USAGE, "--view 0,0,0 is not a direction");
    if (!choose_frames(job))
        return fail(arguments, EXIT_USAGE, "a strip has at most %d frames", FRAME_CAPACITY);
    ExitCode checked = check_frames(job);
    if (checked != EXIT_DONE)
        return checked;
    job->width = (int)size[0];
    job->height = (int)size[1];
    // rows of one length: 8 frames make two rows of 4, not 6 and 2
    int count = (int)job->frame_count, rows = (count + 5) / 6;
    job->columns = (int)option_count(arguments, "columns", (uint32_t)((count + rows - 1) / rows));
    job->columns = job->columns < count ? job->columns : count;
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------- the stage */

typedef struct Box {
    Vec3 low, high;
} Box;

static void box_add(Box *box, const Vec3 *points, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        box->low = vec3(fminf(box->low.x, points[i].x), fminf(box->low.y, points[i].y), fminf(box->low.z, points[i].z));
        box->high =
            vec3(fmaxf(box->high.x, points[i].x), fmaxf(box->high.y, points[i].y), fmaxf(box->high.z, points[i].z));
    }
}

/* The ground of most scenes is at 0. Bodies that move far above or below it get a floor under their lowest point. */
static float choose_floor(const Box *box, float size) {
    float lowest = box->low.y;
    return lowest > -0.03f * size && lowest < 0.5f * size ? 0 : lowest;
}

/* The box around everything that is drawn; one frame is in memory at a time. */
static AbcStatus measure(const ShowJob *job, Box *box, AbcError *error) {
    AbcStatus status = ABC_OK;
    *box = (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < job->frame_count && status == ABC_OK; ++i) {
        FrameMesh mesh;
        status = frame_mesh_read(job->reader, job->frames[i] / job->fps, &mesh, error);
        box_add(box, mesh.positions, mesh.vertex_count);
        frame_mesh_free(&mesh);
    }
    return status;
}

/* If no size was given: frames with the aspect ratio of the box as seen from the camera. */
static void choose_size(ShowJob *job, const Box *box) {
    CameraFit seen;
    camera_fit_begin(&seen, job->view, 1, 1);
    Vec3 sides = vec3_sub(box->high, box->low), right = seen.camera.right, up = seen.camera.up;
    float width = fabsf(right.x) * sides.x + fabsf(right.y) * sides.y + fabsf(right.z) * sides.z;
    float height = fabsf(up.x) * sides.x + fabsf(up.y) * sides.y + fabsf(up.z) * sides.z;
    double shape = height > 0 ? fmin(fmax((double)(width / height), 0.7), 1.6) : 1;
    if (job->width > 0)
        return;
    job->width = 2 * (int)round(0.5 * sqrt(PIXELS_OF_A_FRAME * shape));
    job->height = 2 * (int)round(0.5 * sqrt(PIXELS_OF_A_FRAME / shape));
}

/* One camera and floor for all frames. */
static AbcStatus set_stage(ShowJob *job, const Box *box, AbcError *error) {
    AbcStatus status = ABC_OK;
    Stage *stage = &job->stage;
    Vec3 sides = vec3_sub(box->high, box->low);
    stage->middle = vec3_scale(vec3_add(box->low, box->high), 0.5f);
    stage->size = fmaxf(fmaxf(fmaxf(sides.x, sides.y), sides.z), 1e-6f);
    stage->floor = (float)option_number(job->arguments, "floor", (double)choose_floor(box, stage->size));
    CameraFit fit;
    camera_fit_begin(&fit, job->view, (float)(job->width * SAMPLES), (float)(job->height * SAMPLES));
    for (size_t i = 0; i < job->frame_count && status == ABC_OK; ++i) {
        FrameMesh mesh;
        status = frame_mesh_read(job->reader, job->frames[i] / job->fps, &mesh, error);
        camera_fit_add(&fit, mesh.positions, mesh.vertex_count);
        // the floor below is part of the picture, if it is near
        for (uint32_t v = 0; v < mesh.vertex_count; ++v)
            mesh.positions[v].y = fmaxf(stage->floor, box->low.y - 0.5f * stage->size);
        camera_fit_add(&fit, mesh.positions, mesh.vertex_count);
        frame_mesh_free(&mesh);
    }
    stage->camera = camera_fit_end(&fit);
    return status;
}

/* -------------------------------------------------------------------------------- the command */

static ExitCode draw_strip(ShowJob *job, Strip *strip) {
    ExitCode code = EXIT_DONE;
    for (size_t i = 0; i < job->frame_count && code == EXIT_DONE; ++i) {
        FrameMesh mesh;
        AbcError error = {0};
        char label[32];
        snprintf(label, sizeof label, "frame %.6g", job->frames[i]);
        AbcStatus status = frame_mesh_read(job->reader, job->frames[i] / job->fps, &mesh, &error);
        if (status != ABC_OK)
            code = fail_abc(job->arguments, status, &error);
        else if (!strip_draw(strip, (int)i, &mesh, &job->stage, label))
            code = fail(job->arguments, EXIT_MEMORY, "out of memory for the picture of %s", label);
        frame_mesh_free(&mesh);
    }
    return code;
}

static void say_strip(const ShowJob *job, const Strip *strip, const char *path) {
    if (!option_given(job->arguments, "json")) {
        printf("%s: %zu frames, %d x %d pixels\n", path, job->frame_count, strip_width(strip), strip_height(strip));
        return;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "output", path);
    cJSON_AddNumberToObject(object, "width", strip_width(strip));
    cJSON_AddNumberToObject(object, "height", strip_height(strip));
    cJSON_AddItemToObject(object, "frames", cJSON_CreateDoubleArray(job->frames, (int)job->frame_count));
    print_json(object);
}

static ExitCode show(ShowJob *job, const char *output_path) {
    const char *cache_path = job->arguments->positionals[0];
    AbcError error = {0};
    Box box;
    ExitCode code = read_options(job);
    if (code != EXIT_DONE)
        return code;
    AbcStatus status = measure(job, &box, &error);
    if (status == ABC_OK && !(box.low.x <= box.high.x))
        return fail(job->arguments, EXIT_INPUT, "%s has no visible mesh to draw", cache_path);
    if (status == ABC_OK) {
        choose_size(job, &box);
        status = set_stage(job, &box, &error);
    }
    if (status != ABC_OK)
        return fail_abc(job->arguments, status, &error);
    Strip *strip = strip_create((int)job->frame_count, job->columns, job->width, job->height);
    if (!strip)
        return fail(job->arguments, EXIT_USAGE, "the picture would be too large: use fewer frames or a smaller --size");
    code = draw_strip(job, strip);
    if (code == EXIT_DONE && !strip_write_png(strip, output_path))
        code = fail_file(job->arguments, "write", output_path);
    if (code == EXIT_DONE)
        say_strip(job, strip, output_path);
    strip_free(strip);
    return code;
}

ExitCode run_show(const Arguments *arguments) {
    ShowJob job = {.arguments = arguments};
    const char *cache_path = arguments->positionals[0];
    AbcReaderDesc desc = abc_reader_desc_default();
    desc.counter_clockwise = true;
    AbcError error = {0};
    char *own_path = NULL;
    const char *output_path = option_text(arguments, "output");
    if (!output_path)
        output_path = own_path = path_with_ending(cache_path, ".png");
    if (!output_path)
        return fail(arguments, EXIT_MEMORY, "out of memory for the name of the picture");
    ExitCode code = path_has_ending(output_path, ".png")
                        ? check_output(arguments, output_path, NULL)
                        : fail(arguments, EXIT_USAGE, "the picture is a .png file, not '%s'", output_path);
    if (code == EXIT_DONE) {
        AbcStatus status = abc_reader_open(&job.reader, cache_path, &desc, &error);
        code = status == ABC_OK ? show(&job, output_path) : fail_abc(arguments, status, &error);
        abc_reader_close(job.reader);
    }
    free(own_path);
    return code;
}
