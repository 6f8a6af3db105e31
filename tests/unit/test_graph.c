/* SPDX-License-Identifier: MIT
 * test_graph.c - sections to a forest: who hangs below whom, what is left out, and every sentence about what is wrong.
 */
#include "harness.h"

#define HEAD "[input head]\nuse = probe_in\n"
#define TAIL "[output game]\nuse = probe_out\n"

/* "game<calm<head" */
static const char *path_of(struct bench *b, const char *name)
{
	static char text[256];
	*text = 0;
	for (const struct hp_node *n = node(b, name); n; n = n->up)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? "<" : "", n->name);
	return text;
}

static void assert_tree(struct bench *b, const char *expected)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	hp_graph_print(&b->run, f);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void nearest_above(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b,
	            HEAD "[output raw]\nuse = probe_out\n[filter pose]\nuse = probe_filter\n" TAIL
	                 "[filter calm]\nuse = probe_filter\n[output stream]\nuse = probe_send\n"
	                 "[output tape]\nuse = probe_out\nfrom = head\n[output side]\nuse = probe_out\nfrom = pose\n");
	assert_string_equal(path_of(&b, "raw"), "raw<head");
	assert_string_equal(path_of(&b, "game"), "game<pose<head");
	assert_string_equal(path_of(&b, "stream"), "stream<calm<pose<head");
	assert_string_equal(path_of(&b, "tape"), "tape<head");
	assert_string_equal(path_of(&b, "side"), "side<pose<head");
	assert_tree(
	    &b,
	    "head (probe_in ← 127.0.0.1:9) ─┬─ raw (probe_out → 127.0.0.1:9)\n"
	    "                               ├─ pose (probe_filter → 127.0.0.1:9) ─┬─ game (probe_out → 127.0.0.1:9)\n"
	    "                               │                                     ├─ calm (probe_filter → 127.0.0.1:9) "
	    "── stream (probe_send → 127.0.0.1:9)\n"
	    "                               │                                     └─ side (probe_out → 127.0.0.1:9)\n"
	    "                               └─ tape (probe_out → 127.0.0.1:9)\n");
	assert_string_equal(node(&b, "stream")->encoder->name, "probe_code");
	bench_free(&b);
}

static void two_inputs(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD TAIL "[input hand]\nuse = probe_in\n[output other]\nuse = probe_out\n"
	                          "[output both]\nuse = probe_out\nfrom = head\n");
	assert_int_equal(b.run.ninputs, 2);
	assert_string_equal(path_of(&b, "game"), "game<head");
	assert_string_equal(path_of(&b, "other"), "other<hand");
	assert_string_equal(path_of(&b, "both"), "both<head");
	assert_int_equal(node(&b, "head")->stream.source, 0);
	assert_int_equal(node(&b, "hand")->stream.source, 1);
	bench_free(&b);
}

static void the_name_is_the_module(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, "[input probe_in]\n[filter probe_filter]\n[output probe_out]\n");
	assert_string_equal(path_of(&b, "probe_out"), "probe_out<probe_filter<probe_in");
	bench_free(&b);
	/* a filter or output may be called like another one of another kind, and feed from it */
	bench_build(
	    &b, "[input x]\nuse = probe_in\n[filter y]\nuse = probe_filter\n[output y]\nuse = probe_out\nfrom = y\n");
	assert_string_equal(path_of(&b, "output y"), "y<y<x");
	bench_free(&b);
}

static void left_out(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD "[filter pose]\nuse = probe_filter\nenabled = no\n[filter calm]\nuse = probe_filter\n"
	                     "enabled = no\n" TAIL "[output off]\nuse = probe_out\nenabled = no\n");
	assert_int_equal(b.run.nnodes, 2);
	assert_int_equal(b.run.nall, 5);
	assert_string_equal(path_of(&b, "game"), "game<head");
	bench_free(&b);

	bench_build(&b, HEAD "enabled = no\n[filter pose]\nuse = probe_filter\n" TAIL
	                     "[input hand]\nuse = probe_in\n[output other]\nuse = probe_out\n");
	assert_tree(&b, "hand (probe_in ← 127.0.0.1:9) ── other (probe_out → 127.0.0.1:9)\n");
	assert_int_equal(b.run.ninputs, 1);
	assert_int_equal(b.run.nnodes, 2); /* what hangs below a disabled input goes with it */
	assert_int_equal(b.run.nall, 5);
	bench_free(&b);

	assert_errors(HEAD "enabled = no\n" TAIL,
	              "a.ini: error: with `enabled = no` nothing is left to do: no input\n");
	assert_errors(HEAD TAIL "enabled = no\n",
	              "a.ini: error: with `enabled = no` nothing is left to do: no output\n");
}

