/* memory.h - what was needed for a moment goes back to the system. */
#ifndef SHIKIRI_APP_MEMORY_H
#define SHIKIRI_APP_MEMORY_H

#include <stdlib.h> /* says which libc this is */

#ifdef __GLIBC__
#include <malloc.h>
#endif

static inline void shk_memory_trim(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0); /* whether that helps isn't our matter */
#endif
}

#endif
