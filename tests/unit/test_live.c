/* SPDX-License-Identifier: MIT
 * test_live.c - options that change while running: a batch is all or nothing, also across an output and its encoder,
 * and reading the files again changes what differs. */
#include "harness.h"
#include <sys/stat.h>

#define INI                                                                                                     \
	"[input head]\nuse = probe_in\n[filter pose]\nuse = probe_filter\nlabel = first\n[output game]\nuse = " \
	"probe_send\n"

static char why[300];

static int change(struct bench *b, const char *name, const char *pairs)
{
	struct hp_change c[8];
	char text[300];
	size_t n = 0;
	snprintf(text, sizeof text, "%s", pairs);
	for (char *at = strtok(text, ";"); at; at = strtok(NULL, ";")) {
		c[n].key = at;
		at = strchr(at, '=');
		*at++ = 0;
		c[n++].value = at;
	}
	snprintf(why, sizeof why, "nothing");
	return hp_live_change(node(b, name), c, n, why, sizeof why);
}

static int trace_changed(struct probe *p)
{
	trace("%s:%.6g,%.6g..%.6g,%s", p->host->name, p->gain, p->low, p->high, p->label);
	return 0;
}
static void trace_option(struct probe *p, const struct hp_event *e)
{
	if (e->type == HP_OPTION)
		trace("%s<%s", p->host->name, e->text);
}

static void a_batch(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "pose")->on_changed = trace_changed;
	probe(&b, "pose")->on_event = probe(&b, "game")->on_event = trace_option;
	bench_start(&b);
	/* one call for all of it; low may be above the old high */
	assert_int_equal(change(&b, "pose", "gain=2;low=5;high=7;label=second"), 0);
	assert_traced("pose:2,5..7,second pose<pose.gain=2 game<pose.gain=2 pose<pose.low=5 game<pose.low=5 "
	              "pose<pose.high=7 game<pose.high=7 pose<pose.label=second game<pose.label=second");
	assert_int_equal(change(&b, "pose", "to=127.0.0.1:1, [::1]:2"), 0);
	assert_int_equal(probe(&b, "pose")->to.n, 2);
	assert_int_equal(probe(&b, "pose")->to.at[1].port, 2);
	for (int i = 0; i < 100; i++) /* old texts are freed, new ones live */
		assert_int_equal(change(&b, "pose", i % 2 ? "label=odd" : "label=even"), 0);
	assert_string_equal(probe(&b, "pose")->label, "odd");
	assert_true(node(&b, "pose")->ini->values.nblocks < 20);
	/* secrets are not told */
	*traced = *logged = 0;
	assert_int_equal(change(&b, "pose", "secret=xyzzy"), 0);
	assert_traced("pose:2,5..7,odd pose<pose.secret=(secret) game<pose.secret=(secret)");
	assert_null(strstr(logged, "xyzzy"));
	bench_end(&b);
}

static void refused(void **unused)
{
	static const struct {
		const char *batch;
		int result;
		const char *why;
	} cases[] = {
		{ "gain=2;low=9", -EINVAL, "low must not be above high" },
		{ "label=new;low=9;high=8", -EINVAL, "low must not be above high" },
		{ "gain=11", -EINVAL, "gain = 11: out of range (0 to 10)" },
		{ "label=new;gain=1,5", -EINVAL, NULL },
		{ "label=new;still=other", -EPERM, "still: cannot change while running" },
		{ "label=new;steps=4", -EPERM, "steps: cannot change while running" },
		{ "label=new;nonsense=4", -ENOENT, "nonsense: no such option" },
		{ "label=new;strength=4", -ENOENT, "strength: no such option" },
		{ "label=new;from=head", -ENOENT, "from: no such option" },
		{ "label=new;label=newer", -EINVAL, "label: given twice" },
		{ "label=new;to=nowhere:0", -EINVAL, NULL },
	};
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	struct probe *p = probe(&b, "pose");
	p->on_changed = trace_changed;
	p->on_event = trace_option;
	bench_start(&b);
	size_t blocks = node(&b, "pose")->ini->values.nblocks;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (change(&b, "pose", cases[i].batch) != cases[i].result)
			fail_msg("%s: %s", cases[i].batch, why);
		if (cases[i].why)
			assert_string_equal(why, cases[i].why);
		assert_string_equal(p->label, "first");
		assert_true(p->gain == 1 && p->low == 0 && p->high == 1);
		assert_int_equal(node(&b, "pose")->ini->values.nblocks, blocks);
	}
	assert_traced(""); /* the module did not even notice */
	bench_end(&b);
}

