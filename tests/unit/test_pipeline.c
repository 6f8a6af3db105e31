/* SPDX-License-Identifier: MIT
 * test_pipeline.c - the way of a sample: order, copies at branches, drops, filters that make samples, numbers that are
 * not finite, and failures that are told but do not spread. */
#include "api/builtin.h"
#include "harness.h"
#include "pose/pose.h"

#define INI                                                                                                     \
	"[input head]\nuse = probe_in\n[output raw]\nuse = probe_out\n[filter pose]\nuse = probe_filter\n"      \
	"[output game]\nuse = probe_out\n[filter calm]\nuse = probe_filter\n[output stream]\nuse = probe_out\n" \
	"[output tape]\nuse = probe_out\nfrom = pose\n[output late]\nuse = probe_out\nfrom = head\n"

static const double nan_value = NAN, inf_value = INFINITY;

static void order(void **unused)
{
	struct bench b;
	uint8_t bytes[3] = { 1, 2, 3 };
	struct hp_sample two[2] = { pose(10, 1), pose(20, 2) };
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	bench_start(&b);
	struct hp_node *head = node(&b, "head");
	struct hp_raw raw = { .struct_size = sizeof raw, .size = sizeof bytes, .data = bytes };
	struct hp_event e = { .struct_size = sizeof e, .type = HP_GAP, .value = 5 };
	struct hp_item item = { sizeof item, 2, &raw, &e, two };
	/* the report goes straight to the outputs, then the event to everybody, then one sample after the other */
	assert_int_equal(head->host.emit(&head->host, &item), 0);
	assert_traced("raw:r3 game:r3 stream:r3 tape:r3 late:r3 "
	              "raw:e3 pose:e3 game:e3 calm:e3 stream:e3 tape:e3 late:e3 "
	              "raw:s1 pose:s1 game:s1 calm:s1 stream:s1 tape:s1 late:s1 "
	              "raw:s2 pose:s2 game:s2 calm:s2 stream:s2 tape:s2 late:s2");
	assert_int_equal(node(&b, "stream")->counts.out, 2);
	bench_end(&b);
}

/* Adds a number that tells who was here; ypr is what the probes report. */
static int add_hundred(struct probe *p, struct hp_sample *s)
{
	trace("%s", p->host->name);
	s->ypr[0] += strcmp(p->host->name, "pose") ? 1000 : 100;
	return HP_KEEP;
}

static void branches_have_copies(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "pose")->on_filter = probe(&b, "calm")->on_filter = add_hundred;
	bench_start(&b);
	emit_pose(&b, "head", 0, 7);
	assert_traced("raw:s7 pose game:s107 calm stream:s1107 tape:s107 late:s7");
	bench_end(&b);
}

static int drop_all(struct probe *p, struct hp_sample *s)
{
	s->ypr[0] = 55; /* must not be seen by anybody */
	trace("%s-", p->host->name);
	return HP_DROP;
}

static void a_drop_ends_the_subtree(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "pose")->on_filter = drop_all;
	bench_start(&b);
	emit_pose(&b, "head", 0, 7);
	assert_traced("raw:s7 pose- late:s7");
	probe(&b, "pose")->on_filter = trace_filter;
	probe(&b, "calm")->on_filter = drop_all;
	emit_pose(&b, "head", 0, 7);
	assert_traced("raw:s7 pose:s7 game:s7 calm- tape:s7 late:s7");
	assert_int_equal(node(&b, "calm")->counts.in, 1);
	assert_int_equal(node(&b, "calm")->counts.out, 0);
	bench_end(&b);
}

/* Makes two samples before the one that comes, in the middle of its own call. */
static int triple(struct probe *p, struct hp_sample *s)
{
	trace("%s:s%.6g", p->host->name, s->ypr[0]);
	for (int i = 1; i < 3; i++) {
		struct hp_sample more = *s;
		more.ypr[0] += i * 0.25;
		p->host->emit(p->host, &(struct hp_item){
		                           .struct_size = sizeof(struct hp_item), .nsamples = 1, .samples = &more });
	}
	return HP_KEEP;
}

