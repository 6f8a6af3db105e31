/* SPDX-License-Identifier: MIT
 * text.c (plain) - JSON and OpenTrack bytes with printf and memcpy. */
#include "text.h"
#include <stdarg.h>
#include <string.h>

struct text {
	char *at;
	size_t left;
	bool full;
};

static void add(struct text *t, const char *form, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *form, ...)
{
	va_list args;
	va_start(args, form);
	int n = vsnprintf(t->at, t->left, form, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->left) {
		t->full = true;
		return;
	}
	t->at += n;
	t->left -= (size_t)n;
}

static void add_device(struct text *t, const char *device)
{
	if (!device) {
		add(t, "null");
		return;
	}
	size_t n = strlen(device);
	if (n > 256) {
		n = 256;
		int back = 0;
		while (back < 4 && ((unsigned char)device[n - (size_t)back] & 0xc0) == 0x80)
			back++;
		if (back < 4)
			n -= (size_t)back;
	}
	add(t, "\"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)device[i];
		if (c == '"' || c == '\\')
			add(t, "\\%c", c);
		else if (c >= 0x20)
			add(t, "%c", c);
	}
	add(t, "\"");
}

static void add_vector(struct text *t, const char *key, const double *v, int n)
{
	add(t, ",\"%s\":", key);
	if (!v) {
		add(t, "null");
		return;
	}
	for (int i = 0; i < n; i++)
		add(t, "%c%.9g", i == 0 ? '[' : ',', v[i]);
	add(t, "]");
}

int plain_json(const struct hp_sample *s, const char *device, char *out, size_t size)
{
	struct text t = { out, size, false };
	const double *gyro = s->flags & HP_GYRO ? s->gyro : NULL, *accel = s->flags & HP_ACCEL ? s->accel : NULL;
	add(&t, "{\"version\":2,\"device\":");
	add_device(&t, device);
	add_vector(&t, "rotationVector", s->rotvec, 3);
	add_vector(&t, "quaternion", s->quat, 4);
	add_vector(&t, "yprDegrees", s->ypr, 3);
	add_vector(&t, "gyroscope", gyro, 3);
	add_vector(&t, "accelerometer", accel, 3);
	add_vector(&t, "angularVelocity", gyro, 3);
	add(&t, ",\"resetCounter\":%u", s->reset_count);
	add(&t, ",\"packetsPerSecond\":%.3f", s->rate_hz);
	add(&t, ",\"receiveLatencyMs\":%.3f}", s->latency_ms);
	return t.full ? -1 : (int)(t.at - out);
}

void plain_opentrack(const struct hp_sample *s, uint8_t out[48])
{
	double v[6] = { 0, 0, 0, s->ypr[0], s->ypr[1], s->ypr[2] };
	memcpy(out, v, sizeof v);
}
