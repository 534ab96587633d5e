/* Springs of rest length 0 between a vertex of one body and a point that is embedded in another: what holds a hat on a
   head. Their forces sum to 0 and act along the line between the two, so momentum and angular momentum stay. */
#ifndef JN_ELASTIC_ATTACHMENTS_H
#define JN_ELASTIC_ATTACHMENTS_H

#include "elastic/force_term.h"

enum { ATTACHMENT_VERTICES = 5 };

typedef struct Attachment {
    uint32_t vertices[ATTACHMENT_VERTICES]; /* of the system: the one that is attached, and those of the other body */
    double weights[ATTACHMENT_VERTICES];    /* 1, and minus those of the point: their sum is 0 */
    double stiffness;                       /* N/m */
} Attachment;

/* Copies the attachments. Their vertices must be coupled in the pattern of every matrix. */
JnStatus attachments_create(const Attachment *attachments, uint32_t count, ForceTerm *term, JnMessage *message);

#endif
