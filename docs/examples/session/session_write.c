/* SPDX-License-Identifier: MIT
 * session_write.c - writes a session file with numbers of one's own beside headpipe's samples.
 *
 *     cc session_write.c $(pkg-config --cflags --libs headpipe-session) -lm -o session_write
 *     ./session_write wave.mcap */
#include <headpipe-session.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 8-byte fields first: then a message is its 4-byte head and this struct's bytes. */
struct wave {
	int64_t time_ns;
	double height;
	float slope;
};
static const struct hps_field fields[] = {
	{ "time_ns", "ns", HPS_I64 },
	{ "height", "m", HPS_F64 },
	{ "slope", "", HPS_F32 },
};

/* Called for every message before it is written: here nothing above 0.9 m is kept. */
static int low_ones(void *ctx, uint16_t channel, int64_t time, void *data, size_t n)
{
	double height;
	(void)ctx, (void)channel, (void)time, (void)n;
	memcpy(&height, (char *)data + 12, sizeof height);
	return height > 0.9 ? HPS_DROP : HPS_KEEP;
}

int main(int argc, char **argv)
{
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	o.library = "session_write example";
	o.hook = low_ones;
	if (argc != 2 || hps_create(&w, argv[1], &o) < 0) {
		fprintf(stderr, "usage: session_write FILE (a folder that may be written to)\n");
		return 1;
	}
	int channel = hps_add_channel(w, "/wave", "example/Wave", fields, 3, NULL), code = channel < 0 ? channel : 0;
	for (int i = 0; i < 1000 && !code; i++) {
		unsigned char m[4 + 20] = { 0, 1, 0, 0 }; /* the head: CDR, little endian */
		struct wave x = { i * 10000000LL, sin(i * 0.01), (float)cos(i * 0.01) };
		memcpy(m + 4, &x.time_ns, 8);
		memcpy(m + 12, &x.height, 8);
		memcpy(m + 20, &x.slope, 4);
		code = hps_write(w, channel, x.time_ns, m, sizeof m);
	}
	int end = hps_finish(w); /* always, it frees the writer */
	if (code || end) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(code ? -code : -end));
		return 1;
	}
	return 0;
}
