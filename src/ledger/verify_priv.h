/* verify_priv.h - a verification under way. */
#ifndef SHIKIRI_LEDGER_VERIFY_PRIV_H
#define SHIKIRI_LEDGER_VERIFY_PRIV_H

#include "ledger_priv.h"

enum shk_ledger_phase {
	SHK_PHASE_STORE,
	SHK_PHASE_CHAIN,
	SHK_PHASE_STATE,
	SHK_PHASE_SUMS,
	SHK_PHASE_DONE
};

struct shk_ledger_verify {
	struct shk_ledger *ledger; /* NULL once it was closed */
	struct shk_ledger_report report;
	enum shk_ledger_phase phase;
	bool full;    /* else as an open does it */
	bool recount; /* the sum is the new state hash */
	bool compare; /* rows with the journal's words about them */

	uint64_t next_seq;
	uint64_t target_seq; /* the chain's end when we began */
	uint8_t target_hash[SHK_SHA256_SIZE];
	bool has_prev;
	uint8_t prev[SHK_SHA256_SIZE]; /* hash of the row before next_seq */
	int64_t epoch;
	int64_t n_audit;
	int64_t n_policy;

	size_t table; /* rows up to keys of it, and all tables before it, are in the sum */
	struct shk_buf keys[SHK_STATE_KEYS];
	struct shk_buf from[SHK_STATE_KEYS]; /* where this slice began: bound while it runs */
	uint8_t sum[SHK_SHA256_SIZE];
	struct shk_ledger_tally tally;

	struct shk_arena row; /* of one row at a time */
	struct shk_buf bytes;
	struct shk_buf text;
};

/* Into the report: a sentence, or only the count once it is full. */
void shk_ledger_verify_finding(struct shk_ledger_verify *verify, const char *fmt, ...)
    SHK_PRINTF(2, 3);
/* Puts text into buf, in place of what is there. */
void shk_ledger_verify_text(struct shk_buf *buf, const char *text);
/* Begins with the first row of the first table. */
void shk_ledger_verify_tables(struct shk_ledger_verify *verify);

/* At most *budget rows, which becomes less. */
enum shk_status shk_ledger_verify_chain(struct shk_ledger_verify *verify, size_t *budget,
					struct shk_error *err) SHK_MUST_CHECK;
enum shk_status shk_ledger_verify_state(struct shk_ledger_verify *verify, size_t *budget,
					struct shk_error *err) SHK_MUST_CHECK;

#endif
