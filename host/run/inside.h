/* SPDX-License-Identifier: MIT
 * inside.h - what the built-in modules `replay`, `synth`, `session`, `file` and `exec` ask of the host beyond
 * headpipe.h. Modules from files cannot: nothing of this is exported to them. Every host is the one that open() was
 * given. [loop]
 */
#ifndef HP_INSIDE_H
#define HP_INSIDE_H
#include <stddef.h>
#include <stdint.h>

struct hp_host;
struct hp_event;
struct hp_file;
struct uv_loop_s;

/* The loop itself, for what has no service: child processes, deleting files. A module from a file may bring a libuv of
 * its own, so the contract has no such pointer. */
struct uv_loop_s *hp_inside_loop(const struct hp_host *);

/* Inputs: the samples to come were recorded behind these filters (names, comma separated, from the input down), which
 * pass them on untouched from now on. Returns how many of them are there. */
size_t hp_inside_bypass(const struct hp_host *, const char *filters);
/* Inputs: an event out of a recording. Emits it as emit() does, and what the user did is done again: HP_RECENTER
 * recenters the filters, HP_OPTION changes the option of a filter below. Returns what emit() returns. */
int hp_inside_replay_event(const struct hp_host *, const struct hp_event *);

/* Inputs that give samples by the clock: the next one that is emitted was due then, on the clock of now(). For `run
 * --perf` alone; costs nothing without. */
void hp_inside_due(const struct hp_host *, int64_t due_ns);

/* Outputs: what is written from now on goes into another file, which the writer thread opens when it gets there; path
 * and mode as in file(). 0; -ENOBUFS: the queue is full and the file still the same; another -errno: it is broken. When
 * it cannot be opened the section fails, later. */
int hp_inside_file_next(struct hp_file *, const char *path, const char *mode);

/* The ini file of the section as it runs, `-s` included, secrets as "(secret)". The caller frees it; NULL: no memory.
 */
char *hp_inside_ini_text(const struct hp_host *);
/* The way from the input down to what feeds this section, "head (hid) > pose (orientation)", and the names of the
 * filters on it, "pose,turn". The caller frees them; NULL: no memory. */
char *hp_inside_chain(const struct hp_host *);
char *hp_inside_filters(const struct hp_host *);
/* Outputs that write files beside the `file` service: how many of the samples they said 0 to went to a writer thread,
 * at the end; and how many more are where they belong. [any] between hp_writer_speak() and hp_writer_spoken() */
void hp_inside_handed(const struct hp_host *, uint64_t samples);
void hp_inside_stored(const struct hp_host *, uint64_t samples);
/* The name of what feeds this section; the host's own. */
const char *hp_inside_point(const struct hp_host *);
#endif