static void filters_make_samples(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "pose")->on_filter = triple;
	probe(&b, "calm")->on_filter = triple;
	bench_start(&b);
	emit_pose(&b, "head", 0, 8);
	assert_traced("raw:s8 pose:s8 "
	              "game:s8.25 calm:s8.25 stream:s8.5 stream:s8.75 stream:s8.25 tape:s8.25 "
	              "game:s8.5 calm:s8.5 stream:s8.75 stream:s9 stream:s8.5 tape:s8.5 "
	              "game:s8 calm:s8 stream:s8.25 stream:s8.5 stream:s8 tape:s8 late:s8");
	/* what it emits on its own goes below it and nowhere else, reports do not */
	uint8_t byte = 0;
	struct hp_raw raw = { .struct_size = sizeof raw, .size = 1, .data = &byte };
	struct hp_sample s = pose(0, 3);
	struct hp_event e = { .struct_size = sizeof e, .type = HP_RECENTER };
	const struct hp_host *calm = &node(&b, "calm")->host;
	assert_int_equal(calm->emit(calm, &(struct hp_item){ sizeof(struct hp_item), 1, &raw, &e, &s }), 0);
	assert_traced("stream:e5 stream:s3");
	/* outputs may not */
	assert_int_equal(
	    node(&b, "game")
	        ->host.emit(&node(&b, "game")->host, &(struct hp_item){ sizeof(struct hp_item), 1, NULL, NULL, &s }),
	    -ENOTSUP);
	assert_int_equal(
	    node(&b, "game")
	        ->host.post(&node(&b, "game")->host, &(struct hp_item){ sizeof(struct hp_item), 1, NULL, NULL, &s }),
	    -ENOTSUP);
	assert_traced("");
	bench_end(&b);
}

static void not_finite_at_the_door(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	bench_start(&b);
	const struct {
		size_t at;
		uint32_t flag;
	} fields[] = {
		{ offsetof(struct hp_sample, quat[2]), 0 },       { offsetof(struct hp_sample, rotvec[1]), HP_ROTVEC },
		{ offsetof(struct hp_sample, ypr[2]), HP_YPR },   { offsetof(struct hp_sample, pos[0]), HP_POS },
		{ offsetof(struct hp_sample, gyro[1]), HP_GYRO }, { offsetof(struct hp_sample, accel[2]), HP_ACCEL },
		{ offsetof(struct hp_sample, rate_hz), 0 },       { offsetof(struct hp_sample, latency_ms), 0 },
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		for (int k = 0; k < 2; k++) {
			struct hp_sample s = pose(0, 1);
			s.flags = HP_ROTVEC | HP_YPR | HP_POS | HP_GYRO | HP_ACCEL;
			memcpy((char *)&s + fields[i].at, k ? &nan_value : &inf_value, sizeof(double));
			assert_int_equal(emit_sample(&b, "head", &s), -EDOM);
			/* a number that the flags do not declare does not matter */
			s.flags &= ~fields[i].flag;
			if (fields[i].flag)
				assert_int_equal(emit_sample(&b, "head", &s), 0);
		}
	assert_int_equal(node(&b, "head")->counts.not_finite, 16);
	assert_int_equal(
	    count_text(logged,
	               "headpipe: warning: input head: gave a number that is not finite; sample dropped (told once)"),
	    1);
	/* the others of the item still go */
	*traced = 0;
	struct hp_sample three[3] = { pose(0, 1), pose(1, 2), pose(2, 3) };
	three[1].quat[0] = NAN;
	const struct hp_host *head = &node(&b, "head")->host;
	assert_int_equal(head->emit(head, &(struct hp_item){ sizeof(struct hp_item), 3, NULL, NULL, three }), -EDOM);
	assert_int_equal(count_text(traced, "late:s"), 2);
	bench_end(&b);
}

static int poison(struct probe *p, struct hp_sample *s)
{
	if (s->time_ns == 13)
		s->quat[1] = p->gain / 0.0;
	return HP_KEEP;
}
static int trace_reset(struct probe *p)
{
	trace("%s:reset", p->host->name);
	return 0;
}

static void not_finite_out_of_a_filter(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "pose")->on_filter = poison;
	probe(&b, "pose")->on_reset = trace_reset;
	bench_start(&b);
	emit_pose(&b, "head", 13, 1);
	emit_pose(&b, "head", 13, 2);
	emit_pose(&b, "head", 14, 3);
	assert_traced("raw:s1 pose:reset late:s1 raw:s2 pose:reset late:s2 "
	              "raw:s3 game:s3 calm:s3 stream:s3 tape:s3 late:s3");
	assert_int_equal(count_text(logged, "filter pose: its result was not a finite number"), 1);
	assert_int_equal(node(&b, "pose")->counts.not_finite, 2);
	bench_end(&b);
}

