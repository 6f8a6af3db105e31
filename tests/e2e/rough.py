# SPDX-License-Identifier: MIT
# Rough handling: closed standard streams, a full disk behind stdout, pipes nobody holds the other end of, signals while
# a run starts.
from lib import *
for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
    text = SYNTH + "[output a]\nuse = console\n[output b]\nuse = json_udp\nto = 127.0.0.1:9\n"
    p = subprocess.run(["sh", "-c", f"exec {headpipe} run -q {write('t.ini', text)} --for 0.1 {closed}"], timeout=PATIENCE,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check(p.returncode == 0, f"run {closed} ends with {p.returncode}")
if os.path.exists("/dev/full"):
    for word in ("modules", "help", "version"):
        p = command(word, stdout=open("/dev/full", "w"))
        check(p.returncode == 1 and p.stderr == "headpipe: standard output: No space left on device\n",
              f"{word} > /dev/full: {p.returncode} {p.stderr}")
p = subprocess.run(["sh", "-c", f"{headpipe} modules --markdown 2>&1 | head -n 1"], capture_output=True, text=True)
check(p.stdout == "# Modules\n", f"modules | head: {p.stdout}")

pipe = path_of("pipe")
os.mkfifo(pipe)
p = run(f"[input head]\nuse = replay\npath = {pipe}\n[output o]\nuse = null\n")
check(p.returncode == 1 and "pipe: not a regular file" in p.stderr, f"a recording that is a pipe: {p}")
for output in ("csv", "file"):
    p = run(SYNTH + f"[output o]\nuse = {output}\npath = {pipe}\n", "--for", "1")
    check(p.returncode == 1 and "pipe: nobody reads from this pipe" in p.stderr, f"{output} into a pipe: {p}")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    p = run(SYNTH + f"count = 50\nspeed = 0\n[output o]\nuse = {output}\npath = {pipe}\n")
    check(p.returncode == 0 and os.read(reader, 1 << 20).count(b"\n") >= 50, f"{output} and a reader: {p}")
    os.close(reader)

# a start that takes its time, here for its ini, is not killed by what the running program understands
for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
    p = start("", pipe, "--for", "0.1", "-q", only=True)
    p.catches(number, ("SigCgt", "SigIgn")).send_signal(number)
    def open_it():
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return -1 if p.poll() is not None else None
    fd = wait_for(open_it, "the start that reads the pipe, or an end")
    if fd >= 0:
        os.write(fd, (SYNTH + "[output o]\nuse = null\n").encode())
        os.close(fd)
    p.ends()

p = start(SYNTH + "[output o]\nuse = null\n")
p.catches(signal.SIGHUP)
os.remove(p.ini)
os.mkfifo(p.ini)
p.send_signal(signal.SIGHUP)
p.hears("it cannot be read a second time")
p.stop(number=signal.SIGTERM)
end("rough handling")
