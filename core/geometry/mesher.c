#include "geometry/mesher.h"
#include "geometry/lattice.h"

static const Mesher meshers[] = {
    {{"lattice", "Lattice",
      "A grid of cells around the inside of a closed surface; the render mesh is embedded in it."},
     lattice_build},
};

const Table mesher_table = {"meshers", "mesher", meshers, sizeof meshers[0], sizeof meshers / sizeof meshers[0],
                            "stuffing"};
