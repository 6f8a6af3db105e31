/* SPDX-License-Identifier: MIT
 * msgpack.c - one MessagePack map per sample, always the same eight keys in the same order, and "pos" behind them
 * where the sample has a position; docs/wire-formats.md has the schema. msgpack-c packs into our own fixed buffer: no
 * allocation. */
#include "base/label.h"
#include "headpipe.h"
#include <errno.h>
#include <msgpack/pack.h>
#include <string.h>

struct msgpack {
	struct hp_label_of label_of;
	bool named;
	size_t label_size;
	char label[HP_LABEL_UTF8_MAX];
};

/* The longest map: keys, heads and 19 numbers are 213 bytes, with room to spare, and the label. */
enum { WORST = 256 + HP_LABEL_UTF8_MAX };

struct buffer {
	char *at; /* with room for WORST bytes */
};

static int put(void *data, const char *bytes, size_t n)
{
	struct buffer *b = data;
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
static inline void key(struct buffer *b, const char *packed)
{
	put(b, packed, strlen(packed)); /* constant once inlined */
}

/* Inlined, or every byte would go through a function pointer and the buffer's place in memory: four times the time. */
static inline __attribute__((always_inline)) void numbers(msgpack_packer *pk, const double *v, size_t n, bool there)
{
	if (!there) {
		msgpack_pack_nil(pk);
		return;
	}
	msgpack_pack_array(pk, n);
	for (size_t i = 0; i < n; i++)
		msgpack_pack_double(pk, v[i]);
}

/* 0 when all are finite: x - x is 0 then, and NaN otherwise */
static double blank(const double *v, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += v[i] - v[i];
	return sum;
}

static size_t write_all(const struct msgpack *m, const struct hp_sample *s, char *to)
{
	struct buffer out = { to };
	msgpack_packer pk;
	msgpack_packer_init(&pk, &out, put);
	msgpack_pack_map(&pk, s->flags & HP_POS ? 9 : 8);
	key(&out, "\xa3"
	          "seq");
	msgpack_pack_uint64(&pk, s->seq);
	key(&out, "\xa1"
	          "t");
	msgpack_pack_int64(&pk, s->time_ns);
	key(&out, "\xa1"
	          "q");
	numbers(&pk, s->quat, 4, true);
	key(&out, "\xa3"
	          "ypr");
	numbers(&pk, s->ypr, 3, true);
	key(&out, "\xa4"
	          "gyro");
	numbers(&pk, s->gyro, 3, s->flags & HP_GYRO);
	key(&out, "\xa5"
	          "accel");
	numbers(&pk, s->accel, 3, s->flags & HP_ACCEL);
	key(&out, "\xa5"
	          "reset");
	msgpack_pack_uint32(&pk, s->reset_count);
	key(&out, "\xa3"
	          "dev");
	if (m->named) {
		msgpack_pack_str(&pk, m->label_size);
		msgpack_pack_str_body(&pk, m->label, m->label_size);
	} else {
		msgpack_pack_nil(&pk);
	}
	if (s->flags & HP_POS) {
		key(&out, "\xa3"
		          "pos");
		numbers(&pk, s->pos, 3, true);
	}
	return (size_t)(out.at - to);
}

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	struct msgpack *m = self;
	double sum = blank(s->quat, 4) + blank(s->ypr, 3);
	if (s->flags & HP_GYRO)
		sum += blank(s->gyro, 3);
	if (s->flags & HP_ACCEL)
		sum += blank(s->accel, 3);
	if (s->flags & HP_POS)
		sum += blank(s->pos, 3);
	if (sum != 0)
		return -EDOM;
	if (!hp_label_is_for(&m->label_of, from)) {
		m->named = from->device != NULL;
		m->label_size = m->named ? hp_label_utf8(from->device, m->label) : 0;
		m->label_of = (struct hp_label_of){ from, from->device };
	}
	if (cap >= WORST)
		return (int)write_all(m, s, buf);
	char roomy[WORST];
	size_t size = write_all(m, s, roomy);
	if (size > cap)
		return -ENOSPC;
	memcpy(buf, roomy, size);
	return (int)size;
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
	.traits = HP_BINARY,
	.name = "msgpack",
	.summary = "one MessagePack map per sample, with full precision and the sample's time",
	.media_type = "application/vnd.msgpack",
	.state_size = sizeof(struct msgpack),
	.encode = encode,
	.event = event,
};
