/* SPDX-License-Identifier: MIT
 * rows_encode.c - sample to bytes, every encoder that is built in, with the defaults of its options. */
#include "../tests/plain/text.h"
#include "bench.h"
#include "config/options.h"
#include "graph/modules.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hp_sample without_gyro[BENCH_RING], with_position[BENCH_RING];
static char buffer[65536];

static const struct hp_module *encoder(const char *name)
{
	char why[256];
	bool missing;
	const struct hp_module *m = hp_module_find(HP_ENCODER, name, &missing, why, sizeof why);
	if (!m)
		bench_die(name);
	return m;
}

static void encode(const struct hp_module *m, void *state, const struct hp_sample *ring, long n)
{
	for (long i = 0; i < n; i++)
		bench_sink +=
		    (uint64_t)m->encode(state, &ring[i % BENCH_RING], &bench_data.stream, buffer, sizeof buffer);
}

static double bytes(const struct hp_module *m, void *state, const struct hp_sample *ring)
{
	double sum = 0;
	for (int i = 0; i < BENCH_RING; i++) {
		int n = m->encode(state, &ring[i], &bench_data.stream, buffer, sizeof buffer);
		if (n < 0)
			bench_die(m->name);
		sum += n;
	}
	return sum / BENCH_RING;
}

/* The rows with a plain form. */
static const struct hp_module *json, *opentrack, *msgpack;
static void *json_state, *msgpack_state;

static void run_json_gyro(long n)
{
	encode(json, json_state, bench_data.filtered, n);
}
static void run_json_null(long n)
{
	encode(json, json_state, without_gyro, n);
}
static void run_opentrack(long n)
{
	encode(opentrack, NULL, bench_data.filtered, n);
}
static void run_opentrack_position(long n)
{
	encode(opentrack, NULL, with_position, n);
}
static void run_msgpack(long n)
{
	encode(msgpack, msgpack_state, bench_data.filtered, n);
}
static void plain_json_ring(const struct hp_sample *ring, long n)
{
	for (long i = 0; i < n; i++)
		bench_sink +=
		    (uint64_t)plain_json(&ring[i % BENCH_RING], bench_data.stream.device, buffer, sizeof buffer);
}
static void plain_json_gyro(long n)
{
	plain_json_ring(bench_data.filtered, n);
}
static void plain_json_null(long n)
{
	plain_json_ring(without_gyro, n);
}
static void plain_opentrack_all(long n)
{
	for (long i = 0; i < n; i++) {
		plain_opentrack(&bench_data.filtered[i % BENCH_RING], (uint8_t *)buffer);
		bench_sink += (uint8_t)buffer[40];
	}
}
static void plain_msgpack_all(long n)
{
	for (long i = 0; i < n; i++)
		bench_sink += (uint64_t)plain_msgpack(&bench_data.filtered[i % BENCH_RING], bench_data.stream.device,
		                                      (uint8_t *)buffer);
}

/* All others, by their names. */
enum { OTHERS = 12 };
static struct other {
	const struct hp_module *module;
	void *state;
	struct hp_values values;
	char name[48];
} others[OTHERS];

#define OTHER(i)                                                                   \
	static void run_other_##i(long n)                                          \
	{                                                                          \
		encode(others[i].module, others[i].state, bench_data.filtered, n); \
	}
OTHER(0)
OTHER(1)
OTHER(2)
OTHER(3)
OTHER(4)
OTHER(5)
OTHER(6)
OTHER(7)
OTHER(8)
OTHER(9)
OTHER(10)
OTHER(11)
static void (*const run_other[OTHERS])(long) = { run_other_0, run_other_1, run_other_2,  run_other_3,
	                                         run_other_4, run_other_5, run_other_6,  run_other_7,
	                                         run_other_8, run_other_9, run_other_10, run_other_11 };

static void add_other(const struct hp_module *m, size_t i)
{
	struct hp_section section = { .kind = (char *)"output", .name = (char *)"bench", .file = "bench" };
	struct hp_errors errors = { 0 };
	struct other *o = &others[i];
	static const struct hp_host no_host = { .struct_size = sizeof no_host, .abi = HP_ABI, .name = "bench" };
	o->module = m;
	o->state = calloc(1, m->state_size ? m->state_size : 1);
	if (!o->state)
		bench_die("no memory");
	/* one that wants options or services cannot be measured alone */
	if ((m->options && hp_options_fill(m->options, o->state, &section, m->name, NULL, 0, &o->values, &errors)) ||
	    (m->open && m->open(o->state, &no_host) < 0)) {
		hp_errors_free(&errors);
		return;
	}
	snprintf(o->name, sizeof o->name, "encode_%s", m->name);
	bench_add((struct bench_row){ o->name, m->summary, run_other[i], NULL, NULL, 4096,
	                              bytes(m, o->state, bench_data.filtered), false });
}

void bench_rows_encode(void)
{
	json = encoder("json");
	opentrack = encoder("opentrack");
	msgpack = encoder("msgpack");
	json_state = calloc(1, json->state_size);
	msgpack_state = calloc(1, msgpack->state_size);
	if (!json_state || !msgpack_state)
		bench_die("no memory");
	for (int i = 0; i < BENCH_RING; i++) {
		without_gyro[i] = bench_data.filtered[i];
		without_gyro[i].flags &= ~(unsigned)HP_GYRO;
		with_position[i] = bench_data.filtered[i];
		with_position[i].flags |= HP_POS;
		for (int k = 0; k < 3; k++)
			with_position[i].pos[k] = i * 0.1 - k;
	}
	bench_add((struct bench_row){ "json_gyro", "JSON with angular velocity; plain: snprintf", run_json_gyro,
	                              plain_json_gyro, NULL, 1024, bytes(json, json_state, bench_data.filtered),
	                              true });
	bench_add((struct bench_row){ "json_null", "JSON without; plain: snprintf", run_json_null, plain_json_null,
	                              NULL, 1024, bytes(json, json_state, without_gyro), true });
	bench_add((struct bench_row){ "opentrack", "OpenTrack's 48 bytes; plain: memcpy", run_opentrack,
	                              plain_opentrack_all, NULL, 20000, 48, true });
	bench_add((struct bench_row){ "opentrack_position", "the same of a sample that has a position",
	                              run_opentrack_position, NULL, NULL, 20000, 48, true });
	bench_add((struct bench_row){ "msgpack", "MessagePack map; plain: byte by byte", run_msgpack, plain_msgpack_all,
	                              NULL, 4096, bytes(msgpack, msgpack_state, bench_data.filtered), true });
	size_t n, used = 0;
	const struct hp_builtin *all = hp_builtins(&n);
	for (size_t i = 0; i < n && used < OTHERS; i++)
		if (all[i].kind == HP_ENCODER && all[i].module && all[i].module != json && all[i].module != opentrack &&
		    all[i].module != msgpack)
			add_other(all[i].module, used++);
}
