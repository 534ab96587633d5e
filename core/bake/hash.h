/* 64-bit FNV-1a, for receipts, resumes and checksums. */
#ifndef JN_BAKE_HASH_H
#define JN_BAKE_HASH_H

#include "jounce.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Mixes `size` bytes into *hash, which begins as HASH_START. */
void hash_mix(uint64_t *hash, const void *data, size_t size);

/* Of all in a desc that decides the result. */
uint64_t hash_desc(const JnBakeDesc *desc);

#endif
