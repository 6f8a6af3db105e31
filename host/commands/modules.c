/* SPDX-License-Identifier: MIT
 * modules.c - `headpipe modules`: every module with one line, and what is not built and why. */
#include "graph/modules.h"
#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/shared/describe.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* l: of a file */
static void show(const struct hp_module *m, const struct hp_loaded *l, const char *path)
{
	printf("  %-16s %s", m->name, m->summary);
	if (l)
		printf("   (%s%s%s%s%s)", path, l->n > 1 ? ":" : "", l->n > 1 ? m->name : "", m->version ? ", " : "",
		       m->version ? m->version : "");
	putchar('\n');
}

static void look(void *arg, const char *folder)
{
	char path[1400], why[1500];
	DIR *dir = opendir(folder);
	enum hp_kind kind = *(enum hp_kind *)arg;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		size_t len = strlen(e->d_name);
		if (len < 4 || strcmp(e->d_name + len - 3, ".so"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		const struct hp_loaded *l = hp_module_load(path, why, sizeof why);
		for (size_t i = 0; l && i < l->n; i++)
			if (l->modules[i]->kind == kind)
				show(l->modules[i], l, path);
		if (!l && kind == HP_ENCODER) /* say it once, at the end */
			printf("  not loaded: %s\n", why);
	}
	if (dir)
		closedir(dir);
}

struct arguments {
	bool markdown;
};

static const struct hp_arg arguments[] = {
	HP_ARG("--markdown",
	       HP_OPT_BOOL(struct arguments, markdown, "no", "with all options, as docs/modules.md has it")),
	HP_ARG_END,
};

static int modules(void *state)
{
	if (((const struct arguments *)state)->markdown) {
		hp_describe_markdown();
		return 0;
	}
	size_t n;
	const struct hp_builtin *b = hp_builtins(&n);
	for (int k = HP_INPUT; k <= HP_ENCODER; k++) {
		enum hp_kind kind = (enum hp_kind)k;
		printf("%s%ss\n", k == HP_INPUT ? "" : "\n", hp_kind_word(kind));
		for (size_t i = 0; i < n; i++)
			if (b[i].kind == kind && b[i].module)
				show(b[i].module, NULL, NULL);
		for (size_t i = 0; i < n; i++)
			if (b[i].kind == kind && !b[i].module)
				printf("  %-16s not built: needs %s\n", b[i].name, b[i].needs);
		hp_module_places(look, &kind);
	}
	return 0;
}

const struct hp_command hp_command_modules = {
	.name = "modules",
	.summary = "list all modules, and what is not built and why",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = modules,
};
