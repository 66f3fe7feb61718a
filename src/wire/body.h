/* body.h - walking the body of an extender request. Private to wire.
 *
 * The walk is the scanner's own, so node names are read without a tree; only what a decision
 * needs becomes one: the Pod, and full nodes one by one. */
#ifndef SHIKIRI_WIRE_BODY_H
#define SHIKIRI_WIRE_BODY_H

#include "fields.h"
#include "tree.h"

#define LONGEST_NODE_NAME 253

struct texts {
	struct shk_sv *items;
	size_t n;
	size_t cap;
};

struct body {
	struct shk_arena *arena;
	struct shk_error *err;
	struct scanner s;
	json_t *pod;          /* NULL: not there; so the next two */
	json_t *victims;      /* NodeNameToVictims */
	json_t *meta_victims; /* NodeNameToMetaVictims */
	bool has_names;       /* NodeNames isn't null */
	bool has_nodes;       /* Nodes isn't null */
	struct texts names;
	struct texts nodes;
};

/* The value of one key, which isn't null. */
typedef enum shk_status part_reader(struct body *body);

struct part {
	const char *key;
	part_reader *read;
};

void texts_push(struct texts *texts, struct shk_sv text);

/* A zeroed body with arena and err is one that hasn't been walked yet. */
void body_fini(struct body *body);
/* Calls the reader of each part that is there and isn't null. Keys are matched in any letter case;
 * others are skipped. */
enum shk_status body_walk(struct body *body, struct shk_sv text, const struct part *parts,
			  size_t n) SHK_MUST_CHECK;
/* Takes an object as a tree. key is for the error. */
enum shk_status body_take_object(struct body *body, const char *key,
				 json_t **ret_tree) SHK_MUST_CHECK;

/* The Pod, which every verb but bind brings. */
part_reader body_read_pod;
enum shk_status body_decode_pod(struct body *body, struct shk_pod *ret_pod) SHK_MUST_CHECK;

#endif
