/* SPDX-License-Identifier: MIT
 * wrap.c - running text for a terminal. */
#include "wrap.h"
#include <string.h>

enum { WIDTH = 96 };

void hp_wrap(FILE *f, const char *text, int column, int indent)
{
	while (*text) {
		int n = (int)strcspn(text, " ");
		if (column > indent && column + 1 + n > WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putc(' ', f);
			column++;
		}
		fprintf(f, "%.*s", n, text);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	putc('\n', f);
}
