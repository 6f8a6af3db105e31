# SPDX-License-Identifier: MIT
"""npm.py - the public MCAP library out of the registry, installed once for all builds, for the tests that use it."""
from lib import *

modules = os.path.abspath("build/interop")


def install():
    """The folder with node_modules and our scripts; skips the test where there is no registry."""
    if not shutil.which("npm"):
        skip("no npm")
    os.makedirs(modules, exist_ok=True)
    for name in os.listdir("tests/interop"):
        if name.endswith((".json", ".mjs")):
            shutil.copy("tests/interop/" + name, modules)
    lock = open(modules + "/package-lock.json").read()
    if not os.path.exists(modules + "/done") or open(modules + "/done").read() != lock:
        p = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=modules, capture_output=True, text=True,
                           timeout=600, env=dict(os.environ, HOME=home))
        if p.returncode:
            skip("npm ci failed (no registry?): " + (p.stdout + p.stderr).strip().split("\n")[-1])
        with open(modules + "/done", "w") as f:
            f.write(lock)
    return modules
