/* SPDX-License-Identifier: MIT
 * osc.c - Open Sound Control through liblo, for audio software and avatars.
 *
 * What is sent is text: addresses and arguments, one or several messages separated by `|`. A preset is nothing but
 * such a text (osc_presets.def). open() builds the messages once; encode() writes the new numbers over the old ones
 * inside them, so that no sample allocates. Numbers are float32 always: several receivers ignore doubles, or worse.
 *
 * More than 400 lines: a quarter is the table of names. */
#include "headpipe.h"
#include "pose/basis.h"
#include <errno.h>
#include <lo/lo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MAX = 8, ARGS_MAX = 16, TEXT_MAX = 1024 };

/* Where numbers come from: groups of up to four values, computed only when a message uses one of them. */
enum group {
	HEAD_ANGLES,
	HEAD_QUAT,
	HEAD_POS,
	SCENE_ANGLES,
	SCENE_QUAT,
	SIM_ANGLES,
	SIM_POS,
	UNITY_EULER,
	UNITY_QUAT,
	UNITY_POS,
	BONE,
	TIME,
	GROUPS
};
static const struct name {
	const char *name;
	uint8_t group, index;
} names[] = {
	{ "yaw", HEAD_ANGLES, 0 },
	{ "pitch", HEAD_ANGLES, 1 },
	{ "roll", HEAD_ANGLES, 2 },
	{ "qw", HEAD_QUAT, 0 },
	{ "qx", HEAD_QUAT, 1 },
	{ "qy", HEAD_QUAT, 2 },
	{ "qz", HEAD_QUAT, 3 },
	{ "x", HEAD_POS, 0 },
	{ "y", HEAD_POS, 1 },
	{ "z", HEAD_POS, 2 },
	{ "scene_yaw", SCENE_ANGLES, 0 },
	{ "scene_pitch", SCENE_ANGLES, 1 },
	{ "scene_roll", SCENE_ANGLES, 2 },
	{ "scene_qw", SCENE_QUAT, 0 },
	{ "scene_qx", SCENE_QUAT, 1 },
	{ "scene_qy", SCENE_QUAT, 2 },
	{ "scene_qz", SCENE_QUAT, 3 },
	{ "sim_yaw", SIM_ANGLES, 0 },
	{ "sim_pitch", SIM_ANGLES, 1 },
	{ "sim_roll", SIM_ANGLES, 2 },
	{ "sim_x", SIM_POS, 0 },
	{ "sim_y", SIM_POS, 1 },
	{ "sim_z", SIM_POS, 2 },
	{ "unity_rx", UNITY_EULER, 0 },
	{ "unity_ry", UNITY_EULER, 1 },
	{ "unity_rz", UNITY_EULER, 2 },
	{ "unity_qx", UNITY_QUAT, 0 },
	{ "unity_qy", UNITY_QUAT, 1 },
	{ "unity_qz", UNITY_QUAT, 2 },
	{ "unity_qw", UNITY_QUAT, 3 },
	{ "unity_x", UNITY_POS, 0 },
	{ "unity_y", UNITY_POS, 1 },
	{ "unity_z", UNITY_POS, 2 },
	{ "bone_x", BONE, 0 },
	{ "bone_y", BONE, 1 },
	{ "bone_z", BONE, 2 },
	{ "time", TIME, 0 },
};
#define BIT(g)    (1u << (g))
#define ANGLES    (BIT(HEAD_ANGLES) | BIT(SCENE_ANGLES) | BIT(SIM_ANGLES) | BIT(UNITY_EULER))
#define POSITIONS (BIT(HEAD_POS) | BIT(SIM_POS) | BIT(UNITY_POS))

/* One number inside a message that was built before. */
struct slot {
	lo_arg *at; /* inside the message, which liblo keeps in this machine's byte order */
	uint8_t group, index;
	bool angle;   /* in the option's units */
	bool limited; /* a range was given: -1 to 1 */
	double factor;
};
struct message {
	lo_message lo;
	char *address;
	struct slot slots[ARGS_MAX];
	int nslots;
	unsigned groups; /* that its numbers need */
};
/* One datagram: a message alone or a bundle of several. */
struct packet {
	lo_bundle bundle; /* NULL: messages[0] alone */
	const struct message *first;
	size_t size;
};
struct osc {
	int preset, units, bundle;
	const char *address, *args;
	double bone_x, bone_y, bone_z;

