/* SPDX-License-Identifier: MIT
 * test_file.c - the `file` service: whole records or none, a full disk, wrong paths, files that end before the run. */
#include "harness.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define INI "[input head]\nuse = probe_in\n[output tape]\nuse = probe_out\n"

static char folder[] = "/tmp/headpipe-file-XXXXXX";
static char path[256];

static int make_folder(void **unused)
{
	(void)unused;
	signal(SIGXFSZ, SIG_IGN); /* as main() does */
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/tape", folder);
	return 0;
}
static int remove_folder(void **unused)
{
	(void)unused;
	unlink(path);
	return rmdir(folder);
}

static size_t read_back(char *text, size_t room)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, room - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	return n;
}
/* Lets fail() of the writer thread arrive. */
static void wait_until_dead(struct bench *b, const char *name)
{
	while (!node(b, name)->dead)
		uv_run(bench_loop(b), UV_RUN_ONCE);
}

static void modes(void **unused)
{
	struct bench b;
	char text[64];
	(void)unused;
	const char *const wanted[] = { "first\n", "first\nsecond\n", "third\n" };
	const char *const lines[] = { "first\n", "second\n", "third\n" }, *const mode[] = { "x", "a", "w" };
	for (int i = 0; i < 3; i++) {
		bench_build(&b, INI);
		bench_start(&b);
		const struct hp_host *h = &node(&b, "tape")->host;
		struct hp_file *f = h->file(h, path, mode[i]);
		assert_non_null(f);
		assert_int_equal(h->file_write(f, lines[i], strlen(lines[i])), 0);
		bench_end(&b); /* the host closes it */
		read_back(text, sizeof text);
		assert_string_equal(text, wanted[i]);
	}
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = &node(&b, "tape")->host;
	errno = 0;
	assert_null(h->file(h, path, "x"));
	assert_int_equal(errno, EEXIST);
	assert_log_has("/tape: File exists\n");
	assert_null(h->file(h, "/nonexistent/folder/tape", "w"));
	assert_int_equal(errno, ENOENT);
	assert_log_has("headpipe: error: output tape: /nonexistent/folder/tape: No such file or directory\n");
	assert_null(h->file(h, folder, "w"));
	assert_int_equal(errno, EISDIR);
	bench_end(&b);
}

static void ends_before_the_run(void **unused)
{
	struct bench b;
	char text[64];
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = &node(&b, "tape")->host;
	struct hp_file *f = h->file(h, path, "w");
	h->file_write(f, "done\n", 5);
	h->file_close(f);
	assert_null(node(&b, "tape")->handles.files);
	struct hp_file *g = h->file(h, path, "a"); /* log rotation does this */
	h->file_write(g, "more\n", 5);
	bench_end(&b);
	read_back(text, sizeof text);
	assert_int_equal(count_text(text, "done\n"), 1);
	assert_int_equal(count_text(text, "more\n"), 1);
}

static void records_of_all_sizes(void **unused)
{
	struct bench b;
	static char block[65537];
	struct stat st;
	(void)unused;
	memset(block, 'x', sizeof block);
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = &node(&b, "tape")->host;
	struct hp_file *f = h->file(h, path, "w");
	assert_int_equal(h->file_write(f, block, 65537), -EMSGSIZE);
	assert_int_equal(h->file_write(f, block, 65536), 0);
	assert_int_equal(h->file_write(f, block, 1), 0);
	assert_int_equal(h->file_write(f, block, 0), 0);
	for (int i = 0; i < 3000; i++) /* more records than fit one write */
		assert_int_equal(h->file_write(f, block, 7), 0);
	bench_end(&b);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 65536 + 1 + 21000);
}

/* A sample may take several records; the summary at the end counts samples. */
static struct hp_file *taken;
static int write_twice(struct probe *p, const struct hp_sample *s)
{
	(void)s;
	for (int i = 0; i < 2; i++)
		assert_int_equal(p->host->file_write(taken, "text\n", 5), 0);
	return 0;
}
static void stored_samples(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	probe(&b, "tape")->on_write = write_twice;
	const struct hp_host *h = &node(&b, "tape")->host;
	taken = h->file(h, path, "w");
	assert_non_null(taken);
	for (int i = 0; i < 7; i++)
		emit_pose(&b, "head", 1000 + i, i);
	hp_life_end(&b.run);
	assert_int_equal(node(&b, "tape")->counts.stored, 7);
	bench_free(&b);
}