static int refuse_even(struct probe *p)
{
	trace("%s?%.6g,%s", p->host ? p->host->name : "code", p->gain, p->label);
	return (int)p->gain % 2 ? 0 : -ENODEV;
}

static void the_module_refuses(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	struct probe *p = probe(&b, "pose");
	p->on_changed = refuse_even;
	bench_start(&b);
	assert_int_equal(change(&b, "pose", "gain=2;label=new"), -ENODEV);
	assert_string_equal(why, "refused by probe_filter: No such device");
	assert_string_equal(p->label, "first");
	assert_true(p->gain == 1);
	assert_int_equal(change(&b, "pose", "gain=3;label=new"), 0);
	assert_string_equal(p->label, "new");
	assert_traced("pose?2,new pose?3,new");
	bench_end(&b);
}

/* An output and its encoder share a section: both or none. */
static void output_and_encoder(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	struct probe *out = probe(&b, "game"), *code = probe_encoder(&b, "game");
	out->on_changed = trace_changed;
	code->on_changed = refuse_even;
	bench_start(&b);
	assert_int_equal(change(&b, "game", "gain=5;code_gain=3;label=a;code_label=b"), 0);
	assert_traced("game:5,0..1,a game?3,b");
	/* the encoder refuses: the output hears its old values again */
	assert_int_equal(change(&b, "game", "label=c;code_label=d;code_gain=4"), -ENODEV);
	assert_string_equal(why, "refused by probe_code: No such device");
	assert_traced("game:5,0..1,c game?4,d game:5,0..1,a");
	assert_string_equal(out->label, "a");
	assert_string_equal(code->label, "b");
	assert_true(code->gain == 3);
	/* what the encoder cannot parse never reaches the output */
	assert_int_equal(change(&b, "game", "label=c;code_gain=99"), -EINVAL);
	assert_string_equal(why, "code_gain = 99: out of range (0 to 10)");
	assert_traced("");
	assert_string_equal(out->label, "a");
	bench_end(&b);
}

/* ---- reading the files again ---- */

static char folder[] = "/tmp/headpipe-live-XXXXXX";
static char path[128];

static int make_folder(void **unused)
{
	(void)unused;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/run.ini", folder);
	return 0;
}
static int remove_folder(void **unused)
{
	(void)unused;
	unlink(path);
	return rmdir(folder);
}
static void write_ini(const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}
static void reload(struct bench *b, const char *text)
{
	static const char *const assigned[] = { "pose.high=50" };
	write_ini(text);
	*logged = 0;
	hp_live_reload(&b->run, assigned, 1);
}
static int trace_command(struct probe *p, const char *verb)
{
	trace("%s:%s", p->host->name, verb);
	return 0;
}

