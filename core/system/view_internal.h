/* Shared by the files of a view: view.c, and view_contact.c for what touches. */
#ifndef JN_SYSTEM_VIEW_INTERNAL_H
#define JN_SYSTEM_VIEW_INTERNAL_H

#include "system/view.h"

/* Whether the term is one of those that the view selects. */
bool view_term_acts(const View *view, uint32_t term);
StepScope view_scope(const View *view);
/* Adds the seconds since `since` to contact's or assembly's account. */
void view_account(System *system, uint32_t term, double since);
/* Adds the wanted results of one term; fills in moment, subset, reach and pool. */
JnStatus view_evaluate_term(View *view, uint32_t term, Evaluation evaluation, JnMessage *message);

/* Allocates the reach, if the view has contact. false: out of memory. */
bool view_prepare_reach(View *view);
/* Lets contact see the end of the step. */
void view_reach_end(View *view, Evaluation *evaluation);

#endif
