/* SPDX-License-Identifier: MIT
 * doctor.h - the findings of `headpipe doctor`: one line per link of the chain from the source of the pose to the
 * program that wants it. */
#ifndef HP_DOCTOR_H
#define HP_DOCTOR_H
#include "device/survey.h"
#include "graph/node.h"

enum hp_finding_state { HP_OK, HP_NOTE, HP_WRONG, HP_SKIPPED };
struct hp_finding {
	enum hp_finding_state state;
	char link[24]; /* "device", "driver", "node", ... */
	char text[600];
	char cure[4600]; /* what to do, or a command; "" = nothing */
};
struct hp_findings {
	struct hp_finding *at;
	size_t n, room;
	int status;                              /* exit status so far */
	void (*told)(const struct hp_finding *); /* called for each as it comes; may be NULL */
};
void hp_find(struct hp_findings *, enum hp_finding_state, const char *link, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds what to do to the next finding. */
void hp_cure(struct hp_findings *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hp_findings_free(struct hp_findings *);

/* device.c: every link from the device to moving values. wish: what the ini narrows. seconds: how long it
 * listens. */
void hp_doctor_devices(struct hp_findings *, const struct hp_hid_wish *, double interval_ms, double seconds);
/* inputs.c: runs another kind of input of a graph that is not running by itself for so long, and tells what arrives. */
void hp_doctor_input(struct hp_findings *, const struct hp_node *input, double seconds);
/* heard.c: what was heard in one listening. */
struct hp_heard {
	uint64_t reports, samples;
	int64_t first_ns, last_ns, longest_ns; /* longest gap between two reports */
	bool moved, gyro, gyro_moved;
	double rotvec[3]; /* of the first sample */
};
void hp_heard_sample(struct hp_heard *, const struct hp_sample *);
void hp_heard_report(struct hp_heard *, int64_t now);
/* The findings about it. */
void hp_heard_judge(struct hp_findings *, const struct hp_heard *, const char *name, double seconds);

/* outputs.c: is there somebody at the addresses of the outputs. */
void hp_doctor_outputs(struct hp_findings *, const struct hp_run *);
/* True when the table (the text of /proc/net/udp or udp6) has a socket that gets what is sent to that address and
 * port. bytes: 4 or 16, network order. */
bool hp_listener_in(FILE *table, const uint8_t *address, size_t bytes, uint16_t port);
#endif
