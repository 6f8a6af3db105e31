/* SPDX-License-Identifier: MIT
 * name.c - names of session files: never one that is there already. */
#include "tape.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Whether the pattern has a %n; %%n is a percent sign and an n. */
static bool numbered(const char *pattern)
{
	for (const char *p = pattern; *p; p++)
		if (*p == '%' && *++p == 'n')
			return true;
		else if (!*p)
			break;
	return false;
}

int tape_name(const char *pattern, time_t when, unsigned number, char *out, size_t size)
{
	char plain[1024], digits[16] = "";
	size_t n = 0;
	bool own = numbered(pattern);
	struct tm tm;
	if (own || number > 1)
		snprintf(digits, sizeof digits, "%s%u", own ? "" : "-", number);
	size_t len = strlen(digits);
	/* without %n the number stands before the ending */
	const char *slash = strrchr(pattern, '/'), *dot = strrchr(pattern, '.');
	const char *spot = dot && dot != pattern && (!slash || dot > slash + 1) ? dot : pattern + strlen(pattern);
	for (const char *p = pattern;; p++) {
		if (n + len + 3 > sizeof plain)
			return -EINVAL;
		if (own ? p[0] == '%' && p[1] == 'n' : p == spot) {
			memcpy(plain + n, digits, len);
			n += len;
			if (own) {
				p++;
				continue;
			}
		}
		if (!*p)
			break;
		plain[n++] = *p;
		if (*p == '%' && p[1])
			plain[n++] = *++p;
	}
	plain[n] = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the user's pattern is the point */
	/* strftime gives 0 for an empty result too; a path is never empty */
	if (!localtime_r(&when, &tm) || !strftime(out, size, plain, &tm))
		return -EINVAL;
#pragma GCC diagnostic pop
	return 0;
}

bool tape_folders(const char *path)
{
	char part[1024];
	bool made = false;
	snprintf(part, sizeof part, "%s", path);
	for (char *p = part + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		made |= !mkdir(part, 0777);
	}
	return made;
}
