/* The numerical damping of the modes of a scene. */
#ifndef JN_CLI_DAMPING_SCENE_H
#define JN_CLI_DAMPING_SCENE_H

#include "method_list.h"

/* The scene is the command's argument. methods: NULL for the scene's own, none for what auto chooses for it. */
ExitCode damping_of_scene(const Arguments *arguments, const MethodList *methods);

#endif
