/* rowhash.c - rows as canonical bytes, and sums of their digests. */
#include "ledger_priv.h"

#include <assert.h>
#include <string.h>

static void add_tagged(struct shk_buf *row, char tag, uint64_t number)
{
	char bytes[9] = {tag};

	for (int i = 8; i > 0; i--) {
		bytes[i] = (char)(unsigned char)(number & 0xff);
		number >>= 8;
	}
	shk_buf_add(row, bytes, sizeof(bytes));
}

void shk_ledger_row_int(struct shk_buf *row, int64_t number)
{
	add_tagged(row, 'i', (uint64_t)number);
}

void shk_ledger_row_blob(struct shk_buf *row, const void *data, size_t len)
{
	add_tagged(row, 'b', len);
	shk_buf_add(row, data, len);
}

void shk_ledger_row_null(struct shk_buf *row)
{
	add_tagged(row, 'n', 0);
}

static void row_text(struct shk_buf *row, const char *text, size_t len)
{
	add_tagged(row, 't', len);
	shk_buf_add(row, text, len);
}

void shk_ledger_row_text(struct shk_buf *row, const char *text)
{
	row_text(row, text, strlen(text));
}

/* Columns are asked for text before their length: the other way round counts another form. */
void shk_ledger_row_columns(struct shk_buf *row, sqlite3_stmt *stmt, int n)
{
	for (int i = 0; i < n; i++) {
		const void *data;

		switch (sqlite3_column_type(stmt, i)) {
		case SQLITE_INTEGER:
			shk_ledger_row_int(row, sqlite3_column_int64(stmt, i));
			break;
		case SQLITE_TEXT:
			data = shk_ledger_sql_column(stmt, i);
			row_text(row, data, (size_t)sqlite3_column_bytes(stmt, i));
			break;
		case SQLITE_BLOB:
			data = sqlite3_column_blob(stmt, i);
			shk_ledger_row_blob(row, data, (size_t)sqlite3_column_bytes(stmt, i));
			break;
		default: /* NULL; STRICT tables of ours hold no reals */
			shk_ledger_row_null(row);
			break;
		}
	}
}

void shk_ledger_row_hash(struct shk_buf *scratch, const char *table, sqlite3_stmt *stmt,
			 uint8_t ret_digest[SHK_SHA256_SIZE])
{
	shk_buf_clear(scratch);
	shk_ledger_row_text(scratch, table);
	shk_ledger_row_columns(scratch, stmt, sqlite3_column_count(stmt));
	shk_sha256(scratch->data, scratch->len, NULL, 0, ret_digest);
}

void shk_ledger_sum(uint8_t sum[SHK_SHA256_SIZE], const uint8_t digest[SHK_SHA256_SIZE], int sign)
{
	int carry = 0;

	assert(sign == 1 || sign == -1);
	for (int i = SHK_SHA256_SIZE - 1; i >= 0; i--) {
		int digit = sum[i] + sign * digest[i] + carry;

		sum[i] = (uint8_t)(digit & 0xff);
		carry = digit < 0 ? -1 : digit > 0xff;
	}
}

void shk_ledger_uuid(char ret_uuid[37])
{
	uint8_t bytes[16];
	char hex[33];

	sqlite3_randomness((int)sizeof(bytes), bytes);
	bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
	bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
	shk_hex(bytes, sizeof(bytes), hex);
	(void)sqlite3_snprintf(37, ret_uuid, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
			       hex + 16, hex + 20);
}

void shk_ledger_json_string(struct shk_buf *out, const char *text)
{
	shk_buf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			shk_buf_putc(out, '\\');
		if ((unsigned char)*text < 0x20)
			shk_buf_printf(out, "\\u%04x", (unsigned)*text);
		else
			shk_buf_putc(out, *text);
	}
	shk_buf_putc(out, '"');
}

void shk_ledger_json_member(struct shk_buf *out, const char *key, const char *text)
{
	if (out->len > 0 && out->data[out->len - 1] != '{')
		shk_buf_putc(out, ',');
	shk_ledger_json_string(out, key);
	shk_buf_putc(out, ':');
	shk_ledger_json_string(out, text);
}
