#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An output that cannot be opened stops no other one: it is tried again until it can, unless its section says stop or it is
the only one; and `headpipe check` says what would be tried again."""
from lib import *
import resource

LIVE = SYNTH + "rate = 200\n[output o]\nuse = file\npath = o.txt\n"

# never there: the others get everything, the exit status and one sentence at the end tell it
p = run(SYNTH + "count = 50\nspeed = 0\n[output joy]\nuse = uinput\ndevice = /dev/nouinput\n[output o]\nuse = file\npath = o.txt\n")
check(p.returncode == 1 and "t.ini:5" in p.stderr and "it is tried again" in p.stderr, p.stderr)
check("output joy: could not be opened until the end" in p.stderr and "output o: 50 of 50 samples" in p.stderr, p.stderr)
check(len(lines_of("o.txt")) == 50, "the other one")

# a folder that comes later, for each that writes files; said once, however often it is tried
for n, (use, more, size) in enumerate((("file", "", 2), ("csv", "columns = seq\n", 2), ("session", "chunk_time = 50ms\n", 2))):
    name = f"later{n}"
    path = f"{name}/x" if use != "session" else f"{name}/x.mcap"
    if use == "session":
        write(name, "a file where a folder has to be")
    p = start(LIVE + f"[output late]\nuse = {use}\npath = {path}\n{more}")
    p.hears("output late: the others go on without it")
    if use == "session":
        os.remove(path_of(name))
    else:
        os.mkdir(path_of(name))
    p.hears("output late: is open now")
    wait_for(lambda: os.path.exists(path_of(path)) and os.path.getsize(path_of(path)) > 200, f"{use} writes", p.said)
    said = p.stop()
    check(said.count("error:") == 1, f"{use}, said more than once: {said}")
    all_, late = samples_of(said, "output o"), samples_of(said, "output late")
    check(0 < late < all_, f"{use}: {late} of {all_}")
    if use == "session":
        check(f'"messages":{late},' in command("info", "--json", path).stdout, f"session: {late} {command('info', '--json', path).stdout}")
    else:
        check(len(lines_of(path)) - (use == "csv") == late, f"{use}: {len(lines_of(path))} lines, {late} told")

# no room on the disk for even the beginning of a session: however often it is tried, no files are left behind
for limit in 5, 300:
    before = set(os.listdir(d))
    p = run(SYNTH + "rate = 100\ncount = 180\n[output late]\nuse = session\npath = full.mcap\n[output o]\nuse = null\n",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    check(p.returncode == 1 and "full.mcap: File too large" in p.stderr and "could not be opened until the end" in p.stderr, p.stderr)
    check(set(os.listdir(d)) - before <= {"t.ini"}, f"left behind: {set(os.listdir(d)) - before}")

# a port that is taken
taken = socket.create_server(("127.0.0.1", 0))
p = start(LIVE + f"[output late]\nuse = tcp\nlisten = 127.0.0.1:{taken.getsockname()[1]}\n")
p.hears("output late: the others go on without it")
address = taken.getsockname()
taken.close()
p.hears("output late: is open now")
with socket.create_connection(address, timeout=PATIENCE) as c:
    check(c.recv(10)[:1] == b"{", "what a client gets")
p.stop()

# stop, and the only one: nothing runs; the only one that says drop is waited for
for text in (LIVE + "[output late]\nuse = file\npath = never/x\non_error = stop\n", SYNTH + "[output late]\nuse = file\npath = never/x\n"):
    p = run(text)
    check(p.returncode == 1 and "No such file" in p.stderr and "tried again" not in p.stderr, p.stderr)
p = start(SYNTH + "[output late]\nuse = file\npath = soon/x\non_error = drop\n")
p.hears("output late: the others go on without it")
os.mkdir(path_of("soon"))
p.hears("output late: is open now")
p.stop()
# an end while it waits, and a reload
p = start(LIVE + "[output late]\nuse = file\npath = never/x\n")
p.hears("output late: the others go on without it")
p.catches(signal.SIGHUP).send_signal(signal.SIGHUP)
said = p.stop(1)
check("could not be opened until the end" in said, said)
p = command("check", write("c.ini", SYNTH + "[output a]\nuse = null\n[output b]\nuse = uinput\non_error = drop\n[output c]\nuse = csv\npath = x\non_error = stop\n"))
check("b: when it cannot be opened the others go on, and it is tried again\n" in p.stdout and "\na: " not in p.stdout, p.stdout)
many = command("check", write("m.ini", SYNTH + "[output a]\nuse = null\n[output b]\nuse = csv\npath = x\n[output e]\nuse = exec\ncommand = cat\n")).stdout
check("b: when it cannot be opened the others go on, and it is tried again\n" in many and many.count("when it") == 1, many)
one = command("check", write("n.ini", SYNTH + "[output b]\nuse = csv\npath = x\n")).stdout
check("tried again" not in one, one)
check("c: when it cannot be opened nothing is started; when it fails the run ends\n" in p.stdout, p.stdout)
end("open again")
