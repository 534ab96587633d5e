#include "camera.h"

static const float half_view = 0.21f; /* tangent of half the angle of view, on the shorter side */
static const float margin = 0.87f;    /* share of the picture that the points may fill */

void camera_fit_begin(CameraFit *fit, Vec3 view, float width, float height) {
    float shorter = width < height ? width : height;
    Camera *camera = &fit->camera;
    camera->back = vec3_unit(view, vec3(0, 0, 1));
    camera->right = vec3_unit(vec3_cross(vec3(0, 1, 0), camera->back), vec3(1, 0, 0));
    camera->up = vec3_cross(camera->back, camera->right);
    camera->focal = 0.5f * shorter / half_view;
    camera->width = width;
    camera->height = height;
    fit->slope_x = margin * 0.5f * width / camera->focal;
    fit->slope_y = margin * 0.5f * height / camera->focal;
    for (int i = 0; i < 4; ++i)
        fit->reach[i] = -INFINITY;
}

/* With the eye at distance D along `back` and moved aside by s, a point is inside on the right if x - s <= slope (D -
   z), that is x + slope z <= slope D + s: only the largest left-hand side matters. The same holds on all four sides. */
void camera_fit_add(CameraFit *fit, const Vec3 *points, size_t count) {
    const Camera *camera = &fit->camera;
    for (size_t i = 0; i < count; ++i) {
        float x = vec3_dot(points[i], camera->right), y = vec3_dot(points[i], camera->up);
        float z = vec3_dot(points[i], camera->back);
        fit->reach[0] = fmaxf(fit->reach[0], x + fit->slope_x * z);
        fit->reach[1] = fmaxf(fit->reach[1], -x + fit->slope_x * z);
        fit->reach[2] = fmaxf(fit->reach[2], y + fit->slope_y * z);
        fit->reach[3] = fmaxf(fit->reach[3], -y + fit->slope_y * z);
    }
}

Camera camera_fit_end(const CameraFit *fit) {
    Camera camera = fit->camera;
    const float *reach = fit->reach;
    float distance_x = 0.5f * (reach[0] + reach[1]) / fit->slope_x;
    float distance_y = 0.5f * (reach[2] + reach[3]) / fit->slope_y;
    camera.eye = vec3_scale(camera.back, fmaxf(distance_x, distance_y));
    camera.eye = vec3_along(camera.eye, 0.5f * (reach[0] - reach[1]), camera.right);
    camera.eye = vec3_along(camera.eye, 0.5f * (reach[2] - reach[3]), camera.up);
    return camera;
}

Vec3 camera_project(const Camera *camera, Vec3 point) {
    Vec3 from_eye = vec3_sub(point, camera->eye);
    float nearness = 1 / fmaxf(-vec3_dot(from_eye, camera->back), 1e-30f);
    float scale = camera->focal * nearness;
    return vec3(0.5f * camera->width + scale * vec3_dot(from_eye, camera->right),
                0.5f * camera->height - scale * vec3_dot(from_eye, camera->up), nearness);
}

Vec3 camera_ray(const Camera *camera, float x, float y) {
    Vec3 ray = vec3_scale(camera->back, -camera->focal);
    ray = vec3_along(ray, x - 0.5f * camera->width, camera->right);
    ray = vec3_along(ray, 0.5f * camera->height - y, camera->up);
    return vec3_unit(ray, vec3_scale(camera->back, -1));
}
