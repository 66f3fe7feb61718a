#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct refusal_row {
	const char *code;
	const char *sentence;
};

static const struct refusal_row refusals[SHK_BIND_REFUSAL_COUNT] = {
    [SHK_BIND_POD_UNKNOWN] = {"PodUnknown", "shikiri has not seen the pod"},
    [SHK_BIND_POD_GONE] = {"PodGone", "the pod has ended or is being deleted"},
    [SHK_BIND_UID_MISMATCH] = {"UidMismatch", "the pod of this name has another UID"},
    [SHK_BIND_POD_GATED] = {"PodGated", "the pod has scheduling gates"},
    [SHK_BIND_ALREADY_BOUND] = {"AlreadyBound", "the pod is bound to another node"},
    [SHK_BIND_LEDGER_UNAVAILABLE] = {"LedgerUnavailable", "the ledger can't be written now"},
    [SHK_BIND_ADVISE_ONLY] = {"AdviseOnly", "shikiri only advises here and binds nothing"},
    [SHK_BIND_IN_PROGRESS] = {"BindInProgress", "the pod is being bound to another node"},
    [SHK_BIND_API_REFUSED] = {"ApiRefused", "the API server refused the Binding"},
    [SHK_BIND_API_UNCERTAIN] = {"ApiUncertain", "the API server's answer is outstanding"},
};

struct shk_command *shk_command_new(enum shk_command_kind kind, const struct shk_caller *caller,
				    struct shk_answer *answer)
{
	struct shk_command *command = calloc(1, sizeof *command);

	if (!command)
		abort();
	shk_arena_init(&command->arena, 1024);
	command->kind = kind;
	command->answer = answer;
	if (!caller)
		return command;
	command->caller.actor = shk_arena_strdup(&command->arena, caller->actor);
	command->caller.source = shk_arena_strdup(&command->arena, caller->source);
	command->caller.request_id = shk_arena_strdup(&command->arena, caller->request_id);
	return command;
}

void shk_command_free(struct shk_command *command)
{
	if (!command)
		return;
	if (command->kind == SHK_COMMAND_FACTS)
		shk_facts_free(command->facts);
	shk_buf_fini(&command->result.body);
	shk_arena_fini(&command->arena);
	free(command);
}

void shk_command_reset(struct shk_command *command)
{
	shk_buf_fini(&command->result.body);
	command->result = (struct shk_answer){.status = SHK_OK};
	command->changed = false;
	command->waits = false;
	command->reason = SHK_UNDECIDED;
	command->code = NULL;
}

void shk_command_answer(struct shk_command *command)
{
	struct shk_answer *answer = command->answer;

	if (answer) {
		answer->status = command->result.status;
		answer->error = command->result.error;
		answer->body = command->result.body;
		answer->created = command->result.created;
		command->result.body = (struct shk_buf){0};
	}
	shk_command_free(command);
	if (answer)
		answer->done(answer);
}

void shk_command_answer_all(struct shk_command *list)
{
	while (list) {
		struct shk_command *next = list->next;

		shk_command_answer(list);
		list = next;
	}
}

bool shk_command_is_news(const struct shk_command *command)
{
	return command->kind == SHK_COMMAND_FACTS || command->kind == SHK_COMMAND_REPLY ||
	       command->kind == SHK_COMMAND_TICK;
}

void shk_command_fail(struct shk_command *command, enum shk_status status, const char *fmt, ...)
{
	char text[sizeof command->result.error.text];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args); /* cut where it is longer */
	va_end(args);
	shk_buf_clear(&command->result.body);
	command->result.status = shk_error_set(&command->result.error, status, "%s", text);
}

const char *shk_bind_refusal_code(enum shk_bind_refusal refusal)
{
	return refusals[refusal].code;
}

const char *shk_bind_refusal_sentence(enum shk_bind_refusal refusal)
{
	return refusals[refusal].sentence;
}

void shk_command_refuse_bind(struct shk_command *command, enum shk_bind_refusal refusal)
{
	shk_buf_clear(&command->result.body);
	shk_buf_printf(&command->result.body, "%s: %s", refusals[refusal].code,
		       refusals[refusal].sentence);
	command->code = refusals[refusal].code;
}

void shk_command_end_bind(struct shk_command *command, const char *text, const char *code,
			  enum shk_reason reason)
{
	shk_buf_clear(&command->result.body);
	shk_buf_puts(&command->result.body, text);
	command->code = code;
	command->reason = reason;
}
