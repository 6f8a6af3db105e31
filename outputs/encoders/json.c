/* SPDX-License-Identifier: MIT
 * json.c - one JSON object per sample, version 2, the same bytes as sony-head-tracker 2.2. Keys, units and signs are
 * in docs/wire-formats.md. A number that is not finite has no JSON form: -EDOM. With `position = yes` one more member
 * stands at the end.
 *
 * The text is laid down front to back with fixed-size copies; the device's name is escaped once per connection, and
 * the angular velocity, which appears under two keys, is formatted once. */
#include "base/label.h"
#include "headpipe.h"
#include "number/digits.h"
#include "number/number.h"
#include "pose/pose.h"
#include <errno.h>

enum {
	NINE = 16,                 /* longest %.9g: -1.23456789e-308                            */
	THOUSANDTHS = 1 + 309 + 4, /* longest %.3f                                              */
	VECTOR = 3 * NINE + 4,     /* [a,b,c]                                                   */
	LITERALS = 272,            /* all keys, brackets and commas (241), with room to spare   */
	BEHIND = 64,               /* what fixed-size copies may touch behind the end           */
	/* the longest text of a sample, with what is touched behind it */
	WORST = LITERALS + HP_LABEL_JSON_MAX + 6 * VECTOR + 4 * NINE + 10 + 2 * THOUSANDTHS + BEHIND
};

struct json {
	bool position;

	struct hp_label_of label_of;
	size_t label_size;
	char label[HP_LABEL_JSON_MAX];
};

static const struct hp_option options[] = {
	HP_OPT_BOOL(struct json, position, "no",
	            "one more member at the end, \"position\": [x,y,z] in cm, front, left, up; null without one"),
	HP_OPT_END
};

#define PUT(p, text) (memcpy((p), (text), sizeof(text) - 1), (p) += sizeof(text) - 1)

static char *put_numbers(char *p, const double *v, int n)
{
	*p++ = '[';
	for (int i = 0; i < n; i++) {
		p += hp_text_9g(v[i], p);
		*p++ = i < n - 1 ? ',' : ']';
	}
	return p;
}

static size_t write_all(const struct json *j, const struct hp_sample *s, char *out)
{
	/* made first and copied twice: what was written a moment ago cannot be read back in larger pieces without
	 * waiting */
	char gyro[VECTOR + HP_9G_MAX];
	size_t gyro_size = 4;
	if (s->flags & HP_GYRO)
		gyro_size = (size_t)(put_numbers(gyro, s->gyro, 3) - gyro);
	else
		memcpy(gyro, "null", 4);
	char *p = out;
	PUT(p, "{\"version\":2,\"device\":");
	if (j->label_size <= 64)
		memcpy(p, j->label, 64); /* the usual length as one fixed copy; the rest is overwritten */
	else
		memcpy(p, j->label, j->label_size);
	p += j->label_size;
	PUT(p, ",\"rotationVector\":");
	p = put_numbers(p, s->rotvec, 3);
	PUT(p, ",\"quaternion\":");
	p = put_numbers(p, s->quat, 4);
	PUT(p, ",\"yprDegrees\":");
	p = put_numbers(p, s->ypr, 3);
	PUT(p, ",\"gyroscope\":");
	memcpy(p, gyro, VECTOR);
	p += gyro_size;
	PUT(p, ",\"accelerometer\":");
	if (s->flags & HP_ACCEL)
		p = put_numbers(p, s->accel, 3);
	else
		PUT(p, "null");
	PUT(p, ",\"angularVelocity\":");
	memcpy(p, gyro, VECTOR);
	p += gyro_size;
	PUT(p, ",\"resetCounter\":");
	if (s->reset_count < 10)
		*p++ = (char)('0' + s->reset_count);
	else
		p += put_u64(s->reset_count, p);
	PUT(p, ",\"packetsPerSecond\":");
	p += hp_text_f3(s->rate_hz, p);
	PUT(p, ",\"receiveLatencyMs\":");
	p += hp_text_f3(s->latency_ms, p);
	if (j->position) {
		PUT(p, ",\"position\":");
		if (s->flags & HP_POS)
			p = put_numbers(p, s->pos, 3);
		else
			PUT(p, "null");
	}
	*p++ = '}';
	return (size_t)(p - out);
}

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	struct json *j = self;
	/* the host has derived what was stale; without that these two would be printed unchecked */
	if ((s->flags & (HP_ROTVEC | HP_YPR)) != (HP_ROTVEC | HP_YPR)) {
		struct hp_sample whole = *s;
		whole.flags |= HP_ROTVEC | HP_YPR;
		if (!hp_sample_finite(&whole))
			return -EDOM;
	} else if (!hp_sample_finite(s)) {
		return -EDOM;
	}
	if (!hp_label_is_for(&j->label_of, from)) {
		j->label_size = hp_label_json(from->device, j->label);
		j->label_of = (struct hp_label_of){ from, from->device };
	}
	if (cap >= WORST)
		return (int)write_all(j, s, buf);
	char roomy[WORST];
	size_t size = write_all(j, s, roomy);
	if (size > cap)
		return -ENOSPC;
	memcpy(buf, roomy, size);
	return (int)size;
}

static void event(void *self, const struct hp_event *e)
{
	struct json *j = self;
	if (e->type == HP_CONNECTED)
		j->label_of.from = NULL;
}

HP_MODULE(json) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.name = "json",
	.summary = "one JSON object per sample, version 2 as sony-head-tracker sends it",
	.media_type = "application/json",
	.options = options,
	.state_size = sizeof(struct json),
	.encode = encode,
	.event = event,
};