static int turn_left(struct probe *p, struct hp_sample *s)
{
	double by[4] = { cos(M_PI / 8), 0, 0, sin(M_PI / 8) };
	(void)p;
	hp_quat_multiply(by, s->quat, s->quat);
	s->flags &= ~(unsigned)(HP_YPR | HP_ROTVEC);
	return HP_KEEP;
}
static int check_derived(struct probe *p, const struct hp_sample *s)
{
	struct hp_sample again = *s;
	again.flags &= ~(unsigned)(HP_YPR | HP_ROTVEC);
	hp_sample_derive(&again);
	assert_memory_equal(again.ypr, s->ypr, sizeof s->ypr);
	assert_memory_equal(again.rotvec, s->rotvec, sizeof s->rotvec);
	trace("%s:s%.3f", p->host->name, s->ypr[0]);
	return 0;
}
static int spoil(struct probe *p, struct hp_sample *s)
{
	(void)p;
	s->ypr[0] = 77; /* the flags say that it agrees, so it stays */
	return HP_KEEP;
}

static void stale_forms_are_derived(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "pose")->on_filter = turn_left;
	probe(&b, "calm")->on_filter = spoil;
	probe(&b, "game")->on_write = probe(&b, "tape")->on_write = check_derived;
	bench_start(&b);
	emit_pose(&b, "head", 0, 10);
	assert_traced("raw:s10 game:s55.000 stream:s77 tape:s55.000 late:s10");
	bench_end(&b);
}

static struct hp_sample seen_game, seen_raw;
static int keep_game(struct probe *p, const struct hp_sample *s)
{
	(void)p;
	seen_game = *s;
	return 0;
}
static int keep_raw(struct probe *p, const struct hp_sample *s)
{
	(void)p;
	seen_raw = *s;
	return 0;
}

/* An input leaves the quaternion to the host: an output sees it, a filter that needs only the vector gives the same. */
static void quaternions_that_are_due(void **unused)
{
	static const char only[] = "[input head]\nuse = probe_in\n[filter pose]\nuse = orientation\n"
	                           "[output game]\nuse = probe_out\n";
	static const char both[] = "[input head]\nuse = probe_in\n[filter pose]\nuse = orientation\n"
	                           "[output game]\nuse = probe_out\n[output raw]\nuse = probe_out\nfrom = head\n";
	struct hp_sample first = HP_SAMPLE_INIT, with_one;
	double quat[4];
	(void)unused;
	first.flags = HP_ROTVEC | HP_QUAT_DUE;
	for (int i = 0; i < 2; i++) {
		struct bench b;
		bench_build(&b, i ? both : only);
		probe(&b, "game")->on_write = keep_game;
		if (i)
			probe(&b, "raw")->on_write = keep_raw;
		bench_start(&b);
		node(&b, "head")->program.known_flags |= HP_QUAT_DUE; /* as if it were built in */
		for (int t = 0; t < 3; t++) {
			first.time_ns = t * 10000000;
			first.rotvec[0] = 0.1 * t;
			first.rotvec[2] = -0.4 * t;
			assert_int_equal(emit_sample(&b, "head", &first), 0);
		}
		assert_int_equal(seen_game.flags & HP_QUAT_DUE, 0);
		if (i)
			assert_memory_equal(with_one.quat, seen_game.quat, sizeof quat);
		with_one = seen_game;
		bench_end(&b);
	}
	hp_quat_from_rotvec(first.rotvec, quat);
	assert_memory_equal(seen_raw.quat, quat, sizeof quat);
	assert_int_equal(seen_raw.flags & (HP_QUAT_DUE | HP_ROTVEC), HP_ROTVEC);
}

