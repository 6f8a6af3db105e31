#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make-recording.py - writes conf/head-motion.hid: 20 s of synthetic head motion as hid-recorder text.

    python3 tests/data/make-recording.py > conf/head-motion.hid

The device is made up; its report descriptor has the layout of the Android head tracker protocol, version 1: 14-byte
input reports with rotation vector, angular velocity and reset counter. The same bytes come out every time."""
import math
import random

RATE = 100    # reports per second
SECONDS = 20

DESCRIPTOR = """
05 20        usage page: sensors
09 e1        usage: other custom
a1 01        collection: application
85 02          report ID 2
0a 08 03       usage: sensor description, "#AndroidHeadTracker#1.0"
15 00 25 ff 75 08 95 17 b1 03
0a 02 03       usage: persistent unique ID
15 00 25 ff 75 08 95 10 b1 03
85 01          report ID 1
0a 16 03       usage: reporting state, one of no events, all events
15 00 25 01 75 01 95 01 a1 02 0a 40 08 0a 41 08 b1 00 c0
0a 19 03       usage: power state, one of off, full
15 00 25 01 75 01 95 01 a1 02 0a 50 08 0a 51 08 b1 00 c0
0a 0e 03       usage: report interval, 0 to 63 stands for 10 to 100 ms
15 00 25 3f 35 0a 45 64 75 06 95 01 66 01 10 55 0d b1 02
0a 44 05       usage: rotation vector, -32767 to 32767 stands for -pi to pi
16 01 80 26 ff 7f 37 60 4f 46 ed 47 a1 b0 b9 12 55 08 75 10 95 03 81 02
0a 45 05       usage: angular velocity, -32 to 32 rad/s
16 01 80 26 ff 7f 35 e0 45 20 55 00 75 10 95 03 81 02
0a 46 05       usage: reset counter
15 00 25 ff 35 00 45 ff 55 00 75 08 95 01 81 02
c0
"""

# Seconds, then yaw (+ left), pitch (+ down), roll (+ right) in degrees. In between the head moves like a head: fast in
# the middle, slow at the ends.
POSES = [
    (0.0, 0, 0, 0), (2.0, 0, 0, 0),                                    # still
    (2.7, 38, 3, 2), (3.6, 38, 3, 2), (4.6, -45, 5, -3), (5.6, -45, 5, -3), (6.3, 0, 0, 0),  # left, right, back
    (7.0, 0, 0, 0), (7.25, 0, 16, 0), (7.5, 0, -2, 0), (7.75, 0, 15, 0), (8.0, 0, -2, 0), (8.3, 0, 10, 0), (8.6, 0, 0, 0),
    (9.5, 0, 0, 0),                                                    # three nods, a pause
    (10.2, 12, 24, 2), (11.4, 12, 24, 2), (12.0, -15, 20, -2), (12.8, -15, 20, -2),  # a look at the instruments
    (13.5, -60, -8, -5), (14.0, -72, -10, -6), (14.8, -20, -15, 0), (15.6, 55, -12, 4), (16.2, 70, -8, 6),  # a round look
    (17.0, 0, 0, 0), (17.5, 0, 0, 14), (18.1, 0, 0, -12), (18.6, 0, 0, 0),           # a tilt to each side
    (20.1, 0, 0, 0),                                                   # still
]

noise = random.Random(20)


def gauss(sigma):
    """About normal; from random() alone, which is the same everywhere."""
    return sigma * math.sqrt(3) * sum(2 * noise.random() - 1 for _ in range(4)) / 2


def pose(t):
    """Yaw, pitch, roll in rad: minimum jerk from pose to pose, and the sway that a living head has."""
    angles = [0.0, 0.0, 0.0]
    for a, b in zip(POSES, POSES[1:]):
        if a[0] <= t < b[0]:
            u = (t - a[0]) / (b[0] - a[0])
            u = u * u * u * (10 + u * (6 * u - 15))
            angles = [a[i] + u * (b[i] - a[i]) for i in (1, 2, 3)]
    angles[0] += 0.35 * math.sin(2 * math.pi * 0.21 * t) + 0.1 * math.sin(2 * math.pi * 0.83 * t)
    angles[1] += 0.25 * math.sin(2 * math.pi * 0.27 * t + 1) - 0.25 * math.sin(1)
    angles[2] += 0.15 * math.sin(2 * math.pi * 0.16 * t)
    return [math.radians(a) for a in angles]


def multiply(a, b):
    return (a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0])


def attitude(t):
    """Head to world, x front, y left, z up."""
    yaw, pitch, roll = (a / 2 for a in pose(t))
    q = multiply((math.cos(yaw), 0, 0, math.sin(yaw)), (math.cos(pitch), 0, math.sin(pitch), 0))
    return multiply(q, (math.cos(roll), math.sin(roll), 0, 0))


def rotation_vector(q):
    if q[0] < 0:
        q = tuple(-c for c in q)
    s = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    f = 2 * math.atan2(s, q[0]) / s if s > 1e-12 else 2
    return [f * c for c in q[1:]]


def word(x, full):
    return max(-32767, min(32767, round(x / full * 32767))) & 0xffff


def report(t):
    """The tracker's axes are x right, y front, z up; its rotation vector turns the world into the head."""
    x, y, z = rotation_vector(attitude(t))
    rotation = [c + gauss(0.0003) for c in (y, -x, -z)]
    h = 0.001
    a, b = attitude(t - h), attitude(t + h)
    wx, wy, wz = (c / (2 * h) for c in rotation_vector(multiply((a[0], -a[1], -a[2], -a[3]), b)))
    velocity = [c + gauss(0.004) for c in (-wy, wx, wz)]
    out = [1]
    for w in [word(c, math.pi) for c in rotation] + [word(c, 32) for c in velocity]:
        out += [w & 255, w >> 8]
    return out + [0]


def main():
    rows = [row.split() for row in DESCRIPTOR.strip().splitlines()]
    items = []
    for row in rows:
        for item in row:
            if len(item) != 2 or any(c not in "0123456789abcdef" for c in item):
                break
            items.append(item)
    print("# Synthetic: no head and no device was recorded. Made by tests/data/make-recording.py.")
    print("R:", len(items), *items)
    print("N: Synthetic Head Tracker")
    print("I: 5 0000 0000")
    for i in range(RATE * SECONDS):
        jitter = 0.0006 * (2 * noise.random() - 1) if i else 0
        t = i / RATE + jitter
        print(f"E: {t:013.6f} 14", *(f"{b:02x}" for b in report(t)))


main()