static void several_files(void **unused)
{
	struct bench b;
	static const char *const good[] = { HEAD TAIL, HEAD "[filter pose]\nuse = probe_filter\n" TAIL };
	static const char *const apart[] = { HEAD TAIL, TAIL "from = head\n" };
	(void)unused;
	assert_int_equal(bench_try(&b, good, 2), 0);
	assert_int_equal(b.run.ninputs, 2);
	assert_tree(&b, "head (probe_in ← 127.0.0.1:9) ── game (probe_out → 127.0.0.1:9)\n"
	                "head (probe_in ← 127.0.0.1:9) ── pose (probe_filter → 127.0.0.1:9) ── game (probe_out → "
	                "127.0.0.1:9)\n");
	bench_free(&b);
	/* neither the nearest above nor `from` crosses a file */
	bench_try(&b, apart, 2);
	assert_string_equal(b.errors.text,
	                    "b.ini:3: error: [output game] from = head: no such input or filter in this file\n");
	bench_free(&b);
}

static void host_section(void **unused)
{
	struct bench b;
	static const char *const two[] = { "[headpipe]\nlog_level = debug\nlock_memory = yes\n" HEAD TAIL,
		                           "[headpipe]\nlog_level = error\n" HEAD TAIL };
	(void)unused;
	bench_build(&b, HEAD TAIL);
	assert_int_equal(b.run.ini->settings.log_level, 1);
	assert_int_equal(b.run.ini->settings.priority, 0);
	assert_false(b.run.ini->settings.lock_memory);
	bench_free(&b);
	assert_int_equal(bench_try(&b, two, 2), 0);
	assert_int_equal(b.run.ini->settings.log_level, 3);
	assert_true(b.run.ini->settings.lock_memory); /* the second file does not speak of it */
	bench_free(&b);
	assert_errors("[headpipe]\nlog_level = loud\n" HEAD TAIL,
	              "a.ini:2: error: [headpipe] log_level = loud: not one of the choices\n"
	              "    choices: debug, info, warning, error\n");
}

static void wrong_wiring(void **unused)
{
	(void)unused;
	assert_errors("", "a.ini: error: no [input NAME] section and no [output NAME] section\n");
	assert_errors(HEAD, "a.ini: error: no [output NAME] section\n");
	assert_errors(TAIL, "a.ini:1: error: [output game] has no [input] or [filter] above it\n"
	                    "    put it below one, or name one with `from = NAME`\n");
	assert_errors(HEAD TAIL "from = haed\n",
	              "a.ini:5: error: [output game] from = haed: no such input or filter in this file\n"
	              "    did you mean `head`?\n");
	assert_errors(
	    HEAD TAIL "[output two]\nuse = probe_out\nfrom = game\n",
	    "a.ini:7: error: [output two] from = game: game is an output; samples can only come from an input "
	    "or a filter\n");
	assert_errors(
	    HEAD TAIL "from = game\n",
	    "a.ini:5: error: [output game] from = game: game is an output; samples can only come from an input "
	    "or a filter\n");
	assert_errors(HEAD "[filter pose]\nuse = probe_filter\nfrom = pose\n" TAIL,
	              "a.ini:5: error: [filter pose] from = pose: a filter cannot feed itself\n");
	assert_errors(HEAD "from = pose\n[filter pose]\nuse = probe_filter\n" TAIL,
	              "a.ini:3: error: [input head] from = pose: an input has nothing above it\n");
	assert_errors(
	    HEAD "[filter head]\nuse = probe_filter\n" TAIL "from = head\n",
	    "a.ini:7: error: [output game] from = head: both an input and a filter have this name; rename one\n");
	assert_errors(HEAD "[filter a]\nuse = probe_filter\nfrom = b\n[filter b]\nuse = probe_filter\nfrom = a\n" TAIL,
	              "a.ini:3: error: [filter a] gets its samples in a circle through `from`\n");
	assert_errors(HEAD "[filter a]\nuse = probe_filter\nfrom = c\n[filter b]\nuse = probe_filter\n"
	                   "[filter c]\nuse = probe_filter\n" TAIL,
	              "a.ini:3: error: [filter a] gets its samples in a circle through `from`\n");
}

