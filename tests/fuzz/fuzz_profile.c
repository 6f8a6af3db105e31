/* SPDX-License-Identifier: MIT
 * fuzz_profile.c - any bytes as a profile of opentrack. What is taken must become an ini whose lines are the program's
 * own words and numbers; what is refused must come with a reason. */
#include "profile/profile.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has(const char *filter, const char *key)
{
	return strcmp(filter, "ewma") != 0 && (!key || strcmp(key, "deadzone") != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_profile p;
	int line;
	char why[200] = "", *ini = NULL, *notes = NULL;
	size_t ini_size = 0, notes_size = 0;
	int r = hp_profile_read(&p, (const char *)data, size, &line, why, sizeof why);
	if (r < 0) {
		if (!*why)
			abort();
		hp_profile_free(&p);
		return 0;
	}
	FILE *a = open_memstream(&ini, &ini_size), *b = open_memstream(&notes, &notes_size);
	if (!a || !b)
		abort();
	int n = hp_profile_convert(&p, "fuzz", has, a, b), lines = 0;
	fclose(a);
	fclose(b);
	for (size_t i = 0; i < notes_size; i++)
		lines += notes[i] == '\n';
	if (lines != n || !strstr(ini, "[output game]"))
		abort();
	for (size_t i = 0; i < ini_size; i++)
		if ((unsigned char)ini[i] > 126 || ((unsigned char)ini[i] < ' ' && ini[i] != '\n'))
			abort();
	free(ini);
	free(notes);
	hp_profile_free(&p);
	return 0;
}