static int encode_fails(struct probe *p, const struct hp_sample *s, const struct hp_stream *st, void *buf, size_t cap)
{
	(void)p, (void)st, (void)buf, (void)cap;
	return s->time_ns == 1 ? -EDOM : s->time_ns == 2 ? -ENOSPC : 0;
}
static int trace_send(struct probe *p, const void *data, size_t size)
{
	double yaw = 0;
	memcpy(&yaw, data, size < sizeof yaw ? size : sizeof yaw);
	trace("%s:b%zu=%.6g", p->host->name, size, yaw);
	return 0;
}

static void encoders_fail(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b,
	            "[input head]\nuse = probe_in\n[output game]\nuse = probe_send\n[output two]\nuse = probe_send\n");
	probe(&b, "game")->on_send = probe(&b, "two")->on_send = trace_send;
	probe_encoder(&b, "game")->on_encode = encode_fails;
	bench_start(&b);
	for (int t = 0; t < 4; t++)
		emit_pose(&b, "head", t, t + 1);
	assert_traced("two:b8=1 two:b8=2 two:b8=3 two:b8=4");
	const struct hp_node *game = node(&b, "game");
	assert_int_equal(game->trouble.total, 2);
	assert_int_equal(game->counts.out, 2); /* nothing to send is no failure */
	assert_log_has("headpipe: warning: output game: encoding failed: Numerical argument out of domain; going on\n");
	assert_int_equal(count_text(logged, "output game"),
	                 1); /* the second is told a second later, or in the counts */
	bench_end(&b);
}

/* Three datagrams for a sample, the second of them empty; for the second sample without end. */
static int row_at;
static int encode_row(struct probe *p, const struct hp_sample *s, const struct hp_stream *st, void *buf, size_t cap)
{
	double yaw = s->ypr[0] + ++row_at / 4.0;
	(void)p, (void)st, (void)cap;
	memcpy(buf, &yaw, sizeof yaw);
	if (s->time_ns == 1)
		return sizeof yaw | HP_MORE;
	if (s->time_ns == 2)
		return row_at == 2 ? -ENOSPC : (int)(sizeof yaw | HP_MORE);
	int left = 3 - row_at;
	row_at %= 3;
	return left == 1 ? HP_MORE : (int)sizeof yaw | (left ? HP_MORE : 0);
}
static unsigned row_sends;
static int count_sends(struct probe *p, const void *data, size_t size)
{
	(void)p, (void)data, (void)size;
	row_sends++;
	return 0;
}
static int second_fails(struct probe *p, const void *data, size_t size)
{
	double yaw;
	memcpy(&yaw, data, sizeof yaw);
	trace_send(p, data, size);
	return yaw == 7.25 ? -EPIPE : 0;
}

static void rows_of_datagrams(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, "[input head]\nuse = probe_in\n[output game]\nuse = probe_send\n");
	probe(&b, "game")->on_send = trace_send;
	probe_encoder(&b, "game")->on_encode = encode_row;
	bench_start(&b);
	const struct hp_node *game = node(&b, "game");
	row_at = 0;
	emit_pose(&b, "head", 0, 5);
	assert_traced("game:b8=5.25 game:b8=5.75");
	assert_int_equal(game->counts.out, 1); /* samples, not datagrams */
	/* one that cannot be sent does not keep the next back, and the sample has failed once */
	probe(&b, "game")->on_send = second_fails;
	emit_pose(&b, "head", 3, 7);
	assert_traced("game:b8=7.25 game:b8=7.75");
	assert_int_equal(game->trouble.total, 1);
	assert_int_equal(game->counts.out, 1);
	/* an encoder that fails in the middle: what was made is sent */
	probe(&b, "game")->on_send = trace_send;
	row_at = 0;
	emit_pose(&b, "head", 2, 9);
	assert_traced("game:b8=9.25");
	assert_int_equal(game->trouble.total, 2);
	/* one that never ends is stopped */
	probe(&b, "game")->on_send = count_sends;
	emit_pose(&b, "head", 1, 1);
	assert_int_equal(row_sends, HP_MORE_MOST);
	assert_int_equal(game->trouble.total, 3);
	assert_int_equal(game->trouble.last, EOVERFLOW);
	bench_end(&b);
}

