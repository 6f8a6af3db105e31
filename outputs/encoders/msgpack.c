/* SPDX-License-Identifier: MIT
 * msgpack.c - one MessagePack map per sample, always the same eight keys in the same order; docs/wire-formats.md has
 * the schema. msgpack-c packs into our own fixed buffer: no allocation. */
#include "headpipe.h"
#include "label.h"
#include <errno.h>
#include <msgpack/pack.h>
#include <string.h>

struct msgpack {
	struct hp_label_of label_of;
	bool named;
	size_t label_size;
	char label[HP_LABEL_UTF8_MAX];
};

struct buffer {
	char *at, *end;
};

static int put(void *data, const char *bytes, size_t n)
{
	struct buffer *b = data;
	if (n > (size_t)(b->end - b->at))
		return -1;
	/* the two sizes that msgpack-c asks for most, as plain stores: a type byte, and one with a double */
	if (n == 9)
		memcpy(b->at, bytes, 9);
	else if (n == 1)
		*b->at = *bytes;
	else
		memcpy(b->at, bytes, n);
	b->at += n;
	return 0;
}

/* A key as it goes out: the type byte of a short string (0xa0 + length), then the string. */
static inline int key(struct buffer *b, const char *packed)
{
	return put(b, packed, strlen(packed)); /* constant once inlined */
}

static int numbers(msgpack_packer *pk, const double *v, size_t n, bool there)
{
	int bad = 0;
	if (!there)
		return bad | msgpack_pack_nil(pk);
	bad |= msgpack_pack_array(pk, n);
	for (size_t i = 0; i < n; i++)
		bad |= msgpack_pack_double(pk, v[i]);
	return bad;
}

/* 0 when all are finite: x - x is 0 then, and NaN otherwise */
static double blank(const double *v, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += v[i] - v[i];
	return sum;
}

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	struct msgpack *m = self;
	bool gyro = s->flags & HP_GYRO, accel = s->flags & HP_ACCEL;
	double sum = blank(s->quat, 4) + blank(s->ypr, 3);
	if (gyro)
		sum += blank(s->gyro, 3);
	if (accel)
		sum += blank(s->accel, 3);
	if (sum != 0)
		return -EDOM;
	if (!hp_label_is_for(&m->label_of, from)) {
		m->named = from->device != NULL;
		m->label_size = m->named ? hp_label_utf8(from->device, m->label) : 0;
		m->label_of = (struct hp_label_of){ from, from->device };
	}
	struct buffer out = { buf, (char *)buf + cap };
	msgpack_packer pk;
	msgpack_packer_init(&pk, &out, put);
	int bad = msgpack_pack_map(&pk, 8);
	bad |= key(&out, "\xa3"
	                 "seq") |
	       msgpack_pack_uint64(&pk, s->seq);
	bad |= key(&out, "\xa1"
	                 "t") |
	       msgpack_pack_int64(&pk, s->time_ns);
	bad |= key(&out, "\xa1"
	                 "q") |
	       numbers(&pk, s->quat, 4, true);
	bad |= key(&out, "\xa3"
	                 "ypr") |
	       numbers(&pk, s->ypr, 3, true);
	bad |= key(&out, "\xa4"
	                 "gyro") |
	       numbers(&pk, s->gyro, 3, gyro);
	bad |= key(&out, "\xa5"
	                 "accel") |
	       numbers(&pk, s->accel, 3, accel);
	bad |= key(&out, "\xa5"
	                 "reset") |
	       msgpack_pack_uint32(&pk, s->reset_count);
	bad |= key(&out, "\xa3"
	                 "dev");
	if (m->named)
		bad |= msgpack_pack_str(&pk, m->label_size) | msgpack_pack_str_body(&pk, m->label, m->label_size);
	else
		bad |= msgpack_pack_nil(&pk);
	return bad ? -ENOSPC : (int)(out.at - (char *)buf);
}

static void event(void *self, const struct hp_event *e)
{
	struct msgpack *m = self;
	if (e->type == HP_CONNECTED)
		m->label_of.from = NULL;
}

HP_MODULE(msgpack) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.name = "msgpack",
	.summary = "one MessagePack map per sample, with full precision and the sample's time",
	.state_size = sizeof(struct msgpack),
	.encode = encode,
	.event = event,
};
