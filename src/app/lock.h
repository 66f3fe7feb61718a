/* lock.h - a mutex that can't fail but by our own mistake, and then aborts. */
#ifndef SHIKIRI_APP_LOCK_H
#define SHIKIRI_APP_LOCK_H

#include <pthread.h>
#include <stdlib.h>

static inline void shk_lock(pthread_mutex_t *mutex)
{
	if (pthread_mutex_lock(mutex) != 0)
		abort();
}

static inline void shk_unlock(pthread_mutex_t *mutex)
{
	if (pthread_mutex_unlock(mutex) != 0)
		abort();
}

#endif
