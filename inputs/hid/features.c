/* SPDX-License-Identifier: MIT
 * features.c - reads every feature report of a device and finds in them the marker of the Android head tracker
 * protocol and the persistent unique ID. */
#include "hid.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "#AndroidHeadTracker#";

int hp_hid_features_init(struct hp_hid_features *f, const struct hp_hid_descriptor *d)
{
	size_t n = 0, bytes = 0;
	memset(f, 0, sizeof *f);
	for (size_t i = 0; i < d->nreports; i++) {
		size_t size = ((size_t)d->reports[i].bits + 7) / 8;
		if (d->reports[i].kind == HID_FEATURE && size && size < HID_REPORT_MAX)
			n++, bytes += size;
	}
	if (!n)
		return 0;
	f->at = f->memory = calloc(1, n * sizeof *f->at + bytes);
	if (!f->at)
		return -ENOMEM;
	uint8_t *data = (uint8_t *)(f->at + n);
	for (size_t i = 0; i < d->nreports; i++) {
		size_t size = ((size_t)d->reports[i].bits + 7) / 8;
		if (d->reports[i].kind != HID_FEATURE || !size || size >= HID_REPORT_MAX)
			continue;
		f->at[f->n++] = (struct hp_hid_feature){ .id = d->reports[i].id, .size = (uint16_t)size, .data = data };
		data += size;
	}
	return 0;
}

void hp_hid_features_free(struct hp_hid_features *f)
{
	free(f->memory);
	memset(f, 0, sizeof *f);
}

/* The marker may be in any report and at any place: constant fields often come without a usable usage. */
static void find_marker(struct hp_hid_features *f, const struct hp_hid_feature *r)
{
	const size_t len = sizeof prefix - 1;
	for (size_t at = 0; at + len + 3 <= r->size; at++) {
		const uint8_t *p = r->data + at;
		if (memcmp(p, prefix, len) || p[len] < '0' || p[len] > '9' || p[len + 1] != '.' || p[len + 2] < '0' ||
		    p[len + 2] > '9')
			continue;
		size_t n = len + 3;
		f->major = p[len] - '0';
		f->minor = p[len + 2] - '0';
		/* version 2 adds "#x"; some write the digit, some the number */
		if (f->major >= 2 && at + n + 2 <= r->size && p[n] == '#') {
			unsigned x = p[n + 1];
			f->transports = x >= '1' && x <= '3' ? (int)(x - '0') : x >= 1 && x <= 3 ? (int)x : 0;
		}
		snprintf(f->marker, sizeof f->marker, "%.*s", (int)n, (const char *)p);
		if (f->transports)
			snprintf(f->marker + n, sizeof f->marker - n, "#%d", f->transports);
		return;
	}
}

static void find_unique(struct hp_hid_features *f, const struct hp_hid_feature *r, const struct hp_hid_descriptor *d)
{
	for (size_t i = 0; i < d->nfields; i++) {
		const struct hp_hid_field *x = &d->fields[i];
		if (x->kind != HID_FEATURE || x->report_id != r->id || hp_hid_field_usage(x, 0) != HP_USAGE_UNIQUE_ID)
			continue;
		size_t at = x->bit_offset / 8;
		if (x->bit_offset % 8 || (uint64_t)x->bit_size * x->count != 8 * HID_UNIQUE_SIZE ||
		    at + HID_UNIQUE_SIZE > r->size)
			continue;
		memcpy(f->unique, r->data + at, HID_UNIQUE_SIZE);
		f->has_unique = true;
	}
}

void hp_hid_features_set(struct hp_hid_features *f, size_t i, const struct hp_hid_descriptor *d, const uint8_t *got,
                         size_t n)
{
	struct hp_hid_feature *r = &f->at[i];
	/* Byte 0 is the ID. Without IDs it is a zero, or missing: Bluetooth stacks differ, only the length tells. */
	size_t skip = r->id || n != r->size ? 1 : 0;
	if (n < skip || (r->id && n && got[0] != r->id))
		return;
	n -= skip;
	memset(r->data, 0, r->size);
	memcpy(r->data, got + skip, n < r->size ? n : r->size);
	if (!r->known)
		f->answered++;
	r->known = true;
	if (!f->marker[0])
		find_marker(f, r);
	if (!f->has_unique)
		find_unique(f, r, d);
}

int hp_hid_features_read(struct hp_hid_features *f, hid_device *dev, const struct hp_hid_descriptor *d)
{
	int rc = hp_hid_features_init(f, d);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < f->n; i++) {
		uint8_t got[HID_REPORT_MAX + 1] = { f->at[i].id };
		int n = hid_get_feature_report(dev, got, (size_t)f->at[i].size + 1);
		if (n > 0)
			hp_hid_features_set(f, i, d, got, (size_t)n);
	}
	return 0;
}

size_t hp_hid_features_text(const struct hp_hid_features *f, char *buf, size_t size)
{
	size_t n = 0;
	if (size)
		buf[0] = 0;
	for (size_t i = 0; i < f->n; i++) {
		const struct hp_hid_feature *r = &f->at[i];
		if (!r->known)
			continue;
		n += (size_t)snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, "%s%u=", n ? ";" : "", r->id);
		for (size_t b = 0; b < r->size; b++)
			n += (size_t)snprintf(n < size ? buf + n : NULL, n < size ? size - n : 0, "%02x", r->data[b]);
	}
	return n;
}

void hp_hid_unique_text(const uint8_t u[HID_UNIQUE_SIZE], char *buf, size_t size)
{
	static const uint8_t zero[HID_UNIQUE_SIZE];
	if (!memcmp(u, zero, sizeof zero)) {
		snprintf(buf, size, "%s", "");
		return;
	}
	/* eight zero bytes, "BT", address: part of the headset with that address */
	if (!memcmp(u, zero, 8) && u[8] == 'B' && u[9] == 'T') {
		snprintf(buf, size, "BT %02x:%02x:%02x:%02x:%02x:%02x", u[10], u[11], u[12], u[13], u[14], u[15]);
		return;
	}
	snprintf(buf, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2],
	         u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}
