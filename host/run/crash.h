/* SPDX-License-Identifier: MIT
 * crash.h - when a loaded module crashes the program, its file is named before the end. */
#ifndef HP_CRASH_H
#define HP_CRASH_H

/* Watches for fatal signals; a no-op when no module was loaded from a file, and in sanitizer builds, which do better.
 */
void hp_crash_watch(void);
#endif
