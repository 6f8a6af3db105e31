/* SPDX-License-Identifier: MIT
 * import.c - `headpipe import`: hid-recorder text to a session file, with the samples that the reports give. */
#include "api/builtin.h"
#include "commands/shared/tool.h"
#include "inputs/decode/tracker.h"
#include "inputs/replay/source.h"
#include "pose/pose.h"
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

struct arguments {
	const char *file, *out;
	int device, packing;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_STR(struct arguments, file, NULL, "hid-recorder's text")),
	TOOL_OUT(struct arguments),
	HP_ARG("--device", HP_OPT_INT(struct arguments, device, "-1", -1, 1e6,
	                              "the recording's device of this number; -1: the first head tracker")),
	TOOL_PACKING(struct arguments),
	HP_ARG_END,
};

static int import(void *state)
{
	const struct arguments *a = state;
	struct report_source_ask ask = { .device = a->device, .warn = warn, .path = a->file };
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct report_source *s;
	struct hps_writer *w;
	struct hp_hid_descriptor d;
	struct tracker *t = NULL;
	char why[REPORT_SOURCE_WHY];
	if (session_source_is(a->file))
		return tool_fail("import", a->file, "this is a session file already");
	if (recorder_source_open(&s, &ask, why, sizeof why) < 0) {
		fprintf(stderr, "headpipe import: %s\n", why);
		return 1;
	}
	int code = hp_hid_descriptor_parse(&d, s->descriptor, s->descriptor_size, why, sizeof why);
	if (!code) {
		t = calloc(1, sizeof *t);
		code = t ? tracker_open(t, &d, why, sizeof why) : -ENOMEM;
		hp_hid_descriptor_free(&d);
	}
	if (code) {
		code = tool_fail("import", a->file, "%s", why);
	} else {
		uint64_t reports = 0, samples = 0;
		o.exclusive = true;
		o.library = "headpipe " HP_VERSION;
		o.compression = (enum hps_compression)a->packing;
		int made = hps_create(&w, a->out, &o);
		if (made < 0) {
			code = tool_fail("import", a->out, "%s",
			                 made == -ENOTSUP ? "this build has no libzstd" : strerror(-made));
		} else {
			code = copy(s, t, w, a->out, &reports, &samples);
			made = hps_finish(w);
			if (!code && made < 0)
				code = tool_fail("import", a->out, "%s", strerror(-made));
			if (code)
				unlink(a->out);
			else
				printf("%s: %" PRIu64 " reports, %" PRIu64 " samples\n", a->out, reports, samples);
		}
	}
	free(t);
	s->close(s);
	return code;
}

const struct hp_command hp_command_import = {
	.name = "import",
	.summary = "hid-recorder text to a session file",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = import,
};
