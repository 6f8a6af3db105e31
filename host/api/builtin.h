/* SPDX-License-Identifier: MIT
 * builtin.h - what the host and its built-in modules agree on beyond headpipe.h: bits that the public header reserves.
 * Not installed; a module from a file has no use for it, and the host takes these bits away from one. */
#ifndef HP_BUILTIN_H
#define HP_BUILTIN_H
#include "headpipe.h"

/* hp_sample.flags, from inputs only, with HP_ROTVEC: quat[] is still to be made from rotvec[]. The host does it before
 * a module sees the sample, or leaves it out when no module looks. */
#define HP_QUAT_DUE (1u << 7)
/* Sizes in ABI 2.0, so the least that a module has; and the most that a newer one's sample may have, which is what the
 * host leaves room for where such a module writes. */
#define HP_LEAST_(type, last) (offsetof(struct type, last) + sizeof(((struct type *)0)->last))
#define HP_SAMPLE_LEAST       HP_LEAST_(hp_sample, spare)
#define HP_SAMPLE_MOST        512u
#define HP_MODULE_LEAST       HP_LEAST_(hp_module, url)
#define HP_OPTION_LEAST       HP_LEAST_(hp_option, flags)
#define HP_RAW_LEAST          HP_LEAST_(hp_raw, time_ns)
#define HP_EVENT_LEAST        HP_LEAST_(hp_event, text)
#define HP_STREAM_LEAST       HP_LEAST_(hp_stream, features)

/* hp_module.traits: a filter that never looks at quat[] when there is HP_ROTVEC, and writes a new one. */
#define HP_READS_ROTVEC (1u << 0)
/* hp_module.traits: an output whose open() may be called again after it has failed; the host has put its state back and
 * closed what it had asked the host for. */
#define HP_OPENS_AGAIN (1u << 31)
/* hp_module.traits: an input whose open() only looks whether its recording is there and good. It is opened before the
 * outputs, which may replace files. */
#define HP_OPENS_FIRST (1u << 30)
#endif