static uint32_t jump_of[8];
static uint64_t seq_of[8];
static int keep_jump(struct probe *p, const struct hp_sample *s)
{
	(void)p;
	if (s->time_ns < 8) {
		jump_of[s->time_ns] = s->flags & HP_JUMP;
		seq_of[s->time_ns] = s->seq;
	}
	return 0;
}

static void jumps_and_numbers(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "late")->on_write = keep_jump;
	bench_start(&b);
	emit_event(&b, "head", HP_CONNECTED, 0, "X");
	emit_pose(&b, "head", 0, 1);
	emit_pose(&b, "head", 1, 1);
	emit_event(&b, "head", HP_GAP, 100, NULL);
	emit_pose(&b, "head", 2, 1);
	emit_event(&b, "head", HP_REFERENCE_RESET, 1, NULL);
	emit_pose(&b, "head", 3, 1);
	emit_event(&b, "head", HP_RECENTER, 0, NULL);
	emit_pose(&b, "head", 4, 1);
	for (int t = 0; t < 5; t++) {
		assert_int_equal(!!jump_of[t], t == 0 || t == 2 || t == 3);
		assert_int_equal(seq_of[t], t);
	}
	bench_end(&b);
}

static const struct hp_stream *seen;
static void look_at_stream(struct probe *p, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED) {
		seen = p->host->stream(p->host);
		trace("%s:%s/%s", p->host->name, seen->device ? seen->device : "-", e->text ? e->text : "-");
	}
}

static void streams_change_with_connected(void **unused)
{
	struct bench b;
	char name[8] = "One", serial[8] = "S", unique[8] = "U", features[8] = "1=00";
	uint8_t descriptor[2] = { 5, 1 };
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "late")->on_event = probe(&b, "pose")->on_event = look_at_stream;
	bench_start(&b);
	const struct hp_host *head = &node(&b, "head")->host, *late = &node(&b, "late")->host;
	assert_int_equal(late->stream(late)->struct_size, sizeof(struct hp_stream));
	assert_null(late->stream(late)->device);
	struct hp_stream s = { .struct_size = sizeof s,
		               .source = 99,
		               .device = name,
		               .serial = serial,
		               .unique_id = unique,
		               .descriptor = descriptor,
		               .descriptor_size = 2,
		               .vendor = 0x54c,
		               .features = features };
	head->describe(head, &s);
	assert_null(late->stream(late)->device); /* not yet */
	emit_event(&b, "head", HP_CONNECTED, 0, name);
	/* all of it was copied */
	for (char *const *t = (char *const[]){ name, serial, unique, features, NULL }; *t; t++)
		memset(*t, 'x', strlen(*t));
	memset(descriptor, 0, 2);
	assert_traced("pose:One/One late:One/One");
	const struct hp_stream *now = late->stream(late);
	assert_string_equal(now->device, "One");
	assert_string_equal(now->serial, "S");
	assert_string_equal(now->features, "1=00");
	assert_string_equal(now->unique_id, "U");
	assert_memory_equal(now->descriptor, "\5\1", 2);
	assert_int_equal(now->source, 0);
	/* the last description before the event counts */
	head->describe(head, &(struct hp_stream){ .struct_size = sizeof s, .device = "Two" });
	head->describe(head, &(struct hp_stream){ .struct_size = sizeof s, .device = "Three" });
	emit_event(&b, "head", HP_CONNECTED, 0, NULL);
	assert_traced("pose:Three/- late:Three/-");
	assert_null(late->stream(late)->descriptor);
	assert_null(late->stream(late)->unique_id);
	bench_end(&b);
}

static int fail_write(struct probe *p, const struct hp_sample *s)
{
	trace("%s!", p->host->name);
	return s->time_ns % 2 ? -ENETUNREACH : -EACCES;
}
static int fail_filter(struct probe *p, struct hp_sample *s)
{
	(void)p, (void)s;
	return -EIO;
}

