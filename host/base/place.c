/* SPDX-License-Identifier: MIT
 * place.c - see place.h. */
#include "place.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hp_place_find(const char *installed, const char *source, char *path, size_t size)
{
	char exe[PATH_MAX], candidate[PATH_MAX + 64], real[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = 0;
	/* strip the program's name and then its folder; a sanitizer build lies one folder deeper */
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(exe, '/');
		if (!slash)
			break;
		*slash = 0;
		for (int i = 0; i < 2 && up > 0; i++) {
			snprintf(candidate, sizeof candidate, "%s/%s", exe, i ? source : installed);
			if (realpath(candidate, real)) {
				snprintf(path, size, "%s", real);
				return true;
			}
		}
	}
	snprintf(path, size, HP_PREFIX "/%s", installed);
	return access(path, F_OK) == 0;
}
bool hp_place_header(char *folder, size_t size)
{
	bool there = hp_place_find("include/headpipe.h", "host/api/headpipe.h", folder, size);
	char *slash = strrchr(folder, '/');
	if (slash)
		*slash = 0;
	return there;
}
bool hp_place_recording(char *path, size_t size)
{
	return hp_place_find("share/headpipe/conf/head-motion.hid", "conf/head-motion.hid", path, size);
}
