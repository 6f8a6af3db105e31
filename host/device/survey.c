/* SPDX-License-Identifier: MIT
 * survey.c - judges every HID device: first from sysfs, which everybody may read, then from its node. */
#include "survey.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void look_inside(struct hp_surveyed *s)
{
	struct hp_hid_descriptor d = { 0 };
	struct tracker t;
	char why[200];
	if (hp_hid_descriptor_parse(&d, s->facts.descriptor, s->facts.descriptor_size, why, sizeof why) == 0) {
		if (tracker_open(&t, &d, why, sizeof why) == 0)
			for (int i = 0; i < t.plan.nreports; i++)
				s->has |= t.plan.report[i].has;
		struct hp_hid_features f;
		struct hp_hid_setup setup;
		/* an edit in memory tells the range of the interval; nothing is written */
		if (hp_hid_features_init(&f, &d) == 0) {
			hp_hid_setup_edit(&setup, &f, &d, 10);
			s->interval_min_ms = setup.interval_min_ms;
			s->interval_max_ms = setup.interval_max_ms;
			s->features = f.n;
			hp_hid_features_free(&f);
		}
	}
	hp_hid_descriptor_free(&d);
}

static void look_at_node(struct hp_surveyed *s)
{
	s->access = s->facts.path[0] ? hp_hid_node_check(s->facts.path) : -ENXIO;
	if (s->access < 0 || s->verdict != HID_TRACKER)
		return;
	struct hp_hid_link *l = malloc(sizeof *l);
	int rc = l ? hp_hid_link_open(l, &s->facts, s->why, sizeof s->why) : -ENOMEM;
	if (rc < 0) {
		s->open_error = rc;
	} else {
		s->opened = true;
		s->answered = l->features.answered;
		s->major = l->features.major;
		s->minor = l->features.minor;
		s->transports = l->features.transports;
		memcpy(s->marker, l->features.marker, sizeof s->marker);
		if (l->has_unique)
			hp_hid_unique_text(l->features.unique, s->unique, sizeof s->unique);
		hp_hid_link_close(l);
	}
	free(l);
}

/* hidapi knows the product's own name where sysfs has maker and product in one; take what `run` takes. */
static void take_names(struct hp_hid_facts *f, const struct hp_hid_facts *nodes, size_t n)
{
	const char *slash = strrchr(f->path, '/');
	for (size_t i = 0; slash && i < n; i++) {
		const char *theirs = strrchr(nodes[i].path, '/');
		if (!theirs || strcmp(slash, theirs))
			continue;
		if (nodes[i].name[0])
			memcpy(f->name, nodes[i].name, sizeof f->name);
		if (nodes[i].serial[0])
			memcpy(f->serial, nodes[i].serial, sizeof f->serial);
	}
}

size_t hp_survey(struct hp_surveyed **list, size_t *total)
{
	struct hp_hid_facts *all, *nodes;
	size_t n = hp_hid_sysfs_list(&all), nnodes = hp_hid_list(&nodes), found = 0;
	*total = n;
	*list = n ? calloc(n, sizeof **list) : NULL;
	for (size_t i = 0; i < n && *list; i++) {
		struct hp_surveyed *s = *list + found;
		memset(s, 0, sizeof *s);
		s->facts = all[i];
		s->verdict = hp_hid_recognize_bytes(all[i].descriptor, all[i].descriptor_size, s->why, sizeof s->why);
		if (s->verdict == HID_OTHER)
			continue;
		take_names(&s->facts, nodes, nnodes);
		look_inside(s);
		look_at_node(s);
		found++;
	}
	free(all);
	free(nodes);
	return found;
}

const char *hp_survey_state(const struct hp_surveyed *s, char *buf, size_t size)
{
	if (s->verdict == HID_MAYBE)
		snprintf(buf, size, "not a head tracker that can be used: %s", s->why);
	else if (hp_survey_held_by_hub(s))
		snprintf(buf, size, "held by hid-sensor-hub, which leaves no device node");
	else if (!s->facts.path[0])
		snprintf(buf, size, "has no device node (driver: %s)", s->facts.driver[0] ? s->facts.driver : "none");
	else if (s->access < 0)
		snprintf(buf, size, "%s: %s", s->facts.path, strerror(-s->access));
	else if (!s->opened)
		snprintf(buf, size, "cannot be opened: %s", s->why);
	else if (!s->marker[0] && s->answered)
		snprintf(buf, size,
		         "no #AndroidHeadTracker# marker: used only when the ini names it (vendor, product, name)");
	else
		snprintf(buf, size, "can be used");
	return buf;
}

bool hp_survey_usable(const struct hp_surveyed *s)
{
	return s->verdict == HID_TRACKER && s->opened && (s->marker[0] || !s->answered);
}

bool hp_survey_held_by_hub(const struct hp_surveyed *s)
{
	return !s->facts.path[0] && !strcmp(s->facts.driver, "hid-sensor-hub");
}

void hp_fields_text(uint32_t has, char *buf, size_t size)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} names[] = {
#define HP_QUANTITY(name, numbers, member, flag, word, key, ...) { HID_##name, word },
#define HP_COUNTER(name, word, key)                              { HID_##name, word },
#include "inputs/decode/usages.def"
	};
	size_t n = 0;
	buf[0] = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (has & names[i].bit && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", names[i].text);
	if (!n)
		snprintf(buf, size, "none");
}
