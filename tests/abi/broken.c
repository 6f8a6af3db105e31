/* SPDX-License-Identifier: MIT
 * broken.c - modules with one thing wrong each, chosen by -DWRONG_name; without any it is a good output. OLDER_STRUCT
 * is good as well: it ends before the last members, and what lies behind it must not be looked at. */
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
#define ROWS                                                                                              \
	{                                                                                                 \
		"gain", "1", "a number", NULL, 0, 0, (enum hp_type)99, offsetof(struct state, gain), 0, 8 \
	}
#elif defined(WRONG_field_size)
#define ROWS                                                                                     \
	{                                                                                        \
		"gain", "1", "a number", NULL, 0, 0, HP_REAL, offsetof(struct state, gain), 0, 4 \
	}
#elif defined(WRONG_outside)
#define ROWS                                                                             \
	{                                                                                \
		"gain", "1", "a number", NULL, 0, 0, HP_REAL, sizeof(struct state), 0, 8 \
	}
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
#elif defined(WRONG_minor)
#define ABI (HP_ABI + 1)
#elif defined(WRONG_head)
#define ABI 0
#else
#define ABI HP_ABI
#endif

#if defined(WRONG_struct_size)
#define STRUCT_SIZE 60
#elif defined(OLDER_STRUCT)
#define STRUCT_SIZE offsetof(struct hp_module, check)
#else
#define STRUCT_SIZE sizeof(struct hp_module)
#endif

#ifdef WRONG_sample_size
#define SAMPLE_SIZE 200
#else
#define SAMPLE_SIZE sizeof(struct hp_sample)
#endif
#ifdef WRONG_option_size
#define OPTION_SIZE 48
#else
#define OPTION_SIZE sizeof(struct hp_option)
#endif

#if defined(WRONG_kind)
#define KIND ((enum hp_kind)7)
#elif defined(WRONG_nokind)
#define KIND ((enum hp_kind)0)
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

#ifdef OLDER_STRUCT
#define BEHIND .check = (int (*)(const void *, const char **, char *, size_t))16, .encoding = (const char *)16,
#else
#define BEHIND
#endif

#ifdef WRONG_symbol
#define MODULE                                        \
	extern const struct hp_module headpipe_modul; \
	const struct hp_module headpipe_modul
#else
#define MODULE HP_MODULE(broken)
#endif
MODULE = { .struct_size = STRUCT_SIZE,
	   .abi = ABI,
	   .option_size = OPTION_SIZE,
	   .sample_size = SAMPLE_SIZE,
	   .kind = KIND,
	   .name = NAME,
	   .summary = SUMMARY,
	   .write = WRITE,
	   .options = options,
	   .state_size = sizeof(struct state),
	   BEHIND };
