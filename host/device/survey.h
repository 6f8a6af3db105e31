/* SPDX-License-Identifier: MIT
 * survey.h - looks at every HID device without changing anything: is it a head tracker, can it be used, and if not,
 * why. For the commands probe, doctor and udev. */
#ifndef HP_SURVEY_H
#define HP_SURVEY_H
#include "inputs/hid/hid.h"
#include <stdio.h>

struct hp_surveyed {
	struct hp_hid_facts facts;
	enum hp_hid_verdict verdict; /* from the descriptor                                       */
	char why[200];               /* HID_MAYBE: what is missing                                */
	uint32_t has;                /* HID_ROTATION ... of usages.h                            */
	int access;                  /* 0, or -errno: -EACCES, -ENXIO when the kernel made no node */
	bool opened;                 /* the rest is known only then                               */
	int open_error;              /* -errno with access == 0: could not be opened all the same */
	size_t features, answered;   /* feature reports, and how many could be read               */
	char marker[40], unique[48];
	int major, minor, transports;
	double interval_min_ms, interval_max_ms; /* 0 = not said */
};
/* Every device that is a head tracker or comes close, in the order in which the kernel met them. total: HID devices of
 * any kind. Returns the number, free() the list. */
size_t hp_survey(struct hp_surveyed **list, size_t *total);
/* It can be read now and is confirmed by its marker (or lets nothing be read at all). */
bool hp_survey_usable(const struct hp_surveyed *);
/* hid-sensor-hub has it and the kernel made no node for others. */
bool hp_survey_held_by_hub(const struct hp_surveyed *);
/* "can be used", or why not. Returns buf. */
const char *hp_survey_state(const struct hp_surveyed *, char *buf, size_t size);
/* Commands for a shell that give access to the device, and that free it from hid-sensor-hub. */
void hp_cure_access(const struct hp_surveyed *, char *buf, size_t size);
void hp_cure_hub(const struct hp_surveyed *, char *buf, size_t size);
/* Where udev has our rule, NULL = nowhere. */
const char *hp_rule_installed(void);
/* The udev rules that suit this installation. */
void hp_rule_print(FILE *);
/* "rotation, angular velocity, reset counter" */
void hp_fields_text(uint32_t has, char *buf, size_t size);
#endif
