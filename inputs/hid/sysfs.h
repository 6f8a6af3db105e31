/* SPDX-License-Identifier: MIT
 * sysfs.h - HID devices as sysfs describes them: readable by everybody, even when the node is not, and there even
 * when the kernel made no node. */
#ifndef HID_SYSFS_H
#define HID_SYSFS_H
#include <stddef.h>
#include <stdint.h>

enum { HID_TEXT_MAX = 256, HID_DESCRIPTOR_MAX = 4096 /* HID_MAX_DESCRIPTOR_SIZE of the kernel */ };

struct hp_hid_facts {
	char path[64];   /* "/dev/hidraw3"; "" = there is no node                          */
	char id[64];     /* name in /sys/bus/hid/devices, "0005:054C:0DF0.0003"; "" = unknown */
	char driver[64]; /* "hid-generic"; "" = none                                       */
	char name[HID_TEXT_MAX], serial[HID_TEXT_MAX]; /* UTF-8; serial is a Bluetooth address there */
	unsigned bus; /* BUS_USB 3, BUS_BLUETOOTH 5 (linux/input.h)                      */
	uint16_t vendor, product;
	uint16_t descriptor_size; /* 0 = could not be read */
	uint8_t descriptor[HID_DESCRIPTOR_MAX];
};

/* Where sysfs and the device nodes are: "/sys" and "/dev". */
extern const char *hp_hid_sys_dir, *hp_hid_dev_dir;

/* Every HID device the kernel knows, in the order of its instance numbers. Returns the number; free() the list.
 * *list is NULL when there is none. [any] */
size_t hp_hid_sysfs_list(struct hp_hid_facts **list);
/* Fills id, driver, bus, descriptor (and name, serial, numbers where they are empty) of the device behind a hidraw
 * node. Returns 0 or -errno. */
int hp_hid_sysfs_of_node(struct hp_hid_facts *, const char *path);
/* Reads a report descriptor file. Bytes, or -errno. */
int hp_hid_sysfs_descriptor(const char *file, uint8_t *data, size_t room);
/* Copies a text of a device: cut at a UTF-8 boundary, control characters and what is no UTF-8 become '?'. */
void hp_hid_text_copy(char *to, size_t size, const char *from);
/* "USB", "Bluetooth", "I2C" ... */
const char *hp_hid_bus_name(unsigned bus);
#endif
