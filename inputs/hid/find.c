/* SPDX-License-Identifier: MIT
 * find.c - lists HID devices through hidapi and tells head trackers from everything else. */
#include "hid.h"
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

/* hidapi keeps one error text per process: one thread at a time in hid_enumerate() and hid_open_path() */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

enum hp_hid_verdict hp_hid_recognize(const struct hp_hid_descriptor *d, char *why, size_t why_size)
{
	bool custom = false, rotation = false;
	for (size_t i = 0; i < d->ncollections; i++)
		custom |= d->collections[i].usage == HP_USAGE_CUSTOM_SENSOR;
	for (size_t i = 0; i < d->nfields; i++)
		rotation |=
		    d->fields[i].kind == HID_INPUT && hp_hid_field_usage(&d->fields[i], 0) == HP_USAGE_ROTATION_VECTOR;
	if (custom) {
		struct tracker t;
		return tracker_open(&t, d, why, why_size) < 0 ? HID_MAYBE : HID_TRACKER;
	}
	if (!rotation)
		return HID_OTHER;
	snprintf(why, why_size,
	         "has a rotation vector, but not in a collection of usage " HP_USAGE_FMT " (custom sensor)",
	         HP_USAGE_ARGS(HP_USAGE_CUSTOM_SENSOR));
	return HID_MAYBE;
}

enum hp_hid_verdict hp_hid_recognize_bytes(const uint8_t *data, size_t size, char *why, size_t why_size)
{
	struct hp_hid_descriptor d = { 0 };
	if (hp_hid_descriptor_parse(&d, data, size, why, why_size) < 0) {
		hp_hid_descriptor_free(&d);
		return HID_OTHER;
	}
	enum hp_hid_verdict v = hp_hid_recognize(&d, why, why_size);
	hp_hid_descriptor_free(&d);
	return v;
}

/* Wide text to UTF-8 without the locale; control characters and what is no character become '?'. */
static void narrow(char *to, size_t size, const wchar_t *from)
{
	size_t n = 0;
	for (; from && *from; from++) {
		uint32_t c = (uint32_t)*from;
		unsigned char u[4];
		size_t k;
		if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			c = '?';
		if (c < 0x80) {
			u[0] = (unsigned char)c;
			k = 1;
		} else {
			k = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
			for (size_t i = k - 1; i; i--, c >>= 6)
				u[i] = (unsigned char)(0x80 | (c & 0x3f));
			u[0] = (unsigned char)((0xf00 >> k & 0xff) | c);
		}
		if (n + k >= size)
			break;
		memcpy(to + n, u, k);
		n += k;
	}
	to[n] = 0;
}

static unsigned long node_number(const char *path)
{
	size_t n = strlen(path);
	while (n && isdigit((unsigned char)path[n - 1]))
		n--;
	return strtoul(path + n, NULL, 10);
}

static int by_node(const void *a, const void *b)
{
	unsigned long x = node_number(((const struct hp_hid_facts *)a)->path);
	unsigned long y = node_number(((const struct hp_hid_facts *)b)->path);
	return x < y ? -1 : x > y;
}

static bool listed(const struct hp_hid_facts *list, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i].path, path))
			return true;
	return false;
}

size_t hp_hid_list(struct hp_hid_facts **list)
{
	size_t n = 0, room = 0;
	*list = NULL;
	pthread_mutex_lock(&one_at_a_time);
	struct hid_device_info *all = hid_enumerate(0, 0);
	for (const struct hid_device_info *d = all; d; d = d->next) {
		/* one entry per collection, all with the same path */
		if (!d->path || strlen(d->path) >= sizeof(*list)->path || listed(*list, n, d->path))
			continue;
		if (n == room) {
			struct hp_hid_facts *more = realloc(*list, (room = room ? 2 * room : 8) * sizeof **list);
			if (!more)
				break;
			*list = more;
		}
		struct hp_hid_facts *f = *list + n++;
		memset(f, 0, sizeof *f);
		strcpy(f->path, d->path);
		narrow(f->name, sizeof f->name, d->product_string);
		narrow(f->serial, sizeof f->serial, d->serial_number);
		f->vendor = d->vendor_id;
		f->product = d->product_id;
		hp_hid_sysfs_of_node(f, f->path);
	}
	hid_free_enumeration(all);
	pthread_mutex_unlock(&one_at_a_time);
	if (n)
		qsort(*list, n, sizeof **list, by_node);
	return n;
}

bool hp_hid_wish_open(const struct hp_hid_wish *w)
{
	return !w->vendor && !w->product && !(w->serial && w->serial[0]) && !(w->name && w->name[0]);
}

bool hp_hid_wish_fits(const struct hp_hid_wish *w, const struct hp_hid_facts *f)
{
	if ((w->vendor && w->vendor != f->vendor) || (w->product && w->product != f->product))
		return false;
	if (w->serial && w->serial[0] && strcasecmp(w->serial, f->serial))
		return false;
	if (!w->name || !w->name[0])
		return true;
	size_t len = strlen(w->name);
	for (const char *p = f->name; *p; p++)
		if (!strncasecmp(p, w->name, len))
			return true;
	return false;
}

void hp_hid_error_text(hid_device *d, char *buf, size_t size)
{
	narrow(buf, size, hid_error(d));
}

hid_device *hp_hid_open_serialized(const char *path, char *why, size_t why_size)
{
	pthread_mutex_lock(&one_at_a_time);
	hid_device *d = hid_open_path(path);
	if (!d)
		narrow(why, why_size, hid_error(NULL));
	pthread_mutex_unlock(&one_at_a_time);
	return d;
}
