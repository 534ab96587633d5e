#include "geometry/mesh_findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add(JnMeshReport *report, const char *name, const SoupFinding *found, bool warning, const char *text) {
    if (found->count == 0 || report->finding_count == JN_FINDING_COUNT)
        return;
    JnFinding *finding = &report->findings[report->finding_count++];
    *finding = (JnFinding){.name = name, .count = found->count, .warning = warning};
    memcpy(finding->place, found->place, sizeof finding->place);
    snprintf(finding->text, sizeof finding->text, "%u %s", found->count, text);
}

/* The sums over the pieces, at the place of the first that has any. */
static void add_facts(const Pieces *pieces, const PieceFacts *facts, JnMeshReport *report) {
    SoupFinding sheets = {0}, partial = {0}, thin = {0}, islands = {0};
    for (uint32_t p = 0; p < pieces->count; ++p) {
        const PieceFacts *piece = &facts[p];
        bool whole = piece->sheet_count == piece->sample_count;
        if (piece->sheet_count)
            soup_find(whole ? &sheets : &partial, piece->sheet_place);
        if (piece->thickened_count)
            soup_find(&thin, piece->thickened_place);
        for (uint32_t i = 0; i < piece->island_count; ++i)
            soup_find(&islands, piece->thinnest_place);
    }
    add(report, "sheets", &sheets, true,
        "pieces have no inside: they are carried by a layer of cells around them. For cloth, use the kind textile.");
    add(report, "partial_sheets", &partial, false,
        "pieces have parts without an inside, which are carried by a layer of cells around them.");
    add(report, "too_thin", &thin, true,
        "pieces have parts thinner than the smallest cells, which are simulated thicker. A higher resolution fits "
        "them.");
    add(report, "islands", &islands, true,
        "parts of the tets hang on nothing, where the surface is very thin. Raise the resolution.");
}

void mesh_findings_add(const Soup *soup, const Pieces *pieces, const PieceFacts *facts, JnMeshReport *report) {
    add_facts(pieces, facts, report);
    SoupFinding thinnest = {.count = isfinite(report->thinnest) ? 1 : 0};
    memcpy(thinnest.place, report->thinnest_place, sizeof thinnest.place);
    add(report, "thinnest", &thinnest, false, "");
    if (thinnest.count) {
        JnFinding *finding = &report->findings[report->finding_count - 1];
        snprintf(finding->text, sizeof finding->text,
                 "The thinnest part is %.2g times as thick as the usual cell, %.2g times as the smallest.",
                 report->thinnest / report->cell, report->thinnest / report->smallest_cell);
    }
    add(report, "open_loops", &soup->open_loops, false, "open rims are closed smoothly in the simulation.");
    add(report, "crowded_edges", &soup->crowded_edges, false, "edges belong to more than two faces.");
    add(report, "crossings", &pieces->crossings, false,
        "pairs of faces pass through each other: what they enclose is one solid.");
    add(report, "copies", &soup->copies, false, "faces lie on others with the same corners and are left out.");
    add(report, "flat_faces", &soup->flat, false, "faces have no area and are left out.");
    add(report, "turned_faces", &soup->turned, false, "faces point inwards and are turned in the simulation.");
    add(report, "welded_vertices", &soup->welded, false,
        "vertices lie on others and are one with them in the simulation.");
    add(report, "loose_vertices", &soup->loose, false, "vertices belong to no face and ride with the nearest piece.");
}
