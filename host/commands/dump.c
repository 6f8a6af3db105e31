/* SPDX-License-Identifier: MIT
 * dump.c - `headpipe dump`: the live reports of a head tracker as hex, as values with units, or as a recording in
 * the text form of hid-recorder(1), which `replay` reads and a bug report can carry. */
#include "base/clock.h"
#include "commands/shared/command.h"
#include "device/survey.h"
#include "inputs/hid/hid.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum form { DECODED, RAW, RECORDER };
enum { WAKE_MS = 250 }; /* how often it looks for Ctrl-C and the end while nothing comes */

struct arguments {
	bool decoded, raw, recorder;
	int64_t for_ns; /* 0 = until Ctrl-C */
	const char *name;
};
struct dump {
	enum form form;
	int64_t for_ns;
	struct hp_hid_wish wish;
	struct hp_hid_link link;
	struct tracker tracker;
	int64_t start_ns; /* of the first report */
	uint64_t reports;
};

static volatile sig_atomic_t over;

static void on_signal(int s)
{
	(void)s;
	over = 1;
}

static const struct hp_arg arguments[] = {
	HP_ARG("--decoded",
	       HP_OPT_BOOL(struct arguments, decoded, "no", "values with units; the form unless another is named"),
	       .group = "form"),
	HP_ARG("--raw", HP_OPT_BOOL(struct arguments, raw, "no", "bytes in hex"), .group = "form"),
	HP_ARG(
	    "--hid-recorder",
	    HP_OPT_BOOL(struct arguments, recorder, "no", "a recording in hid-recorder's text form; `replay` reads it"),
	    .group = "form"),
	HP_ARG("--for",
	       HP_OPT_NS(struct arguments, for_ns, "", 0.001, HP_ARG_LONG, "ends after that time, else at Ctrl-C")),
	HP_ARG("--name", HP_OPT_STR(struct arguments, name, "", "the device with this text in its name")),
	HP_ARG_END,
};

/* Opens the first device that fits; says on stderr why there is none. Exit status. */
static int open_device(struct dump *d)
{
	struct hp_hid_facts *list;
	char why[200], cure[4500];
	size_t n = hp_hid_list(&list);
	const struct hp_hid_facts *denied = NULL;
	int status = 3;
	for (size_t i = 0; i < n && status; i++) {
		if (hp_hid_recognize_bytes(list[i].descriptor, list[i].descriptor_size, why, sizeof why) !=
		        HID_TRACKER ||
		    !hp_hid_wish_fits(&d->wish, &list[i]))
			continue;
		int rc = hp_hid_link_open(&d->link, &list[i], why, sizeof why);
		if (rc == 0 && (d->link.features.marker[0] || !d->link.features.answered || d->wish.name)) {
			status = 0;
		} else if (rc == 0) {
			fprintf(
			    stderr,
			    "headpipe dump: %s (%s) has no #AndroidHeadTracker# marker; --name takes it all the same\n",
			    list[i].path, list[i].name);
			hp_hid_link_close(&d->link);
		} else if (rc == -EACCES || rc == -EPERM) {
			denied = &list[i]; /* another one may be open to us */
		} else {
			fprintf(stderr, "headpipe dump: %s (%s): %s\n", list[i].path, list[i].name, why);
		}
	}
	if (status && denied) {
		status = 4;
		hp_cure_access(NULL, cure, sizeof cure);
		fprintf(stderr, "headpipe dump: %s (%s): permission denied. To give yourself access, run:\n  %s\n",
		        denied->path, denied->name, cure);
	}
	if (status == 3)
		fprintf(stderr, "headpipe dump: no head tracker%s (`headpipe doctor` looks for the reason)\n",
		        d->wish.name ? " of that name" : "");
	free(list);
	return status;
}

static void print_hex(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		printf(" %02x", data[i]);
	putchar('\n');
}

static void print_head(const struct dump *d)
{
	const struct hp_hid_facts *f = &d->link.facts;
	char fields[120];
	uint32_t has = 0;
	for (int i = 0; i < d->tracker.plan.nreports; i++)
		has |= d->tracker.plan.report[i].has;
	hp_fields_text(has, fields, sizeof fields);
	if (d->form == RECORDER) {
		printf("# headpipe " HP_VERSION ", marker %s\n",
		       d->link.features.marker[0] ? d->link.features.marker : "none");
		printf("D: 0\nR: %u", f->descriptor_size);
		print_hex(f->descriptor, f->descriptor_size);
		printf("N: %s\nP: %s\nI: %x %04x %04x\n", f->name, f->serial[0] ? f->serial : f->path, f->bus,
		       f->vendor, f->product);
	} else {
		printf("# %s, %s, %s\n", f->name, f->path, fields);
		fputs(d->form == RAW ? "# time s, bytes of the report in hex" : "# time in s", stdout);
#define HP_QUANTITY(name, numbers, member, flag, word, key, unit, ...) \
	if (d->form == DECODED)                                        \
		fputs("; " word " in " unit, stdout);
#include "inputs/decode/usages.def"
		putchar('\n');
	}
}

