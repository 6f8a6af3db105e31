/* SPDX-License-Identifier: MIT
 * plain_ini.h - the ini grammar once more, read character by character without inih. */
#ifndef PLAIN_INI_H
#define PLAIN_INI_H
#include <stddef.h>

/* What text says, as lines "@LINE kind name" and "LINE key<value>"; the caller frees it. errors: how many lines are
 * wrong. Limits on the number of keys and sections are not known here. */
char *plain_ini(const char *text, size_t size, int *errors);
#endif
