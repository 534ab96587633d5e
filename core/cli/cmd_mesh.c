/* jounce mesh: makes the tet mesh of a basic shape, fills a surface with tets, or converts a mesh file. */
#include "cli.h"
#include "mesh_fill.h"
#include "mesh_picture.h"
#include "os.h"
#include "path_ending.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

/* Cells from the option, the given ones only. */
static bool read_cells(const Arguments *arguments, uint32_t cells[3]) {
    double numbers[3];
    size_t count = option_numbers(arguments, "cells", numbers, 3);
    if (count > 3)
        return false;
    for (size_t i = 0; i < count; ++i) {
        if (numbers[i] < 1 || numbers[i] > UINT32_MAX || numbers[i] != floor(numbers[i]))
            return false;
        cells[i] = (uint32_t)numbers[i];
    }
    return true;
}

static ExitCode make_shape(const Arguments *arguments, JnMesh **mesh) {
    JnShape shape;
    JnMessage message = {0};
    jn_shape_init(&shape, sizeof shape, option_text(arguments, "shape"));
    option_numbers(arguments, "size", shape.size, 3);
    shape.turns = option_number(arguments, "turns", shape.turns);
    shape.layer_count = option_count(arguments, "layers", shape.layer_count);
    if (!read_cells(arguments, shape.cells))
        return fail(arguments, EXIT_USAGE, "--cells takes one to three whole numbers of at least 1, not '%s'",
                    option_text(arguments, "cells"));
    if (jn_shape_make(&shape, mesh, &message) != JN_OK)
        return fail_message(arguments, &message);
    return EXIT_DONE;
}

static ExitCode read_mesh(const Arguments *arguments, JnMesh **mesh) {
    static const char *const shape_options[] = {"size", "cells", "turns", "layers"};
    for (size_t i = 0; i < sizeof shape_options / sizeof shape_options[0]; ++i)
        if (option_given(arguments, shape_options[i]))
            return fail(arguments, EXIT_USAGE, "--%s belongs to --shape; a mesh that is read keeps its own",
                        shape_options[i]);
    JnMessage message = {0};
    if (jn_mesh_read(arguments->positionals[0], mesh, &message) != JN_OK)
        return fail_message(arguments, &message);
    return EXIT_DONE;
}

static uint32_t vertex_total(const JnMeshView *view) {
    return view->tets.tet_count       ? view->tets.vertex_count
           : view->surface.face_count ? view->surface.vertex_count
                                      : view->curves.vertex_count;
}

enum { LOSSES_CAPACITY = 1000 };

static void print_mesh_json(const char *path, const JnMeshView *view, uint64_t bytes, const char *losses,
                            const JnMeshReport *report) {
    cJSON *object = cJSON_CreateObject();
    if (path) {
        cJSON_AddStringToObject(object, "output", path);
        cJSON_AddNumberToObject(object, "bytes", (double)bytes);
        cJSON_AddStringToObject(object, "left_out", losses);
    }
    uint32_t tet_count = view->tets.tet_count;
    cJSON_AddNumberToObject(object, "vertices", vertex_total(view));
    cJSON_AddNumberToObject(object, "tets", tet_count);
    cJSON_AddNumberToObject(object, "reversed_tets", view->reversed_tet_count);
    cJSON_AddNumberToObject(object, "faces", view->surface.face_count);
    cJSON_AddNumberToObject(object, "curves", view->curves.curve_count);
    cJSON *fields = cJSON_AddArrayToObject(object, "fields");
    for (uint32_t i = 0; i < view->field_count; ++i)
        cJSON_AddItemToArray(fields, cJSON_CreateString(view->fields[i].name));
    if (report->tet_count)
        cJSON_AddItemToObject(object, "filling", fill_report_json(report));
    print_json(object);
}

static void print_mesh(const char *path, const JnMeshView *view, uint64_t bytes, const char *losses) {
    char text[SAY_CAPACITY];
    uint32_t tet_count = view->tets.tet_count;
    if (path)
        printf("%s, %s\n", path, say_bytes((double)bytes, text, sizeof text));
    printf("  vertices  %s\n", say_count(vertex_total(view), text, sizeof text));
    if (tet_count)
        printf("  tets      %s\n", say_count(tet_count, text, sizeof text));
    if (view->reversed_tet_count)
        printf("            of these %s were inverted, and are turned round\n",
               say_count(view->reversed_tet_count, text, sizeof text));
    if (view->surface.face_count)
        printf("  faces     %s%s\n", say_count(view->surface.face_count, text, sizeof text),
               tet_count ? " on the boundary" : "");
    if (view->curves.curve_count)
        printf("  curves    %s\n", say_count(view->curves.curve_count, text, sizeof text));
    for (uint32_t i = 0; i < view->field_count; ++i)
        printf("%s%s", i ? ", " : "  fields    ", view->fields[i].name);
    if (view->field_count)
        putchar('\n');
    if (losses[0])
        printf(
            "  left out  %s: this kind of file cannot hold it; .ply keeps the fields of a surface, .msh and .vtk those "
            "of tets\n",
            losses);
}

ExitCode run_mesh(const Arguments *arguments) {
    bool from_file = arguments->positional_count > 0;
    if (from_file == option_given(arguments, "shape"))
        return fail(arguments, EXIT_USAGE, "give either a mesh file to read or --shape NAME");
    const char *path = option_text(arguments, "output");
    JnMesh *mesh = NULL;
    JnMeshView view = {.struct_size = sizeof view};
    JnMeshReport report = {.struct_size = sizeof report};
    JnMessage message = {0};
    char losses[LOSSES_CAPACITY] = "";
    uint64_t bytes = 0;
    const char *picture = option_text(arguments, "picture");
    ExitCode code = path ? check_output(arguments, path, NULL) : EXIT_DONE;
    if (code == EXIT_DONE && picture)
        code = path_has_ending(picture, ".png")
                   ? check_output(arguments, picture, NULL)
                   : fail(arguments, EXIT_USAGE, "the picture is a .png file, not '%s'", picture);
    if (code == EXIT_DONE)
        code = from_file ? read_mesh(arguments, &mesh) : make_shape(arguments, &mesh);
    if (code == EXIT_DONE && fill_wanted(arguments, mesh, path))
        code = fill_surface(arguments, &mesh, &report);
    if (code != EXIT_DONE)
        return code;
    if (path)
        jn_mesh_losses(mesh, path, losses, sizeof losses);
    if (jn_mesh_view(mesh, &view, &message) != JN_OK || (path && jn_mesh_write(mesh, path, &message) != JN_OK))
        code = fail_message(arguments, &message);
    else if (path && !os_file_size(path, &bytes))
        code = fail_file(arguments, "read", path);
    else if (picture && view.tets.tet_count == 0)
        code = fail(arguments, EXIT_USAGE, "--picture draws tets, and the mesh has none");
    else if (picture && (code = draw_tets(arguments, &view.tets, picture)) != EXIT_DONE)
        ; // it has said what is wrong
    else if (option_given(arguments, "json"))
        print_mesh_json(path, &view, bytes, losses, &report);
    else {
        print_mesh(path, &view, bytes, losses);
        if (report.tet_count)
            print_fill_report(&report);
    }
    jn_mesh_free(mesh);
    return code;
}
