/* SPDX-License-Identifier: MIT
 * heard.c - what a device sent while the doctor listened, and what that says. */
#include "doctor.h"
#include <math.h>
#include <string.h>

/* smallest step of a rotation that counts as moving, rad: above the noise of a headset on a table */
#define MOVED 0.002

void hp_heard_report(struct hp_heard *h, int64_t now)
{
	if (!h->reports++)
		h->first_ns = now;
	else if (now - h->last_ns > h->longest_ns)
		h->longest_ns = now - h->last_ns;
	h->last_ns = now;
}

void hp_heard_sample(struct hp_heard *h, const struct hp_sample *s)
{
	if (!h->samples++)
		memcpy(h->rotvec, s->rotvec, sizeof h->rotvec);
	for (int i = 0; i < 3; i++) {
		h->moved |= fabs(s->rotvec[i] - h->rotvec[i]) > MOVED;
		h->gyro_moved |= s->flags & HP_GYRO && fabs(s->gyro[i]) > 1e-6;
	}
	h->gyro |= (s->flags & HP_GYRO) != 0;
}

void hp_heard_judge(struct hp_findings *f, const struct hp_heard *h, const char *name, double seconds)
{
	if (!h->reports) {
		hp_cure(f, "switch head tracking on in the maker's app, wear the headset, move; then reconnect it");
		hp_find(f, HP_WRONG, "reports", "%s is open and set up, but sent nothing in %g s", name, seconds);
		return;
	}
	double span = (double)(h->last_ns - h->first_ns) / 1e9, rate = span > 0 ? (double)(h->reports - 1) / span : 0;
	double gap_ms = (double)h->longest_ns / 1e6;
	/* a stall that a user would see */
	if (gap_ms > 250) {
		hp_cure(f, "a weak Bluetooth link: come nearer, keep USB 3 devices away from the adapter");
		hp_find(f, HP_NOTE, "reports", "%.0f reports/s, but the longest gap was %.0f ms", rate, gap_ms);
	} else {
		hp_find(f, HP_OK, "reports", "%.0f reports/s, longest gap %.0f ms", rate, gap_ms);
	}
	if (!h->samples)
		hp_find(f, HP_WRONG, "values", "none of the reports carries a rotation");
	else if (h->moved)
		hp_find(f, HP_OK, "values", "the rotation moves");
	else {
		hp_cure(f, "move your head while the doctor listens, and run it again");
		hp_find(f, HP_NOTE, "values", "the rotation was constant while listening");
	}
	if (h->samples && !h->gyro)
		hp_find(f, HP_OK, "gyro", "this device has no angular velocity; it is not needed");
	else if (h->samples && !h->gyro_moved)
		hp_find(f, HP_NOTE, "gyro",
		        "angular velocity is always zero (some headsets never fill it in); the rotation is enough");
	else if (h->samples)
		hp_find(f, HP_OK, "gyro", "angular velocity is there");
}
