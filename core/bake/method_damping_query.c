/* The numerical damping of methods, as shown in menus and by the command line. */
#include "settings/settings.h"
#include "base/status.h"
#include "integrate/method_damping.h"

#include <math.h>

static const double LEAST = 1e-6, MOST = 1e6;
static const double STEP = 0.01; /* s: only the product with omega matters */

JnStatus jn_method_damping(const char *integrator, double h_omega, double spectral_radius, double *damping,
                           JnMessage *message) {
    const JnSetting *knob = jn_setting_find("integrator", "spectral_radius");
    const void *item = NULL;
    if (!damping)
        return status_fail(message, JN_ERR_ARGUMENT, "damping is NULL: give a place for the number");
    if (!(h_omega >= LEAST && h_omega <= MOST))
        return status_fail(message, JN_ERR_ARGUMENT, "h_omega is %g, but must be from %g to %g", h_omega, LEAST, MOST);
    if (isnan(spectral_radius))
        spectral_radius = knob->default_value;
    if (!(spectral_radius >= knob->minimum && spectral_radius <= knob->maximum))
        return status_fail(message, JN_ERR_ARGUMENT, "spectral_radius is %g, but must be from %g to %g",
                           spectral_radius, knob->minimum, knob->maximum);
    status_clear(message);
    JnStatus status = table_find(&integrator_choices, integrator, "integrator", &item, message);
    if (status != JN_OK)
        return status;
    if (item == integrator_auto)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "auto has no damping of its own: name the method that it chooses for the scene");
    const Integrator *method = item;
    const MethodOptions options = {.variant = method->variant, .spectral_radius = spectral_radius};
    MethodDamping found;
    status = method_damping(method, &options, STEP, h_omega / STEP, &found, message);
    if (status == JN_OK)
        *damping = found.damping;
    return status;
}
