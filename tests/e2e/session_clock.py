# SPDX-License-Identifier: MIT
# The wall clock steps while a session is recorded: the step is an event, no time of a message jumps.
from lib import *
import json, re

if sanitize:
    skip("a preloaded clock and sanitizers do not go together")
write("clock.c", r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
/* an hour later, from 0.5 s after the first look on */
int clock_gettime(clockid_t id, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);
	static time_t start;
	static long start_ns;
	struct timespec m;
	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	real(CLOCK_MONOTONIC, &m);
	if (!start) {
		start = m.tv_sec;
		start_ns = m.tv_nsec;
	}
	int r = real(id, t);
	if (id == CLOCK_REALTIME && (m.tv_sec - start) * 10 + (m.tv_nsec - start_ns) / 100000000 > 5)
		t->tv_sec += 3600;
	return r;
}
''')
subprocess.run([CC, "-O1", "-fPIC", "-shared", path_of("clock.c"), "-o", path_of("clock.so"), "-ldl"], check=True)

def events():
    p = command("info", "tape.mcap", "--events")
    return re.findall(r"clock step 3[56]\d\d\.", p.stdout)
p = start("[input head]\nuse = synth\nrate = 100\n[output tape]\nuse = session\npath = tape.mcap\nchunk_time = 300ms\n",
          env=dict(os.environ, LD_PRELOAD=path_of("clock.so")))
wait_for(events, "the step", p.said)
time.sleep(1)  # a second event would come now
said = p.stop()
check(len(events()) == 1, f"events for one step: {command('info', 'tape.mcap', '--events').stdout}")
i = json.loads(command("info", "tape.mcap", "--json").stdout)
check(i["events"]["clock step"] == 1 and 1 < i["seconds"] < 1800 and i["gaps"] == 0, i)
end("one step of the wall clock, one event, no jump")
