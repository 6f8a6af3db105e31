/* SPDX-License-Identifier: MIT
 * profile.h - opentrack's profiles: the ini files of its settings, read, and turned into an ini of headpipe's. Pure:
 * text in, text out. */
#ifndef HP_PROFILE_H
#define HP_PROFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* One `key=value` as Qt's QSettings writes it. The value's bytes are unescaped; a NUL stands behind them. */
struct hp_profile_entry {
	const char *section, *key;
	const char *value;
	size_t size;
	int line;
	bool used; /* somebody has asked for it */
	bool odd;  /* and it was no such value  */
};
struct hp_profile {
	struct hp_profile_entry *at;
	size_t n;
	char *memory;
};

enum { HP_PROFILE_BYTES = 1 << 20 };
/* 0; or -EINVAL, -ENOMEM, with why = one clause without full stop and *line (0 = the file as a whole).
 * hp_profile_free() in any case. */
int hp_profile_read(struct hp_profile *, const char *text, size_t size, int *line, char *why, size_t why_size);
void hp_profile_free(struct hp_profile *);

/* Each marks the entry as used, and as odd when it is no such value. NULL, or what is given as `def`, when it is not
 * there or no such value. */
const struct hp_profile_entry *hp_profile_find(struct hp_profile *, const char *section, const char *key);
const char *hp_profile_text(struct hp_profile *, const char *section, const char *key, const char *def);
bool hp_profile_bool(struct hp_profile *, const char *section, const char *key, bool def);
double hp_profile_number(struct hp_profile *, const char *section, const char *key, double def); /* also sliders */
/* The points of a curve: x, y pairs into xy. Returns how many (0: none are there), -1: not understood. */
int hp_profile_points(struct hp_profile *, const char *section, const char *key, double *xy, int room);
/* Where opentrack sends to, a.b.c.d:port. false: that is no address, and `to` is what stands there. An address is not
 * mended by guessing: the poses of a head are for nobody else. */
bool hp_profile_address(struct hp_profile *, char to[128]);

/* Writes the ini. name: the profile's, for its first comment. has: is there a module of this kind of name with this key
 * (NULL = any). notes: one line each about what was not, or only nearly, taken over. Returns the number of notes. */
int hp_profile_convert(struct hp_profile *, const char *name, bool (*has)(const char *filter, const char *key),
                       FILE *ini, FILE *notes);
#endif
