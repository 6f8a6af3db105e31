// SPDX-License-Identifier: MIT
// module_new.cpp - the same module in C++ before there were designated initializers.
#include <cerrno>
#include <cstring>
#include <headpipe.h>

struct every {
	bool flag;
	int small, choice;
	int64_t large, span;
	double real;
	const char *text, *place, *named;
	struct hp_addrs to;
};
static const struct hp_option options[] = {
	HP_OPT_BOOL(every, flag, "yes", "a flag", HP_LIVE),
	HP_OPT_INT(every, small, "-3", -5, 5, "an int"),
	HP_OPT_INT(every, large, "0x2a", 0, 1e15, "an int64_t", HP_LIVE),
	HP_OPT_REAL(every, real, "0.5", 0, 1, "a double"),
	HP_OPT_STR(every, text, "hello", "a text", HP_SECRET),
	HP_OPT_ENUM(every, choice, "b", "a|b|c", "a choice"),
	HP_OPT_NS(every, span, "20ms", 0.001, 60, "a time"),
	HP_OPT_ADDRS(every, to, "127.0.0.1:5", "addresses"),
	HP_OPT_PATH(every, place, "", "a path"),
	HP_OPT_STR_AS(every, named, "no-c-name", "x", "a key that is no C name"),
	HP_OPT_GONE("old", "use `text` instead"),
	HP_OPT_END
};

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *, void *buf, size_t cap)
{
	const every *m = static_cast<const every *>(self);
	double out[2] = { s->ypr[0], m->real };
	if (m->small != -3 || m->large != 42 || m->choice != 1 || m->span != 20000000 || !m->flag || m->to.n != 1 ||
	    std::strcmp(m->text, "hello") || std::strcmp(m->named, "x"))
		return -EINVAL;
	if (cap < sizeof out)
		return -ENOSPC;
	std::memcpy(buf, out, sizeof out);
	return sizeof out;
}
static hp_module make()
{
	hp_module m = hp_module_new(HP_ENCODER, "every", "uses every kind of option");
	m.options = options;
	m.state_size = sizeof(every);
	m.encode = encode;
	return m;
}
HP_MODULE(every) = make();
