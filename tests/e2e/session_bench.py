# SPDX-License-Identifier: MIT
# The session bench runs and prints every row that docs/recording.md and other programs count on; no figure is judged.
from lib import *
import json

if sanitize:
    skip("timing under sanitizers says nothing")
p = subprocess.run([build + "/headpipe-bench-session", "--samples", "20000", "--json"], stdout=subprocess.PIPE, text=True)
check(p.returncode == 0, p.returncode)
rows = {}
for line in p.stdout.splitlines():
    o = json.loads(line)
    check(set(o) == {"row", "value", "unit"} and o["value"] > 0, o)
    rows[o["row"]] = o["unit"]
    # what is no time does not depend on the machine
    check(o["row"] != "first_sample_at_95_percent_chunks" or o["value"] <= 3, o)
want = ["write_none", "write_worst_call_none", "size_none", "read_sequential_none", "open", "open_and_first_1000",
        "jump_whole_file_none_in_memory", "jump_whole_file_none_no_cache", "key_resolve", "property_get_isolated",
        "property_get_scan", "recording_size_none", "recording_write_none", "recording_read_none", "diff_differing",
        "diff_two_recordings_of_a_run", "memory_writing_a_quarter", "memory_writing_all",
        "memory_reading_a_quarter", "memory_reading_all", "own_sample_write_none", "own_sample_size_none",
        "first_sample_at_95_percent_warm", "export_last_1000_samples", "export_last_1000_samples_chunks"]
want += [f"jump_10_chunks_none_cache_{n}" for n in (0, 2, 5, 10, 20)]
check(not [w for w in want if w not in rows], [w for w in want if w not in rows])
end(f"session bench: {len(rows)} rows")
