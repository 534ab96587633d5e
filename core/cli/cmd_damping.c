/* jounce damping: the numerical damping of each integrator; and, for a scene, of each of its modes. */
#include "cli.h"
#include "damping_scene.h"
#include "method_list.h"
#include "os.h"
#include "picture/plot.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The curve runs over h omega from 0.01, 628 steps a swing, to 100, where a step spans many swings. */
enum { POINTS_PER_DECADE = 32, DECADES = 4, POINT_COUNT = POINTS_PER_DECADE * DECADES + 1 };
static const double FIRST_H_OMEGA = 0.01;
static const double TWO_PI = 6.283185307179586;

typedef struct Curves {
    MethodList methods;
    double h_omega[POINT_COUNT];
    double (*damping)[POINT_COUNT]; /* [methods.count]; NaN where the method takes no such step */
} Curves;

/* NaN where the method takes no such step. */
static double damping_at(const char *method, double h_omega) {
    double damping = NAN;
    return jn_method_damping(method, h_omega, NAN, &damping, NULL) == JN_OK ? damping : NAN;
}

static ExitCode find_curves(const Arguments *arguments, Curves *curves) {
    curves->damping = calloc(curves->methods.count, sizeof *curves->damping);
    if (!curves->damping)
        return fail(arguments, EXIT_MEMORY, "out of memory for the curves");
    for (int i = 0; i < POINT_COUNT; ++i)
        curves->h_omega[i] = FIRST_H_OMEGA * pow(10, (double)i / POINTS_PER_DECADE);
    for (size_t m = 0; m < curves->methods.count; ++m)
        for (int i = 0; i < POINT_COUNT; ++i) {
            if (os_interrupt_count() > 0)
                return EXIT_CANCELLED;
            curves->damping[m][i] = damping_at(curves->methods.names[m], curves->h_omega[i]);
        }
    return EXIT_DONE;
}

/* -------------------------------------------------------------------------------- words, JSON, picture */

/* The fraction of the amplitude left after one period of this many steps. */
static double kept_after_a_swing(const char *method, double steps) {
    return exp(-0.5 * damping_at(method, TWO_PI / steps) * TWO_PI);
}

static void print_table(const Curves *curves) {
    static const double h_omegas[] = {0.1, 0.3, 1, 3, 10}, swings[] = {100, 50, 20, 10, 5};
    puts("Numerical damping of each integrator, with time steps of h and a swing of 2 pi / omega.\n");
    printf("  %-18s %-52s %s\n  %-18s", "", "  d/omega at h omega =", "kept after one swing of this many steps", "");
    for (int i = 0; i < 5; ++i)
        printf("%10.3g", h_omegas[i]);
    fputs("   ", stdout);
    for (int i = 0; i < 5; ++i)
        printf("%8.3g", swings[i]);
    putchar('\n');
    for (size_t m = 0; m < curves->methods.count; ++m) {
        const char *method = curves->methods.names[m];
        printf("  %-18s", method);
        for (int i = 0; i < 5; ++i) {
            double damping = damping_at(method, h_omegas[i]);
            // rounding of an exact zero is not damping
            printf("%10.3g", fabs(damping) < 5e-9 ? 0 : damping);
        }
        fputs("   ", stdout);
        for (int i = 0; i < 5; ++i)
            printf("%6.1f %%", 100 * kept_after_a_swing(method, swings[i]));
        putchar('\n');
    }
}

static void print_curves_json(const Curves *curves) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "h_omega", cJSON_CreateDoubleArray(curves->h_omega, POINT_COUNT));
    cJSON *list = cJSON_AddArrayToObject(object, "methods");
    for (size_t m = 0; m < curves->methods.count; ++m) {
        cJSON *item = cJSON_CreateObject(), *values = cJSON_CreateArray();
        cJSON_AddStringToObject(item, "name", curves->methods.names[m]);
        for (int i = 0; i < POINT_COUNT; ++i) {
            double damping = curves->damping[m][i];
            cJSON_AddItemToArray(values, isfinite(damping) ? cJSON_CreateNumber(damping) : cJSON_CreateNull());
        }
        cJSON_AddItemToObject(item, "damping", values);
        cJSON_AddItemToArray(list, item);
    }
    print_json(object);
}

