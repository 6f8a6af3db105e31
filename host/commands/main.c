/* SPDX-License-Identifier: MIT
 * main.c - the command table; each command lives in its own cmd_NAME.c. */
#include "commands.h"
#include "have.h"
#include "base/log.h"
#include "base/suggest.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct hp_command hp_commands[] = {
	{ "check", "check FILE... [-s section.key=value]", "print a configuration's tree, or what is wrong with it",
	  cmd_check, NULL },
	{ "export", "export FILE --csv|--json|--hid-recorder [-o FILE] [--from TIME] [--to TIME] [--fields NAMES]",
	  "a session file as text", cmd_export,
	  "  --csv           a table, as the output `csv` writes it\n"
	  "  --json          one JSON object per sample and line\n"
	  "  --hid-recorder  the untouched reports as hid-recorder's text; --nanoseconds: with nine digits, not six\n"
	  "  --fields NAMES  with commas: columns of `csv`, or the session's own field names\n" },
	{ "hds", "hds decode [FILE|-] [--hex] [--json | --list] [--message | --value] [--refs=RULE] [--framing=NAME]",
	  "show what HomeKit Data Stream payload bytes say", cmd_hds,
	  "  FILE         the bytes; - or nothing: standard input\n"
	  "  --hex        the input is hexadecimal text\n"
	  "  --json       typed JSON in one line; without it, one line per value\n"
	  "  --list       one line per value with offset, first bytes and text, as far as the bytes make sense\n"
	  "  --message    length, header and body; --value: a single value; without either: what fits\n"
	  "  --refs=RULE  back-references: hap (as HAP-NodeJS writes them, the default), opack, reject\n"
	  "  --framing=NAME  the input is a stream of records as tcp, file and exec write them: length32, ...\n\n"
	  "exit status: 0 the bytes are valid, 1 they are not or cannot be read, 2 wrong usage.\n" },
	{ "doctor", "doctor [FILE] [--json] [--for SECONDS]",
	  "walk the chain from headset to game and name the broken link", cmd_doctor,
	  "Looks at device, driver, node, descriptor, marker, start-up, reports and values of every head tracker, and "
	  "at\n"
	  "the addresses of the outputs of FILE. Needs no root. It listens for 3 seconds, or as long as --for says.\n"
	  "exit status: 0 nothing is wrong, 1 something is, 2 the ini is wrong, 3 no head tracker, 4 no "
	  "permission.\n" },
	{ "cut", "cut FILE -o FILE [--from TIME] [--to TIME] [--compression none|zstd]",
	  "copy a part of a session file", cmd_cut,
	  "  --from, --to  times since the recording's start, such as 10s or 2min\n"
	  "  --compression how the new file's chunks are packed; none unless given\n\n"
	  "A part that does not begin at the start says so in its metadata: its replay cannot know the state "
	  "before.\n" },
	{ "diff", "diff FILE FILE [--tolerance NUMBER] [--all]", "compare two session files, aligned by time", cmd_diff,
	  "  --tolerance  differences of fields up to this do not count\n"
	  "  --all        compare arrival_ns too, which is another one in every run\n\n"
	  "Chunks with equal fingerprints are not read. Prints the first difference and the largest one per field.\n"
	  "exit status: 0 the same, 1 different or damaged, 2 wrong usage or a file cannot be read.\n" },
	{ "dump", "dump [--decoded|--raw|--hid-recorder] [--for SECONDS] [--name TEXT]",
	  "print live reports of a head tracker", cmd_dump,
	  "  --decoded       values with units (default)\n"
	  "  --raw           bytes in hex\n"
	  "  --hid-recorder  a recording in hid-recorder's text form; `replay` reads it\n"
	  "  --name TEXT     the device with this text in its name\n" },
	{ "help", "help [COMMAND | MODULE | KIND MODULE]", "tell about a command or a module and its options", cmd_help,
	  NULL },
	{ "import", "import FILE -o FILE [--device NUMBER] [--compression none|zstd]",
	  "hid-recorder text to a session file", cmd_import, NULL },
	{ "info", "info FILE [--json | --events]", "what a session file holds", cmd_info,
	  "  --events  one line per event: when, what\n" },
	{ "modules", "modules [--markdown]", "list all modules, and what is not built and why", cmd_modules, NULL },
	{ "new", "new encoder|output NAME", "write a folder with a module of your own that builds and runs unchanged",
	  cmd_new,
	  "Writes NAME/ with the source, a test, a Makefile and an ini. docs/writing-an-output.md goes on from "
	  "there.\n" },
	{ "pack", "pack FILE -o FILE", "a session file as columns, small, for keeping", cmd_pack,
	  "Nothing is lost: `headpipe unpack` gives the same messages, attachments and metadata back.\n" },
	{ "plot", "plot FILE -o FILE.svg [--from TIME] [--to TIME]", "draw yaw, pitch and roll of a session file",
	  cmd_plot, NULL },
	{ "probe", "probe [--json]", "list devices that are or might be head trackers", cmd_probe,
	  "exit status: 0 one can be used, 3 there is none, 4 there is one but it may not be opened.\n" },
	{ "recover", "recover FILE -o FILE [--compression none|zstd]",
	  "make a whole session file out of a damaged or unfinished one", cmd_recover,
	  "Takes every good chunk, writes a new summary, and says what was lost.\n" },
	{ "run", "run FILE... [-s section.key=value] [--for SECONDS] [-q] [--perf] [--perf-log FILE] [--report]",
	  "run a pipeline until its inputs end or Ctrl-C", cmd_run,
	  "  -s section.key=value  sets an option as if it stood in the file\n"
	  "  --for SECONDS         ends after that time\n"
	  "  -q                    only warnings and errors on stderr\n"
	  "  --perf                latency of every sample per stage, at the end and on SIGUSR2\n"
	  "  --perf-log FILE       the same as one CSV row per sample\n"
	  "  --report              how long each phase of the start took\n\n"
	  "signals: SIGUSR1 recenters, SIGHUP reads the files again (options that may change while running) and\n"
	  "reopens output files, SIGINT and SIGTERM end the run.\n"
	  "exit status: 0 every input has ended or the run was stopped, 1 something failed while running,\n"
	  "2 wrong usage or configuration, nothing was started.\n" },
	{ "try", "try [KIND] MODULE [FILE] [-n COUNT] [-s key=value]",
	  "run one module on a recording and show what it would send", cmd_try,
	  "  MODULE        a file (demo/demo.so) or a name (osc)\n"
	  "  FILE          the recording; the bundled one when it is left out\n"
	  "  -n COUNT      how many messages are shown (3); the whole recording is run in any case\n"
	  "  -s key=value  an option of the module, and of its encoder\n\n"
	  "Nothing is sent or written: the module's datagrams and file records are shown as hex and text. A module "
	  "that\n"
	  "crashes is named. Filters show the angles before and after, inputs the samples that they give.\n" },
	{ "udev", "udev match FOLDER | rule", "for udev: judge a hidraw device, print the rule", cmd_udev,
	  "  match FOLDER  exit status 0 when this hidraw device in /sys is a head tracker\n"
	  "  rule          the text of 70-headpipe.rules for this installation\n" },
	{ "unpack", "unpack FILE -o FILE [--compression none|zstd]", "a packed session file back", cmd_unpack, NULL },
	{ "verify", "verify FILE", "check every CRC of a session file", cmd_verify,
	  "exit status: 0 good, 1 damaged or unreadable.\n" },
	{ "version", "version", "print the version", cmd_version, NULL },
	{ NULL, NULL, NULL, NULL, NULL }
};

