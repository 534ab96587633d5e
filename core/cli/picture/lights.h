/* Light that falls on points: a soft key light and the sky, both made of many distant lamps with a shadow map each.
   This gives soft shadows and ambient occlusion without further code. */
#ifndef JN_CLI_PICTURE_LIGHTS_H
#define JN_CLI_PICTURE_LIGHTS_H

#include "surfels.h"

/* Middle of the key lamp, unit, from what is lit to the lamp. `right`, `back`: the camera's. */
Vec3 key_direction(Vec3 right, Vec3 back);

/* Sets key, shine and sky of a grid of surfels (width * height, both even). Each lamp is evaluated at one pixel of
   every 2 x 2 only, so the mean over such a block includes all lamps. False if memory runs out. */
bool lights_fall(const FrameMesh *mesh, Vec3 key, Surfel *surfels, int width, int height);

#endif
