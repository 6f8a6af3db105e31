/* SPDX-License-Identifier: MIT
 * broken.c - modules with one thing wrong each, chosen by -DWRONG_name; without any it is a good output. */
#include <headpipe.h>

struct state {
	double gain;
	int mode;
	const char *text;
};

#if defined(WRONG_default)
#define ROWS HP_OPT_REAL(struct state, gain, "11", 0, 10, "a number")
#elif defined(WRONG_default_enum)
#define ROWS HP_OPT_ENUM(struct state, mode, "c", "a|b", "a choice")
#elif defined(WRONG_reserved)
#define ROWS HP_OPT_REAL_AS(struct state, gain, "rate", "1", 0, 10, "a number")
#elif defined(WRONG_key)
#define ROWS HP_OPT_REAL_AS(struct state, gain, "Gain", "1", 0, 10, "a number")
#elif defined(WRONG_twice)
#define ROWS \
	HP_OPT_REAL(struct state, gain, "1", 0, 10, "a number"), HP_OPT_REAL(struct state, gain, "1", 0, 10, "again")
#elif defined(WRONG_doc)
#define ROWS HP_OPT_REAL(struct state, gain, "1", 0, 10, "")
#elif defined(WRONG_range)
#define ROWS HP_OPT_REAL(struct state, gain, "1", 10, 0, "a number")
#elif defined(WRONG_choices)
#define ROWS HP_OPT_ENUM(struct state, mode, "a", "a||b", "a choice")
#elif defined(WRONG_nokey)
#define ROWS HP_OPT_REAL_AS(struct state, gain, NULL, "1", 0, 10, "a number")
#elif defined(WRONG_type)
#define ROWS                                                                                                      \
	{                                                                                                         \
		.key = "gain", .def = "1", .doc = "a number", .type = 99, .offset = offsetof(struct state, gain), \
		.size = 8                                                                                         \
	}
#elif defined(WRONG_field_size)
#define ROWS                                                                                                           \
	{                                                                                                              \
		.key = "gain", .def = "1", .doc = "a number", .type = HP_REAL, .offset = offsetof(struct state, gain), \
		.size = 4                                                                                              \
	}
#elif defined(WRONG_outside)
#define ROWS                                                                                                   \
	{                                                                                                      \
		.key = "gain", .def = "1", .doc = "a number", .type = HP_REAL, .offset = sizeof(struct state), \
		.size = 8                                                                                      \
	}
#elif defined(WRONG_soft)
#define ROWS HP_OPT_REAL(struct state, gain, "1", 0, 10, "a number", 0, "dB", 2, 11)
#else
#define ROWS HP_OPT_REAL(struct state, gain, "1", 0, 10, "a number")
#endif

#ifdef WRONG_endless
#define ROW4  ROWS, ROWS, ROWS, ROWS
#define ROW16 ROW4, ROW4, ROW4, ROW4
#define ROW64 ROW16, ROW16, ROW16, ROW16
static const struct hp_option options[] = { ROW64, ROW64, ROW64, ROW64, ROWS };
#else
static const struct hp_option options[] = { ROWS, HP_OPT_END };
#endif

#if defined(WRONG_major)
#define ABI ((HP_ABI_MAJOR + 1) << 16)
#elif defined(WRONG_older)
#define ABI ((HP_ABI_MAJOR - 1) << 16 | 7)
#elif defined(WRONG_minor) || defined(NEWER)
#define ABI (HP_ABI + 1)
#elif defined(WRONG_head)
#define ABI 0
#else
#define ABI HP_ABI
#endif

#if defined(WRONG_struct_size)
#define STRUCT_SIZE 60
#else
#define STRUCT_SIZE sizeof(struct hp_module)
#endif

#if defined(WRONG_sample_size)
#define SAMPLE_SIZE 216
#elif defined(WRONG_huge_sample)
#define SAMPLE_SIZE 1024
#else
#define SAMPLE_SIZE sizeof(struct hp_sample)
#endif
#ifdef WRONG_option_size
#define OPTION_SIZE 64
#else
#define OPTION_SIZE sizeof(struct hp_option)
#endif

#if defined(WRONG_kind)
#define KIND 7
#elif defined(WRONG_nokind)
#define KIND 0
#elif defined(WRONG_filter)
#define KIND HP_FILTER
#else
#define KIND HP_OUTPUT
#endif

#if defined(WRONG_noname)
#define NAME NULL
#elif defined(WRONG_name)
#define NAME "My-Sim"
#else
#define NAME "broken"
#endif
#ifdef WRONG_summary
#define SUMMARY NULL
#else
#define SUMMARY "an output for tests"
#endif

#ifdef WRONG_nowrite
#define WRITE NULL
#else
#define WRITE take
static int take(void *self, const struct hp_sample *s)
{
	(void)self, (void)s;
	return 0;
}
#endif

#ifdef WRONG_minor
#define NEEDS (HP_ABI_MINOR + 1)
#else
#define NEEDS 0
#endif

#ifdef WRONG_symbol
#define MODULE                                        \
	extern const struct hp_module headpipe_modul; \
	const struct hp_module headpipe_modul
#elif defined(WRONG_nothing) || defined(WRONG_same)
#define MODULE static const struct hp_module broken
#else
#define MODULE HP_MODULE(broken)
#endif
MODULE = { .struct_size = STRUCT_SIZE,
	   .abi = ABI,
	   .option_size = OPTION_SIZE,
	   .sample_size = SAMPLE_SIZE,
	   .needs_minor = NEEDS,
	   .kind = KIND,
	   .name = NAME,
	   .summary = SUMMARY,
	   .write = WRITE,
	   .options = options,
	   .state_size = sizeof(struct state) };
#if defined(WRONG_nothing)
HP_MODULES(NULL, &broken);
#elif defined(WRONG_same)
HP_MODULES(&broken, &broken);
#endif
