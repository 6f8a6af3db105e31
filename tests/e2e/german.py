# SPDX-License-Identifier: MIT
# A module that switches the whole program to German (a comma in every number of printf and strtod) changes no byte.
from lib import *
import re

have = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout
if not re.search(r"(?im)^de_DE\.utf-?8$", have):
    if not shutil.which("localedef") or subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", path_of("de_DE.UTF-8")], capture_output=True).returncode:
        skip("no German locale and no way to make one (localedef, package locales)")
    os.environ["LOCPATH"] = d
write("german.c", r'''
#include <headpipe.h>
#include <errno.h>
#include <locale.h>
#include <string.h>
static int open_german(void *self, const struct hp_host *host)
{
	char text[8];
	(void)self;
	setlocale(LC_ALL, "de_DE.UTF-8");
	snprintf(text, sizeof text, "%.1f", 0.5);
	if (strcmp(text, "0,5")) {
		host->log(host, HP_LOG_ERROR, "this is not German");
		return -EINVAL;
	}
	return 0;
}
static int nothing(void *self, const struct hp_sample *s)
{
	(void)self, (void)s;
	return 0;
}
HP_MODULE(german) = { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "german", .summary = "speaks German", .open = open_german,
	              .write = nothing };
''')
german = path_of("german.so")
subprocess.run([CC, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-fPIC", "-shared", "-Ihost/api", path_of("german.c"), "-o", german], check=True)

listed = command("modules").stdout
encodings = [e for e in re.findall(r"(?m)^  ([a-z][a-z0-9_]*) ", listed[listed.index("\nencoders"):]) if e != "not"]
check(len(encodings) > 4, encodings)
def made(name, first):
    """The bytes of every encoding and of the table, and the lines of the console."""
    os.mkdir(path_of(name))
    ini = REPLAY + "speed = 0\n" + first + "[filter orientation]\nsmoothing = 0.18\n[filter turn]\nuse = axes\n"
    for e in encodings:
        ini += f"[output {e}]\nuse = file\npath = {name}/{e}.out\nencoding = {e}\n" + "framing = length32\n" * (
            e in ("opentrack", "msgpack", "hds", "osc", "flightgear"))
    ini += f"[output table]\nuse = csv\npath = {name}/table.csv\ncolumns = id angles quaternion rotvec position gyro accel device\n"
    p = run(ini + "[output console]\n", "-q")
    check(p.returncode == 0, p.stderr)
    # the console's lines follow this machine's clock, so only their form is the same
    check(re.fullmatch(r"(yaw  *[-+][0-9]*\.[0-9] pitch  *[-+][0-9]*\.[0-9] roll  *[-+][0-9]*\.[0-9]( [0-9]* samples/s)?\n)+", p.stdout),
          f"{name}: the console says {p.stdout}")
    return {f: read(f"{name}/{f}") for f in os.listdir(path_of(name))}
c, de = made("c", ""), made("german", f"[output german]\nuse = {german}\n")
check(c.keys() == de.keys() and len(c) == len(encodings) + 1, c.keys())
for name in c:
    check(c[name] == de[name], f"German changes the bytes of {name}")
check(de["json.out"].replace(b"\r", b"") == open(f"{golden}/pipeline.json", "rb").read(), "the JSON is not the committed one")

# options that are read while the program speaks German, and the sentences about them
def ini(smoothing):
    return SYNTH + f"frame=device\n[output german]\nuse={german}\n[filter orientation]\nsmoothing={smoothing}\n" \
        "[output n]\nuse=null\n[output s]\nuse=json_udp\nto=127.0.0.1:9\n"
p = start(ini("0.18"))
for smoothing, words in (("0.25", "headpipe: filter orientation: smoothing is now 0.25\n"),
                         ("0,5", "smoothing = 0,5: not a number; write a point, not a comma\n"), ("1.5", "0.001 to 1, default 0.18\n")):
    p.catches(signal.SIGHUP)
    write(p.name + ".ini", ini(smoothing))
    p.send_signal(signal.SIGHUP)
    p.hears(words)
p.stop()
end("German")
