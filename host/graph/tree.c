/* SPDX-License-Identifier: MIT
 * tree.c - prints a graph as a tree, one line per branch:
 *     head (hid) ─┬─ pose (orientation) ── game (opentrack_udp → 127.0.0.1:4242)
 *                 └─ tape (csv → /home/me/session.csv) */
#include "graph.h"
#include "ini.h"
#include <string.h>

/* The one option that says where an input or output reaches: its first address, path or command line. */
static void reach(const struct hp_node *n, char *buf, size_t size)
{
	*buf = 0;
	for (const struct hp_option *o = n->module->options; o && o->key; o++) {
		const char *field = (const char *)n->state + o->offset;
		size_t at = 0;
		if (o->flags & (HP_SECRET | HP_REMOVED))
			continue;
		if (o->type == HP_PATH || (o->type == HP_STR && o->flags & HP_LOCAL)) {
			const char *text;
			memcpy(&text, field, sizeof text);
			if (text && *text)
				snprintf(buf, size, o->type == HP_STR && strlen(text) > 60 ? "%.57s..." : "%s", text);
			return;
		}
		if (o->type != HP_ADDRS)
			continue;
		struct hp_addrs addrs;
		memcpy(&addrs, field, sizeof addrs);
		for (uint32_t i = 0; i < addrs.n && at + 1 < size; i++) {
			bool v6 = strchr(addrs.at[i].host, ':');
			at += (size_t)snprintf(buf + at, size - at, "%s%s%s%s:%u", i ? ", " : "", v6 ? "[" : "",
			                       addrs.at[i].host, v6 ? "]" : "", addrs.at[i].port);
		}
		if (at + 1 >= size) /* a long list */
			memcpy(buf + size - 5, " ...", 5);
		return;
	}
}

static size_t width(const char *utf8)
{
	size_t n = 0;
	for (; *utf8; utf8++)
		n += ((unsigned char)*utf8 & 0xc0) != 0x80;
	return n;
}

static void branch(const struct hp_node *n, const char *prefix, FILE *out)
{
	char label[900], where[512], below[2048];
	reach(n, where, sizeof where);
	const char *arrow = n->kind == HP_INPUT ? " ← " : " → ";
	const char *enc = n->encoder && n->ini->keys.encoding ? n->encoder->name : NULL;
	snprintf(label, sizeof label, "%s (%s%s%s%s%s)", n->name, n->module->name, enc ? " " : "", enc ? enc : "",
	         *where ? arrow : "", where);
	fputs(label, out);
	if (!n->nkids) {
		fputc('\n', out);
		return;
	}
	int pad = (int)width(label) + 1;
	for (size_t i = 0; i < n->nkids; i++) {
		bool last = i + 1 == n->nkids;
		if (i)
			fprintf(out, "%s%*s%s", prefix, pad, "", last ? " └─ " : " ├─ ");
		else
			fputs(n->nkids == 1 ? " ── " : " ─┬─ ", out);
		snprintf(below, sizeof below, "%s%*s%s", prefix, pad, "",
		         n->nkids == 1 ? "   "
		         : last        ? "    "
		                       : " │  ");
		branch(n->kids[i], below, out);
	}
}

void hp_graph_print(const struct hp_run *run, FILE *out)
{
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_INPUT)
			branch(run->nodes[i], "", out);
}