static void failures_are_told_once_a_second(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "raw")->on_write = fail_write;
	probe(&b, "calm")->on_filter = fail_filter;
	bench_start(&b);
	for (int t = 0; t < 3; t++)
		emit_pose(&b, "head", t, t);
	assert_traced("raw! pose:s0 game:s0 tape:s0 late:s0 raw! pose:s1 game:s1 tape:s1 late:s1 "
	              "raw! pose:s2 game:s2 tape:s2 late:s2");
	assert_int_equal(count_text(logged, "\n"), 2);
	assert_log_has("headpipe: warning: output raw: write failed: Permission denied; going on\n");
	assert_log_has("headpipe: warning: filter calm: sample failed: Input/output error; going on\n");
	struct hp_node *raw = node(&b, "raw");
	assert_int_equal(raw->trouble.total, 3);
	/* as if that had been a while ago */
	raw->trouble.told_ns -= 2400000000;
	emit_pose(&b, "head", 3, 3);
	assert_log_has("headpipe: warning: output raw: 3 writes failed in the last 2 s: Network is unreachable\n");
	assert_int_equal(count_text(logged, "\n"), 3);
	emit_pose(&b, "head", 4, 4);
	assert_int_equal(count_text(logged, "\n"), 3);
	raw->trouble.told_ns -= 1100000000; /* the end tells the rest */
	hp_output_tell_rest(raw);
	assert_log_has("headpipe: warning: output raw: 1 writes failed in the last 1 s: Permission denied\n");
	bench_end(&b);
}

static int emit_five_then_end(struct probe *p)
{
	for (int i = 0; i < 5; i++) {
		struct hp_sample s = pose(i, i);
		p->host->emit(p->host, &(struct hp_item){ sizeof(struct hp_item), 1, NULL, NULL, &s });
	}
	p->host->fail(p->host, 0, NULL);
	return 0;
}

static void on_error_stop(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, "[input head]\nuse = probe_in\n[output bad]\nuse = probe_out\non_error = stop\n[output "
	                "good]\nuse = probe_out\n");
	trace_all(&b);
	probe(&b, "bad")->on_write = fail_write;
	bench_start(&b);
	emit_pose(&b, "head", 0, 0);
	hp_life_turn(&b.run);
	assert_true(b.run.stopping);
	assert_int_equal(emit_pose(&b, "head", 1, 1), -EPIPE);
	assert_traced("bad! good:s0");
	assert_log_has("headpipe: error: output bad: stopped by `on_error = stop`; this output is off\n");
	assert_log_has("headpipe: error: output bad: the run ends, as its section asks\n");
	assert_int_equal(b.run.exit_code, 1);
	bench_end(&b);

	/* a failed output is skipped, the others go on */
	bench_build(&b,
	            "[input head]\nuse = probe_in\n[output bad]\nuse = probe_out\n[output good]\nuse = probe_out\n");
	trace_all(&b);
	bench_start(&b);
	const struct hp_host *bad = &node(&b, "bad")->host;
	emit_pose(&b, "head", 0, 0);
	bad->fail(bad, ENOSPC, NULL);
	hp_life_turn(&b.run);
	emit_pose(&b, "head", 1, 1);
	emit_event(&b, "head", HP_GAP, 1, NULL);
	assert_traced("bad:s0 good:s0 good:s1 good:e3");
	assert_log_has("headpipe: error: output bad: No space left on device; this output is off\n");
	assert_false(b.run.stopping);
	bench_end(&b);
}

