/* SPDX-License-Identifier: MIT
 * label.h - a device's name as encoders send it: cut to a bounded length, then made safe for the format. */
#ifndef HP_LABEL_H
#define HP_LABEL_H
#include "headpipe.h"

enum {
	HP_LABEL_MAX = 256, /* bytes of a name that are sent; the cut is between two UTF-8 characters */
	HP_LABEL_JSON_MAX = 2 * HP_LABEL_MAX + 2,
	HP_LABEL_UTF8_MAX = 3 * HP_LABEL_MAX
};

/* A JSON string with its quotes, or null: quote and backslash are escaped, control characters below 0x20 left out,
 * all else goes as it is. out: HP_LABEL_JSON_MAX bytes. Returns the length. [any] */
size_t hp_label_json(const char *device, char *out);
/* Valid UTF-8: a byte that belongs to no character becomes U+FFFD. out: HP_LABEL_UTF8_MAX bytes. Returns the length. */
size_t hp_label_utf8(const char *device, char *out);

/* Remembers for whom a label was made, so that it is made once per connection. Zero it before use; zero `from` on
 * HP_CONNECTED. */
struct hp_label_of {
	const struct hp_stream *from;
	const char *device;
};
static inline bool hp_label_is_for(const struct hp_label_of *l, const struct hp_stream *from)
{
	return l->from == from && l->device == from->device;
}
#endif
