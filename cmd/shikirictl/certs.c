#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pki.h"
#include "shikiri/base/clock.h"
#include "verbs.h"

#define DAY_S        ((int64_t)86400)
#define CA_DAYS      3650
#define DEFAULT_DAYS 365
#define SKEW_S       300 /* by which the other side's clock may be late */
#define LONGEST_NAME 64  /* of a common name, by its standard */
#define LONGEST_HOST 253
#define CLIENT_NAME  "system:kube-scheduler"

static const struct cli_option options[] = {
    {"dir", 0, "DIR", "where the files are made"},
    {"host", 0, "NAME|IP", "what clients call the daemon by (repeatable)"},
    {"client-name", 0, "NAME", "common name of the client (" CLIENT_NAME ")"},
    {"days", 0, "N", "how long the two pairs are good for (365)"},
    {"renew", 0, NULL, "make both pairs anew, with the CA that is there"},
};

struct job {
	struct cli *cli;
	const char *dir; /* absolute */
	const char *client_name;
	const char **hosts;
	size_t n_hosts;
	int64_t now_s;
	int64_t until_s;
	bool renews;
};

static const char *path_in(const struct job *job, const char *name, const char *ending)
{
	return shk_arena_printf(&job->cli->arena, "%s/%s%s", job->dir, name, ending);
}

/* --- what was asked for --- */

static bool is_host(const char *host)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-.";
	struct in6_addr six;

	if (inet_pton(AF_INET6, host, &six) == 1)
		return true;
	return strlen(host) <= LONGEST_HOST && host[strspn(host, letters)] == '\0' &&
	       host[0] != '.' && host[0] != '-';
}

static enum cli_exit read_hosts(struct job *job)
{
	job->hosts = cli_values(job->cli, "host", &job->n_hosts);
	if (job->n_hosts == 0)
		return cli_usage("certs needs --host NAME|IP: what clients call the daemon by");
	for (size_t i = 0; i < job->n_hosts; i++) {
		if (!is_host(job->hosts[i]))
			return cli_usage("--host is a DNS name or an address, not \"%s\"",
					 job->hosts[i]);
	}
	return CLI_OK;
}

static bool is_plain(const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == '\'' || *text == 0x7f)
			return false;
	}
	return true;
}

static enum cli_exit read_client_name(struct job *job)
{
	const char *name = cli_value(job->cli, "client-name");

	job->client_name = name ? name : CLIENT_NAME;
	if (strlen(job->client_name) > LONGEST_NAME || !is_plain(job->client_name))
		return cli_usage("--client-name has at most %d bytes, and no quotes", LONGEST_NAME);
	return CLI_OK;
}

static enum cli_exit read_days(struct job *job)
{
	const char *text = cli_value(job->cli, "days");
	char *end = NULL;
	long days = text ? strtol(text, &end, 10) : DEFAULT_DAYS;

	if (text && (*end != '\0' || days < 1 || days > CA_DAYS))
		return cli_usage("--days is a number from 1 to %d, not \"%s\"", CA_DAYS, text);
	job->until_s = job->now_s + days * DAY_S;
	return CLI_OK;
}

static enum cli_exit system_failed(const char *path)
{
	int code = errno;

	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	cli_say("error: %s: %s", path, strerror(code));
	return code == EEXIST ? CLI_CONFLICT : CLI_FAILURE;
}

/* Made when it isn't there; absolute, as the scheduler reads the paths from elsewhere. */
static enum cli_exit open_dir(struct job *job)
{
	const char *dir = cli_value(job->cli, "dir");
	char here[PATH_MAX];

	if (!dir)
		return cli_usage("certs needs --dir DIR");
	if (!getcwd(here, sizeof here))
		return system_failed(".");
	job->dir = dir[0] == '/' ? dir : shk_arena_printf(&job->cli->arena, "%s/%s", here, dir);
	if (!is_plain(job->dir))
		return cli_usage("--dir: a path without quotes, please");
	return mkdir(dir, 0700) == 0 || errno == EEXIST ? CLI_OK : system_failed(dir);
}

static enum cli_exit read_options(struct job *job)
{
	enum cli_exit exit = CLI_OK;

	if (job->cli->n_words > 0)
		return cli_usage("certs takes no argument \"%s\"", job->cli->words[0]);
	job->now_s = shk_clock_wall_s();
	job->renews = cli_has(job->cli, "renew");
	exit = read_hosts(job);
	if (exit == CLI_OK)
		exit = read_client_name(job);
	if (exit == CLI_OK)
		exit = read_days(job);
	return exit == CLI_OK ? open_dir(job) : exit;
}

/* --- files --- */

