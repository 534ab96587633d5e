/* Point caches: .mdd (big-endian, a time in seconds for each sample) and .pc2 (little-endian, a start frame and the
   frames from sample to sample). Both are a head, then three floats for each vertex of each sample. */
#include "geometry/motion.h"
#include "geometry/textfile.h"
#include "base/math3.h"
#include "base/os/os.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Points {
    FILE *stream;
    bool big;
    uint32_t sample_count, point_count;
    uint64_t begin;        /* byte of the first sample */
    double *times;         /* [sample_count] ascending; NULL: `first + step * number` */
    double first, step;    /* step > 0 */
    unsigned char *buffer; /* one sample as it is in the file */
} Points;

static void close_points(Points *points) {
    if (points->stream)
        fclose(points->stream);
    free(points->times);
    free(points->buffer);
    free(points);
}

static void points_close(Motion *motion) {
    close_points(motion->state);
}

static bool read_bytes(FILE *stream, void *bytes, size_t count) {
    return fread(bytes, 1, count, stream) == count;
}

static JnStatus fail_short(const char *path, JnMessage *message) {
    return status_fail(message, JN_ERR_FORMAT, "%s ends within its head: it is cut short or damaged", path);
}

/* Refuses counts that the file cannot hold, and makes room for one sample. */
static JnStatus check_counts(Points *points, const char *path, int64_t samples, int64_t vertices, uint64_t size,
                             JnMessage *message) {
    if (samples < 1 || vertices < 1)
        return status_fail(message, JN_ERR_FORMAT, "%s announces %lld samples of %lld vertices: it needs at least one",
                           path, (long long)samples, (long long)vertices);
    /* both are below 2^31, so that their product is below 2^62 */
    uint64_t values = (uint64_t)samples * (uint64_t)vertices;
    if (size < points->begin || values > (size - points->begin) / 12)
        return status_fail(message, JN_ERR_FORMAT,
                           "%s announces %lld samples of %lld vertices, but has only %llu bytes: it is cut short or "
                           "damaged",
                           path, (long long)samples, (long long)vertices, (unsigned long long)size);
    if (size > LONG_MAX)
        return status_fail(message, JN_ERR_FORMAT, "%s has %llu bytes, more than can be read on this system", path,
                           (unsigned long long)size);
    points->sample_count = (uint32_t)samples;
    points->point_count = (uint32_t)vertices;
    points->buffer = malloc(12 * (size_t)vertices);
    return points->buffer ? JN_OK : status_no_memory(message, path);
}

/* Samples and vertices as 4 bytes each, then a time for each sample. */
static JnStatus read_mdd_head(Points *points, const char *path, uint64_t size, double fps, JnMessage *message) {
    unsigned char head[8], time[4];
    points->big = true;
    if (!read_bytes(points->stream, head, sizeof head))
        return fail_short(path, message);
    int64_t samples = (int32_t)textfile_u32(head, true), vertices = (int32_t)textfile_u32(head + 4, true);
    points->begin = sizeof head + 4 * (uint64_t)(samples < 0 ? 0 : samples);
    JnStatus status = check_counts(points, path, samples, vertices, size, message);
    if (status != JN_OK)
        return status;
    points->first = 0;
    points->step = 1 / fps;
    if (!isnan(fps))
        return JN_OK;
    points->times = malloc(points->sample_count * sizeof *points->times);
    if (!points->times)
        return status_no_memory(message, path);
    for (uint32_t i = 0; i < points->sample_count; ++i) {
        if (!read_bytes(points->stream, time, sizeof time))
            return fail_short(path, message);
        points->times[i] = (double)textfile_f32(time, true);
        if (!isfinite(points->times[i]) || (i && points->times[i] <= points->times[i - 1]))
            return status_fail(message, JN_ERR_FORMAT,
                               "%s: the time of sample %u is %g s, which does not follow the one before: give its fps "
                               "instead",
                               path, i, points->times[i]);
    }
    points->first = points->times[0];
    return JN_OK;
}

/* "POINTCACHE2", a zero, version, vertices, start frame, frames a sample, samples. */
static JnStatus read_pc2_head(Points *points, const char *path, uint64_t size, JnMessage *message) {
    unsigned char head[32];
    if (!read_bytes(points->stream, head, sizeof head))
        return fail_short(path, message);
    if (memcmp(head, "POINTCACHE2", 12) != 0 || textfile_u32(head + 12, false) != 1)
        return status_fail(message, JN_ERR_FORMAT, "%s does not begin with POINTCACHE2, version 1: it is no .pc2 file",
                           path);
    points->begin = sizeof head;
    points->first = (double)textfile_f32(head + 20, false);
    points->step = (double)textfile_f32(head + 24, false);
    if (!(fabs(points->first) <= 1e7) || !(points->step >= 1e-6 && points->step <= 1e6))
        return status_fail(message, JN_ERR_FORMAT, "%s starts at frame %g with %g frames a sample: the file is damaged",
                           path, points->first, points->step);
    return check_counts(points, path, (int32_t)textfile_u32(head + 28, false), (int32_t)textfile_u32(head + 16, false),
                        size, message);
}