/* Whether the two curves coincide: methods that differ only for nonlinear forces. */
static bool are_equal(const double *a, const double *b) {
    for (int i = 0; i < POINT_COUNT; ++i)
        if (isnan(a[i]) != isnan(b[i]) || fabs(a[i] - b[i]) > 1e-6)
            return false;
    return true;
}

/* One line for methods that share a curve, under all their names. */
static bool plot_curves(const Curves *curves, const char *path) {
    enum { NAMES_CAPACITY = 256 };
    PlotSeries series[METHOD_CAPACITY];
    char(*names)[NAMES_CAPACITY] = calloc(curves->methods.count, sizeof *names);
    size_t count = 0;
    if (!names) {
        errno = ENOMEM;
        return false;
    }
    for (size_t m = 0; m < curves->methods.count; ++m) {
        const char *name = curves->methods.names[m];
        size_t same = 0;
        while (same < count && !are_equal(series[same].y, curves->damping[m]))
            ++same;
        size_t used = strlen(names[same]);
        snprintf(names[same] + used, NAMES_CAPACITY - used, "%s%s", used ? ", " : "", name);
        if (same == count)
            series[count++] = (PlotSeries){names[same], curves->h_omega, curves->damping[m], POINT_COUNT, false, false};
    }
    const Plot plot = {"Numerical damping of integrators",
                       {"h\317\211: time step \303\227 angular frequency", "", true, NAN, NAN},
                       {"d/\317\211", "", false, 0, NAN},
                       series,
                       count};
    bool written = plot_write(&plot, path);
    free(names);
    return written;
}

/* -------------------------------------------------------------------------------- the command */

static ExitCode show_curves(const Arguments *arguments, Curves *curves) {
    const char *path = option_text(arguments, "plot");
    ExitCode code = find_curves(arguments, curves);
    if (code == EXIT_DONE && path && !plot_curves(curves, path))
        code = fail_file(arguments, "write", path);
    if (code == EXIT_DONE && option_given(arguments, "json"))
        print_curves_json(curves);
    else if (code == EXIT_DONE)
        print_table(curves);
    free(curves->damping);
    return code;
}

ExitCode run_damping(const Arguments *arguments) {
    bool with_scene = arguments->positional_count > 0;
    const char *path = option_text(arguments, "plot"), *methods = option_text(arguments, "methods");
    Curves curves = {0};
    if (path && !plot_path_is_known(path))
        return fail(arguments, EXIT_USAGE, "--plot writes .svg and .png files, not '%s'", path);
    if (path && check_output(arguments, path, NULL) != EXIT_DONE)
        return EXIT_FILE;
    ExitCode code = EXIT_DONE;
    if (!with_scene || methods)
        code = method_list_read(arguments, "methods", methods ? methods : "all", false, &curves.methods);
    if (code != EXIT_DONE)
        return code;
    method_list_drop_auto(&curves.methods);
    if (!with_scene && curves.methods.count == 0)
        return fail(arguments, EXIT_USAGE, "%s chooses by the scene: jounce damping scene.json --methods %s",
                    METHOD_AUTO, METHOD_AUTO);
    if (with_scene)
        return damping_of_scene(arguments, methods ? &curves.methods : NULL);
    if (option_given(arguments, "steps") || option_given(arguments, "count"))
        return fail(arguments, EXIT_USAGE, "--steps and --count need a scene: jounce damping scene.json");
    os_interrupt_catch(NULL, NULL);
    code = show_curves(arguments, &curves);
    os_interrupt_release();
    return code;
}
