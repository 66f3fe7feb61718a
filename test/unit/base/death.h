/* death.h - checks that a call ends the process, as exhausted memory and broken contracts do. */
#ifndef TEST_BASE_DEATH_H
#define TEST_BASE_DEATH_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers exit with a status of their own where plain builds abort; both count. The child's
 * stderr is closed to keep their reports out of the log. */
static bool dies(void (*run)(void))
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		(void)dup2(null, STDERR_FILENO);
		run();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

#endif
