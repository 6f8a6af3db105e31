/* SPDX-License-Identifier: MIT
 * suggest.h - "did you mean": the one candidate that is close enough to a mistyped word. */
#ifndef HP_SUGGEST_H
#define HP_SUGGEST_H
#include <stddef.h>

/* Optimal string alignment distance, case folded; at most 1 for words up to 4 letters, 2 up to 8, 3 above.
 * Where nothing is that close: the first one that begins with the word, or the word with it, at a `_` or `-`
 * (opentrack and opentrack_udp).
 * Returns the closest candidate (the first of equals) or NULL. */
const char *hp_suggest(const char *word, const char *const *candidates, size_t n);
#endif
