/* SPDX-License-Identifier: MIT
 * io.c - what every part of a session reader stands on: its bytes, its lists, and the sentence when something is wrong.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "reader.h"

void hps_give_part(void *to, const void *from, size_t size, uint32_t room)
{
	memcpy(to, from, room < size ? room : size);
	if (room > size)
		memset((uint8_t *)to + size, 0, room - size);
}

int hps_error(struct hps_reader *r, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->error, sizeof r->error, fmt, ap);
	va_end(ap);
	return code;
}

void hps_note(struct hps_reader *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->note, sizeof r->note, fmt, ap);
	va_end(ap);
}

void hps_harm(struct hps_reader *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->note, sizeof r->note, fmt, ap);
	va_end(ap);
	r->damaged_note = true;
}

int hps_read_at(struct hps_reader *r, uint64_t offset, void *buf, size_t n)
{
	if (offset > r->size || n > r->size - offset)
		return hps_error(r, -EBADMSG, "the file ends at byte %llu, before the %zu bytes at %llu",
		                 (unsigned long long)r->size, n, (unsigned long long)offset);
	if (r->fd < 0) {
		memcpy(buf, r->memory + offset, n);
		return 0;
	}
	for (uint8_t *p = buf; n;) {
		ssize_t did = pread(r->fd, p, n, (off_t)offset);
		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0) {
			int e = errno;
			return hps_error(r, -e, "cannot read: %s", strerror(e));
		}
		if (!did)
			return hps_error(r, -EBADMSG, "the file has become shorter than %llu bytes",
			                 (unsigned long long)r->size);
		p += did;
		n -= (size_t)did;
		offset += (uint64_t)did;
	}
	return 0;
}

int hps_crc_of(struct hps_reader *r, uint64_t from, uint64_t to, uint32_t *crc)
{
	enum { BLOCK = 1 << 16 };
	uint8_t *block = malloc(BLOCK);
	int code = block ? 0 : -ENOMEM;
	for (uint64_t at = from; at < to && !code; at += BLOCK) {
		size_t n = to - at < BLOCK ? (size_t)(to - at) : BLOCK;
		code = hps_read_at(r, at, block, n);
		if (!code)
			*crc = hps_crc32(*crc, block, n);
	}
	free(block);
	return code;
}

int hps_grow(void *array, size_t n, size_t *room, size_t size)
{
	void *p;
	if (n < *room)
		return 0;
	size_t more = *room ? *room * 2 : 8;
	memcpy(&p, array, sizeof p);
	p = realloc(p, more * size);
	if (!p)
		return -ENOMEM;
	memcpy(array, &p, sizeof p);
	*room = more;
	return 0;
}

bool hps_crc_agrees(const struct hps_reader *r, uint32_t stored, uint32_t have)
{
	return stored == have || (!stored && !r->ours);
}
