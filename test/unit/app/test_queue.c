#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../src/app/queue.h"

static struct shk_queue queue;

static int set_up(void **state)
{
	(void)state;
	shk_queue_init(&queue);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	shk_queue_fini(&queue);
	return 0;
}

static struct shk_command *command(enum shk_command_kind kind)
{
	return shk_command_new(kind, NULL, NULL);
}

/* How many of a kind are taken before the queue is full. */
static size_t fill(enum shk_command_kind kind)
{
	size_t n = 0;

	for (;;) {
		struct shk_command *one = command(kind);

		if (shk_queue_put(&queue, one) != SHK_QUEUE_TAKEN) {
			shk_command_free(one);
			return n;
		}
		n++;
	}
}

static void facts_leave_room_for_callers(void **state)
{
	struct shk_command *reply = command(SHK_COMMAND_REPLY);
	struct shk_command *batch[2];
	bool over;

	(void)state;
	assert_int_equal(fill(SHK_COMMAND_FACTS), SHK_QUEUE_FACTS);
	assert_int_equal(fill(SHK_COMMAND_BIND), SHK_QUEUE_MAX - SHK_QUEUE_FACTS);
	shk_queue_reply(&queue, reply); /* always */
	assert_int_equal(shk_queue_take(&queue, batch, 2, 0, &over), 2);
	assert_false(over);
	assert_ptr_equal(batch[0], reply); /* replies first */
	assert_int_equal(batch[1]->kind, SHK_COMMAND_FACTS);
	shk_command_free(batch[0]);
	shk_command_free(batch[1]);
}

static void what_waits_is_taken_before_the_end(void **state)
{
	struct shk_command *batch[4];
	struct shk_command *late = command(SHK_COMMAND_BIND);
	bool over;

	(void)state;
	assert_int_equal(shk_queue_put(&queue, command(SHK_COMMAND_BIND)), SHK_QUEUE_TAKEN);
	shk_queue_stop(&queue);
	assert_int_equal(shk_queue_put(&queue, late), SHK_QUEUE_IS_STOPPING);
	shk_command_free(late);
	shk_queue_reply(&queue, command(SHK_COMMAND_REPLY));
	assert_int_equal(shk_queue_take(&queue, batch, 4, 0, &over), 2);
	assert_false(over);
	shk_command_free(batch[0]);
	shk_command_free(batch[1]);
	assert_int_equal(shk_queue_take(&queue, batch, 4, 1000, &over), 0);
	assert_true(over);
}

static void an_empty_queue_is_waited_for_and_no_longer(void **state)
{
	struct shk_command *batch[1];
	bool over;

	(void)state;
	assert_int_equal(shk_queue_take(&queue, batch, 1, 1, &over), 0);
	assert_false(over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(facts_leave_room_for_callers, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(what_waits_is_taken_before_the_end, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(an_empty_queue_is_waited_for_and_no_longer, set_up,
					    tear_down),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
