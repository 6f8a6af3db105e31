/* SPDX-License-Identifier: MIT
 * sample.h - counts and masks made of fields.def. */
#ifndef HP_SAMPLE_H
#define HP_SAMPLE_H
#include "headpipe.h"

enum {
#define HP_SAMPLE_FIELD(member, kind, cell, name, ...) HP_FIELD_##name,
#include "fields.def"
	HP_SAMPLE_BASE, /* fields that every session has */
	HP_SAMPLE_LAST_BASE_ = HP_SAMPLE_BASE - 1,
#define HP_SAMPLE_APPENDED(member, kind, cell, name, ...) HP_FIELD_##name,
#include "fields.def"
	HP_SAMPLE_FIELDS /* with those that were appended */
};
/* Flags of the appended fields. */
#define HP_SAMPLE_APPENDED_FLAGS ((uint32_t)HP_SAMPLE_APPENDED_FLAGS_)
enum {
	HP_SAMPLE_APPENDED_FLAGS_ = 0
#define HP_SAMPLE_APPENDED(member, kind, cell, name, unit, flag, ...) | (flag)
#include "fields.def"
};
#define HP_SAMPLE_APPENDED(member, ...) \
	_Static_assert(sizeof(((struct hp_sample *)0)->member) == sizeof(double), "appended fields are doubles");
#include "fields.def"
#endif
