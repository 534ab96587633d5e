/* Structs that the library fills for a caller whose header may be of another version. */
#ifndef JN_BASE_STRUCT_SIZE_H
#define JN_BASE_STRUCT_SIZE_H

#include "jounce.h"

/* Before a call fills *target, a struct that begins with its struct_size and has `given` bytes in the caller's header
   and `expected` in this library's. JN_ERR_ARGUMENT: target is NULL. JN_ERR_STRUCT_SIZE: the two differ; then
   struct_size is set to 0 if the caller's struct has room for it, so that every call refuses the struct, and nothing
   else is written. type: "JnBody", for the message. */
JnStatus struct_size_check(void *target, size_t given, size_t expected, const char *type, JnMessage *message);

#endif