static void print_report(struct dump *d, const uint8_t *data, size_t size, int64_t now)
{
	int64_t t = now - d->start_ns;
	struct hp_sample s;
	bool reset;
	if (d->form == RECORDER) {
		/* six digits, as hid-recorder writes them and hid-replay reads them */
		printf("E: %06" PRId64 ".%06" PRId64 " %zu", t / 1000000000, t % 1000000000 / 1000, size);
		print_hex(data, size);
		return;
	}
	printf("%11.6f", (double)t / 1e9);
	if (d->form == RAW) {
		putchar(' ');
		print_hex(data, size);
		return;
	}
	if (!tracker_report(&d->tracker, now, data, size, &s, &reset)) {
		printf("  no rotation in report of %zu bytes\n", size);
		return;
	}
#define HP_QUANTITY(name, numbers, member, flag, word, key, unit, format) \
	if (s.flags & (flag)) {                                           \
		fputs("  " key, stdout);                                  \
		for (int i = 0; i < (numbers); i++)                       \
			printf(" " format, s.member[i]);                  \
	}
#include "inputs/decode/usages.def"
	printf("  reset %" PRIu32 "%s\n", s.reset_count, reset ? " (changed)" : "");
}

static void warn(void *arg, enum hp_level level, const char *text)
{
	const struct dump *d = arg;
	if (level >= HP_LOG_WARN)
		fprintf(stderr, "headpipe dump: %s %s\n", d->link.facts.name, text);
}

static int stream(struct dump *d)
{
	uint8_t data[HID_REPORT_MAX + 1];
	char why[300];
	struct hp_hid_setup setup;
	int64_t opened = hp_now();
	tracker_connect(&d->tracker, opened);
	hp_hid_setup_edit(&setup, &d->link.features, &d->link.descriptor, 10);
	hp_hid_setup_write(&setup, &d->link.features, d->link.device, &d->link.descriptor, warn, d);
	print_head(d);
	fflush(stdout);
	while (!over && !(d->for_ns && hp_now() - opened >= d->for_ns)) {
		int n = hp_hid_read_calmly(d->link.device, data, HID_REPORT_MAX, WAKE_MS);
		int64_t now = hp_now();
		if (n < 0 && over)
			break;
		if (n < 0) {
			hp_hid_error_text(d->link.device, why, sizeof why);
			fprintf(stderr, "headpipe dump: %s went away (%s)\n", d->link.facts.name, why);
			return 1;
		}
		if (n == 0)
			continue;
		if (!d->reports++)
			d->start_ns = now;
		print_report(d, data, (size_t)n, now);
		if (fflush(stdout) == EOF)
			return errno == EPIPE ? 0 : 1; /* dump | head */
	}
	if (!d->reports)
		fprintf(stderr, "headpipe dump: %s sent nothing (`headpipe doctor` looks for the reason)\n",
		        d->link.facts.name);
	return d->reports ? 0 : 1;
}

static int dump(void *state)
{
	const struct arguments *a = state;
	struct dump *d = calloc(1, sizeof *d);
	struct sigaction sa = { .sa_handler = on_signal };
	char why[200];
	int status = d ? 0 : 1;
	if (d) {
		d->form = a->raw ? RAW : a->recorder ? RECORDER : DECODED;
		d->for_ns = a->for_ns;
		d->wish.name = a->name;
	}
	if (!status)
		status = open_device(d);
	if (!status && tracker_open(&d->tracker, &d->link.descriptor, why, sizeof why) < 0) {
		fprintf(stderr, "headpipe dump: %s: %s\n", d->link.facts.name, why);
		status = 1;
	}
	if (!status) {
		sigaction(SIGINT, &sa, NULL);
		sigaction(SIGTERM, &sa, NULL);
		status = stream(d);
	}
	if (d && d->link.device)
		hp_hid_link_close(&d->link);
	free(d);
	return status;
}

const struct hp_command hp_command_dump = {
	.name = "dump",
	.summary = "print live reports of a head tracker",
	.arguments = arguments,
	.exits = "0 done, 1 failed or nothing came, 2 wrong usage, 3 no head tracker, 4 no permission",
	.state_size = sizeof(struct arguments),
	.run = dump,
};
