/* failpoint.h - places where a test kills the process, to see what is left.
 *
 * Built with -Dfailpoints=true, SHIKIRI_FAILPOINT=<name>[:<n>] in the environment kills the
 * process (SIGKILL) when it comes by the n-th time. Built without, a failpoint is nothing. */
#ifndef SHIKIRI_BASE_FAILPOINT_H
#define SHIKIRI_BASE_FAILPOINT_H

#ifdef SHK_FAILPOINTS
void shk_failpoint(const char *name);
#else
static inline void shk_failpoint(const char *name)
{
	(void)name;
}
#endif

#endif