static void dev_full(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = &node(&b, "tape")->host;
	struct hp_file *f = h->file(h, "/dev/full", "w");
	assert_non_null(f);
	assert_int_equal(h->file_write(f, "text\n", 5), 0);
	wait_until_dead(&b, "tape");
	assert_int_equal(h->file_write(f, "text\n", 5), -ENOSPC);
	assert_log_has(
	    "headpipe: error: output tape: /dev/full: No space left on device; the file ends after record 0; this "
	    "output is off\n");
	assert_int_equal(b.run.exit_code, 1);
	bench_end(&b);
	assert_int_equal(count_text(logged, "No space left"), 1);

	/* so late that only the end can tell */
	bench_build(&b, INI);
	bench_start(&b);
	h = &node(&b, "tape")->host;
	f = h->file(h, "/dev/full", "w");
	h->file_write(f, "text\n", 5);
	hp_life_end(&b.run);
	assert_int_equal(b.run.exit_code, 1);
	assert_log_has(
	    "headpipe: error: output tape: /dev/full: No space left on device; the file ends after record 0\n");
	bench_free(&b);
}

/* The limit lies inside a record: the file is cut back to the end of the last whole one. */
static void cut_back(const char *mode, rlim_t limit, int record_size, int records_before, int more)
{
	struct bench b;
	char line[512], text[16384];
	struct rlimit old, few;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	memset(line, '-', sizeof line);
	unlink(path);
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = &node(&b, "tape")->host;
	if (records_before) {
		FILE *before = fopen(path, "w");
		for (int i = 0; i < records_before * record_size; i++)
			fputc('b', before);
		fclose(before);
	}
	few = old;
	few.rlim_cur = limit;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	struct hp_file *f = h->file(h, path, mode);
	for (int i = 0; i < more; i++) {
		snprintf(line, sizeof line, "%0*d", record_size - 1, i);
		line[record_size - 1] = '\n';
		h->file_write(f, line, (size_t)record_size);
		if (i == more / 2) /* some go out before the rest */
			while (!node(&b, "tape")->dead &&
			       (rlim_t)(more / 2 + records_before) * (rlim_t)record_size > limit)
				uv_run(bench_loop(&b), UV_RUN_ONCE);
	}
	wait_until_dead(&b, "tape");
	setrlimit(RLIMIT_FSIZE, &old);
	size_t size = read_back(text, sizeof text);
	int whole = (int)limit / record_size;
	assert_int_equal(size, whole * record_size);
	if (whole > records_before)
		assert_int_equal(atoi(text + (whole - 1) * record_size), whole - 1 - records_before);
	snprintf(line, sizeof line, "/tape: File too large; the file ends after record %d", whole - records_before);
	assert_log_has(line);
	bench_end(&b);
}

static void size_limit(void **unused)
{
	(void)unused;
	cut_back("w", 1000, 100, 0, 40);  /* between two records */
	cut_back("w", 1050, 100, 0, 40);  /* inside of one       */
	cut_back("w", 50, 100, 0, 40);    /* not even the first  */
	cut_back("a", 1050, 100, 4, 40);  /* behind what was there */
	cut_back("w", 7777, 13, 0, 3000); /* more records than one write takes */
}

/* One broken file does not disturb another. */
static void beside_a_good_one(void **unused)
{
	struct bench b;
	char text[64];
	(void)unused;
	bench_build(&b, INI "[output good]\nuse = probe_out\n");
	bench_start(&b);
	const struct hp_host *bad = &node(&b, "tape")->host, *good = &node(&b, "good")->host;
	struct hp_file *f = bad->file(bad, "/dev/full", "w"), *g = good->file(good, path, "w");
	bad->file_write(f, "x", 1);
	good->file_write(g, "one\n", 4);
	wait_until_dead(&b, "tape");
	assert_int_equal(good->file_write(g, "two\n", 4), 0);
	bench_end(&b);
	read_back(text, sizeof text);
	assert_string_equal(text, "one\ntwo\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modes),
		cmocka_unit_test(ends_before_the_run),
		cmocka_unit_test(records_of_all_sizes),
		cmocka_unit_test(stored_samples),
		cmocka_unit_test(dev_full),
		cmocka_unit_test(size_limit),
		cmocka_unit_test(beside_a_good_one),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
