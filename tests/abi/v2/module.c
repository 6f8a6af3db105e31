/* SPDX-License-Identifier: MIT
 * module.c - a small module that uses every kind of option row, in C11. */
#include <errno.h>
#include <headpipe.h>
#include <string.h>

struct every {
	bool flag;
	int small, choice;
	int64_t large, span;
	double real;
	const char *text, *place, *named;
	struct hp_addrs to;
};
static const struct hp_option options[] = { HP_OPT_BOOL(struct every, flag, "yes", "a flag", HP_LIVE),
	                                    HP_OPT_INT(struct every, small, "-3", -5, 5, "an int"),
	                                    HP_OPT_INT(struct every, large, "0x2a", 0, 1e15, "an int64_t", HP_LIVE),
	                                    HP_OPT_REAL(struct every, real, "0.5", 0, 1, "a double"),
	                                    HP_OPT_STR(struct every, text, "hello", "a text", HP_SECRET),
	                                    HP_OPT_ENUM(struct every, choice, "b", "a|b|c", "a choice"),
	                                    HP_OPT_NS(struct every, span, "20ms", 0.001, 60, "a time"),
	                                    HP_OPT_ADDRS(struct every, to, "127.0.0.1:5", "addresses"),
	                                    HP_OPT_PATH(struct every, place, "", "a path"),
	                                    HP_OPT_STR_AS(struct every, named, "no-c-name", "x",
	                                                  "a key that is no C name"),
	                                    HP_OPT_GONE("old", "use `text` instead"),
	                                    HP_OPT_END };

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	const struct every *m = self;
	double out[2] = { s->ypr[0], m->real };
	(void)from;
	if (m->small != -3 || m->large != 42 || m->choice != 1 || m->span != 20000000 || !m->flag || m->to.n != 1 ||
	    strcmp(m->text, "hello") || strcmp(m->named, "x"))
		return -EINVAL;
	if (cap < sizeof out)
		return -ENOSPC;
	memcpy(buf, out, sizeof out);
	return sizeof out;
}
HP_MODULE(every) = {
	HP_MODULE_HEAD,     .kind = HP_ENCODER,
	.name = "every",    .summary = "uses every kind of option",
	.options = options, .state_size = sizeof(struct every),
	.encode = encode,
};
