# SPDX-License-Identifier: MIT
# kalman_advice.py - what `kalman` advises about a gyroscope whose axes are wrong is done to the letter, and then the
# gyroscope has to agree: every order and sign of the gyroscope's axes, of the pose's, and of both, on the bundled
# recording as the device sent it and as it should be.
# Usage: kalman_advice.py HEADPIPE FOLDER
import itertools, json, re, subprocess, sys

headpipe, folder = sys.argv[1:]
recording = "conf/head-motion.hid"
orders = ["".join(p) for p in itertools.permutations("XYZ")]
signs = ["none", "X", "Y", "Z", "XY", "XZ", "YZ", "XYZ"]
right = "axis_map = YXZ\ninvert = XZ\n"
spoilt = {
    "gyroscope": right + "gyro_map = %s\ngyro_invert = %s\n",
    "pose": "axis_map = %s\ninvert = %s\ngyro_map = XYZ\ngyro_invert = none\n",
    "both": "axis_map = %s\ninvert = %s\n",
    "as sent": "gyro_map = %s\ngyro_invert = %s\n",
}


def judge(mounts, gyro="auto"):
    ini = "[input synth]\n" + "".join("[filter m%d]\nuse = mount\n%s" % m for m in enumerate(mounts))
    path = folder + "/advice.ini"
    with open(path, "w") as f:
        f.write(ini + "[filter kalman]\ngyro = %s\n[output null]\n" % gyro)
    p = subprocess.run([headpipe, "judge", recording, path, "--json"], capture_output=True, text=True)
    if p.returncode:
        sys.exit("%s%s" % (ini, p.stderr))
    return p.stderr.partition("\n")[2], json.loads(p.stdout)["runs"][0]["error_deg"]


bad = advised = 0
for name, text in spoilt.items():
    for order, sign in itertools.product(orders, signs):
        before = text % (order, sign)
        log, error = judge([before])
        _, without = judge([before], "no")
        advice = re.findall(r"((?:axis_map|invert|gyro_map|gyro_invert) = (?:none|[XYZ]+))", log)
        after = judge([before, "\n".join(advice) + "\n"])[0] if advice else ""
        advised += bool(advice)
        # nothing said: it agrees already, which it does with the same turn of both
        if after or (log and not advice) or error > 1.1 * without:
            print("%s, %s %s: error %.3f, without gyroscope %.3f\n%s%s" % (name, order, sign, error, without, log, after))
            bad += 1
print("advice taken %d times, %d bad" % (advised, bad))
sys.exit(bad > 0 or advised < 150)
