/* SPDX-License-Identifier: MIT
 * fuzz_session.c - any bytes as a session file: opened both ways, everything read, jumps, keys. */
#include "headpipe-session.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(struct hps_reader *r)
{
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	struct hp_sample s;
	struct hp_event e;
	struct hp_stream st;
	struct hps_info info;
	struct hps_key k;
	struct hps_attachment a;
	unsigned char text[64];
	volatile unsigned sum = 0;
	int code, turns;
	uint64_t given = 0, by_channel = 0;
	bool broken = false;
	for (turns = 0; turns < 20000 && (code = hps_next(&c, &m)) != 0; turns++) {
		broken |= code < 0;
		if (code < 0)
			continue;
		given++;
		for (uint32_t n = 0; n < m.size; n++)
			sum += m.data[n];
		hps_get_sample(r, &m, &s);
		hps_get_event(r, &m, &e, NULL);
		const struct hps_channel *ch = hps_channel_at(r, m.channel);
		for (size_t f = 0; f < ch->nfields && f < 8; f++)
			if (!hps_key_resolve(r, m.channel, hps_channel_field(r, m.channel, f)->name,
			                     hps_channel_field(r, m.channel, f)->type, NULL, &k))
				sum += hps_get_number(k, &m) > 0;
	}
	(void)sum; /* every byte was read */
	hps_get_info(r, &info);
	/* what the list of chunks says, the cursor gives, and so do those of single channels */
	for (size_t i = 0; i < info.nchannels; i++)
		by_channel += hps_channel_at(r, i)->messages;
	if (by_channel != info.messages || given > info.messages ||
	    (turns < 20000 && !broken && given != info.messages))
		abort();
	int64_t first = 0, last = 0;
	hps_recorded(r, &first, &last);
	c = hps_begin(r, -1);
	for (int n = 0; n < 2000 && (code = hps_next_between(&c, first / 2, info.end, &m)) != 0; n++)
		sum += code == 1 && m.size ? m.data[m.size - 1] : 0;
	hps_seek_event_before(&c, HP_CONNECTED);
	hps_next(&c, &m);
	for (size_t i = 0; i < info.nchannels && i < 50; i++) {
		hps_get_stream(r, (int)i, &st);
		c = hps_begin(r, (int)i);
		if (hps_seek_time(&c, info.start / 2 + info.end / 2) == 1)
			hps_next(&c, &m);
		if (hps_seek_number(&c, hps_channel_at(r, i)->messages / 2) == 1)
			hps_next(&c, &m);
	}
	for (size_t i = 0; hps_attachment_at(r, i, &a) && i < 50; i++)
		hps_attachment_read(r, i, text, sizeof text);
	hps_metadata_get(r, "headpipe.session", "point");
	hps_verify(r, NULL, NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[300];
	for (int recover = 0; recover < 2; recover++) {
		struct hps_reader *r;
		struct hps_reader_options o = HPS_READER_OPTIONS;
		o.recover = recover;
		o.cache_bytes = 10000;
		o.memory_bytes = 32 << 20;
		if (hps_open_memory(&r, data, size, &o, why, sizeof why) < 0)
			continue;
		read_all(r);
		hps_close(r);
	}
	return 0;
}
