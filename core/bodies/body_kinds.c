#include "bodies/body_kind.h"

BODY_KIND(solid);
BODY_KIND(spring_solid);
BODY_KIND(textile);
BODY_KIND(girders);
BODY_KIND(fibres);

static const BodyKind kinds[] = {
    {{"solid", "Solid", "A solid of tets in the material's law: flesh, jelly, rubber."},
     TAKES_SURFACE | TAKES_TETS,
     true,
     solid_check,
     solid_build},
    {{"textile", "Textile", "Springs along, across and over the faces of an open or closed surface: cloth, flags."},
     TAKES_SURFACE,
     false,
     textile_check,
     textile_build},
    {{"spring_solid", "Spring solid", "Springs along the edges of tets, and diagonals that keep each from collapsing."},
     TAKES_SURFACE | TAKES_TETS,
     false,
     spring_solid_check,
     spring_solid_build},
    {{"girders", "Girders", "Hinged bars along lines or the edges of a surface: towers, bridges, nets, ropes."},
     TAKES_SURFACE | TAKES_CURVES,
     false,
     girders_check,
     girders_build},
    {{"fibres", "Fibres", "Curves that bend and twist: hair, bristles, grass, wire."},
     TAKES_CURVES,
     false,
     fibres_check,
     fibres_build},
};

const Table body_kind_table = {"body_kinds", "body kind", kinds, sizeof kinds[0], sizeof kinds / sizeof kinds[0], NULL};

uint32_t body_point_count(const JnBody *desc) {
    return desc->surface.vertex_count ? desc->surface.vertex_count
           : desc->tets.vertex_count  ? desc->tets.vertex_count
                                      : desc->curves.vertex_count;
}

const double *body_points(const JnBody *desc) {
    return desc->surface.vertex_count ? desc->surface.positions
           : desc->tets.vertex_count  ? desc->tets.positions
                                      : desc->curves.positions;
}
