#include "geometry/mesh_findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)FINDING_KINDS <= (int)JN_FINDING_COUNT, "every kind has a place in the report");

typedef struct Sentence {
    const char *name;
    bool warning;
    const char *text; /* after the count; NULL: written with its numbers */
} Sentence;

static const Sentence sentences[FINDING_KINDS] = {
    [FINDING_SHEETS] = {"sheets", true,
                        "pieces have no inside: they are carried by a layer of cells around them. For cloth, use the "
                        "kind textile."},
    [FINDING_PARTIAL_SHEETS] = {"partial_sheets", false,
                                "pieces have parts without an inside, which are carried by a layer of cells around "
                                "them."},
    [FINDING_TOO_THIN] = {"too_thin", true,
                          "pieces have parts thinner than the smallest cells, which are simulated thicker. A higher "
                          "resolution fits them."},
    [FINDING_ISLANDS] = {"islands", true,
                         "parts of the tets hang on nothing, where the surface is very thin. Raise the resolution."},
    [FINDING_THINNEST] = {"thinnest", false, NULL},
    [FINDING_OPEN_LOOPS] = {"open_loops", false, "open rims are closed smoothly in the simulation."},
    [FINDING_CROWDED_EDGES] = {"crowded_edges", false, "edges belong to more than two faces."},
    [FINDING_CROSSINGS] = {"crossings", false,
                           "pairs of faces pass through each other: what they enclose is one solid."},
    [FINDING_COPIES] = {"copies", false, "faces lie on others with the same corners and are left out."},
    [FINDING_FLAT] = {"flat_faces", false, "faces have no area and are left out."},
    [FINDING_TURNED] = {"turned_faces", false, "faces point inwards and are turned in the simulation."},
    [FINDING_WELDED] = {"welded_vertices", false, "vertices lie on others and are one with them in the simulation."},
    [FINDING_LOOSE] = {"loose_vertices", false, "vertices belong to no face and ride with the nearest piece."},
};

/* Marks a triangle of the pieces. */
static void mark_triangle(Soup *soup, const uint32_t *corners, FindingKind kind) {
    for (int i = 0; i < 3; ++i)
        findings_mark(&soup->findings, kind, soup->point_of_vertex[corners[i]]);
}

static void count(Finding *finding, const double place[3]) {
    if (finding->count++ == 0)
        memcpy(finding->place, place, sizeof finding->place);
}

static void find_of_piece(Soup *soup, const PieceFacts *facts, const uint32_t *triangles, uint32_t triangle_count,
                          const PieceTriangle *about) {
    Finding *of = soup->findings.of;
    FindingKind sheet = facts->sheet_count == facts->sample_count ? FINDING_SHEETS : FINDING_PARTIAL_SHEETS;
    if (facts->sheet_count)
        count(&of[sheet], facts->sheet_place);
    if (facts->thickened_count)
        count(&of[FINDING_TOO_THIN], facts->thickened_place);
    for (uint32_t t = 0; t < triangle_count; ++t) {
        if (about[t].sheet)
            mark_triangle(soup, &triangles[3 * (size_t)t], sheet);
        if (about[t].thickened)
            mark_triangle(soup, &triangles[3 * (size_t)t], FINDING_TOO_THIN);
    }
    for (uint32_t i = 0; i < facts->island_count; ++i) {
        count(&of[FINDING_ISLANDS], facts->thinnest_place);
        mark_triangle(soup, &triangles[3 * (size_t)facts->thinnest_triangle], FINDING_ISLANDS);
    }
}

static void find_of_pieces(Soup *soup, const Pieces *pieces, const PieceFacts *facts, const PieceTriangle *about) {
    double thinnest = INFINITY;
    uint32_t thinnest_piece = 0;
    for (uint32_t p = 0; p < pieces->count; ++p) {
        size_t first = pieces->starts[p];
        find_of_piece(soup, &facts[p], &pieces->triangles[3 * first], pieces->starts[p + 1] - (uint32_t)first,
                      &about[first]);
        if (facts[p].thinnest < thinnest) {
            thinnest = facts[p].thinnest;
            thinnest_piece = p;
        }
    }
    if (isinf(thinnest))
        return;
    const PieceFacts *piece = &facts[thinnest_piece];
    count(&soup->findings.of[FINDING_THINNEST], piece->thinnest_place);
    mark_triangle(soup, &pieces->triangles[3 * ((size_t)pieces->starts[thinnest_piece] + piece->thinnest_triangle)],
                  FINDING_THINNEST);
}

/* From bits of kinds to bits of the report's findings. Vertices that lie on each other share all marks but that of
   lying there. */
static void translate_marks(const Soup *soup, uint32_t vertex_count, uint32_t *marks) {
    const Findings *findings = &soup->findings;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        uint32_t own = soup->vertex_of_point[v], bit = 1, kinds = findings->marks[v];
        if (own != SOUP_NONE)
            kinds |= findings->marks[soup->point_of_vertex[own]] & ~(1u << FINDING_WELDED);
        marks[v] = 0;
        for (uint32_t k = 0; k < FINDING_KINDS; ++k) {
            if (findings->of[k].count == 0)
                continue;
            if (kinds & 1u << k)
                marks[v] |= bit;
            bit <<= 1;
        }
    }
}

void mesh_findings_report(Soup *soup, const Pieces *pieces, const PieceFacts *facts, const PieceTriangle *about,
                          uint32_t vertex_count, JnMeshReport *report, uint32_t *marks) {
    find_of_pieces(soup, pieces, facts, about);
    for (int k = 0; k < FINDING_KINDS; ++k) {
        const Finding *found = &soup->findings.of[k];
        const Sentence *sentence = &sentences[k];
        if (found->count == 0)
            continue;
        JnFinding *finding = &report->findings[report->finding_count++];
        *finding = (JnFinding){.name = sentence->name, .count = found->count, .warning = sentence->warning};
        memcpy(finding->place, found->place, sizeof finding->place);
        if (sentence->text)
            snprintf(finding->text, sizeof finding->text, "%u %s", found->count, sentence->text);
        else
            snprintf(finding->text, sizeof finding->text,
                     "The thinnest part is %.2g times as thick as the usual cell, %.2g times as the smallest.",
                     report->thinnest / report->cell, report->thinnest / report->smallest_cell);
    }
    if (marks)
        translate_marks(soup, vertex_count, marks);
}
