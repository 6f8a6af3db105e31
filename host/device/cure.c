/* SPDX-License-Identifier: MIT
 * cure.c - the commands and udev rules that give access to a head tracker. */
#include "survey.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RULE_NAME "70-headpipe.rules"

const char *hp_rule_installed(void)
{
	static const char *const places[] = { "/etc/udev/rules.d/" RULE_NAME, "/run/udev/rules.d/" RULE_NAME,
		                              "/usr/local/lib/udev/rules.d/" RULE_NAME,
		                              "/usr/lib/udev/rules.d/" RULE_NAME, "/lib/udev/rules.d/" RULE_NAME };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (access(places[i], R_OK) == 0)
			return places[i];
	return NULL;
}

/* udev runs the helper as root: only a program that nobody but root can change may be named in a rule. */
static bool safe_for_root(const char *program)
{
	char path[PATH_MAX];
	struct stat st;
	if (strlen(program) >= sizeof path || program[0] != '/' || strpbrk(program, " \"'"))
		return false;
	strcpy(path, program);
	for (;;) {
		if (stat(path, &st) < 0 || st.st_uid != 0 || st.st_mode & (S_IWGRP | S_IWOTH))
			return false;
		if (!strcmp(path, "/"))
			return true;
		char *slash = strrchr(path, '/');
		slash[slash == path] = 0;
	}
}

void hp_rule_print(FILE *out)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	fputs("# Gives the user at the machine access to head trackers. Written by `headpipe udev rule`.\n", out);
	if (safe_for_root(self)) {
		fprintf(out,
		        "ACTION!=\"remove\", SUBSYSTEM==\"hidraw\", PROGRAM==\"%s udev match %%S%%p\", "
		        "TAG+=\"uaccess\"\n",
		        self);
		return;
	}
	fprintf(out, "# %s is not installed for all users, so the rule names the devices that are connected now.\n",
	        self[0] ? self : "headpipe");
	struct hp_surveyed *list;
	size_t total, found = hp_survey(&list, &total);
	for (size_t i = 0; i < found; i++)
		if (list[i].verdict == HID_TRACKER)
			fprintf(out,
			        "ACTION!=\"remove\", SUBSYSTEM==\"hidraw\", KERNELS==\"%04X:%04X:%04X.*\", "
			        "TAG+=\"uaccess\"\n",
			        list[i].facts.bus, list[i].facts.vendor, list[i].facts.product);
	free(list);
}

/* A path as a shell takes it. */
static void shell_word(const char *path, char *out, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
	size_t n = 0;
	if (!path[strspn(path, plain)]) {
		snprintf(out, size, "%.*s", (int)size - 1, path);
		return;
	}
	out[n++] = '\'';
	for (; *path && n + 6 < size; path++) {
		const char *piece = *path == '\'' ? "'\\''" : (char[2]){ *path, 0 };
		n += (size_t)snprintf(out + n, size - n, "%s", piece);
	}
	snprintf(out + n, size - n, "'");
}

void hp_cure_access(const struct hp_surveyed *s, char *buf, size_t size)
{
	char self[PATH_MAX], word[3800];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	shell_word(self[0] ? self : "headpipe", word, sizeof word);
	(void)s;
	if (hp_rule_installed())
		snprintf(buf, size,
		         "sudo udevadm control --reload && sudo udevadm trigger --action=add --subsystem-match=hidraw");
	else
		snprintf(
		    buf, size,
		    "%s udev rule | sudo tee /etc/udev/rules.d/" RULE_NAME
		    " && sudo udevadm control --reload && sudo udevadm trigger --action=add --subsystem-match=hidraw",
		    word);
}

void hp_cure_hub(const struct hp_surveyed *s, char *buf, size_t size)
{
	snprintf(
	    buf, size,
	    "sudo sh -c 'echo 1 > /sys/module/hid/parameters/ignore_special_drivers; "
	    "echo %s > /sys/bus/hid/drivers/hid-sensor-hub/unbind; echo %s > /sys/bus/hid/drivers/hid-generic/bind'",
	    s->facts.id, s->facts.id);
}
