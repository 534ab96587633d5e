/* Meshes of a scene's preview, for pictures. Pictures have y up, as caches have; scenes may have z up. */
#ifndef JN_CLI_FILM_MESHES_H
#define JN_CLI_FILM_MESHES_H

#include "jounce.h"
#include "picture/frame_mesh.h"

/* Adds faces and curves of the mesh; `map`: the field that is painted, if the mesh has it; NULL: none. False if memory
   runs out. */
bool film_add_mesh(FrameMesh *to, const JnMesh *mesh, uint32_t up_axis, int32_t object, const char *map);

/* Whether all vertices lie in one plane. */
bool film_mesh_is_flat(const JnMesh *mesh);

/* From the picture's axes to the scene's. */
void film_to_scene(uint32_t up_axis, Vec3 point, double scene_point[3]);
void film_turn_to_scene(uint32_t up_axis, double *positions, size_t count);

/* How many vertices the cache has of a body, or what jn_preview_body failed with. */
JnStatus film_body_vertices(JnPreview *preview, uint32_t body, double frame, uint32_t *count, JnMessage *message);
/* Its vertices as jn_preview_body has them: *positions [count * 3] is the caller's. */
JnStatus film_body_positions(JnPreview *preview, uint32_t body, double frame, double **positions, size_t *count,
                             JnMessage *message);

/* The painted map of a body; NULL: it has none of this name, or memory runs out. The caller frees it. */
float *film_map_weights(JnPreview *preview, uint32_t body, double frame, const char *map, size_t vertex_count);

/* *found: whether any body has the map. `names`: "are: a, b", or "" if there is none. */
JnStatus film_list_maps(JnPreview *preview, const JnBakeDesc *desc, const char *map, bool *found, char *names,
                        size_t capacity, JnMessage *message);

#endif
