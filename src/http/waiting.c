#include "waiting.h"

#include <pthread.h>
#include <stdlib.h>

#include <microhttpd.h>

struct shk_gate {
	pthread_mutex_t lock; /* guards everything here and in the waitings; held for moments */
	unsigned holders;     /* the edge, and each waiting */
	bool is_closed;
	struct shk_waiting *head; /* connections that are suspended */
};

struct shk_waiting {
	struct shk_answer answer; /* the service's until is_answered, then the exchange's */
	struct shk_gate *gate;
	struct MHD_Connection *connection;
	struct shk_waiting *prev;
	struct shk_waiting *next;
	unsigned holders;
	bool is_answered;
	bool is_resumed;
};

static void lock(struct shk_gate *gate)
{
	(void)pthread_mutex_lock(&gate->lock);
}

static void unlock(struct shk_gate *gate)
{
	(void)pthread_mutex_unlock(&gate->lock);
}

struct shk_gate *shk_gate_new(void)
{
	struct shk_gate *gate = calloc(1, sizeof *gate);

	if (!gate || pthread_mutex_init(&gate->lock, NULL) != 0)
		abort();
	gate->holders = 1;
	return gate;
}

void shk_gate_unref(struct shk_gate *gate)
{
	unsigned holders;

	if (!gate)
		return;
	lock(gate);
	holders = --gate->holders;
	unlock(gate);
	if (holders > 0)
		return;
	(void)pthread_mutex_destroy(&gate->lock);
	free(gate);
}

/* Under the lock: the connection exists as long as it is suspended. */
static void resume(struct shk_waiting *waiting)
{
	struct shk_gate *gate = waiting->gate;

	if (waiting->is_resumed)
		return;
	waiting->is_resumed = true;
	if (waiting->prev)
		waiting->prev->next = waiting->next;
	else
		gate->head = waiting->next;
	if (waiting->next)
		waiting->next->prev = waiting->prev;
	MHD_resume_connection(waiting->connection);
}

void shk_gate_close(struct shk_gate *gate)
{
	lock(gate);
	gate->is_closed = true;
	while (gate->head)
		resume(gate->head);
	unlock(gate);
}

/* Returns whether this was the last holder; the gate is released by the caller then. */
static bool drop_holder(struct shk_waiting *waiting)
{
	return --waiting->holders == 0;
}

static void waiting_free(struct shk_waiting *waiting)
{
	struct shk_gate *gate = waiting->gate;

	shk_buf_fini(&waiting->answer.body);
	free(waiting);
	shk_gate_unref(gate);
}

static void answered(struct shk_answer *answer)
{
	struct shk_waiting *waiting = answer->context;
	struct shk_gate *gate = waiting->gate;
	bool is_last;

	lock(gate);
	waiting->is_answered = true;
	resume(waiting);
	is_last = drop_holder(waiting);
	unlock(gate);
	if (is_last)
		waiting_free(waiting);
}

struct shk_waiting *shk_gate_wait(struct shk_gate *gate, struct MHD_Connection *connection)
{
	struct shk_waiting *waiting = calloc(1, sizeof *waiting);

	if (!waiting)
		abort();
	waiting->answer.done = answered;
	waiting->answer.context = waiting;
	waiting->gate = gate;
	waiting->connection = connection;
	waiting->holders = 2;

	lock(gate);
	if (gate->is_closed) {
		unlock(gate);
		free(waiting);
		return NULL;
	}
	MHD_suspend_connection(connection);
	gate->holders++;
	waiting->next = gate->head;
	if (gate->head)
		gate->head->prev = waiting;
	gate->head = waiting;
	unlock(gate);
	return waiting;
}

struct shk_answer *shk_waiting_answer(struct shk_waiting *waiting)
{
	return &waiting->answer;
}

struct shk_answer *shk_waiting_collect(struct shk_waiting *waiting)
{
	bool is_answered;

	lock(waiting->gate);
	is_answered = waiting->is_answered;
	unlock(waiting->gate);
	return is_answered ? &waiting->answer : NULL;
}

void shk_waiting_unref(struct shk_waiting *waiting)
{
	bool is_last;

	if (!waiting)
		return;
	lock(waiting->gate);
	is_last = drop_holder(waiting);
	unlock(waiting->gate);
	if (is_last)
		waiting_free(waiting);
}
