/* SPDX-License-Identifier: MIT
 * test_request.c - who may change how the pipeline works: events of a module change nothing, its requests only when
 * the ini permits them, and what a recording says is done again. */
#include "harness.h"
#include "run/inside.h"

#define INI(keys)                                                                                                    \
	"[input head]\nuse = probe_in\n" keys "[filter pose]\nuse = probe_filter\nlabel = first\n"                   \
	"[output game]\nuse = probe_out\n[filter turn]\nuse = probe_filter\nfrom = pose\n[output turn]\nuse = "      \
	"probe_out\n[input other]\nuse = probe_in\n[filter far]\nuse = probe_filter\n[output away]\nuse = probe_out" \
	"\n"

static int trace_changed(struct probe *p)
{
	trace("%s=%.6g", p->host->name, p->gain);
	return 0;
}
static int trace_command(struct probe *p, const char *verb)
{
	trace("%s:%s", p->host->name, verb);
	return 0;
}
static void trace_text(struct probe *p, const struct hp_event *e)
{
	trace("%s<%u%s%s", p->host->name, e->type, e->text ? "," : "", e->text ? e->text : "");
}

static void start(struct bench *b, const char *ini)
{
	bench_build(b, ini);
	for (size_t i = 0; i < b->run.nnodes; i++) {
		struct probe *p = b->run.nodes[i]->state;
		p->on_changed = trace_changed;
		p->on_command = trace_command;
		p->on_event = trace_text;
	}
	bench_start(b);
}

/* A module that somebody loads may say what it likes: it is heard, and nothing is done. */
static void events_change_nothing(void **unused)
{
	struct bench b;
	(void)unused;
	start(&b, INI("may_request = yes\n"));
	emit_event(&b, "head", HP_OPTION, 0, "pose.gain=9");
	assert_traced("pose<6,pose.gain=9 game<6,pose.gain=9 turn<6,pose.gain=9 turn<6,pose.gain=9");
	emit_event(&b, "head", HP_RECENTER, 0, NULL);
	assert_traced("pose<5 game<5 turn<5 turn<5");
	/* a filter's and a thread's events are no different */
	const struct hp_host *pose = &node(&b, "pose")->host, *head = &node(&b, "head")->host;
	struct hp_event e = { .struct_size = sizeof e, .type = HP_OPTION, .text = "turn.gain=9" };
	struct hp_item item = { .struct_size = sizeof item, .event = &e };
	assert_int_equal(pose->emit(pose, &item), 0);
	assert_int_equal(head->post(head, &item), 0);
	hp_post_drain(node(&b, "head"));
	assert_null(strstr(traced, "turn=9"));
	assert_true(probe(&b, "pose")->gain == 1 && probe(&b, "filter turn")->gain == 1);
	bench_end(&b);
}

static void without_permission(void **unused)
{
	struct bench b;
	(void)unused;
	start(&b, INI(""));
	struct hp_node *head = node(&b, "head");
	assert_int_equal(hp_request(head, "recenter"), -EPERM);
	assert_int_equal(hp_request(head, "pose.gain=2"), -EPERM);
	assert_int_equal(hp_request(node(&b, "pose"), "recenter"), -EPERM);
	assert_traced("");
	assert_log_has("input head: its request `recenter` is refused: its section does not say `may_request = yes`\n");
	/* told at most once a second, with how many there were */
	assert_int_equal(count_text(logged, "input head: its request"), 1);
	head->refused.told_ns -= 2000000000;
	assert_int_equal(hp_request(head, "pose.gain=3"), -EPERM);
	assert_log_has("its request `pose.gain=3` is refused (and 1 before): ");
	bench_end(&b);
}

