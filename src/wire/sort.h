/* sort.h - sorting node names: 5,000 of them in every filter call, in an order that changes.
 * Private to wire; pure. */
#ifndef SHIKIRI_WIRE_SORT_H
#define SHIKIRI_WIRE_SORT_H

#include <stddef.h>

#include "shikiri/base/arena.h"
#include "shikiri/base/str.h"

/* Sorts by byte order, as strcmp does, and drops repetitions; returns how many are left. No text
 * has a NUL byte in it. Scratch memory comes from arena. Several times as fast as qsort on names
 * with long common beginnings. */
size_t sort_texts(struct shk_sv *texts, size_t n, struct shk_arena *arena);

#endif
