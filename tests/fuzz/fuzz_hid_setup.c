/* SPDX-License-Identifier: MIT
 * fuzz_hid_setup.c - any descriptor, any answers to its feature reports: marker, unique ID, start-up settings.
 * Input: two bytes length of the descriptor, the descriptor, then the answers, each with one byte length. */
#include "inputs/hid/hid.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_hid_descriptor d = { 0 };
	struct hp_hid_features f;
	struct hp_hid_setup s;
	char why[200], text[64];
	if (size < 2)
		return 0;
	size_t n = (size_t)data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	n = n < size ? n : size;
	if (hp_hid_descriptor_parse(&d, data, n, why, sizeof why) < 0) {
		hp_hid_descriptor_free(&d);
		return 0;
	}
	hp_hid_recognize(&d, why, sizeof why);
	if (hp_hid_features_init(&f, &d) < 0)
		abort();
	data += n;
	size -= n;
	for (size_t i = 0; i < f.n && size; i++) {
		n = data[0] < size - 1 ? data[0] : size - 1;
		hp_hid_features_set(&f, i, &d, data + 1, n);
		data += 1 + n;
		size -= 1 + n;
	}
	if (f.answered > f.n || memchr(f.marker, 0, sizeof f.marker) == NULL)
		abort();
	hp_hid_setup_edit(&s, &f, &d, 10);
	/* the same edit twice changes nothing more */
	size_t room = hp_hid_features_text(&f, NULL, 0) + 1;
	char *once = malloc(room), *twice = malloc(room);
	if (!once || !twice)
		abort();
	hp_hid_features_text(&f, once, room);
	hp_hid_setup_edit(&s, &f, &d, 10);
	hp_hid_features_text(&f, twice, room);
	if (strcmp(once, twice))
		abort();
	free(once);
	free(twice);
	hp_hid_unique_text(f.unique, text, sizeof text);
	hp_hid_features_free(&f);
	hp_hid_descriptor_free(&d);
	return 0;
}
