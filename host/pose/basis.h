/* SPDX-License-Identifier: MIT
 * basis.h - from the sample's frame to the frames of the outside world; docs/signs.md shows the result.
 *
 * The sample's frame: x front, y left, z up, right-handed. quat turns head coordinates into world ones; ypr are
 * its angles about z, then y, then x: yaw + turns left, pitch + nods down, roll + tilts right. Angles in degrees,
 * positions in cm, quaternions w x y z unless said otherwise. All functions are pure. [any] */
#ifndef HP_FRAMES_H
#define HP_FRAMES_H
#include "headpipe.h"

/* Rz(yaw) Ry(pitch) Rx(roll), normalized; the inverse of hp_quat_to_ypr(). ypr in degrees, any size. */
void hp_frame_quat_from_ypr(const double ypr[3], double quat[4]);
/* Degrees brought into -180 < result <= 180; 180 stays, 200 becomes -160. A value inside keeps its bits. */
double hp_frame_wrap(double degrees);

/* Simulators (X-Plane, game axes): yaw + right, pitch + up, roll + right. */
void hp_frame_sim_angles(const struct hp_sample *, double yaw_pitch_roll[3]);
/* Their position, cm: x right, y up, z back. Zero when the sample has no HP_POS. */
void hp_frame_sim_position(const struct hp_sample *, double xyz[3]);

/* Inside opentrack, and in what it hands on to games: yaw + right, pitch + up, roll + left, degrees. */
void hp_frame_opentrack_angles(const struct hp_sample *, double yaw_pitch_roll[3]);
/* Its position, cm: x left, y up, z back. Zero when the sample has no HP_POS. */
void hp_frame_opentrack_position(const struct hp_sample *, double xyz[3]);

/* FlightGear's view offsets, degrees: heading + left, pitch + up, roll + right (its view.cxx: -heading, pitch, roll
 * about down, right, front; seen in 2020.3). */
void hp_frame_flightgear_angles(const struct hp_sample *, double heading_pitch_roll[3]);

/* The rotation of a sound scene that stays in the room while the head turns: the inverse of the head's rotation, in
 * the sample's own axes (ambisonics: x front, y left, z up). */
void hp_frame_scene_quat(const struct hp_sample *, double wxyz[4]);
void hp_frame_scene_angles(const struct hp_sample *, double ypr[3]);

/* Unity (VRChat, VMC): left-handed, x right, y up, z front; a positive angle about an axis turns anticlockwise seen
 * along it. Euler angles in Unity's order (z, then x, then y), degrees about x y z: pitch + down, yaw + right, roll +
 * left. The quaternion comes as x y z w. Position in metres, zero without HP_POS. */
void hp_frame_unity_euler(const struct hp_sample *, double xyz[3]);
void hp_frame_unity_quat(const struct hp_sample *, double xyzw[4]);
void hp_frame_unity_position(const struct hp_sample *, double xyz[3]);
#endif
