/* SPDX-License-Identifier: MIT
 * fuzz_recording.c - any bytes as hid-recorder text, line by line and as the source of a replay. */
#include "inputs/replay/recorder.h"
#include "inputs/replay/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool truth)
{
	if (!truth)
		abort();
}

static void warn(void *arg, const char *text)
{
	*(int *)arg += *text != 0;
}

static void all(const char *path, int only)
{
	struct hp_hid_recorder *r;
	struct hp_hid_record rec;
	char why[HID_RECORDER_WHY];
	int rc, warnings = 0;
	need(hp_hid_recorder_open(&r, path, warn, &warnings, why, sizeof why) == 0);
	hp_hid_recorder_select(r, only);
	while ((rc = hp_hid_recorder_next(r, &rec)) == 1) {
		need(rec.line > 0 && rec.device >= 0 && rec.size <= HID_RECORDER_BYTES && rec.time_ns >= 0);
		need(rec.kind != HID_RECORD_NAME || strlen(rec.name) <= HID_RECORDER_NAME);
	}
	need(warnings <= 2 && (rc == 0) == (*hp_hid_recorder_why(r) == 0));
	hp_hid_recorder_close(r);
}

static void play(const char *path, int device)
{
	struct report_source_ask ask = { .path = path, .device = device };
	struct report_source *s;
	struct report report;
	char why[REPORT_SOURCE_WHY] = "";
	int rc, n = 0, again = 0;
	int64_t last = 0;
	if (recorder_source_open(&s, &ask, why, sizeof why) < 0) {
		need(*why != 0);
		return;
	}
	for (; (rc = s->next(s, &report)) == 1; n++) {
		need(report.time_ns >= last && report.size <= REPORT_MAX);
		last = report.time_ns;
	}
	need((rc < 0) == (s->why[0] != 0));
	need(s->rewind(s) == 0);
	while (s->next(s, &report) == 1)
		again++;
	need(n == again);
	s->close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	if (fd < 0) {
		strcpy(path, "/tmp/headpipe-fuzz-XXXXXX");
		fd = mkstemp(path);
		need(fd >= 0);
		unlink(path);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	need(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	all(path, HID_RECORDER_ALL);
	all(path, HID_RECORDER_HEADERS);
	all(path, 1);
	play(path, -1);
	play(path, 1);
	return 0;
}
