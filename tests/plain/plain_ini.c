/* SPDX-License-Identifier: MIT
 * plain_ini.c - the ini grammar once more, read character by character without inih. */
#include "plain_ini.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
	char *text;
	size_t size;
};
static void say(struct out *o, const char *text, size_t n)
{
	o->text = realloc(o->text, o->size + n + 1);
	if (!o->text)
		abort();
	memcpy(o->text + o->size, text, n);
	o->size += n;
	o->text[o->size] = 0;
}

static bool space(char c)
{
	return c == ' ' || c == '\t';
}
static void trim(const char **s, size_t *n)
{
	while (*n && space(**s))
		++*s, --*n;
	while (*n && space((*s)[*n - 1]))
		--*n;
}

/* Neither control characters but tab, nor anything that is no UTF-8: decoded to code points and checked by value. */
static bool clean(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i];
		int more = c < 0x80                ? 0
		           : c >= 0xc0 && c < 0xe0 ? 1
		           : c >= 0xe0 && c < 0xf0 ? 2
		           : c >= 0xf0 && c < 0xf8 ? 3
		                                   : -1;
		static const unsigned long least[] = { 0, 0x80, 0x800, 0x10000 };
		if (more < 0 || i + (size_t)more >= n)
			return false;
		unsigned long point = more ? c & (0x3f >> more) : c;
		for (int k = 1; k <= more; k++) {
			if (((unsigned char)s[i + (size_t)k] >> 6) != 2)
				return false;
			point = point << 6 | ((unsigned char)s[i + (size_t)k] & 0x3f);
		}
		if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
			return false;
		if ((point < 0x20 && point != '\t') || point == 0x7f)
			return false;
		i += (size_t)more + 1;
	}
	return true;
}

static bool word(const char *s, size_t n, bool capitals)
{
	if (n < 1 || n > 32 || !isalpha((unsigned char)s[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(isalnum((unsigned char)s[i]) || s[i] == '_' || s[i] == '-') ||
		    (!capitals && isupper((unsigned char)s[i])))
			return false;
	return true;
}

/* The end of the quoted piece that begins at i, or 0. */
static size_t quote_end(const char *s, size_t n, size_t i)
{
	for (size_t k = i + 1; k < n; k++) {
		if (s[k] == '\\' && k + 1 < n && (s[k + 1] == '"' || s[k + 1] == '\\'))
			k++;
		else if (s[k] == '"')
			return k;
	}
	return 0;
}

char *plain_ini(const char *text, size_t size, int *errors)
{
	struct out o = { NULL, 0 };
	bool open = false, headed = false;
	size_t section_at = 0; /* where the section's text begins in o */
	char head[128];
	say(&o, "", 0);
	*errors = 0;
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3, size -= 3;
	else if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)) && *text != '\n') {
		*errors = 1;
		return o.text;
	}
	for (int line = 1; size; line++) {
		const char *s = text, *nl = memchr(text, '\n', size);
		size_t n = nl ? (size_t)(nl - text) : size;
		text += n + (nl != NULL);
		size -= n + (nl != NULL);
		if (n && s[n - 1] == '\r')
			n--;
		const char *first = s;
		size_t rest = n;
		while (rest && space(*first))
			first++, rest--;
		bool is_head = rest && *first == '[';
		if (n > 4096 || memchr(s, 0, n)) {
			++*errors;
			/* what can be seen of an over-long line is its beginning */
			if (is_head && (size_t)(first - s) < 4096)
				open = false, headed = true;
			continue;
		}
		if (!rest || *first == ';' || *first == '#')
			continue;
		s = first;
		n = rest;
		if (is_head) {
			open = false;
			headed = true;
			const char *end = memchr(s, ']', n);
			bool good = end != NULL;
			size_t in = good ? (size_t)(end - s - 1) : 0;
			const char *inside = s + 1;
			if (good) {
				const char *behind = end + 1;
				size_t nb = n - in - 2;
				trim(&behind, &nb);
				good = !nb || *behind == ';' || *behind == '#';
			}
			trim(&inside, &in);
			good = good && clean(inside, in);
			size_t kind = 0;
			while (kind < in && !space(inside[kind]))
				kind++;
			const char *name = inside + kind;
			size_t nn = in - kind;
			trim(&name, &nn);
			bool host = in == 8 && !memcmp(inside, "headpipe", 8);
			if (!host)
				good = good &&
				       ((kind == 5 && !memcmp(inside, "input", 5)) ||
				        (kind == 6 && !memcmp(inside, "filter", 6)) ||
				        (kind == 6 && !memcmp(inside, "output", 6))) &&
				       word(name, nn, false);
			if (good) {
				snprintf(head, sizeof head, " %.*s %.*s\n", (int)kind, inside, (int)nn, name);
				good = !strstr(o.text, head);
			}
			if (!good) {
				++*errors;
				continue;
			}
			open = true;
			char number[20];
			say(&o, number, (size_t)snprintf(number, sizeof number, "@%d", line));
			say(&o, head, strlen(head));
			section_at = o.size;
			continue;
		}
		/* key = value ; comment */
		size_t eq = 0;
		while (eq < n && s[eq] != '=' && !(s[eq] == ';' && eq && space(s[eq - 1])))
			eq++;
		if (eq == n || s[eq] != '=') {
			++*errors;
			continue;
		}
		const char *key = s, *value = s + eq + 1;
		size_t nk = eq, nv = 0, nr = n - eq - 1;
		trim(&key, &nk);
		for (bool dangling = false; nv < nr; nv++) {
			if (value[nv] == ';' && nv && space(value[nv - 1]))
				break;
			if (value[nv] == '"' && !dangling) {
				size_t end = quote_end(value, nr, nv);
				dangling = !end;
				nv = end ? end : nv;
			}
		}
		trim(&value, &nv);
		bool good = headed && word(key, nk, true) && clean(value, nv);
		size_t close = nv && *value == '"' ? quote_end(value, nv, 0) : 1;
		good = good && close;
		char mark[48];
		snprintf(mark, sizeof mark, " %.*s<", (int)(nk < 40 ? nk : 40), key);
		/* a pair of the same section begins behind a number; values have been told apart by their > and newline
		 */
		if (good && open)
			for (const char *p = o.text + section_at; good && *p; p = strchr(p, '\n') + 1) {
				const char *k = p + strspn(p, "0123456789");
				good = strncmp(k, mark, strlen(mark)) != 0;
			}
		if (!good) {
			++*errors;
			continue;
		}
		if (!open)
			continue;
		char number[20];
		say(&o, number, (size_t)snprintf(number, sizeof number, "%d", line));
		say(&o, mark, strlen(mark));
		if (nv && *value == '"' && close + 1 == nv) {
			for (size_t i = 1; i < close; i++) {
				if (value[i] == '\\' && (value[i + 1] == '"' || value[i + 1] == '\\'))
					i++;
				say(&o, value + i, 1);
			}
		} else {
			say(&o, value, nv);
		}
		say(&o, ">\n", 2);
	}
	return o.text;
}
