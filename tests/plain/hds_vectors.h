/* SPDX-License-Identifier: MIT
 * hds_vectors.h - rows of the HDS vector files: one JSON object per line, values with their types written out. */
#ifndef HDS_VECTORS_H
#define HDS_VECTORS_H
#include "hds_plain.h"
#include <jansson.h>

struct plain_row {
	json_t *json; /* the whole row */
	const char *id;
	struct plain_value *value;           /* of a message: its body */
	const char *kind, *protocol, *topic; /* kind: NULL = a value, not a message */
	int64_t msg_id, status;
	uint8_t *bytes; /* of "hex"; NULL = none */
	size_t n;
};

/* Calls row() for every line; returns their number, or -1 when the file cannot be read. */
int plain_rows(const char *path, void (*row)(const struct plain_row *, void *), void *arg);
/* Bytes of hexadecimal text; freed by the caller. */
uint8_t *plain_unhex(const char *hex, size_t *n);
void plain_sha256(const uint8_t *, size_t, char hex[65]);
#endif
