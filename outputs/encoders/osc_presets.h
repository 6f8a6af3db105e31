/* SPDX-License-Identifier: MIT
 * osc_presets.h - what each OSC receiver expects, in the words of the options `address` and `args`; docs/osc.md says
 * where each row comes from. Adding a receiver is adding a row, here and in the list of names. */
#ifndef OSC_PRESETS_H
#define OSC_PRESETS_H

#define OSC_PRESET_CHOICES "generic|iem|sparta|supperware|ambix|vrchat|vmc"
/* In the order of the names above. */
static const struct osc_preset {
	const char *address, *args;
} osc_presets[] = {
	/* generic: our own angles */
	{ "/headpipe/ypr", "yaw, pitch, roll" },
	/* IEM SceneRotator turns the scene: it wants the inverse. Angles rather than its quaternion, which it rounds.
	 */
	{ "/SceneRotator/ypr", "scene_yaw, scene_pitch, scene_roll" },
	/* SPARTA's rotators take the head's angles and turn the scene the other way themselves. */
	{ "/ypr", "yaw, pitch, roll" },
	/* What Supperware's Bridgehead sends in its learnable profile: yaw + left, pitch + up, roll + right. */
	{ "/yaw | /pitch | /roll", "yaw | -pitch | roll" },
	/* ambiX rotator applies the quaternion to the scene. */
	{ "/quaternion", "scene_qw, scene_qx, scene_qy, scene_qz" },
	/* VRChat's trackers: Unity axes, Euler degrees; the position only when one was measured. */
	{ "/tracking/trackers/head/position | /tracking/trackers/head/rotation",
	  "unity_x, unity_y, unity_z | unity_rx, unity_ry, unity_rz" },
	/* Virtual Motion Capture: one bundle with state, time and the head bone. */
	{ "/VMC/Ext/OK | /VMC/Ext/T | /VMC/Ext/Bone/Pos",
	  "int:1 | time | 'Head', unity_x, unity_y, unity_z, unity_qx, unity_qy, unity_qz, unity_qw" },
};
#endif
