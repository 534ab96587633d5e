#include "mesh_fill.h"
#include "path_ending.h"

#include <math.h>
#include <stdio.h>

static const char *const options[] = {"resolution", "edge-length", "vertices", "keep-apart", "picture"};
enum { OPTION_TOTAL = sizeof options / sizeof options[0] };

static const char *const endings[] = {".msh", ".mesh"};
enum { ENDING_TOTAL = sizeof endings / sizeof endings[0] };

bool fill_wanted(const Arguments *arguments, const JnMesh *mesh, const char *path) {
    JnMeshView view = {.struct_size = sizeof view};
    if (jn_mesh_view(mesh, &view, NULL) != JN_OK || view.tets.tet_count || !view.surface.face_count)
        return false;
    for (size_t i = 0; i < OPTION_TOTAL; ++i)
        if (option_given(arguments, options[i]))
            return true;
    for (size_t i = 0; path && i < ENDING_TOTAL; ++i)
        if (path_has_ending(path, endings[i]))
            return true;
    return false;
}

ExitCode fill_surface(const Arguments *arguments, JnMesh **mesh, JnMeshReport *report) {
    JnMeshView view = {.struct_size = sizeof view};
    JnMessage message = {0};
    JnMesher mesher;
    JnMesh *filled = NULL;
    ExitCode code = EXIT_DONE;
    jn_mesher_init(&mesher, sizeof mesher);
    mesher.resolution = option_number(arguments, "resolution", mesher.resolution);
    mesher.edge_length = option_number(arguments, "edge-length", mesher.edge_length);
    mesher.vertex_budget = option_count(arguments, "vertices", mesher.vertex_budget);
    mesher.keep_pieces_apart = option_given(arguments, "keep-apart");
    if (jn_mesh_view(*mesh, &view, &message) != JN_OK ||
        jn_mesh_fill(&view.surface, &mesher, &filled, report, &message) != JN_OK ||
        jn_mesh_carry_fields(*mesh, filled, &message) != JN_OK) {
        code = fail_message(arguments, &message);
        jn_mesh_free(filled);
        filled = NULL;
    }
    jn_mesh_free(*mesh);
    *mesh = filled;
    return code;
}

/* How much more a volume is than that of the surface, in percent. */
static double volume_error(const JnMeshReport *report, double volume) {
    return 100 * (volume / report->surface_volume - 1);
}

void print_findings(const JnMeshReport *report, int indent) {
    for (uint32_t i = 0; i < report->finding_count; ++i) {
        const JnFinding *finding = &report->findings[i];
        const double *place = finding->place;
        printf("%*s%s %s\n%*sfirst at (%.4g, %.4g, %.4g)\n", indent, "", finding->warning ? "!" : "-", finding->text,
               indent + 10, "", place[0], place[1], place[2]);
    }
}

void print_fill_report(const JnMeshReport *report) {
    puts("\nFilling");
    printf("  cells     %.4g long, the smallest %.4g\n", report->cell, report->smallest_cell);
    printf("  angles    dihedral, %.1f to %.1f degrees; the smallest at (%.4g, %.4g, %.4g)\n", report->smallest_angle,
           report->largest_angle, report->smallest_angle_place[0], report->smallest_angle_place[1],
           report->smallest_angle_place[2]);
    printf("  aspect    %.2f on the mean, %.1f at worst; 1 is best\n", report->mean_aspect, report->worst_aspect);
    printf("  volume    %.6g", report->volume);
    if (report->surface_volume > 0)
        printf(", %+.2f %% against the surface's %.6g", volume_error(report, report->volume), report->surface_volume);
    printf("\n  mass      that of a volume of %.6g", report->solid_volume);
    if (report->surface_volume > 0)
        printf(", %+.2f %%", volume_error(report, report->solid_volume));
    printf("\n  pieces    %u", report->piece_count);
    if (report->sheet_count)
        printf(", of which %u without an inside", report->sheet_count);
    putchar('\n');
    if (report->finding_count)
        puts("\nFound in the surface, which is left as it is");
    print_findings(report, 2);
}

static void add_number(cJSON *object, const char *name, double value) {
    if (isfinite(value))
        cJSON_AddNumberToObject(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

cJSON *fill_report_json(const JnMeshReport *report) {
    cJSON *object = cJSON_CreateObject();
    add_number(object, "cell", report->cell);
    add_number(object, "smallest_cell", report->smallest_cell);
    add_number(object, "smallest_angle", report->smallest_angle);
    add_number(object, "largest_angle", report->largest_angle);
    add_number(object, "mean_aspect", report->mean_aspect);
    add_number(object, "worst_aspect", report->worst_aspect);
    add_number(object, "volume", report->volume);
    add_number(object, "surface_volume", report->surface_volume);
    add_number(object, "volume_error_percent", volume_error(report, report->volume));
    add_number(object, "solid_volume", report->solid_volume);
    add_number(object, "mass_error_percent", volume_error(report, report->solid_volume));
    add_number(object, "thinnest", report->thinnest);
    cJSON_AddNumberToObject(object, "pieces", report->piece_count);
    cJSON_AddNumberToObject(object, "pieces_without_inside", report->sheet_count);
    cJSON *findings = cJSON_AddArrayToObject(object, "findings");
    for (uint32_t i = 0; i < report->finding_count; ++i) {
        const JnFinding *finding = &report->findings[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(findings, item);
        cJSON_AddStringToObject(item, "name", finding->name);
        cJSON_AddNumberToObject(item, "count", finding->count);
        cJSON_AddBoolToObject(item, "warning", finding->warning != 0);
        cJSON_AddStringToObject(item, "text", finding->text);
        cJSON_AddItemToObject(item, "place", cJSON_CreateDoubleArray(finding->place, 3));
    }
    return object;
}
