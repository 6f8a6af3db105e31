/* SPDX-License-Identifier: MIT
 * suggest.c - edit distance for "did you mean". */
#include "suggest.h"
#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 64 }; /* longer words are not worth a guess */

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Optimal string alignment: insert, delete, replace and swapping two neighbours cost 1 each. */
static int distance(const char *a, size_t na, const char *b, size_t nb)
{
	int rows[3][WORD_MAX + 1];
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = (int)j;
	for (size_t i = 1; i <= na; i++) {
		int *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
		row[0] = (int)i;
		for (size_t j = 1; j <= nb; j++) {
			int same = fold(a[i - 1]) == fold(b[j - 1]);
			int best = above[j - 1] + !same;
			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
			    above2[j - 2] + 1 < best)
				best = above2[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[na % 3][nb];
}

/* Is the shorter one of at least 3 letters the beginning of the other, up to a `_` or `-`? */
static bool is_part(const char *a, size_t na, const char *b, size_t nb)
{
	const char *longer = na > nb ? a : b;
	size_t n = na > nb ? nb : na;
	if (n < 3 || (longer[n] != '_' && longer[n] != '-'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (fold(a[i]) != fold(b[i]))
			return false;
	return true;
}

const char *hp_suggest(const char *word, const char *const *candidates, size_t n)
{
	const char *found = NULL;
	size_t size = strlen(word);
	int limit = size <= 4 ? 1 : size <= 8 ? 2 : 3;
	if (size == 0 || size > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = strlen(candidates[i]);
		if (other > WORD_MAX || other + 3 < size || size + 3 < other)
			continue;
		int d = distance(word, size, candidates[i], other);
		/* replacing every letter is no resemblance */
		if (d <= limit && (size_t)d < (size > other ? size : other)) {
			found = candidates[i];
			limit = d - 1;
		}
	}
	for (size_t i = 0; i < n && !found; i++)
		if (is_part(word, size, candidates[i], strlen(candidates[i])))
			found = candidates[i];
	return found;
}
