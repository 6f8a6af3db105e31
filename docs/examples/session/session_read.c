/* SPDX-License-Identifier: MIT
 * session_read.c - reads a session file with libheadpipe-session: what is in it, the mean of a field, a jump by time.
 *
 *     cc session_read.c $(pkg-config --cflags --libs headpipe-session) -o session_read
 *     ./session_read flight.mcap pitch */
#include <headpipe-session.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	char why[300];
	struct hps_reader *file;
	struct hps_info info;
	struct hps_key key;
	struct hps_message m;
	if (argc != 3) {
		fprintf(stderr, "usage: session_read FILE FIELD\n");
		return 2;
	}
	if (hps_open(&file, argv[1], NULL, why, sizeof why) < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], why);
		return 1;
	}
	hps_get_info(file, &info);
	printf("%llu messages, %.3f s\n", (unsigned long long)info.messages, (double)(info.end - info.start) / 1e9);
	if (info.note[0])
		printf("note: %s\n", info.note);

	/* A key is resolved once; type and unit are checked here and not with every read. */
	int samples = hps_channel_find(file, HPS_TOPIC_SAMPLE);
	if (samples < 0 || hps_key_resolve(file, samples, argv[2], HPS_F64, NULL, &key) < 0) {
		fprintf(stderr, "%s\n", samples < 0 ? "no samples in it" : hps_reader_error(file));
		hps_close(file);
		return 1;
	}

	/* All samples in order. A damaged chunk is told once, then reading goes on behind it. */
	struct hps_cursor at = hps_begin(file, samples);
	double sum = 0;
	unsigned long n = 0;
	int code;
	while ((code = hps_next(&at, &m)) != 0) {
		if (code < 0) {
			fprintf(stderr, "%s\n", hps_reader_error(file));
			continue;
		}
		sum += hps_get_f64(key, &m);
		n++;
	}
	if (n)
		printf("mean of %s over %lu samples: %.6f\n", argv[2], n, sum / (double)n);

	/* To the middle, by time. */
	if (hps_seek_time(&at, info.start / 2 + info.end / 2) == 1 && hps_next(&at, &m) == 1)
		printf("%s in the middle: %.6f\n", argv[2], hps_get_f64(key, &m));
	hps_close(file);
	return 0;
}