static void inputs_that_fail(void **unused)
{
	struct bench b;
	const char *two = "[input a]\nuse = probe_in\n[output x]\nuse = probe_out\n[input b]\nuse = probe_in\n[output "
	                  "y]\nuse = probe_out\n";
	(void)unused;
	bench_build(&b, two);
	trace_all(&b);
	probe(&b, "a")->on_start = probe(&b, "b")->on_start = emit_five_then_end;
	bench_open(&b);
	hp_life_run(&b.run); /* ends by itself when both have */
	assert_traced("x:s0 x:s1 x:s2 x:s3 x:s4 y:s0 y:s1 y:s2 y:s3 y:s4");
	assert_int_equal(b.run.exit_code, 0);
	bench_end(&b);

	/* one fails: the other goes on, the status remembers */
	bench_build(&b, two);
	bench_start(&b);
	const struct hp_host *a = &node(&b, "a")->host;
	a->fail(a, -EIO, "the cable is gone");
	a->fail(a, -EIO, "a second word does not count");
	hp_life_turn(&b.run);
	assert_false(b.run.stopping);
	assert_log_has("headpipe: error: input a: the cable is gone\n");
	assert_null(strstr(logged, "second word"));
	assert_int_equal(emit_pose(&b, "a", 0, 0), -EPIPE);
	assert_int_equal(emit_pose(&b, "b", 0, 0), 0);
	bench_end(&b);

	bench_build(&b, "[input a]\nuse = probe_in\non_error = stop\n[output x]\nuse = probe_out\n[input b]\nuse = "
	                "probe_in\n[output y]\nuse = probe_out\n");
	bench_start(&b);
	a = &node(&b, "a")->host;
	a->fail(a, EIO, NULL);
	hp_life_turn(&b.run);
	assert_true(b.run.stopping);
	bench_end(&b);
}

static int refuse(struct probe *p)
{
	(void)p;
	return -EBUSY;
}

static int refuse_with_words(struct probe *p)
{
	p->host->log(p->host, HP_LOG_WARN, "trying");
	p->host->log(p->host, HP_LOG_ERROR, "no such cable");
	return -ENODEV;
}

static void opening_fails(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "pose")->on_open = refuse;
	assert_int_equal(hp_life_open(&b.run), -EBUSY);
	assert_log_has("headpipe: error: filter pose: cannot be opened: Device or resource busy (a.ini:5)\n");
	bench_end(&b);

	/* what the module says itself is all there is, with the place in the ini */
	bench_build(&b, INI);
	probe(&b, "pose")->on_open = refuse_with_words;
	assert_int_equal(hp_life_open(&b.run), -ENODEV);
	assert_string_equal(logged, "headpipe: warning: filter pose: trying\n"
	                            "headpipe: error: filter pose: no such cable (a.ini:5)\n");
	bench_end(&b);

	bench_build(&b, INI);
	probe(&b, "head")->on_start = refuse;
	bench_open(&b);
	hp_life_run(&b.run);
	assert_log_has("headpipe: error: input head: cannot be started: Device or resource busy\n");
	assert_int_equal(b.run.exit_code, 1);
	bench_end(&b);
}

static int trace_open(struct probe *p)
{
	trace("+%s", p->host->name);
	return 0;
}
static int trace_start(struct probe *p)
{
	trace("!%s", p->host->name);
	p->host->fail(p->host, 0, "all read");
	return 0;
}
static void trace_stop(struct probe *p)
{
	trace("-%s", p->host->name);
}
static void trace_close(struct probe *p)
{
	trace("~%s", p->host->name);
}

static void life(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(
	    &b, "[input head]\nuse = probe_in\n[filter pose]\nuse = probe_filter\n[output game]\nuse = probe_out\n");
	for (size_t i = 0; i < b.run.nnodes; i++) {
		struct probe *p = b.run.nodes[i]->state;
		p->on_open = trace_open;
		p->on_stop = trace_stop;
		p->on_close = trace_close;
	}
	probe(&b, "head")->on_start = trace_start;
	bench_open(&b);
	hp_life_run(&b.run);
	bench_end(&b);
	assert_traced("+game +pose +head !head -head -pose -game ~head ~pose ~game");
	assert_log_has("headpipe: input head: all read\n");
}

static int trace_command(struct probe *p, const char *verb)
{
	trace("%s:%s", p->host->name, verb);
	return 0;
}

static void recenter(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	for (size_t i = 0; i < b.run.nnodes; i++)
		((struct probe *)b.run.nodes[i]->state)->on_command = trace_command;
	bench_start(&b);
	hp_recenter(&b.run);
	assert_traced("pose:recenter calm:recenter raw:e5 pose:e5 game:e5 calm:e5 stream:e5 tape:e5 late:e5");
	bench_end(&b);
}

