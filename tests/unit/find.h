/* SPDX-License-Identifier: MIT
 * find.h - where the shared reference data lies: $VARIABLE, else shared/NAME beside the checkout. */
#ifndef FIND_H
#define FIND_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Fills path with the folder or with a file in it; false when it is not there. Tests run in the checkout's root. */
static inline bool find_data(const char *variable, const char *name, const char *file, char *path, size_t size)
{
	const char *given = getenv(variable);
	struct stat st;
	if (given && *given)
		snprintf(path, size, "%s/%s", given, file);
	else
		snprintf(path, size, "../shared/%s/%s", name, file);
	return stat(path, &st) == 0;
}
#define find_reference(file, path, size) find_data("HEADPIPE_REFERENCE", "reference", file, path, size)
#define find_hidcorpus(file, path, size) find_data("HEADPIPE_HIDCORPUS", "hidcorpus", file, path, size)
#endif
