/* process.h - what the daemon asks of the system before its first thread: memory, descriptors,
 * signals. */
#ifndef SHIKIRID_PROCESS_H
#define SHIKIRID_PROCESS_H

#include <signal.h>

/* ret_signals: those that end or reload the daemon, blocked here and in every later thread; who
 * serves waits for them. */
void shikirid_setup_process(sigset_t *ret_signals);

#endif
