/* SPDX-License-Identifier: MIT
 * usages.h - names for the rows of usages.def. */
#ifndef HP_USAGES_H
#define HP_USAGES_H

/* HP_USAGE_ROTATION_VECTOR ...: page << 16 | id */
enum {
#define HP_INPUT_USAGE(name, usage, ...)   HP_USAGE_##name = usage,
#define HP_COUNTER_USAGE(name, usage, ...) HP_USAGE_##name = usage,
#define HP_NAMED_USAGE(name, usage, ...)   HP_USAGE_##name = usage,
#define HP_SELECTOR(name, usage, ...)      HP_USAGE_##name = usage,
#include "usages.def"
};

/* HID_ROTATION ...: a bit for each thing that a report can carry, in the order of the rows. */
enum {
#define HP_QUANTITY(name, ...) HID_NUMBER_##name,
#define HP_COUNTER(name, ...)  HID_NUMBER_##name,
#include "usages.def"
	HID_QUANTITIES
};
enum {
#define HP_QUANTITY(name, ...) HID_##name = 1u << HID_NUMBER_##name,
#define HP_COUNTER(name, ...)  HID_##name = 1u << HID_NUMBER_##name,
#include "usages.def"
};

/* HID_AT_ROTATION ...: where a quantity's numbers begin in a decode plan; the last one is how many there are. */
enum {
#define HP_QUANTITY(name, numbers, ...) HID_AT_##name, HID_END_##name = HID_AT_##name + (numbers)-1,
#include "usages.def"
	HID_NUMBERS
};

/* "0020:0544" for texts: printf("usage " HP_USAGE_FMT, HP_USAGE_ARGS(usage)) */
#define HP_USAGE_FMT     "%04x:%04x"
#define HP_USAGE_ARGS(u) (unsigned)(u) >> 16, (unsigned)(u)&0xffff
#endif
