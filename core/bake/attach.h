/* The attachments of all bodies, for the system. */
#ifndef JN_BAKE_ATTACH_H
#define JN_BAKE_ATTACH_H

#include "bake/bake_internal.h"
#include "elastic/attachments.h"

typedef struct Attachments { /* owns its arrays */
    uint32_t count;
    Attachment *list;   /* [count] */
    uint32_t *vertices; /* [count * ATTACHMENT_VERTICES] to be coupled */
} Attachments;

/* Masses and first vertices must be known. Sets the bodies' carriers. On failure *attachments is all zero. */
JnStatus attachments_list(JnBake *bake, Attachments *attachments, JnMessage *message);
void attachments_free(Attachments *attachments); /* leaves it all zero */

#endif