JnStatus motion_points_open(Motion *motion, FILE *stream, uint64_t size, double fps, JnMessage *message) {
    Points *points = calloc(1, sizeof *points);
    if (!points)
        return status_no_memory(message, motion->path);
    points->stream = stream;
    JnStatus status = motion->format == &motion_mdd ? read_mdd_head(points, motion->path, size, fps, message)
                                                    : read_pc2_head(points, motion->path, size, message);
    motion->state = points;
    motion->first_time = points->first;
    if (status != JN_OK) {
        points->stream = NULL;
        close_points(points);
        motion->state = NULL;
    }
    return status;
}

static JnStatus points_open(Motion *motion, const char *object, double fps, JnMessage *message) {
    char reason[128];
    uint64_t size;
    if (object)
        return status_fail(message, JN_ERR_FORMAT, "%s: %s holds one mesh: name no object of it", motion->path,
                           motion->format->what);
    if (!os_file_size(motion->path, &size))
        return status_fail(message, JN_ERR_FILE, "cannot read %s: %s", motion->path,
                           os_error_text(reason, sizeof reason));
    FILE *stream = os_file_open(motion->path, "rb");
    if (!stream)
        return status_fail(message, JN_ERR_FILE, "cannot read %s: %s", motion->path,
                           os_error_text(reason, sizeof reason));
    JnStatus status = motion_points_open(motion, stream, size, fps, message);
    if (status != JN_OK)
        fclose(stream);
    return status;
}

/* out = (1 - weight) out + weight sample */
static JnStatus mix_sample(Points *points, const char *path, uint32_t sample, double weight, double *out,
                           JnMessage *message) {
    uint64_t bytes = 12 * (uint64_t)points->point_count, at = points->begin + sample * bytes;
    if (fseek(points->stream, (long)at, SEEK_SET) != 0 || !read_bytes(points->stream, points->buffer, (size_t)bytes))
        return status_fail(message, JN_ERR_FILE, "cannot read sample %u of %s", sample, path);
    for (size_t i = 0; i < 3 * (size_t)points->point_count; ++i) {
        double x = (double)textfile_f32(points->buffer + 4 * i, points->big);
        if (!(fabs(x) <= VEC3_FARTHEST))
            return status_fail(
                message, JN_ERR_FORMAT,
                "%s: a coordinate of vertex %zu in sample %u is %g: it must be a finite number within %g "
                "of 0",
                path, i / 3, sample, x, VEC3_FARTHEST);
        out[i] = weight == 1 ? x : (1 - weight) * out[i] + weight * x;
    }
    return JN_OK;
}

/* The sample at `time` or before it, and how far on to the next one it is, 0 to 1. */
static uint32_t find_sample(const Points *points, double time, double *on) {
    uint32_t last = points->sample_count - 1, low = 0, high = last;
    *on = 0;
    if (!points->times) {
        double number = (time - points->first) / points->step;
        low = number <= 0 ? 0 : number >= last ? last : (uint32_t)number;
        *on = number > 0 && low < last ? number - low : 0;
        return low;
    }
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (points->times[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    if (low < last && time > points->times[low])
        *on = (time - points->times[low]) / (points->times[low + 1] - points->times[low]);
    return low;
}

static JnStatus points_positions(Motion *motion, double time, uint32_t point_count, double *out, JnMessage *message) {
    Points *points = motion->state;
    double on;
    motion->last_count = points->point_count;
    if (points->point_count != point_count)
        return status_fail(message, JN_ERR_MESH, "%s has %u vertices, but the mesh of the scene has %u", motion->path,
                           points->point_count, point_count);
    uint32_t sample = find_sample(points, time, &on);
    JnStatus status = mix_sample(points, motion->path, sample, 1, out, message);
    /* a time within rounding of a sample is that sample */
    return status == JN_OK && on > 1e-6 ? mix_sample(points, motion->path, sample + 1, on, out, message) : status;
}

const MotionFormat motion_mdd = {.ending = ".mdd",
                                 .what = "an .mdd file",
                                 .starts_anew = true,
                                 .open = points_open,
                                 .close = points_close,
                                 .positions = points_positions};
const MotionFormat motion_pc2 = {.ending = ".pc2",
                                 .what = "a .pc2 file",
                                 .in_frames = true,
                                 .open = points_open,
                                 .close = points_close,
                                 .positions = points_positions};
