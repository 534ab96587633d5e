/* Ready-made materials. Stiffness and density have the order of magnitude of measured values; damping is chosen by
   appearance: with stiffness_damping b, the amplitude of a vibration of f Hz decays as exp(-2 pi^2 f^2 b t). */
#include "jounce.h"

/* clang-format off */
static const JnPreset presets[] = {
    /* name, label, summary, law, Pa, 1, kg/m3, s, 1/s */
    {"jelly", "Jelly", "Gelatine dessert: wobbles at a touch.", "stable_neohooke", 5e3, 0.45, 1000, 0.002, 0},
    {"fat", "Fat", "Soft tissue under the skin: slow, heavy, soon at rest.", "stable_neohooke", 4e3, 0.46, 920, 0.02, 0},
    {"flesh", "Flesh", "Cheeks, bellies, arms: soft with a quick settle.", "stable_neohooke", 2e4, 0.45, 1050, 0.01, 0},
    {"muscle", "Muscle", "Tensed muscle: firm, a short shiver.", "stable_neohooke", 8e4, 0.45, 1060, 0.006, 0},
    {"cartilage", "Cartilage", "Ears, noses, fins: springs back at once.", "stable_neohooke", 1e6, 0.42, 1100, 0.002, 0},
    {"silicone", "Silicone", "Cast silicone: a lively skin or toy.", "stable_neohooke", 2e5, 0.47, 1080, 0.001, 0},
    {"rubber", "Rubber", "Tyre or ball rubber: bounces, hardly wobbles.", "stable_neohooke", 2e6, 0.47, 1100, 0.0005, 0},
    {"foam", "Foam", "Cushion foam: light, squeezes without bulging.", "stable_neohooke", 3e4, 0.2, 50, 0.01, 0},
    {"wood", "Wood", "A plank: stiff, a ring too fast to see.", "stable_neohooke", 1e10, 0.3, 600, 1e-5, 0},
};
/* clang-format on */

uint32_t jn_preset_count(void) {
    return (uint32_t)(sizeof presets / sizeof presets[0]);
}

const JnPreset *jn_preset(uint32_t index) {
    return index < jn_preset_count() ? &presets[index] : NULL;
}
