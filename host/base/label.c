/* SPDX-License-Identifier: MIT
 * label.c - device names for encoders. */
#include "label.h"
#include "utf8.h"
#include <string.h>

/* The length that is sent: all, or up to the last character that ends within HP_LABEL_MAX bytes. */
static size_t cut(const char *device)
{
	size_t n = strnlen(device, HP_LABEL_MAX + 1);
	if (n <= HP_LABEL_MAX)
		return n;
	n = HP_LABEL_MAX;
	for (size_t back = 0; back < 4 && n - back > 0; back++)
		if (((unsigned char)device[n - back] & 0xc0) != 0x80)
			return n - back;
	return n; /* not UTF-8 */
}

size_t hp_label_json(const char *device, char *out)
{
	if (!device) {
		memcpy(out, "null", 4);
		return 4;
	}
	char *p = out;
	*p++ = '"';
	for (size_t i = 0, n = cut(device); i < n; i++) {
		char c = device[i];
		if ((unsigned char)c < 0x20)
			continue;
		if (c == '"' || c == '\\')
			*p++ = '\\';
		*p++ = c;
	}
	*p++ = '"';
	return (size_t)(p - out);
}

size_t hp_label_utf8(const char *device, char *out)
{
	size_t n = cut(device), done = 0;
	char *p = out;
	while (done < n) {
		size_t size = hp_utf8_char(device + done, n - done);
		memcpy(p, size ? device + done : "\xef\xbf\xbd", size ? size : 3);
		p += size ? size : 3;
		done += size ? size : 1;
	}
	return (size_t)(p - out);
}
