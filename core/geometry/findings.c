#include "geometry/findings.h"
#include "geometry/array.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus findings_init(const JnSurface *surface, Findings *findings, JnMessage *message) {
    *findings = (Findings){.positions = surface->positions};
    findings->marks = array_new(surface->vertex_count, sizeof *findings->marks);
    if (findings->marks)
        return JN_OK;
    findings_free(findings);
    return status_no_memory(message, "what is found in a surface");
}

void findings_mark(Findings *findings, FindingKind kind, uint32_t vertex) {
    findings->marks[vertex] |= 1u << kind;
}

void findings_add(Findings *findings, FindingKind kind, uint32_t vertex) {
    Finding *finding = &findings->of[kind];
    if (finding->count++ == 0)
        memcpy(finding->place, &findings->positions[3 * (size_t)vertex], sizeof finding->place);
    findings_mark(findings, kind, vertex);
}

void findings_free(Findings *findings) {
    free(findings->marks);
    *findings = (Findings){0};
}
