/* What the mesher found in the surface of a body, in the units of the scene. */
#include "bodies/body.h"

void body_report(const Body *body, double metres_per_unit, JnMeshReport *report) {
    *report = body->report ? *body->report : (JnMeshReport){0};
    report->struct_size = sizeof *report;
    for (uint32_t i = 0; i < report->finding_count; ++i)
        for (int a = 0; a < 3; ++a)
            report->findings[i].place[a] /= metres_per_unit;
    for (int a = 0; a < 3; ++a) {
        report->thinnest_place[a] /= metres_per_unit;
        report->smallest_angle_place[a] /= metres_per_unit;
    }
    report->cell /= metres_per_unit;
    report->smallest_cell /= metres_per_unit;
    report->thinnest /= metres_per_unit;
    report->volume /= metres_per_unit * metres_per_unit * metres_per_unit;
    report->solid_volume /= metres_per_unit * metres_per_unit * metres_per_unit;
    report->surface_volume /= metres_per_unit * metres_per_unit * metres_per_unit;
}
