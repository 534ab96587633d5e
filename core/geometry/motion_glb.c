/* The first animation of a glTF binary file: its mesh on its skin, or moved with its node. In seconds, y up. */
#include "geometry/glb.h"
#include "geometry/motion.h"
#include "geometry/textfile.h"

#include <math.h>
#include <stdlib.h>

typedef struct Clip {
    unsigned char *bytes;
    Glb glb;
    GlbNodes nodes;
    GlbMesh mesh;
} Clip;

static void clip_close(Motion *motion) {
    Clip *clip = motion->state;
    glb_mesh_free(&clip->mesh);
    glb_nodes_free(&clip->nodes);
    glb_close(&clip->glb);
    free(clip->bytes);
    free(clip);
}

static JnStatus clip_open(Motion *motion, const char *object, double fps, JnMessage *message) {
    size_t size;
    if (!isnan(fps))
        return status_fail(message, JN_ERR_SCENE, "fps: a .glb file has times of its own: remove it");
    Clip *clip = calloc(1, sizeof *clip);
    if (!clip)
        return status_no_memory(message, motion->path);
    motion->state = clip;
    JnStatus status = textfile_load(motion->path, &clip->bytes, &size, message);
    if (status == JN_OK)
        status = glb_open(&clip->glb, motion->path, clip->bytes, size, message);
    if (status == JN_OK)
        status = glb_nodes_read(&clip->glb, &clip->nodes, message);
    if (status == JN_OK)
        status = glb_mesh_read(&clip->glb, object, &clip->mesh, message);
    if (status == JN_OK && clip->nodes.channel_count == 0)
        status = glb_fail(&clip->glb, message, "it holds no animation");
    if (status == JN_OK)
        motion->first_time = clip->nodes.first_time;
    else
        clip_close(motion);
    return status;
}

static JnStatus clip_positions(Motion *motion, double time, uint32_t point_count, double *out, JnMessage *message) {
    Clip *clip = motion->state;
    motion->last_count = clip->mesh.vertex_count;
    if (clip->mesh.vertex_count != point_count)
        return status_fail(message, JN_ERR_MESH, "%s has %u vertices, but the mesh of the scene has %u", motion->path,
                           clip->mesh.vertex_count, point_count);
    JnStatus status = glb_nodes_place(&clip->glb, &clip->nodes, time, message);
    return status == JN_OK ? glb_mesh_positions(&clip->glb, &clip->mesh, &clip->nodes, out, message) : status;
}

const MotionFormat motion_glb = {.ending = ".glb",
                                 .what = "a .glb file",
                                 .starts_anew = true,
                                 .y_up = true,
                                 .open = clip_open,
                                 .close = clip_close,
                                 .positions = clip_positions};
