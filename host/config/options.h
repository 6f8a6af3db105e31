/* SPDX-License-Identifier: MIT
 * options.h - option tables: text to checked values in a module's state, and the words about them. */
#ifndef HP_OPTIONS_H
#define HP_OPTIONS_H
#include "config.h"
#include "errors.h"
#include "headpipe.h"

/* Memory of values (strings, address lists) lives here until hp_values_free(). Zero it before use. */
struct hp_values {
	void **blocks;
	size_t nblocks, room;
};
void hp_values_free(struct hp_values *);

/* Fills state: first every default of the table, then the section's pairs. Keys for which `other` has a row
 * (a second table for the same section: transport and encoder) or that `host_key` knows are left alone;
 * unknown keys, wrong values, missing required keys go to errors as
 *     FILE:LINE: error: [output game] tp = 127.0.0.1:4242: no such option
 * with a hint line. `module` names the module for the hints ("opentrack_udp takes: to, rate").
 * Returns 0 or -1 (errors were added). */
int hp_options_fill(const struct hp_option *table, void *state, const struct hp_section *, const char *module,
                    const struct hp_option *const *others, size_t nothers, struct hp_values *, struct hp_errors *);

enum { HP_LIST_MAX = 64 }; /* entries of an HP_LIST */

/* Parses one text for one row into field (row->size bytes). why: one clause without full stop, "out of range",
 * "not a number", ...; base_dir: for HP_PATH, NULL = current folder. Returns 0 or -1. */
int hp_option_parse(const struct hp_option *, const char *text, const char *base_dir, void *field, struct hp_values *,
                    char *why, size_t why_size);

/* A batch of live changes for one module: parsed into values, checked, HP_LIVE only; then written to state at once.
 * On refusal (a bad value, not live, or changed() < 0) the old bytes are back. Returns 0 or -errno; why says it. */
struct hp_change {
	const char *key, *value;
};
int hp_options_change(const struct hp_option *table, void *state, const struct hp_change *, size_t n,
                      const char *base_dir, int (*changed)(void *), struct hp_values *, char *why, size_t why_size);

/* The same in steps, for a batch that goes to several modules: begin parses and writes nothing; apply writes and keeps
 * the bytes that were there; revert puts those back; end frees the old texts (keep) or the new ones. begin returns 0,
 * or -errno with why and no batch. */
struct hp_batch;
int hp_batch_begin(struct hp_batch **, const struct hp_option *table, const struct hp_change *, size_t n,
                   const char *base_dir, struct hp_values *, char *why, size_t why_size);
void hp_batch_apply(struct hp_batch *, void *state);
void hp_batch_revert(struct hp_batch *, void *state);
void hp_batch_end(struct hp_batch *, struct hp_values *, bool keep);

/* NULL when the table is sound, else what is wrong with it ("option 3: no key", "default of `rate`: out of range"):
 * types, ranges, defaults that parse, fields inside state_size, duplicate and reserved keys. */
const char *hp_options_check(const struct hp_option *table, size_t state_size, enum hp_kind, char *why,
                             size_t why_size);

/* Do two states have the same value in the field of a row? */
bool hp_option_same(const struct hp_option *, const void *state, const void *other);
/* "0.001 to 1", "yaw|pitch|roll", "address:port[, ...]", ... for help and hints. */
void hp_option_allowed(const struct hp_option *, char *buf, size_t size);
/* "FILE:LINE: error: [output game] to = x: what"; a secret's value is hidden, a long one cut. */
void hp_pair_error(const struct hp_section *, const struct hp_pair *, bool secret, const char *what,
                   struct hp_errors *);
/* Hints below such an error: the closest choice, "key: doc, 0.001 to 1, default 0.18". */
void hp_option_hint(const struct hp_option *, const char *value, struct hp_errors *);
const struct hp_option *hp_option_find(const struct hp_option *table, const char *key); /* not HP_REMOVED rows */
bool hp_option_is_host_key(const char *key, enum hp_kind);

/* The host's own keys, from keys.def. */
extern const struct hp_option hp_settings_options[];    /* struct hp_settings, [headpipe]     */
extern const struct hp_option hp_host_options[];        /* struct hp_host_keys, all sections  */
extern const struct hp_option hp_host_input_options[];  /* struct hp_host_keys, inputs only   */
extern const struct hp_option hp_host_output_options[]; /* struct hp_host_keys, outputs only  */
/* Those that only sections of this kind have; NULL = none. */
const struct hp_option *hp_host_options_of(enum hp_kind);
struct hp_settings {
#define HP_SETTING(type, kind, name, ...) type name;
#include "keys.def"
};
/* Texts are NULL when not given. */
struct hp_host_keys {
#define HP_KEY(type, kind, name, ...)        type name;
#define HP_INPUT_KEY(type, kind, name, ...)  type name;
#define HP_OUTPUT_KEY(type, kind, name, ...) type name;
#include "keys.def"
};
enum hp_priority { HP_PRIORITY_NORMAL, HP_PRIORITY_REALTIME }; /* priority, in the order of its choices */
enum hp_on_error { HP_ON_ERROR_DROP, HP_ON_ERROR_STOP };       /* on_error, in the order of its choices */
enum hp_on_loss { HP_ON_LOSS_HOLD, HP_ON_LOSS_ZERO, HP_ON_LOSS_STOP, HP_ON_LOSS_RETURN }; /* on_loss */
#endif
