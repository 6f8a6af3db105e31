/* SPDX-License-Identifier: MIT
 * import.c - `headpipe import`: hid-recorder text to a session file, with the samples that the reports give. */
#include "inputs/decode/tracker.h"
#include "inputs/replay/source.h"
#include "pose/pose.h"
#include "tool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void warn(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "headpipe import: %s\n", text);
}

static int copy(struct report_source *s, struct tracker *t, struct hps_writer *w, const char *path, uint64_t *reports,
                uint64_t *samples)
{
	struct hp_stream st = {
		.struct_size = sizeof st,
		.device = s->name,
		.serial = s->serial,
		.unique_id = s->unique_id,
		.descriptor = s->descriptor,
		.descriptor_size = s->descriptor_size,
		.vendor = s->vendor,
		.product = s->product,
		.rate_start_ns = s->rate_start_ns,
	};
	static const char *const pairs[] = { "imported", "hid-recorder", "point", "import", NULL };
	struct hp_event e = { sizeof e, HP_CONNECTED, s->rate_start_ns, 0, s->name };
	struct report x;
	bool reset, any = false;
	int code = hps_metadata(w, "headpipe.session", pairs);
	int raw = hps_add_reports(w, &st), sample = hps_add_samples(w, false, NULL), event = hps_add_events(w), rc;
	if (!code)
		code = raw < 0      ? raw
		       : sample < 0 ? sample
		       : event < 0  ? event
		                    : hps_write_event(w, event, &e, s->rate_start_ns);
	tracker_connect(t, s->rate_start_ns);
	while (!code && (rc = s->next(s, &x)) == 1) {
		struct hp_sample out = HP_SAMPLE_INIT;
		code = hps_write(w, raw, x.time_ns, x.data, x.size);
		++*reports;
		if (code || !tracker_report(t, x.time_ns, x.data, x.size, &out, &reset))
			continue;
		out.seq = (*samples)++;
		out.arrival_ns = x.time_ns;
		/* what the host marks in a run */
		out.flags |= any ? 0 : HP_JUMP;
		any = true;
		if (out.flags & HP_QUAT_DUE)
			hp_quat_from_rotvec(out.rotvec, out.quat);
		out.flags &= ~(uint32_t)HP_QUAT_DUE;
		hp_sample_derive(&out);
		code = hps_write_sample(w, sample, &out);
		if (!code && reset) {
			e = (struct hp_event){ sizeof e, HP_REFERENCE_RESET, x.time_ns, out.reset_count, NULL };
			code = hps_write_event(w, event, &e, 0);
			any = false;
		}
	}
	if (code)
		return tool_fail("import", path, "%s", strerror(-code));
	if (rc < 0) {
		fprintf(stderr, "headpipe import: %s\n", s->why);
		return 1;
	}
	return 0;
}

int cmd_import(int argc, char **argv)
{
	bool bad = false;
	const char *out = tool_value(&argc, argv, "-o", &bad),
	           *packing = tool_value(&argc, argv, "--compression", &bad),
	           *device = tool_value(&argc, argv, "--device", &bad);
	struct report_source_ask ask = { .device = -1, .warn = warn };
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct report_source *s;
	struct hps_writer *w;
	struct hp_hid_descriptor d;
	struct tracker *t = NULL;
	char why[REPORT_SOURCE_WHY], *end = (char *)"";
	int code = tool_rest(argc, argv, 1, bad);
	if (code)
		return code;
	if (!out)
		return hp_usage_error("import", "-o FILE is missing");
	if (device && ((ask.device = (int)strtol(device, &end, 10)) < 0 || *end || !*device))
		return hp_usage_error("import", "--device %s: a number from 0", device);
	if (packing && strcmp(packing, "none") != 0 && strcmp(packing, "zstd") != 0)
		return hp_usage_error("import", "--compression %s: none or zstd", packing);
	ask.path = argv[1];
	if (session_source_is(argv[1]))
		return tool_fail("import", argv[1], "this is a session file already");
	if (recorder_source_open(&s, &ask, why, sizeof why) < 0) {
		fprintf(stderr, "headpipe import: %s\n", why);
		return 1;
	}
	code = hp_hid_descriptor_parse(&d, s->descriptor, s->descriptor_size, why, sizeof why);
	if (!code) {
		t = calloc(1, sizeof *t);
		code = t ? tracker_open(t, &d, why, sizeof why) : -ENOMEM;
		hp_hid_descriptor_free(&d);
	}
	if (code) {
		code = tool_fail("import", argv[1], "%s", why);
	} else {
		uint64_t reports = 0, samples = 0;
		o.exclusive = true;
		o.library = "headpipe " HP_VERSION;
		o.compression = packing && !strcmp(packing, "zstd") ? HPS_ZSTD : HPS_NONE;
		int made = hps_create(&w, out, &o);
		if (made < 0) {
			code = tool_fail("import", out, "%s",
			                 made == -ENOTSUP ? "this build has no libzstd" : strerror(-made));
		} else {
			code = copy(s, t, w, out, &reports, &samples);
			made = hps_finish(w);
			if (!code && made < 0)
				code = tool_fail("import", out, "%s", strerror(-made));
			if (code)
				unlink(out);
			else
				printf("%s: %" PRIu64 " reports, %" PRIu64 " samples\n", out, reports, samples);
		}
	}
	free(t);
	s->close(s);
	return code;
}
