/* 64-bit FNV-1a, for receipts, resumes and checksums. */
#ifndef JN_BASE_HASH_H
#define JN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Mixes `size` bytes into *hash, which begins as HASH_START. */
void hash_mix(uint64_t *hash, const void *data, size_t size);

/* The same purpose for numbers in memory, a word at a time, so that it can be taken in every step: another hash, which
   is not to be kept in files that other machines read. */
void hash_mix_numbers(uint64_t *hash, const double *numbers, size_t count);

#endif