static bool write_all(int fd, const gnutls_datum_t *text)
{
	for (size_t done = 0; done < text->size;) {
		ssize_t n = write(fd, text->data + done, text->size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool write_new(const char *path, mode_t mode, const gnutls_datum_t *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	bool is_written;

	if (fd < 0)
		return false;
	is_written = fchmod(fd, mode) == 0 && write_all(fd, text) && fsync(fd) == 0;
	return close(fd) == 0 && is_written;
}

/* There as a whole or not at all. A link takes no place that is taken, a rename does. */
static enum cli_exit save(const struct job *job, const char *path, mode_t mode,
			  const gnutls_datum_t *text)
{
	const char *part = shk_arena_printf(&job->cli->arena, "%s.part", path);
	enum cli_exit exit = CLI_OK;
	bool is_placed;

	(void)unlink(part); /* of a run that was killed; usually there is none */
	if (!write_new(part, mode, text)) {
		exit = system_failed(part);
		(void)unlink(part);
		return exit;
	}
	is_placed = job->renews ? rename(part, path) == 0 : link(part, path) == 0;
	if (!is_placed)
		exit = system_failed(path);
	(void)unlink(part); /* renamed: gone already */
	return exit;
}

static enum cli_exit failed(const char *what, int error)
{
	cli_say("error: %s: %s", what, gnutls_strerror(error));
	return CLI_FAILURE;
}

static void tell(const struct job *job, const char *verb, const char *name,
		 const struct pki_pair *pair)
{
	time_t end = (time_t)pki_expiry_s(pair);
	char date[16] = "";
	struct tm parts;

	if (gmtime_r(&end, &parts))
		(void)strftime(date, sizeof date, "%Y-%m-%d", &parts);
	shk_buf_printf(&job->cli->out, "%s %s/%s.crt and %s.key, until %s\n", verb, job->dir, name,
		       name, date);
}

/* The key first: a certificate that is there has its key. */
static enum cli_exit save_pair(const struct job *job, const char *name, const struct pki_pair *pair)
{
	gnutls_datum_t certificate = {0};
	gnutls_datum_t key = {0};
	int error = pki_print(pair, &certificate, &key);
	enum cli_exit exit;

	if (error)
		return failed(name, error);
	exit = save(job, path_in(job, name, ".key"), 0600, &key);
	if (exit == CLI_OK)
		exit = save(job, path_in(job, name, ".crt"), 0644, &certificate);
	gnutls_memset(key.data, 0, key.size);
	gnutls_free(key.data);
	gnutls_free(certificate.data);
	if (exit == CLI_OK)
		tell(job, "made", name, pair);
	return exit;
}

/* --- the CA --- */

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

static enum cli_exit parse_ca(const struct job *job, const struct shk_buf *certificate,
			      const struct shk_buf *key, struct pki_pair *ret_ca)
{
	const gnutls_datum_t texts[2] = {
	    {(unsigned char *)certificate->data, (unsigned)certificate->len},
	    {(unsigned char *)key->data, (unsigned)key->len},
	};
	int error = pki_read(&texts[0], &texts[1], ret_ca);

	if (error) {
		cli_say("error: %s: no CA with its key: %s", path_in(job, "ca", ".crt"),
			gnutls_strerror(error));
		return CLI_DATA;
	}
	if (gnutls_x509_crt_get_ca_status(ret_ca->certificate, NULL) > 0 &&
	    pki_expiry_s(ret_ca) > job->now_s)
		return CLI_OK;
	cli_say("error: %s: is no CA, or has expired", path_in(job, "ca", ".crt"));
	pki_pair_fini(ret_ca);
	return CLI_DATA;
}

static enum cli_exit read_ca(const struct job *job, struct pki_pair *ret_ca)
{
	struct shk_buf certificate = {0};
	struct shk_buf key = {0};
	enum cli_exit exit = cli_read_file(path_in(job, "ca", ".crt"), &certificate);

	if (exit == CLI_OK)
		exit = cli_read_file(path_in(job, "ca", ".key"), &key);
	if (exit == CLI_OK)
		exit = parse_ca(job, &certificate, &key, ret_ca);
	if (key.data)
		gnutls_memset(key.data, 0, key.len);
	shk_buf_fini(&certificate);
	shk_buf_fini(&key);
	if (exit == CLI_OK)
		tell(job, "kept", "ca", ret_ca);
	return exit;
}

/* Two CAs differ in their names too: else a client might take the one for the other. */
static enum cli_exit make_ca(const struct job *job, struct pki_pair *ret_ca)
{
	struct pki_wish wish = {
	    .use = PKI_CA,
	    .from_s = job->now_s - SKEW_S,
	    .until_s = job->now_s + CA_DAYS * DAY_S,
	};
	uint32_t random = 0;
	enum cli_exit exit;
	int error;

	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		abort(); /* such a small read neither blocks nor fails after boot */
	wish.common_name = shk_arena_printf(&job->cli->arena, "shikiri CA %08" PRIx32, random);
	error = pki_make(&wish, NULL, ret_ca);
	if (error)
		return failed("ca", error);
	exit = save_pair(job, "ca", ret_ca);
	if (exit != CLI_OK)
		pki_pair_fini(ret_ca);
	return exit;
}

static enum cli_exit get_ca(const struct job *job, struct pki_pair *ret_ca)
{
	bool is_there = exists(path_in(job, "ca", ".crt")) || exists(path_in(job, "ca", ".key"));

	return is_there || job->renews ? read_ca(job, ret_ca) : make_ca(job, ret_ca);
}

/* --- the pairs --- */

static enum cli_exit refuse_to_overwrite(const struct job *job)
{
	static const char *const names[] = {"tls", "client"};

	for (size_t i = 0; i < 2; i++) {
		if (!exists(path_in(job, names[i], ".crt")) &&
		    !exists(path_in(job, names[i], ".key")))
			continue;
		cli_say("error: %s: there already", path_in(job, names[i], ".crt"));
		cli_say("next: --renew makes both pairs anew and keeps the CA");
		return CLI_CONFLICT;
	}
	return CLI_OK;
}

static enum cli_exit make_pair(const struct job *job, const char *name, struct pki_wish wish,
			       const struct pki_pair *ca)
{
	int64_t ca_until_s = pki_expiry_s(ca);
	struct pki_pair pair;
	enum cli_exit exit;
	int error;

	wish.from_s = job->now_s - SKEW_S;
	wish.until_s = job->until_s < ca_until_s ? job->until_s : ca_until_s;
	error = pki_make(&wish, ca, &pair);
	if (error)
		return failed(name, error);
	exit = save_pair(job, name, &pair);
	pki_pair_fini(&pair);
	return exit;
}

static enum cli_exit make_pairs(const struct job *job, const struct pki_pair *ca)
{
	const struct pki_wish server = {
	    .use = PKI_SERVER,
	    .common_name = "shikirid",
	    .hosts = job->hosts,
	    .n_hosts = job->n_hosts,
	};
	const struct pki_wish client = {.use = PKI_CLIENT, .common_name = job->client_name};
	enum cli_exit exit = make_pair(job, "tls", server, ca);

	return exit == CLI_OK ? make_pair(job, "client", client, ca) : exit;
}

/* In quotes that the shell and YAML read alike; see is_plain. */
static void tell_next(const struct job *job)
{
	assert(job->n_hosts > 0 && job->hosts);

	const char *dir = job->dir;
	const char *host = job->hosts[0];
	bool is_six = strchr(host, ':') != NULL;

	shk_buf_printf(&job->cli->out,
		       "\nThe daemon (it reads renewed files by itself):\n\n"
		       "  shikirid --tls-cert '%s/tls.crt' --tls-key '%s/tls.key' \\\n"
		       "    --client-ca '%s/ca.crt' --client-name '%s'\n",
		       dir, dir, dir, job->client_name);
	shk_buf_printf(&job->cli->out,
		       "\nThe scheduler's configuration, with the files where it can read them:\n\n"
		       "  extenders:\n"
		       "  - urlPrefix: https://%s%s%s:8443/scheduler/v1\n"
		       "    tlsConfig:\n"
		       "      caFile: '%s/ca.crt'\n"
		       "      certFile: '%s/client.crt'\n"
		       "      keyFile: '%s/client.key'\n\n"
		       "Neither needs ca.key: keep it apart.\n",
		       is_six ? "[" : "", host, is_six ? "]" : "", dir, dir, dir);
}

static enum cli_exit run(struct cli *cli)
{
	struct job job = {.cli = cli};
	struct pki_pair ca = {0};
	enum cli_exit exit = read_options(&job);

	if (exit == CLI_OK && !job.renews)
		exit = refuse_to_overwrite(&job);
	if (exit == CLI_OK)
		exit = get_ca(&job, &ca);
	if (exit == CLI_OK)
		exit = make_pairs(&job, &ca);
	pki_pair_fini(&ca);
	if (exit == CLI_OK)
		tell_next(&job);
	return exit;
}

const struct cli_verb cli_verb_certs = {
    .name = "certs",
    .arguments = "--dir DIR --host NAME|IP... [--client-name NAME] [--days N] [--renew]",
    .summary = "make a CA, a serving and a client pair for trying TLS",
    .more = "Makes ca, tls and client, each as .crt and .key, and says what to give to shikirid "
	    "and to the scheduler. What is there is never overwritten: a CA is used again, "
	    "and --renew replaces the two pairs that it signs.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .formats = CLI_TABLE,
    .run = run,
};
