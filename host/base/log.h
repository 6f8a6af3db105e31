/* SPDX-License-Identifier: MIT
 * log.h - lines on stderr: "headpipe: output game: text". */
#ifndef HP_LOG_H
#define HP_LOG_H
#include "headpipe.h"

/* Lines below this level are dropped. [any] */
void hp_log_level(enum hp_level);
enum hp_level hp_log_get_level(void);
/* One line; who may be NULL. Control characters in the text are written as \xNN, a line has at most 1 KiB. [any] */
void hp_log(enum hp_level, const char *who, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Tests look at what was logged; NULL = stderr again. */
void hp_log_to(void (*sink)(void *, enum hp_level, const char *line), void *arg);
#endif