	const char *bad_key; /* after a refusal: the option at fault */
	char bad_why[256];
	struct message messages[MESSAGES_MAX];
	int nmessages;
	struct packet full, no_position; /* the second leaves out messages that carry nothing but a position */
	unsigned groups;
	bool timed;
	int64_t start_ns;
	double values[GROUPS][4];
};
static const struct osc_preset {
	const char *address, *args;
} presets[] = {
#define OSC_PRESET(name, address, args, ...) { address, args },
#include "osc_presets.def"
};
static const char preset_names[] = ""
#define OSC_PRESET(name, ...) "|" #name
#include "osc_presets.def"
    ;
static const struct hp_option options[] = {
	HP_OPT_ENUM(struct osc, preset, "generic", preset_names + 1,
	            "what the receiver expects; address, args, units and bundle override parts of it"),
	HP_OPT_STR(struct osc, address, "preset",
	           "OSC address, `/head/ypr`; several messages are separated by |; `preset` = the preset's own"),
	HP_OPT_STR(
	    struct osc, args, "preset",
	    "the numbers of each message, messages separated by |: [-]yaw pitch roll, qw qx qy qz, x y z (cm); the "
	    "same with scene_ (inverse, for sound fields) or sim_ (right, up, right) in front; unity_rx ry rz, "
	    "unity_qx qy qz qw, unity_x y z (m); bone_x y z; time (s); int:1; 'text'. NAME/90: degrees (or cm) from "
	    "-90 "
	    "to 90 become -1 to 1"),
	HP_OPT_ENUM(struct osc, units, "deg", "deg|rad|norm", "unit of angles; norm: -180 to 180 becomes 0 to 1"),
#define BONE_PLACE(f, def, doc) HP_OPT_REAL(struct osc, f, def, -10, 10, doc, HP_LIVE, "m")
	BONE_PLACE(bone_x, "0",
	           "what the name bone_x sends: place of the avatar's head bone above its neck bone, to the right"),
	BONE_PLACE(bone_y, "0.1", "bone_y: the same, up; it depends on the avatar, 0 puts the head into the neck"),
	BONE_PLACE(bone_z, "0", "bone_z: the same, to the front"),
	HP_OPT_ENUM(struct osc, bundle, "auto", "auto|always", "auto: a bundle when there is more than one message"),
	HP_OPT_END
};

/* ---- reading the texts -------------------------------------------------------------------------- */

