// SPDX-License-Identifier: MIT
// module_designated.cpp - a module in C++20, written as in C; its state owns a C++ object behind a pointer.
#include <cstring>
#include <headpipe.h>
#include <vector>

struct every {
	double real;
	std::vector<double> *last;
};
static const struct hp_option options[] = { HP_OPT_REAL(every, real, "0.5", 0, 1, "a double"), HP_OPT_END };

static int open_it(void *self, const struct hp_host *)
{
	static_cast<every *>(self)->last = new std::vector<double>(2);
	return 0;
}
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *, void *buf, size_t)
{
	every *m = static_cast<every *>(self);
	(*m->last)[0] = s->ypr[0];
	(*m->last)[1] = m->real;
	std::memcpy(buf, m->last->data(), 16);
	return 16;
}
static void close_it(void *self)
{
	delete static_cast<every *>(self)->last;
}
HP_MODULE(every) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.name = "every",
	.summary = "written as in C",
	.options = options,
	.state_size = sizeof(every),
	.open = open_it,
	.encode = encode,
	.close = close_it,
};
