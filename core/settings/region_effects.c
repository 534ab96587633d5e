/* What a painted map can do. */
#include "settings/region_effects.h"

static const JnTableEntry effects[] = {
    {"pin", "Pin",
     "Points of weight 1 follow the animation exactly, or stay where they are if there is none; lower weights yield "
     "more and more: by a tenth of the body's size under its weight at 0.5, freely at 0."},
    {"goal", "Goal", "Painted points are pulled towards the animation, harder with higher value and weight."},
    {"stiffness", "Stiffness",
     "Multiplies the stiffness by the value to the power of the weight: half painted with 100 is 10 times as stiff."},
    {"density", "Density",
     "Multiplies the density by the value where the weight is 1, linearly down to 1 where it is 0: half painted with 3 "
     "is twice as heavy."},
    {"damping", "Damping",
     "Multiplies the damping, both of stiffness and mass, by the value where the weight is 1, linearly down to 1 where "
     "it "
     "is 0: half painted with 3 is twice the damping."},
    {"rest_follows", "Rest shape follows",
     "Painted points take the animated pose as their rest shape: fully for the value 1 where the weight is 1."},
    {"simulation", "Simulation",
     "How much of the simulation is seen where the weight is 1: 0 is the animation as it is, 0.5 halfway between."},
    {"attach", "Attach",
     "The painted part is held by another body and holds it, as a hat and a head; weights act as those of pins."},
    {"fast", "Fast",
     "Points of weight 0.5 and more take as many small time steps in each step of the rest as the value says: their "
     "quick "
     "motion stays crisp, at little more cost. With the integrators si and be."},
};

const Table region_effect_table = {"region_effects",
                                   "region effect",
                                   effects,
                                   sizeof effects[0],
                                   (uint32_t)(sizeof effects / sizeof effects[0]),
                                   NULL};
