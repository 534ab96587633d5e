/* A perspective camera that shows all given points. */
#ifndef JN_CLI_PICTURE_CAMERA_H
#define JN_CLI_PICTURE_CAMERA_H

#include "vec3.h"

#include <stddef.h>

typedef struct Camera {
    Vec3 right, up, back; /* unit; `back` points from what is seen to the eye */
    Vec3 eye;
    float focal; /* pixels: a thing of size 1 at distance 1 */
    float width, height;
} Camera;

/* Collects points; the smallest frustum around them can then be found without keeping them. */
typedef struct CameraFit {
    Camera camera;          /* without eye */
    float slope_x, slope_y; /* half width and height of the view at distance 1, less the margin */
    float reach[4];         /* right, left, up, down: furthest of (p along that side + slope * p along back) */
} CameraFit;

/* `view` points from what is seen to the eye, y is up; width and height in pixels. */
void camera_fit_begin(CameraFit *fit, Vec3 view, float width, float height);
void camera_fit_add(CameraFit *fit, const Vec3 *points, size_t count);
/* The nearest camera that sees all points. There must have been one. */
Camera camera_fit_end(const CameraFit *fit);

/* Pixels in x and y (down), and 1 / distance in z: linear on the screen, larger is nearer. */
Vec3 camera_project(const Camera *camera, Vec3 point);
/* Unit direction from the eye through the pixel. */
Vec3 camera_ray(const Camera *camera, float x, float y);

#endif
