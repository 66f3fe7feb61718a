#include "jobs.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "shikiri/wire/json.h"

#define MOST_JOBS    ((size_t)16)
#define VERIFY_ROWS  ((size_t)200)
#define BACKUP_PAGES 64

struct shk_job {
	struct shk_job *next;
	struct shk_command *command;
	struct shk_ledger_verify *verify;
	struct shk_ledger_backup *backup;
};

void shk_jobs_add(struct shk_jobs *jobs, struct shk_command *command)
{
	struct shk_job **end = &jobs->first;
	struct shk_job *job;

	if (jobs->n >= MOST_JOBS) {
		shk_command_fail(command, SHK_E_UNAVAILABLE, "busy: too many such jobs wait");
		shk_command_answer(command);
		return;
	}
	job = calloc(1, sizeof *job);
	if (!job)
		abort();
	job->command = command;
	while (*end)
		end = &(*end)->next;
	*end = job;
	jobs->n++;
}

static void finish_first(struct shk_jobs *jobs)
{
	struct shk_job *job = jobs->first;

	jobs->first = job->next;
	jobs->n--;
	shk_ledger_verify_free(job->verify);
	shk_ledger_backup_free(job->backup);
	shk_command_answer(job->command);
	free(job);
}

void shk_jobs_cancel(struct shk_jobs *jobs, const char *cause)
{
	while (jobs->first) {
		shk_command_fail(jobs->first->command, SHK_E_UNAVAILABLE, "%s", cause);
		finish_first(jobs);
	}
}

static void write_report(const struct shk_ledger_report *report, struct shk_buf *out)
{
	size_t kept = sizeof report->findings / sizeof report->findings[0];
	struct shk_json json;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_bool(&json, "sound", report->n_findings == 0);
	shk_json_array(&json, "findings");
	for (size_t i = 0; i < report->n_findings && i < kept; i++)
		shk_json_string(&json, NULL, report->findings[i]);
	shk_json_array_end(&json);
	shk_json_int(&json, "rows", (int64_t)report->rows);
	shk_json_int(&json, "firstSeq", (int64_t)report->first_seq);
	shk_json_int(&json, "lastSeq", (int64_t)report->last_seq);
	shk_json_int(&json, "allocations", (int64_t)report->allocations);
	shk_json_object_end(&json);
}

static void write_backup(const char *path, struct shk_buf *out)
{
	struct shk_json json;
	struct stat info;

	shk_json_begin(&json, out);
	shk_json_object(&json, NULL);
	shk_json_string(&json, "path", path);
	shk_json_int(&json, "bytes", stat(path, &info) == 0 ? (int64_t)info.st_size : 0);
	shk_json_object_end(&json);
}

static enum shk_status verify_slice(struct shk_job *job, struct shk_ledger *ledger, bool *ret_done,
				    struct shk_error *err)
{
	enum shk_status status;

	if (!job->verify)
		job->verify = shk_ledger_verify_new(ledger);
	status = shk_ledger_verify_step(job->verify, VERIFY_ROWS, ret_done, err);
	if (!status && *ret_done)
		write_report(shk_ledger_verify_report(job->verify), &job->command->result.body);
	return status;
}

static enum shk_status backup_slice(struct shk_job *job, struct shk_ledger *ledger, bool *ret_done,
				    struct shk_error *err)
{
	enum shk_status status = SHK_OK;

	if (!job->backup)
		status = shk_ledger_backup_new(ledger, job->command->path, &job->backup, err);
	if (!status)
		status = shk_ledger_backup_step(job->backup, BACKUP_PAGES, ret_done, err);
	if (!status && *ret_done)
		write_backup(job->command->path, &job->command->result.body);
	return status;
}

void shk_jobs_step(struct shk_jobs *jobs, struct shk_ledger *ledger)
{
	struct shk_job *job = jobs->first;
	struct shk_error err;
	enum shk_status status;
	bool done = false;

	if (!job)
		return;
	if (job->command->kind == SHK_COMMAND_VERIFY)
		status = verify_slice(job, ledger, &done, &err);
	else
		status = backup_slice(job, ledger, &done, &err);
	if (status) {
		job->command->result.status = status;
		job->command->result.error = err;
	}
	if (status || done)
		finish_first(jobs);
}
