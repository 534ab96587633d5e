/* Files of animated positions, and the table of their formats. A file holds samples of one mesh's vertices at times of
   its own; positions between two samples are interpolated linearly, and constant before the first and after the last.
 */
#ifndef JN_GEOMETRY_MOTION_H
#define JN_GEOMETRY_MOTION_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct MotionFormat MotionFormat;

typedef struct Motion { /* an open file; all zero: none */
    const MotionFormat *format;
    const char *path;    /* the caller's */
    void *state;         /* owned, of the format */
    double first_time;   /* of the first sample, in the file's own time; of numbered files 0 */
    uint32_t last_count; /* vertices of the sample that was read last */
} Motion;

struct MotionFormat {
    const char *ending; /* ".pc2"; NULL: numbered files, one for each sample */
    const char *what;   /* for messages: "an Alembic file" */
    bool in_frames;     /* its time counts frames; otherwise seconds */
    bool starts_anew;   /* its time does not know the scene's: the first sample belongs to the first frame */
    bool y_up;          /* always; otherwise as the scene is */
    /* `object` names the mesh in a file of several, NULL: the only one; `fps`: samples per second that replace the
       file's times, NaN: none. On failure nothing is open. */
    JnStatus (*open)(Motion *motion, const char *object, double fps, JnMessage *message);
    void (*close)(Motion *motion);
    /* Positions at `time`, out [point_count * 3]. JN_ERR_MESH if the file has another number of vertices, which is in
       last_count; the caller says so in words of its own. */
    JnStatus (*positions)(Motion *motion, double time, uint32_t point_count, double *out, JnMessage *message);
    /* The transform above the mesh at `time`, first three rows; NULL: the format has none. */
    JnStatus (*placement)(Motion *motion, double time, double matrix[12], JnMessage *message);
};

/* The format at `index`, NULL past the end. */
const MotionFormat *motion_format(uint32_t index);

/* Opens the file, whose ending or place for a number selects the format; `path` must outlive the motion. JN_ERR_FILE,
   JN_ERR_FORMAT, JN_ERR_MESH. On failure *motion is all zero. */
JnStatus motion_open(const char *path, const char *object, double fps, Motion *motion, JnMessage *message);
void motion_close(Motion *motion); /* leaves it all zero */

/* Of numbered files: writes the path of the file with this number to `out`, of motion_numbered_size(path) bytes. The
   last run of # in the path stands for the number, a # for each digit, or else %d or %04d. */
bool motion_is_numbered(const char *path);
size_t motion_numbered_size(const char *path);
void motion_numbered_path(const char *path, double number, char *out);

/* The files that `time` needs: one, or two if it lies between. A time within rounding of a whole number is that
   number. */
void motion_numbered_range(double time, double *before, double *after);

/* A file in an open stream of `size` bytes, which the motion closes if it succeeds: .mdd and .pc2 after opening, for
   tests. */
JnStatus motion_points_open(Motion *motion, FILE *stream, uint64_t size, double fps, JnMessage *message);

/* Positions of the vertices of a mesh file, out [point_count * 3]. As MotionFormat.positions. */
JnStatus motion_mesh_positions(const char *path, uint32_t point_count, double *out, uint32_t *count,
                               JnMessage *message);

/* The formats. */
extern const MotionFormat motion_abc, motion_mdd, motion_pc2, motion_glb, motion_numbered;

#endif
