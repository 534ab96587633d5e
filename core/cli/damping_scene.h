/* Which modes of a scene an integrator and its time step kill. */
#ifndef JN_CLI_DAMPING_SCENE_H
#define JN_CLI_DAMPING_SCENE_H

#include "method_list.h"

/* The scene is the command's argument. methods: NULL for the scene's own. */
ExitCode damping_of_scene(const Arguments *arguments, const MethodList *methods);

#endif
