#include "elastic/attachments.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct AttachmentTerm {
    Attachment *list; /* [count] */
    uint32_t count;
} AttachmentTerm;

static void add_stiffness(const Attachment *attachment, Evaluation *e) {
    for (int a = 0; a < ATTACHMENT_VERTICES; ++a)
        for (int b = 0; b <= a; ++b) {
            double k = e->stiffness_scale * attachment->stiffness * attachment->weights[a] * attachment->weights[b];
            const double block[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
            if (k != 0)
                block_matrix_add(e->matrix, attachment->vertices[a], attachment->vertices[b], block);
        }
}

static void evaluate_one(const Attachment *attachment, Evaluation *e) {
    double apart[3] = {0, 0, 0};
    for (size_t a = 0; a < ATTACHMENT_VERTICES; ++a)
        for (size_t i = 0; i < 3; ++i)
            apart[i] += attachment->weights[a] * e->q[3 * (size_t)attachment->vertices[a] + i];
    for (size_t i = 0; i < 3; ++i) {
        if (e->energy)
            *e->energy += 0.5 * attachment->stiffness * apart[i] * apart[i];
        for (size_t a = 0; e->force && a < ATTACHMENT_VERTICES; ++a)
            e->force[3 * (size_t)attachment->vertices[a] + i] -=
                attachment->stiffness * attachment->weights[a] * apart[i];
    }
    if (e->matrix)
        add_stiffness(attachment, e);
}

static JnStatus evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    const AttachmentTerm *attachments = self;
    for (uint32_t i = 0; i < attachments->count; ++i)
        if (element_subset_has(&e->subset, attachments->list[i].vertices, ATTACHMENT_VERTICES))
            evaluate_one(&attachments->list[i], e);
    return JN_OK;
}

static void destroy(void *self) {
    AttachmentTerm *attachments = self;
    if (attachments)
        free(attachments->list);
    free(attachments);
}

static const TermOperations operations = {
    .name = "attachments", .role = TERM_GOALS, .has_potential = true, .evaluate = evaluate, .destroy = destroy};

JnStatus attachments_create(const Attachment *list, uint32_t count, ForceTerm *term, JnMessage *message) {
    AttachmentTerm *attachments = calloc(1, sizeof *attachments);
    if (attachments)
        attachments->list = malloc((size_t)count * sizeof *list + 1);
    if (!attachments || !attachments->list) {
        destroy(attachments);
        return status_no_memory(message, "the attachments");
    }
    memcpy(attachments->list, list, (size_t)count * sizeof *list);
    attachments->count = count;
    *term = (ForceTerm){&operations, attachments};
    return JN_OK;
}
