#include "doctor.h"

#include "shikiri/base/clock.h"

#include "certificate.h"
#include "client.h"

/* A list or object of the admin API; NULL when it can't be had, which has been told. */
static const struct shk_value *get(struct cli *cli, const char *path)
{
	const struct shk_value *answer = NULL;

	return cli_get(cli, path, &answer) == CLI_OK ? answer : NULL;
}

static const struct shk_value *get_list(struct cli *cli, const char *path)
{
	const struct shk_value *list = NULL;

	return cli_get_list(cli, path, &list) == CLI_OK && shk_value_get(list, "items") ? list
											: NULL;
}

/* The text of any answer, 503 included, in the arena. */
static enum cli_exit get_text(struct cli *cli, const char *path, long *ret_status,
			      struct shk_sv *ret_text)
{
	const struct cli_call call = {.method = "GET", .path = path};
	struct cli_reply reply = {0};
	enum cli_exit exit = cli_exchange(cli, &call, &reply);

	*ret_status = reply.status;
	*ret_text = (struct shk_sv){
	    shk_arena_strndup(&cli->arena, reply.body.data ? reply.body.data : "", reply.body.len),
	    reply.body.len};
	shk_buf_fini(&reply.body);
	return exit;
}

static enum cli_exit gather_health(struct doctor *doctor)
{
	struct shk_sv text = {0};
	long status = 0;
	enum cli_exit exit = get_text(doctor->cli, "/readyz?verbose", &status, &text);

	doctor->facts.is_reached = exit == CLI_OK;
	if (status != 200 && status != 503)
		return exit;
	doctor->facts.ready_text = text.data;
	doctor->facts.is_ready = status == 200;
	return exit;
}

static void gather_metrics(struct doctor *doctor)
{
	struct cli_scrape *scrape = SHK_NEW(&doctor->cli->arena, struct cli_scrape);
	struct shk_sv text = {0};
	long status = 0;

	if (get_text(doctor->cli, "/metrics", &status, &text) != CLI_OK || status != 200)
		return;
	cli_scrape_read(&doctor->cli->arena, text, scrape);
	doctor->facts.metrics = scrape;
}

static void gather_lists(struct doctor *doctor)
{
	struct doctor_facts *facts = &doctor->facts;
	struct cli *cli = doctor->cli;

	facts->nodes = get_list(cli, CLI_API "/nodes");
	facts->quotas = get_list(cli, CLI_API "/quotas");
	facts->foreign = get_list(cli, CLI_API "/allocations?state=foreign");
	facts->verify = get(cli, CLI_API "/ledger/verify");
	facts->policy = get(cli, CLI_API "/policy");
}

/* The first document of a KubeSchedulerConfiguration's file. */
static enum cli_exit read_config(struct doctor *doctor)
{
	const char *path = cli_value(doctor->cli, "scheduler-config");
	struct shk_buf text = {0};
	struct shk_value *documents = NULL;
	struct shk_error err = {0};

	if (!path)
		return CLI_OK;

	enum cli_exit exit = cli_read_file(path, &text);

	if (exit == CLI_OK && shk_value_parse_yaml((struct shk_sv){text.data, text.len}, &documents,
						   &err) != SHK_OK) {
		(void)shk_error_wrap(&err, "%s", path);
		exit = cli_fail(&err);
	}
	shk_buf_fini(&text);
	if (exit != CLI_OK)
		return exit;
	doctor->facts.config = shk_value_at(cli_keep(doctor->cli, documents), 0);
	if (doctor->facts.config)
		return CLI_OK;
	cli_say("error: %s: empty", path);
	return CLI_DATA;
}

static enum cli_exit read_certificates(struct doctor *doctor)
{
	static const char *const flags[DOCTOR_MAX_CERTIFICATES] = {"cert", "ca"};
	struct doctor_facts *facts = &doctor->facts;

	for (size_t i = 0; i < DOCTOR_MAX_CERTIFICATES; i++) {
		struct doctor_certificate *certificate =
		    &facts->certificates[facts->n_certificates];
		const char *path = cli_value(doctor->cli, flags[i]);
		enum cli_exit exit = CLI_OK;

		if (!path)
			continue;
		*certificate = (struct doctor_certificate){.flag = flags[i], .path = path};
		exit = cli_certificate_end(path, &certificate->end_s);
		if (exit != CLI_OK)
			return exit;
		facts->n_certificates++;
	}
	return CLI_OK;
}

enum cli_exit doctor_gather(struct doctor *doctor, enum cli_exit *ret_call)
{
	enum cli_exit exit = read_config(doctor);

	if (exit == CLI_OK)
		exit = read_certificates(doctor);
	if (exit != CLI_OK)
		return exit;
	doctor->facts.now_s = shk_clock_wall_s();
	doctor_find_extender(doctor);
	*ret_call = gather_health(doctor);
	if (!doctor->facts.is_reached)
		return CLI_OK;
	gather_metrics(doctor);
	gather_lists(doctor);
	return CLI_OK;
}