/* ---- any tree, against the plain way: ask every node for its parent's sample ---- */

enum { NODES = 12 };
static int parent_of[NODES];
static char kind_of[NODES]; /* i, f, o */
static uint32_t seed;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 10) % sides;
}
/* What filter n makes of a yaw; false = dropped. A whole number, so that sums are exact. */
static bool plain_filter(int n, int time, double *yaw)
{
	*yaw += 1 << n;
	return (time * 7 + n * 3) % 5 != 0;
}
static int numbered_filter(struct probe *p, struct hp_sample *s)
{
	return plain_filter(atoi(p->host->name + 1), (int)s->time_ns, &s->ypr[0]) ? HP_KEEP : HP_DROP;
}
static void plain_tree(int n, int time, double yaw, char *out, size_t room)
{
	for (int k = 1; k < NODES; k++) {
		double mine = yaw;
		if (parent_of[k] != n)
			continue;
		if (kind_of[k] == 'o')
			snprintf(out + strlen(out), room - strlen(out), "%sn%d:s%.6g", *out ? " " : "", k, mine);
		else if (plain_filter(k, time, &mine))
			plain_tree(k, time, mine, out, room);
	}
}

static void any_tree(void **unused)
{
	(void)unused;
	for (seed = 1; seed < 20000; seed += 97) {
		struct bench b;
		uint32_t begin = seed;
		char ini[4096] = "[input n0]\nuse = probe_in\n", expected[4096];
		kind_of[0] = 'i';
		for (int n = 1; n < NODES; n++) {
			int above = n - 1, up; /* the nearest input or filter above */
			while (kind_of[above] == 'o')
				above--;
			bool last = n == NODES - 1;
			kind_of[n] = last || dice(2) ? 'o' : 'f';
			parent_of[n] = above;
			size_t used = strlen(ini);
			snprintf(ini + used, sizeof ini - used, "[%s n%d]\nuse = probe_%s\n",
			         kind_of[n] == 'o' ? "output" : "filter", n, kind_of[n] == 'o' ? "out" : "filter");
			if (dice(2)) {
				do
					up = (int)dice((uint32_t)n);
				while (kind_of[up] == 'o');
				parent_of[n] = up;
				used = strlen(ini);
				snprintf(ini + used, sizeof ini - used, "from = n%d\n", up);
			}
		}
		bench_build(&b, ini);
		for (size_t i = 0; i < b.run.nnodes; i++) {
			struct probe *p = b.run.nodes[i]->state;
			p->on_write = trace_write;
			p->on_filter = numbered_filter;
		}
		bench_start(&b);
		for (int time = 0; time < 5; time++) {
			*expected = *traced = 0;
			plain_tree(0, time, 0, expected, sizeof expected);
			emit_pose(&b, "n0", time, 0);
			if (strcmp(expected, traced))
				fail_msg("%s\ntime %d gives %s, not %s", ini, time, traced, expected);
		}
		bench_end(&b);
		seed = begin;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),
		cmocka_unit_test(branches_have_copies),
		cmocka_unit_test(a_drop_ends_the_subtree),
		cmocka_unit_test(filters_make_samples),
		cmocka_unit_test(not_finite_at_the_door),
		cmocka_unit_test(not_finite_out_of_a_filter),
		cmocka_unit_test(stale_forms_are_derived),
		cmocka_unit_test(quaternions_that_are_due),
		cmocka_unit_test(rows_of_datagrams),
		cmocka_unit_test(encoders_fail),
		cmocka_unit_test(jumps_and_numbers),
		cmocka_unit_test(streams_change_with_connected),
		cmocka_unit_test(failures_are_told_once_a_second),
		cmocka_unit_test(on_error_stop),
		cmocka_unit_test(inputs_that_fail),
		cmocka_unit_test(opening_fails),
		cmocka_unit_test(life),
		cmocka_unit_test(recenter),
		cmocka_unit_test(any_tree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
