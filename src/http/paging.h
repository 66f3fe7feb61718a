/* paging.h - limit and continue of lists that are sorted by a name. */
#ifndef SHIKIRI_SRC_HTTP_PAGING_H
#define SHIKIRI_SRC_HTTP_PAGING_H

#include "exchange.h"
#include "shikiri/wire/json.h"

struct shk_page {
	size_t room;       /* items that may still be written */
	const char *after; /* names up to this one were in earlier pages; NULL: none were */
	const char *last;  /* written last */
	bool has_more;
};

/* Reads ?limit= and ?continue=. false: the reply is a problem. */
bool shk_page_begin(struct shk_exchange *x, struct shk_page *ret_page);
/* Is the item of that name part of the page? Asked once for each item, in order. */
bool shk_page_takes(struct shk_page *page, const char *name);
/* {"items":[ and ],"metadata":{"continue":""}} around the items. */
void shk_page_open(struct shk_exchange *x, struct shk_json *json);
void shk_page_close(struct shk_exchange *x, const struct shk_page *page, struct shk_json *json);

#endif
