/* tree.h - text into the JSON library's tree, under our limits. Private to wire.
 *
 * The tree is built by our own scanner, in one pass and without the members that are cut out.
 * The library's parser would be a second pass over the same bytes (90 us for a Pod of 7 KB), and
 * when the growth of its token buffer fails it writes past the buffer's end (2.14: lex_save
 * ignores what strbuffer_append_byte returns). Running out of memory inside the library is an
 * error here (SHK_E_LIMIT), never an abort. */
#ifndef SHIKIRI_WIRE_TREE_H
#define SHIKIRI_WIRE_TREE_H

#include <jansson.h>

#include "scanner.h"

/* Takes the scanner's next value. */
enum shk_status tree_build(struct scanner *s, json_t **ret_tree) SHK_MUST_CHECK;

/* The whole text. Members under cut keys are not in the tree. */
enum shk_status tree_parse_json(struct shk_sv text, const struct shk_scan_limits *limits,
				json_t **ret_tree, struct shk_error *err) SHK_MUST_CHECK;

/* The same without the members that the shape, and those of its objects and lists, don't know:
 * they are checked as all the text is, but nothing is built of them, which is most of the work for
 * a Pod. NULL keeps all. The shape is open and in one letter case. */
struct shape;
enum shk_status tree_parse_shape(struct shk_sv text, const struct shk_scan_limits *limits,
				 const struct shape *shape, json_t **ret_tree,
				 struct shk_error *err) SHK_MUST_CHECK;

/* The same as the only item of a list. */
enum shk_status tree_parse_json_list(struct shk_sv text, const struct shk_scan_limits *limits,
				     json_t **ret_list, struct shk_error *err) SHK_MUST_CHECK;

/* Each document of the stream is an item of the list. Empty documents (comments, a stray "---")
 * are left out. */
enum shk_status tree_parse_yaml(struct shk_sv text, json_t **ret_list,
				struct shk_error *err) SHK_MUST_CHECK;

/* JSON when it begins like an object or a list of JSON, else YAML. The limits are for JSON; YAML
 * has its own. A list of documents either way. */
bool tree_is_json(struct shk_sv text);
enum shk_status tree_parse_documents(struct shk_sv text, const struct shk_scan_limits *limits,
				     json_t **ret_list, struct shk_error *err) SHK_MUST_CHECK;

enum shk_status tree_no_memory(struct shk_error *err);

#endif