static int complain(struct osc *o, const char *key, const char *word, size_t n, const char *what)
{
	o->bad_key = key;
	snprintf(o->bad_why, sizeof o->bad_why, "`%.*s` %s", n < 60 ? (int)n : 60, word, what);
	return -EINVAL;
}
/* The part up to the next `|`, without blanks around it; moves *text behind it. NULL at the end. */
static const char *part(const char **text, size_t *n)
{
	if (!*text)
		return NULL;
	const char *start = *text + strspn(*text, " \t"), *bar = strchr(start, '|');
	*n = bar ? (size_t)(bar - start) : strlen(start);
	*text = bar ? bar + 1 : NULL;
	while (*n && strchr(" \t", start[*n - 1]))
		--*n;
	return start;
}
static int add_number(struct osc *o, struct message *m, const char *word, size_t n)
{
	size_t sign = *word == '-';
	const char *slash = memchr(word, '/', n);
	size_t length = slash ? (size_t)(slash - word) : n;
	long range = 1;
	if (slash) {
		char *end;
		errno = 0;
		range = strtol(slash + 1, &end, 10);
		if (end != word + n || errno || range < 1 || range > 100000)
			return complain(o, "args", word, n,
			                "has no range behind its slash; a whole number, 1 to 100000");
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strlen(names[i].name) != length - sign || memcmp(names[i].name, word + sign, length - sign))
			continue;
		m->slots[m->nslots++] = (struct slot){ .group = names[i].group,
			                               .index = names[i].index,
			                               .angle = !slash && ANGLES & BIT(names[i].group),
			                               .limited = slash,
			                               .factor = (sign ? -1.0 : 1.0) / (double)range };
		m->groups |= BIT(names[i].group);
		return lo_message_add_float(m->lo, 0) < 0 ? -ENOMEM : 0;
	}
	return complain(o, "args", word, n, "is not known here (headpipe help osc lists the names)");
}
static int add_argument(struct osc *o, struct message *m, const char *word, size_t n)
{
	char text[TEXT_MAX];
	if (lo_message_get_argc(m->lo) == ARGS_MAX)
		return complain(o, "args", word, n, "is one too many; a message takes 16");
	if (*word == '\'') {
		if (n < 2 || word[n - 1] != '\'' || n > sizeof text)
			return complain(o, "args", word, n, "has no closing quote");
		memcpy(text, word + 1, n - 2);
		text[n - 2] = 0;
		return lo_message_add_string(m->lo, text) < 0 ? -ENOMEM : 0;
	}
	if (n > 4 && !memcmp(word, "int:", 4)) {
		char *end;
		errno = 0;
		long v = strtol(word + 4, &end, 10);
		if (end != word + n || errno || v < INT32_MIN || v > INT32_MAX)
			return complain(o, "args", word, n, "is no 32-bit whole number");
		return lo_message_add_int32(m->lo, (int32_t)v) < 0 ? -ENOMEM : 0;
	}
	return add_number(o, m, word, n);
}
static int add_arguments(struct osc *o, struct message *m, const char *list, size_t size)
{
	const char *end = list + size;
	for (;;) {
		while (list < end && strchr(" \t,", *list))
			list++;
		if (list == end)
			return 0;
		size_t n = 0;
		bool quoted = *list == '\'';
		do
			n++;
		while (list + n < end && (quoted ? list[n - 1] != '\'' || n == 1 : !strchr(" \t,", list[n])));
		int r = add_argument(o, m, list, n);
		if (r < 0)
			return r;
		list += n;
	}
}
static int add_message(struct osc *o, const char *address, size_t n, const char *args, size_t nargs)
{
	struct message *m = &o->messages[o->nmessages];
	if (o->nmessages == MESSAGES_MAX)
		return complain(o, "address", address, n, "is one message too many; 8 are possible");
	/* printable ASCII without what OSC keeps for patterns */
	for (size_t i = 0; i < n; i++)
		if (address[i] <= ' ' || address[i] > '~' || strchr("#*,?[]{}", address[i]))
			return complain(o, "address", address, n, "has a character that OSC does not allow there");
	if (!n || *address != '/')
		return complain(o, "address", address, n, "does not begin with a slash");
	o->nmessages++;
	m->address = strndup(address, n);
	m->lo = lo_message_new();
	if (m->lo)
		lo_message_incref(m->lo); /* ours; every bundle takes one of its own */
	if (!m->address || !m->lo)
		return -ENOMEM;
	int r = add_arguments(o, m, args, nargs);
	if (r < 0)
		return r;
	/* only now, with everything in place, the numbers have addresses that stay */
	lo_arg **argv = lo_message_get_argv(m->lo);
	const char *types = lo_message_get_types(m->lo);
	for (int i = 0, k = 0; types[i]; i++)
		if (types[i] == LO_FLOAT)
			m->slots[k++].at = argv[i];
	o->groups |= m->groups;
	return 0;
}
static int read_messages(struct osc *o)
{
	const struct osc_preset *p = &presets[o->preset];
	const char *addresses = strcmp(o->address, "preset") ? o->address : p->address;
	const char *args = strcmp(o->args, "preset") ? o->args : p->args;
	const char *a, *b;
	size_t na, nb;
	while ((a = part(&addresses, &na))) {
		b = part(&args, &nb);
		if (!b)
			return complain(o, "args", a, na, "has no arguments: address has more messages than args");
		int r = add_message(o, a, na, b, nb);
		if (r < 0)
			return r;
	}
	if (args)
		return complain(o, "args", args, strlen(args),
		                "belongs to no message: args has more of them than address");
	return 0;
}

/* ---- building and filling packets ---------------------------------------------------------------- */

static bool position_only(const struct message *m)
{
	return m->groups && !(m->groups & ~POSITIONS);
}
static int build(struct osc *o, struct packet *p, bool position)
{
	int n = 0;
	for (int i = 0; i < o->nmessages; i++)
		if (position || !position_only(&o->messages[i])) {
			p->first = n++ ? p->first : &o->messages[i];
			p->size = lo_message_length(p->first->lo, p->first->address);
		}
	if (n < 2 && !(n == 1 && o->bundle == 1))
		return 0;
	p->bundle = lo_bundle_new(LO_TT_IMMEDIATE);
	if (!p->bundle)
		return -ENOMEM;
	for (int i = 0; i < o->nmessages; i++)
		if (position || !position_only(&o->messages[i]))
			if (lo_bundle_add_message(p->bundle, o->messages[i].address, o->messages[i].lo) < 0)
				return -ENOMEM;
	p->size = lo_bundle_length(p->bundle);
	return 0;
}
static void osc_close(void *self)
{
	struct osc *o = self;
	struct packet *packets[] = { &o->full, &o->no_position };
	for (int i = 0; i < 2; i++) {
		if (packets[i]->bundle)
			lo_bundle_free_recursive(packets[i]->bundle);
		packets[i]->bundle = NULL;
	}
	for (int i = 0; i < o->nmessages; i++) {
		if (o->messages[i].lo)
			lo_message_free(o->messages[i].lo);
		free(o->messages[i].address);
		o->messages[i] = (struct message){ .lo = NULL };
	}
	o->nmessages = 0;
}
static int osc_check(const void *self, const char **key, char *why, size_t size)
{
	const struct osc *o = self;
	struct osc *copy = calloc(1, sizeof *copy);
	if (!copy)
		return 0; /* open() will fail too, and say so */
	copy->preset = o->preset;
	copy->address = o->address;
	copy->args = o->args;
	int r = read_messages(copy);
	if (r == -EINVAL) {
		*key = copy->bad_key;
		snprintf(why, size, "%s", copy->bad_why);
	}
	osc_close(copy);
	free(copy);
	return r == -EINVAL ? r : 0;
}
static int osc_open(void *self, const struct hp_host *host)
{
	struct osc *o = self;
	(void)host;
	int r = read_messages(o);
	if (!r)
		r = build(o, &o->full, true);
	if (!r)
		r = build(o, &o->no_position, false);
	if (r < 0)
		osc_close(o);
	return r;
}

