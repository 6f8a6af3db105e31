/* SPDX-License-Identifier: MIT
 * import_profile.c - `headpipe import-profile`: an ini out of a profile of opentrack. */
#include "commands/shared/tool.h"
#include "graph/modules.h"
#include "profile/profile.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
	const char *file, *out;
};
static const struct hp_arg arguments[] = {
	HP_ARG("FILE",
	       HP_OPT_STR(struct arguments, file, NULL, "the profile, such as ~/.config/opentrack-2.3/default.ini")),
	HP_ARG("-o",
	       HP_OPT_PATH(struct arguments, out, "",
	                   "the new ini; one that is there already is left alone; without -o it is printed"),
	       .value = "FILE"),
	HP_ARG_END,
};

static bool has(const char *filter, const char *key)
{
	bool missing;
	char why[64];
	const struct hp_module *m = hp_module_find(HP_FILTER, filter, &missing, why, sizeof why);
	if (!m || !key)
		return m;
	for (const struct hp_option *o = m->options; o && o->key; o++)
		if (!strcmp(o->key, key))
			return !(o->flags & HP_REMOVED);
	return false;
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = f ? malloc(HP_PROFILE_BYTES + 1) : NULL;
	if (text) {
		*size = fread(text, 1, HP_PROFILE_BYTES + 1, f);
		if (ferror(f)) {
			int e = errno;
			free(text);
			text = NULL;
			errno = e;
		}
	}
	int e = errno;
	if (f)
		fclose(f);
	errno = e;
	return text;
}

static int write_ini(const struct arguments *a, const char *text, size_t size)
{
	if (!a->out)
		return fwrite(text, 1, size, stdout) == size ? 0 : 1; /* main.c says why */
	FILE *f = fopen(a->out, "wbx");
	if (!f)
		return tool_fail("import-profile", a->out, "%s", strerror(errno));
	bool good = fwrite(text, 1, size, f) == size;
	if (fclose(f) || !good)
		return tool_fail("import-profile", a->out, "%s", strerror(errno));
	return 0;
}

static int import_profile(void *state)
{
	const struct arguments *a = state;
	struct hp_profile p;
	char why[200], *text, *ini = NULL, *notes = NULL;
	size_t size = 0, ini_size = 0, notes_size = 0;
	int line, code;
	if (!(text = read_file(a->file, &size)))
		return tool_fail("import-profile", a->file, "%s", strerror(errno));
	int r = hp_profile_read(&p, text, size, &line, why, sizeof why);
	free(text);
	FILE *out = open_memstream(&ini, &ini_size), *said = open_memstream(&notes, &notes_size);
	if (r == -ENOMEM || !out || !said) {
		code = tool_fail("import-profile", a->file, "out of memory");
	} else if (r < 0) {
		char where[32] = "";
		if (line)
			snprintf(where, sizeof where, "line %d: ", line);
		code = tool_fail("import-profile", a->file, "%s%s", where, why);
	} else {
		const char *name = strrchr(a->file, '/');
		int n = hp_profile_convert(&p, name ? name + 1 : a->file, has, out, said);
		fflush(out);
		fflush(said);
		code = write_ini(a, ini, ini_size);
		if (!code && n)
			fprintf(stderr, "%s: not taken over, or not as it was:\n", a->file);
		for (char *from = notes; !code && n && *from; from = strchr(from, '\n') + 1)
			fprintf(stderr, "  %.*s\n", (int)strcspn(from, "\n"), from);
		if (!code && a->out)
			fprintf(stderr, "%s is written; `headpipe check %s` says what it does\n", a->out, a->out);
	}
	if (out)
		fclose(out);
	if (said)
		fclose(said);
	free(ini);
	free(notes);
	hp_profile_free(&p);
	return code;
}

const struct hp_command hp_command_import_profile = {
	.name = "import-profile",
	.summary = "make an ini out of a profile of opentrack",
	.arguments = arguments,
	.help = "Takes over curves, dead zones, axes that are off, zero positions, centring, neck, filter and\n"
	        "output, and lists on standard error what it could not take over. Axes and signs of the tracker\n"
	        "are not the head's: `headpipe calibrate` finds them.\n",
	.state_size = sizeof(struct arguments),
	.run = import_profile,
};