static void reading_again(void **unused)
{
	struct bench b = { 0 };
	(void)unused;
	bench_modules();
	*logged = *traced = 0;
	hp_log_to(log_sink, NULL);
	hp_log_level(HP_LOG_INFO);
	write_ini(INI);
	assert_int_equal(hp_config_read(&b.config, path, &b.errors), 0);
	assert_int_equal(hp_config_set(&b.config, "pose.high=50", &b.errors), 0);
	assert_int_equal(hp_graph_build(&b.run, &b.config, &b.errors), 0);
	struct probe *p = probe(&b, "pose");
	p->on_changed = trace_changed;
	probe(&b, "game")->on_command = trace_command;
	bench_start(&b);
	/* the same: nothing changes, files are reopened */
	reload(&b, INI);
	assert_traced("game:reopen");
	assert_string_equal(logged, "");
	/* a value, a new key, then the key is gone again and its default is back; what -s said still counts */
	reload(&b, "[input head]\nuse = probe_in\n[filter pose]\nuse = probe_filter\nlabel = second\nlow = 30\n"
	           "[output game]\nuse = probe_send\ncode_gain = 4\n");
	assert_traced("pose:1,30..50,second game:reopen");
	assert_true(probe_encoder(&b, "game")->gain == 4);
	assert_log_has("headpipe: filter pose: label is now second\n");
	reload(&b,
	       "[input head]\nuse = probe_in\n[filter pose]\nuse = probe_filter\n[output game]\nuse = probe_send\n");
	assert_traced("pose:1,0..50,none game:reopen");
	assert_true(probe_encoder(&b, "game")->gain == 1);
	assert_string_equal(p->label, "none");
	/* not while running: nothing at all happens, not even to what could change */
	reload(&b, "[input head]\nuse = probe_in\nsteps = 4\n[filter pose]\nuse = probe_filter\nlabel = third\n"
	           "[output game]\nuse = probe_send\n");
	assert_log_has(
	    "headpipe: error: input head: `steps` cannot change while running; restart headpipe for that. Nothing "
	    "was changed\n");
	assert_string_equal(p->label, "none");
	reload(&b, INI "rate = 30\n");
	assert_log_has("headpipe: error: output game: `rate` cannot change while running");
	reload(&b, INI "[output more]\nuse = probe_out\n");
	assert_log_has(
	    "headpipe: error: reload: sections were added, removed or use another module; restart headpipe for "
	    "that. Nothing was changed\n");
	reload(&b, INI "enabled = no\n[output more]\nuse = probe_out\n");
	assert_log_has("headpipe: error: reload: sections were added, removed or use another module");
	reload(&b, "[headpipe]\nlock_memory = yes\n" INI);
	assert_log_has("headpipe: error: reload: [headpipe] `lock_memory` cannot change while running");
	assert_string_equal(p->label, "none");
	/* a check() of a module refuses the file as a whole */
	reload(&b, INI "low = 5\n");
	assert_log_has("headpipe: error: reload: 1 error; the running configuration stays\n");
	assert_string_equal(p->label, "none");
	/* a default that is written out is no change */
	*traced = 0;
	reload(&b, "[headpipe]\nlock_memory = no\n[input head]\nuse = probe_in\non_error = drop\n[filter pose]\nuse = "
	           "probe_filter\n"
	           "label = none\n[output game]\nuse = probe_send\nrate = 0\n");
	assert_string_equal(p->label, "none");
	assert_traced("game:reopen");
	/* and after all this a good one still works */
	*traced = 0;
	reload(&b, INI);
	assert_string_equal(p->label, "first");
	assert_traced("pose:1,0..50,first game:reopen");
	/* the level of the log follows */
	reload(&b, "[headpipe]\nlog_level = error\n" INI);
	assert_int_equal(hp_log_get_level(), HP_LOG_ERROR);
	reload(&b, "[headpipe]\nlog_level = debug\n" INI);
	assert_int_equal(hp_log_get_level(), HP_LOG_DEBUG);
	/* no file any more */
	unlink(path);
	hp_live_reload(&b.run, NULL, 0);
	assert_log_has("headpipe: error: reload: 1 error; the running configuration stays\n");
	/* a module that refuses keeps its values; the next reading tries again */
	p->on_changed = refuse_even;
	reload(&b, INI "[x\n");
	reload(&b, "[input head]\nuse = probe_in\n[filter pose]\nuse = probe_filter\nlabel = first\ngain = 2\n"
	           "[output game]\nuse = probe_send\n");
	assert_log_has("headpipe: error: filter pose: reload refused: refused by probe_filter: No such device\n");
	assert_true(p->gain == 1);
	reload(&b, "[input head]\nuse = probe_in\n[filter pose]\nuse = probe_filter\nlabel = first\ngain = 3\n"
	           "[output game]\nuse = probe_send\n");
	assert_true(p->gain == 3);
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch),
		cmocka_unit_test(refused),
		cmocka_unit_test(the_module_refuses),
		cmocka_unit_test(output_and_encoder),
		cmocka_unit_test(reading_again),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