static void compute(struct osc *o, const struct hp_sample *s)
{
	if (o->groups & BIT(HEAD_ANGLES))
		memcpy(o->values[HEAD_ANGLES], s->ypr, sizeof s->ypr);
	if (o->groups & BIT(HEAD_QUAT))
		memcpy(o->values[HEAD_QUAT], s->quat, sizeof s->quat);
	if (o->groups & BIT(HEAD_POS))
		for (int i = 0; i < 3; i++)
			o->values[HEAD_POS][i] = s->flags & HP_POS ? s->pos[i] : 0;
	if (o->groups & BIT(SCENE_ANGLES))
		hp_frame_scene_angles(s, o->values[SCENE_ANGLES]);
	if (o->groups & BIT(SCENE_QUAT))
		hp_frame_scene_quat(s, o->values[SCENE_QUAT]);
	if (o->groups & BIT(SIM_ANGLES))
		hp_frame_sim_angles(s, o->values[SIM_ANGLES]);
	if (o->groups & BIT(SIM_POS))
		hp_frame_sim_position(s, o->values[SIM_POS]);
	if (o->groups & BIT(UNITY_EULER))
		hp_frame_unity_euler(s, o->values[UNITY_EULER]);
	if (o->groups & BIT(UNITY_QUAT))
		hp_frame_unity_quat(s, o->values[UNITY_QUAT]);
	if (o->groups & BIT(UNITY_POS))
		hp_frame_unity_position(s, o->values[UNITY_POS]);
	if (o->groups & BIT(BONE))
		memcpy(o->values[BONE], (const double[]){ o->bone_x, o->bone_y, o->bone_z }, 3 * sizeof(double));
	if (o->groups & BIT(TIME)) {
		/* from the first sample on: a float32 of the time since boot would be too coarse */
		if (!o->timed)
			o->start_ns = s->time_ns;
		o->timed = true;
		o->values[TIME][0] = (double)(s->time_ns - o->start_ns) / 1e9;
	}
}
static int fill(const struct osc *o, const struct message *m)
{
	for (int i = 0; i < m->nslots; i++) {
		const struct slot *k = &m->slots[i];
		double v = o->values[k->group][k->index] * k->factor + 0.0; /* no -0 */
		if (k->limited)
			v = fmax(-1, fmin(1, v));
		if (k->angle)
			v = o->units == 1 ? v * (3.14159265358979323846 / 180) : o->units == 2 ? v / 360 + 0.5 : v;
		float f = (float)v;
		if (!isfinite(f))
			return -EDOM;
		memcpy(k->at, &f, sizeof f);
	}
	return 0;
}
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	struct osc *o = self;
	const struct packet *p = s->flags & HP_POS ? &o->full : &o->no_position;
	(void)from;
	if (!p->first) /* nothing but a position, and there is none */
		return 0;
	if (p->size > cap)
		return -ENOSPC;
	compute(o, s);
	for (int i = 0; i < o->nmessages; i++) {
		int r = fill(o, &o->messages[i]);
		if (r < 0)
			return r;
	}
	if (p->bundle)
		return lo_bundle_serialise(p->bundle, buf, NULL) ? (int)p->size : -EIO;
	return lo_message_serialise(p->first->lo, p->first->address, buf, NULL) ? (int)p->size : -EIO;
}
HP_MODULE(osc) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.traits = HP_BINARY,
	.name = "osc",
	.summary = "Open Sound Control: IEM, SPARTA, Supperware, ambiX, VRChat, VMC and free messages",
	.options = options,
	.state_size = sizeof(struct osc),
	.check = osc_check,
	.open = osc_open,
	.encode = encode,
	.close = osc_close,
};