int cmd_version(int argc, char **argv)
{
	if (argc > 1)
		return hp_usage_error("version", "unknown argument %s", argv[1]);
	printf("headpipe " HP_VERSION " (module ABI %u.%u, libuv %s)\n", HP_ABI_MAJOR, HP_ABI_MINOR,
	       uv_version_string());
	return 0;
}

/* Started with a closed standard stream (>&-), the next file or socket would take its number: libuv aborts when it
 * closes such a one, and messages would go into somebody's data. */
static void open_standard_streams(void)
{
	int fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = dup(fd);
	if (fd >= 0)
		close(fd);
}

/* What was printed and did not arrive (a full disk) is a failure; a reader that has seen enough (`| head`) is none. */
static int printed(int status)
{
	if (fflush(stdout) == 0 || errno == EPIPE || status)
		return status;
	fprintf(stderr, "headpipe: standard output: %s\n", strerror(errno));
	return 1;
}

static int dispatch(int argc, char **argv)
{
	const char *names[64];
	size_t n = 0;
	if (argc < 2) {
		cmd_help(1, argv);
		return 2;
	}
	const char *name = argv[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	for (const struct hp_command *c = hp_commands; c->name; c++) {
		names[n++] = c->name;
		if (strcmp(c->name, name))
			continue;
		if (argc > 2 && !strcmp(argv[argc - 1], "--help")) {
			char *help[] = { (char *)"help", argv[1], NULL };
			return cmd_help(2, help);
		}
		return c->run(argc - 1, argv + 1);
	}
	const char *guess = hp_suggest(name, names, n);
	fprintf(stderr, "headpipe: no command `%s`%s%s%s (`headpipe help` lists them)\n", name,
	        guess ? "; did you mean `" : "", guess ? guess : "", guess ? "`?" : "");
	return 2;
}

int main(int argc, char **argv)
{
	open_standard_streams();
	/* a closed pipe, a file as long as it may be: errors of one write, not the end of everything */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return printed(dispatch(argc, argv));
}
