/* SPDX-License-Identifier: MIT
 * value_text.h - texts of option values to C values; for the files of this folder and command arguments. */
#ifndef HP_OPTION_TEXT_H
#define HP_OPTION_TEXT_H
#include "options.h"

enum { HP_ADDRS_MAX = 64, HP_OPTIONS_MAX = 256 };

/* A block that lives as long as the values. Never NULL. */
void *hp_values_keep(struct hp_values *, void *block);
/* Frees one block early, when it is one of these; else does nothing. */
void hp_values_drop(struct hp_values *, const void *block);

/* Each: 0, or -1 with one clause in why. Locale-independent; the whole text must fit. */
int hp_text_to_int(const char *, int64_t *, char *why, size_t why_size);
int hp_text_to_real(const char *, double *, char *why, size_t why_size);
int hp_text_to_ns(const char *, int64_t *, char *why, size_t why_size); /* 20ms, 1.5 s, 5min; 0 needs no unit */
/* "127.0.0.1:4242, [::1]:4242 :4242". default_port 0: a port must be given. room: HP_ADDRS_MAX. */
int hp_text_to_addrs(const char *, uint16_t default_port, struct hp_addr *at, uint32_t *n, char *why, size_t why_size);

/* A number for people: at most 15 significant digits, no exponent where it can be avoided, C locale. */
void hp_real_to_text(double, char *buf, size_t size);
/* Seconds as 20ms, 1.5s, 5min. */
void hp_seconds_to_text(double, char *buf, size_t size);

/* The choices of an HP_ENUM row one by one: start of number i and its length, or NULL behind the last. */
const char *hp_choice(const char *choices, int i, size_t *length);
#endif
