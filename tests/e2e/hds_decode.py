# SPDX-License-Identifier: MIT
# `headpipe hds decode` on the committed vectors: typed JSON, offsets, refusals, usage errors.
from lib import *
import json

def run(hexa, *options):
    p = command("hds", "decode", "--hex", *options, input=hexa)
    return p.returncode, p.stdout, p.stderr
def wrong(what):
    check(False, what)
def plain(v):  # the vector's form: no offsets; the width of an integer does not count here
    out = {"t": "int" if v["t"].startswith("int") else v["t"]}
    if v["t"] == "array":
        out["v"] = [plain(x) for x in v["v"]]
    elif v["t"] == "dict":
        out["v"] = [[plain(k), plain(x)] for k, x in v["v"]]
    elif v["t"] in ("f32", "f64", "date"):
        out["bits"] = v["bits"]
    elif v["t"] == "message":
        out.update({k: v[k] for k in ("kind", "protocol", "topic", "id", "status") if k in v}, body=plain(v["body"]))
    elif "rep" in v:
        out["hex" if v["t"] == "data" else "v"] = v["rep"][0] * v["rep"][1]
    elif v["t"] != "null":
        key = "hex" if v["t"] == "data" else "v"
        out[key] = v[key]
    return out
def offsets(v, data):  # every tag stands where the JSON says
    tags = {"null": [4], "bool": [1, 2], "uuid": [5], "date": [6], "f32": [0x35], "f64": [0x36], "str": range(0x40, 0x70),
            "data": range(0x70, 0xa0), "array": range(0xd0, 0xe0), "dict": range(0xe0, 0xf0)}
    tag = data[v["at"]]
    want = range(0xa0, 0xd0) if v.get("ref") else tags.get(v["t"], range(7, 0x34))
    below = [x for p in v["v"] for x in (p if isinstance(p, list) else [p])] if v["t"] in ("array", "dict") else []
    return tag in want and all(offsets(x, data) for x in below)
counts = {}
for name in ("values", "messages", "decode", "errors"):
    rows = [json.loads(line) for line in open(f"tests/golden/hds/{name}.jsonl")]
    if name == "values":
        rows = rows[::3]
    good = total = 0
    for r in rows:
        refs = r.get("refs", "none")
        if refs == "hapnode-r":
            continue
        total += 1
        check(True)
        unit = "--message" if name == "messages" or r.get("unit") == "message" else "--value"
        code, out, err = run(r["hex"], unit, "--refs=" + ("opack" if refs == "opack" else "hap"))
        if name == "errors":
            if code == 1 and out == "" and "offset" in err and err.count("\n") == 1:
                good += 1
            else:
                wrong(f"{r['id']}: exit {code} {err}")
            continue
        v = json.loads(out) if code == 0 else {"t": "null"}
        data = bytes.fromhex(r["hex"])
        placed = all(offsets(v[k], data) for k in ("header", "body")) if unit == "--message" and code == 0 else offsets(v, data)
        if code == 0 and plain(v) == plain(r["value"]) and placed:
            good += 1
        else:
            wrong(f"{r['id']}: {out} {err}")
    print(f"count: hds decode {name} {good}/{total}")
    counts[name] = (good, total)
if any(g != t for g, t in counts.values()):
    wrong("see above")
event = json.loads(open("tests/golden/hds/messages.jsonl").readline())["hex"]
for options, text in (((), '"t":"message"'), (("--json",), '"t":"message"'), (("--list",), 'key str "protocol"')):
    code, out, err = run(event, *options)
    if code or text not in out:
        wrong(f"{options}: {out}{err}")
if "\n" in run(event, "--json")[1].rstrip("\n"):
    wrong("--json takes more than one line")
# damaged: the list goes as far as it makes sense, and the reason follows
code, out, err = run("ef 41:62 03", "--list", "--value")
if code != 1 or 'key str "b"' not in out or "offset 3: a dict key without a value" not in err:
    wrong(f"damaged: {code} {out}{err}")
for args, text in ((["hds"], "missing"), (["hds", "encode"], "must be decode"), (["hds", "decode", "--xml"], "unknown option"),
                   (["hds", "decode", "--message", "--value"], "exclude"), (["hds", "decode", "a", "b"], "one argument too many: b"),
                   (["hds", "decode", "--refs=all"], "must be hap, opack or reject")):
    p = command(*args, stdin=subprocess.DEVNULL)
    if p.returncode != 2 or text not in p.stderr:
        wrong(f"{args}: {p.returncode} {p.stderr}")
for text, hexa in (("no hexadecimal digit", "0x09"), ("odd", "090")):
    code, out, err = run(hexa)
    if code != 1 or text not in err:
        wrong(f"{hexa}: {err}")
p = command("hds", "decode", "/nonexistent/file")
if p.returncode != 1 or "No such file" not in p.stderr:
    wrong(f"missing file: {p.stderr}")
p = command("hds", "decode", "-", input=bytes.fromhex(event), text=False)
if p.returncode or b'"protocol":"control"' not in p.stdout:
    wrong("raw bytes from standard input")
end("hds decode")
