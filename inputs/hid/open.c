/* SPDX-License-Identifier: MIT
 * open.c - opens a head tracker, learns who it is, and tells whether a device is the one that was there before. */
#include "hid.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

int hp_hid_link_open(struct hp_hid_link *l, const struct hp_hid_facts *facts, char *why, size_t why_size)
{
	static const uint8_t zero[HID_UNIQUE_SIZE];
	memset(l, 0, sizeof *l);
	l->facts = *facts;
	int rc = hp_hid_node_check(facts->path);
	if (rc < 0) {
		snprintf(why, why_size, "%s", strerror(-rc));
		return rc;
	}
	if (hp_hid_descriptor_parse(&l->descriptor, facts->descriptor, facts->descriptor_size, why, why_size) < 0 ||
	    hp_hid_recognize(&l->descriptor, why, why_size) != HID_TRACKER) {
		hp_hid_descriptor_free(&l->descriptor);
		return -EILSEQ;
	}
	l->device = hp_hid_open_serialized(facts->path, why, why_size);
	if (!l->device) {
		hp_hid_descriptor_free(&l->descriptor);
		return -ENODEV;
	}
	rc = hp_hid_features_read(&l->features, l->device, &l->descriptor);
	if (rc < 0) {
		snprintf(why, why_size, "%s", strerror(-rc));
		hp_hid_link_close(l);
		return rc;
	}
	l->has_unique = l->features.has_unique && memcmp(l->features.unique, zero, sizeof zero) != 0;
	return 0;
}

void hp_hid_link_close(struct hp_hid_link *l)
{
	if (l->device)
		hid_close(l->device);
	l->device = NULL;
	hp_hid_features_free(&l->features);
	hp_hid_descriptor_free(&l->descriptor);
}

void hp_hid_identity_of(struct hp_hid_identity *id, const struct hp_hid_link *l)
{
	memset(id, 0, sizeof *id);
	id->known = true;
	id->has_unique = l->has_unique;
	memcpy(id->unique, l->features.unique, sizeof id->unique);
	memcpy(id->serial, l->facts.serial, sizeof id->serial);
	memcpy(id->name, l->facts.name, sizeof id->name);
	id->vendor = l->facts.vendor;
	id->product = l->facts.product;
}

bool hp_hid_identity_same(const struct hp_hid_identity *a, const struct hp_hid_identity *b)
{
	if (a->has_unique && b->has_unique)
		return !memcmp(a->unique, b->unique, sizeof a->unique);
	if (a->serial[0] && b->serial[0])
		return !strcasecmp(a->serial, b->serial);
	return a->vendor == b->vendor && a->product == b->product && !strcmp(a->name, b->name);
}

int hp_hid_read_calmly(hid_device *device, uint8_t *data, size_t room, int ms)
{
	struct timespec pause = { 0, 10000000 }, begin, end;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	int n = hid_read_timeout(device, data, room, ms);
	if (n != 0)
		return n;
	clock_gettime(CLOCK_MONOTONIC, &end);
	int64_t took = (int64_t)(end.tv_sec - begin.tv_sec) * 1000000000 + (end.tv_nsec - begin.tv_nsec);
	if (took < pause.tv_nsec)
		nanosleep(&pause, NULL);
	return 0;
}