static void with_permission(void **unused)
{
	struct bench b;
	(void)unused;
	start(&b, INI("may_request = yes\n"));
	struct hp_node *head = node(&b, "head");
	assert_int_equal(hp_request(head, "recenter"), 0);
	/* its own input's filters, not the neighbour's */
	assert_traced("pose:recenter turn:recenter pose<5 game<5 turn<5 turn<5");
	assert_int_equal(hp_request(head, "pose.gain=2"), 0);
	assert_traced("pose=2 pose<6,pose.gain=2 game<6,pose.gain=2 turn<6,pose.gain=2 turn<6,pose.gain=2");
	assert_int_equal(hp_request(head, "output.turn.label=a=b.c"), 0);
	assert_string_equal(probe(&b, "output turn")->label, "a=b.c");
	assert_int_equal(hp_request(head, "head.gain=4"), 0); /* its own */
	assert_true(probe(&b, "head")->gain == 4);
	assert_null(strstr(logged, "refused"));
	bench_end(&b);
}

static void wrong_requests(void **unused)
{
	static const struct {
		const char *text;
		int result;
		const char *why;
	} cases[] = {
		{ "", -EINVAL, "it is not of the form section.key=value" },
		{ "reset", -EINVAL, "it is not of the form section.key=value" },
		{ "gain=2", -EINVAL, "it is not of the form section.key=value" },
		{ ".gain=2", -EINVAL, "it is not of the form section.key=value" },
		{ "pose.=2", -EINVAL, "it is not of the form section.key=value" },
		{ "pose=a.gain=2", -EINVAL, "it is not of the form section.key=value" },
		{ "a.very.long.way.gain=2", -ENOENT, "there is no section very below this input" },
		{ "pose.gain=11", -EINVAL, "gain = 11: out of range (0 to 10)" },
		{ "pose.still=x", -EPERM, "still: cannot change while running" },
		{ "pose.nonsense=1", -ENOENT, "nonsense: no such option" },
		{ "pose.from=head", -ENOENT, "from: no such option" },
		{ "turn.gain=2", -EINVAL, "several sections are called turn; put its kind in front" },
		{ "output.pose.gain=2", -ENOENT, "there is no section pose below this input" },
		{ "far.gain=2", -ENOENT, "there is no section far below this input" },
		{ "nobody.gain=2", -ENOENT, "there is no section nobody below this input" },
	};
	struct bench b;
	(void)unused;
	start(&b, INI("may_request = yes\n"));
	struct hp_node *head = node(&b, "head");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char line[300];
		head->refused.told_ns = 0;
		if (hp_request(head, cases[i].text) != cases[i].result)
			fail_msg("%s: %s", cases[i].text, logged);
		snprintf(line, sizeof line, "its request `%s` is refused: %s\n", cases[i].text, cases[i].why);
		assert_log_has(line);
	}
	char text[4096];
	memset(text, 'x', sizeof text);
	memcpy(text + sizeof text - 8, ".gain=2", 8);
	assert_int_equal(hp_request(head, text), -EINVAL);
	assert_traced("");
	/* what has ended is not asked any more */
	node(&b, "game")->dead = true;
	assert_int_equal(hp_request(head, "game.gain=2"), -EPIPE);
	node(&b, "head")->phase = HP_ENDED;
	assert_int_equal(hp_request(head, "recenter"), -EPIPE);
	assert_traced("");
	bench_end(&b);
}

/* Options that run programs or write files are for the ini file alone. */
static void local_options(void **unused)
{
	struct bench b;
	struct hp_option options[32];
	struct hp_module module;
	(void)unused;
	bench_build(&b, INI("may_request = yes\n"));
	struct hp_node *pose = node(&b, "pose");
	size_t n = 0;
	for (const struct hp_option *o = pose->module->options; o->key; o++) {
		options[n] = *o;
		options[n++].flags |= strcmp(o->key, "label") ? 0 : HP_LOCAL;
	}
	options[n] = (struct hp_option)HP_OPT_END;
	module = *pose->module;
	module.options = options;
	pose->module = &module;
	bench_start(&b);
	assert_int_equal(hp_request(node(&b, "head"), "pose.gain=2"), 0);
	assert_int_equal(hp_request(node(&b, "head"), "pose.label=x"), -EPERM);
	assert_log_has("refused: label: runs a program or names a file; only the ini file changes it\n");
	assert_string_equal(probe(&b, "pose")->label, "first");
	bench_end(&b);
}