static void wrong_modules(void **unused)
{
	char folder[1100], expected[3000];
	struct bench b;
	(void)unused;
	bench_modules();
	snprintf(folder, sizeof folder, "built-ins, %s, /nonexistent/.local/lib/headpipe, %s/lib/headpipe",
	         getenv("HEADPIPE_MODULES"), HP_PREFIX);
	snprintf(
	    expected, sizeof expected,
	    "a.ini:4: error: [output game] use = nul: no such output module\n    did you mean `null`?   searched: %s\n",
	    folder);
	assert_errors(HEAD "[output game]\nuse = nul\n", expected);
	snprintf(
	    expected, sizeof expected,
	    "a.ini:1: error: [input zebra] use = zebra: no such input module\n    searched: %s   (`headpipe modules` "
	    "lists all)\n",
	    folder);
	assert_errors("[input zebra]\n" TAIL, expected);
	snprintf(expected, sizeof expected,
	         "a.ini:4: error: [output game] use = probe_in: %s/probe_in.so: it is an input, not an output\n",
	         getenv("HEADPIPE_MODULES"));
	assert_errors(HEAD "[output game]\nuse = probe_in\n", expected);
	/* every error at once, in the order of the file */
	const char *ini = "[input head]\nuse = probe_in\ngian = 1\n[filter f]\nuse = probe_filter\ngain = 11\n"
	                  "[output game]\nuse = probe_out\nfrom = nobody\nenabled = maybe\n";
	bench_try(&b, &ini, 1);
	assert_int_equal(b.errors.count, 4);
	assert_string_equal(
	    b.errors.text,
	    "a.ini:3: error: [input head] gian = 1: no such option\n"
	    "    did you mean `gain`?   probe_in takes: gain, low, high, label, secret, still, steps, to"
	    "   (headpipe help probe_in)\n"
	    "a.ini:6: error: [filter f] gain = 11: out of range\n"
	    "    gain: a live number, 0 to 10, default 1\n"
	    "a.ini:9: error: [output game] from = nobody: no such input or filter in this file\n"
	    "a.ini:10: error: [output game] enabled = maybe: neither yes nor no\n"
	    "    enabled: no: leave this section out; samples pass a filter unchanged, yes or no, default "
	    "yes\n");
	bench_free(&b);
}

static void the_module_is_asked(void **unused)
{
	(void)unused;
	assert_errors(HEAD "low = 5\n" TAIL, "a.ini:3: error: [input head] low = 5: low must not be above high\n"
	                                     "    low: lower end, -100 to 100, default 0\n");
	assert_errors(HEAD "high = -1\n" TAIL, "a.ini:1: error: [input head] low must not be above high\n");
	assert_errors(HEAD "strength = 4\n" TAIL,
	              "a.ini:3: error: [input head] strength = (hidden): this option is gone: use `gain` instead\n");
	assert_errors(HEAD "low = x\nhigh = -1\n" TAIL, "a.ini:3: error: [input head] low = x: not a number\n"
	                                                "    low: lower end, -100 to 100, default 0\n");
}

static void encoders(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD "[output game]\nuse = udp\nto = 127.0.0.1:5005\nencoding = probe_code\ncode_gain = 2\n");
	assert_true(probe_encoder(&b, "game")->gain == 2);
	assert_tree(&b, "head (probe_in ← 127.0.0.1:9) ── game (udp probe_code → 127.0.0.1:5005)\n");
	bench_free(&b);
	assert_errors(HEAD TAIL "encoding = probe_code\n",
	              "a.ini:5: error: [output game] encoding = probe_code: this output takes samples, not bytes; only "
	              "outputs such as udp, tcp or file have an encoding\n");
	assert_errors(HEAD "[output game]\nuse = probe_send\nencoding = probe_clash\n",
	              "a.ini:3: error: [output game] output probe_send and encoder probe_clash both have an option "
	              "`gain`; they cannot be used together\n");
	assert_errors(
	    HEAD "[output game]\nuse = probe_send\ncode_gian = 2\n",
	    "a.ini:5: error: [output game] code_gian = 2: no such option\n"
	    "    did you mean `code_gain`?   probe_send takes: gain, low, high, label, secret, still, steps, to, "
	    "code_label, code_gain   (headpipe help probe_send)\n");
	assert_errors(HEAD "[output game]\nuse = probe_send\ncode_gain = 12\n",
	              "a.ini:5: error: [output game] code_gain = 12: out of range\n"
	              "    code_gain: a live number, 0 to 10, default 1\n");
}

static void keys_of_the_host(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD TAIL "rate = 50\non_loss = zero\nloss_after = 250ms\non_error = stop\n");
	const struct hp_host_keys *k = &node(&b, "game")->ini->keys;
	assert_true(k->rate == 50);
	assert_int_equal(k->on_loss, 1);
	assert_int_equal(k->loss_after, 250000000);
	assert_int_equal(k->on_error, 1);
	assert_true(k->enabled);
	assert_true(node(&b, "head")->ini->keys.enabled);
	bench_free(&b);
	assert_errors(HEAD "rate = 50\n" TAIL, "a.ini:3: error: [input head] rate = 50: no such option\n"
	                                       "    `rate` belongs into an [output NAME] section\n");
	assert_errors(HEAD TAIL "rate = -1\n",
	              "a.ini:5: error: [output game] rate = -1: out of range\n"
	              "    rate: at most so many samples a second, always the newest; 0 = all of "
	              "them, 0 to 100000, default 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_above),          cmocka_unit_test(two_inputs),
		cmocka_unit_test(the_name_is_the_module), cmocka_unit_test(left_out),
		cmocka_unit_test(several_files),          cmocka_unit_test(host_section),
		cmocka_unit_test(wrong_wiring),           cmocka_unit_test(wrong_modules),
		cmocka_unit_test(the_module_is_asked),    cmocka_unit_test(encoders),
		cmocka_unit_test(keys_of_the_host),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