/* ---- a recording ---- */

static int replayed(struct bench *b, uint32_t type, const char *text)
{
	struct hp_event e = { .struct_size = sizeof e, .type = type, .time_ns = 77, .text = text };
	return hp_inside_replay_event(&node(b, "head")->host, &e);
}

static void a_recording(void **unused)
{
	struct bench b;
	(void)unused;
	start(&b, INI("")); /* needs no permission: the user did it */
	assert_int_equal(replayed(&b, HP_RECENTER, NULL), 0);
	assert_traced("pose:recenter turn:recenter pose<5 game<5 turn<5 turn<5");
	assert_int_equal(replayed(&b, HP_OPTION, "pose.gain=2"), 0);
	assert_traced("pose=2 pose<6,pose.gain=2 game<6,pose.gain=2 turn<6,pose.gain=2 turn<6,pose.gain=2");
	/* a filter and an output of one name: the filter */
	assert_int_equal(replayed(&b, HP_OPTION, "turn.gain=3"), 0);
	assert_true(probe(&b, "filter turn")->gain == 3 && probe(&b, "output turn")->gain == 1);
	*traced = 0;
	/* outputs, secrets, other sections, nonsense: only told */
	static const char *const others[] = { "game.gain=2", "pose.secret=(secret)", "was.gain=2", "pose", "", NULL };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_int_equal(replayed(&b, HP_OPTION, others[i]), 0);
		assert_null(strstr(traced, "game=2"));
		assert_non_null(strstr(traced, "game<6"));
		*traced = 0;
	}
	assert_string_equal(probe(&b, "pose")->secret, "");
	/* what cannot be done here is told with its reason */
	assert_int_equal(replayed(&b, HP_OPTION, "pose.gain=12"), 0);
	assert_log_has("the recording changes pose.gain=12, which cannot be done here: gain = 12: out of range");
	assert_true(probe(&b, "pose")->gain == 2);
	*traced = 0;
	b.run.stopping = true;
	assert_int_equal(replayed(&b, HP_RECENTER, NULL), -EPIPE);
	assert_int_equal(replayed(&b, HP_OPTION, "pose.gain=3"), -EPIPE);
	assert_traced("");
	b.run.stopping = false;
	bench_end(&b);
}

static void what_a_recording_keeps(void **unused)
{
	struct bench b;
	(void)unused;
	start(&b, INI("[filter a]\nuse = probe_filter\nsecret = xyzzy\nlabel = \"a;b\"\n"));
	const struct hp_host *turn = &node(&b, "output turn")->host;
	char *chain = hp_inside_chain(turn), *filters = hp_inside_filters(turn), *ini = hp_inside_ini_text(turn);
	assert_string_equal(chain, "head (probe_in) > a (probe_filter) > pose (probe_filter) > turn (probe_filter)");
	assert_string_equal(filters, "a,pose,turn");
	assert_string_equal(hp_inside_point(turn), "turn");
	assert_non_null(strstr(ini, "[filter a]\nuse = probe_filter\nsecret = (secret)\nlabel = \"a;b\"\n"));
	free(chain);
	free(filters);
	free(ini);
	assert_int_equal(hp_inside_bypass(&node(&b, "head")->host, "a,nobody,turn"), 2);
	assert_true(node(&b, "a")->bypass && node(&b, "filter turn")->bypass && !node(&b, "pose")->bypass);
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_change_nothing),  cmocka_unit_test(without_permission),
		cmocka_unit_test(with_permission),        cmocka_unit_test(wrong_requests),
		cmocka_unit_test(local_options),          cmocka_unit_test(a_recording),
		cmocka_unit_test(what_a_recording_keeps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
