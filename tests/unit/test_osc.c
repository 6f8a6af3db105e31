/* SPDX-License-Identifier: MIT
 * test_osc.c - every preset byte by byte against a plain writer, free messages, refusals, no allocation per sample. */
#include "fake_host.h"
#include "have.h"
#if !HP_HAVE_LIBLO
int main(void)
{
	puts("skip: built without liblo");
	return 77;
}
#else
#include "pose/basis.h"
#include "pose/pose.h"
#include <lo/lo.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct hp_module hp_encoder_osc;
static const struct hp_module *const osc = &hp_encoder_osc;

/* Sanitizers have an allocator of their own; there the count stays 0 and proves nothing, elsewhere it does. */
static int allocations;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTING 1
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
/* visible, or the libraries would go on with their own */
#define EXPORT   __attribute__((visibility("default")))
EXPORT void *malloc(size_t n)
{
	allocations++;
	return __libc_malloc(n);
}
EXPORT void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}
EXPORT void *realloc(void *p, size_t n)
{
	allocations++;
	return __libc_realloc(p, n);
}
#else
#define COUNTING 0
#endif

/* ---- a plain OSC writer --------------------------------------------------------------------------- */

struct bytes {
	uint8_t at[1024];
	size_t n;
};
static void put_u32(struct bytes *b, uint32_t v)
{
	for (int i = 24; i >= 0; i -= 8)
		b->at[b->n++] = (uint8_t)(v >> i);
}
static void put_text(struct bytes *b, const char *s)
{
	size_t n = strlen(s);
	memcpy(b->at + b->n, s, n);
	b->n += n;
	do
		b->at[b->n++] = 0;
	while (b->n % 4);
}
/* types: f double, i int, s text */
static void put_message(struct bytes *b, const char *address, const char *types, ...)
{
	char tags[20];
	va_list ap;
	put_text(b, address);
	snprintf(tags, sizeof tags, ",%s", types);
	put_text(b, tags);
	va_start(ap, types);
	for (; *types; types++) {
		if (*types == 'f') {
			float f = (float)va_arg(ap, double);
			uint32_t bits;
			memcpy(&bits, &f, 4);
			put_u32(b, bits);
		} else if (*types == 'i') {
			put_u32(b, (uint32_t)va_arg(ap, int));
		} else {
			put_text(b, va_arg(ap, const char *));
		}
	}
	va_end(ap);
}
static void put_bundle(struct bytes *b)
{
	put_text(b, "#bundle");
	put_u32(b, 0);
	put_u32(b, 1); /* at once */
}
static void put_element(struct bytes *b, const struct bytes *message)
{
	put_u32(b, (uint32_t)message->n);
	memcpy(b->at + b->n, message->at, message->n);
	b->n += message->n;
}
#define ELEMENT(bundle, ...)                   \
	do {                                   \
		struct bytes m_ = { .n = 0 };  \
		put_message(&m_, __VA_ARGS__); \
		put_element(bundle, &m_);      \
	} while (0)

/* ---- the encoder ---------------------------------------------------------------------------------- */

static struct hp_sample pose(void)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	const double ypr[3] = { 40, 30, 20 };
	hp_frame_quat_from_ypr(ypr, s.quat);
	memcpy(s.ypr, ypr, sizeof ypr);
	s.pos[0] = 10;
	s.pos[1] = 20;
	s.pos[2] = 30;
	s.flags = HP_YPR;
	s.time_ns = 1000000000;
	return s;
}
struct coder {
	struct fake_host f;
	void *state;
	int opened;
};
static void begin(struct coder *c, const char *const *set)
{
	fake_init(&c->f, "sound");
	c->state = fake_state(osc);
	for (; *set; set += 2)
		fake_set(osc, c->state, set[0], set[1]);
	c->opened = osc->open(c->state, &c->f.host);
}
#define BEGIN(c, ...)                                                                        begin(c, (const char *const[]){ __VA_ARGS__, NULL })
static void end(struct coder *c)
{
	if (!c->opened)
		osc->close(c->state);
	free(c->state);
	fake_free(&c->f);
}
static void expect(struct coder *c, const struct hp_sample *s, const struct bytes *want)
{
	uint8_t got[1024];
	assert_int_equal(c->opened, 0);
	assert_int_equal(osc->encode(c->state, s, &c->f.stream, got, sizeof got), want->n);
	assert_memory_equal(got, want->at, want->n);
	/* exactly enough room, and one byte too little */
	uint8_t *tight = malloc(want->n);
	assert_int_equal(osc->encode(c->state, s, &c->f.stream, tight, want->n), want->n);
	assert_int_equal(osc->encode(c->state, s, &c->f.stream, tight, want->n - 1), -ENOSPC);
	free(tight);
}
static void test_golden_zero(void **unused)
{
	static const uint8_t golden[] = { 0x2f, 0x79, 0x70, 0x72, 0, 0, 0, 0, 0x2c, 0x66, 0x66, 0x66, 0, 0,
		                          0,    0,    0,    0,    0, 0, 0, 0, 0,    0,    0,    0,    0, 0 };
	struct coder c;
	struct hp_sample s = HP_SAMPLE_INIT;
	uint8_t got[64];
	(void)unused;
	BEGIN(&c, "preset", "sparta");
	assert_int_equal(osc->encode(c.state, &s, &c.f.stream, got, sizeof got), 28);
	assert_memory_equal(got, golden, 28);
	end(&c);
}
static void test_presets(void **unused)
{
	struct hp_sample s = pose();
	double v[3], q[4];
	struct coder c;
	(void)unused;

	BEGIN(&c, "preset", "generic");
	struct bytes b = { .n = 0 };
	put_message(&b, "/headpipe/ypr", "fff", 40.0, 30.0, 20.0);
	expect(&c, &s, &b);
	end(&c);

	BEGIN(&c, "preset", "sparta");
	b.n = 0;
	put_message(&b, "/ypr", "fff", 40.0, 30.0, 20.0);
	expect(&c, &s, &b);
	end(&c);

	const double inverse[4] = { s.quat[0], -s.quat[1], -s.quat[2], -s.quat[3] };
	BEGIN(&c, "preset", "iem");
	b.n = 0;
	hp_quat_to_ypr(inverse, v);
	put_message(&b, "/SceneRotator/ypr", "fff", v[0], v[1], v[2]);
	expect(&c, &s, &b);
	end(&c);

	BEGIN(&c, "preset", "ambix");
	b.n = 0;
	put_message(&b, "/quaternion", "ffff", inverse[0], inverse[1], inverse[2], inverse[3]);
	expect(&c, &s, &b);
	end(&c);

	BEGIN(&c, "preset", "supperware");
	b.n = 0;
	put_bundle(&b);
	ELEMENT(&b, "/yaw", "f", 40.0);
	ELEMENT(&b, "/pitch", "f", -30.0);
	ELEMENT(&b, "/roll", "f", 20.0);
	expect(&c, &s, &b);
	end(&c);

	BEGIN(&c, "preset", "sparta_binauraliser");
	b.n = 0;
	put_message(&b, "/ypr", "fff", v[0], v[1], v[2]);
	expect(&c, &s, &b);
	end(&c);

	/* a range: -1 to 1, and no further */
	BEGIN(&c, "preset", "vrchat_avatar", "args", "sim_yaw/90 | sim_pitch/25 | -roll/25", "units", "rad");
	b.n = 0;
	put_bundle(&b);
	ELEMENT(&b, "/avatar/parameters/HeadYaw", "f", -40 * (1 / 90.0));
	ELEMENT(&b, "/avatar/parameters/HeadPitch", "f", -1.0);
	ELEMENT(&b, "/avatar/parameters/HeadRoll", "f", 20 * (-1 / 25.0));
	expect(&c, &s, &b);
	end(&c);

	/* the position is sent when there is one, else the message stands alone */
	BEGIN(&c, "preset", "vrchat_space");
	b.n = 0;
	put_message(&b, "/tracking/trackers/head/rotation", "fff", 30.0, -40.0, -20.0);
	expect(&c, &s, &b);
	s.flags |= HP_POS;
	b.n = 0;
	put_bundle(&b);
	ELEMENT(&b, "/tracking/trackers/head/position", "fff", -0.2, 0.3, 0.1);
	ELEMENT(&b, "/tracking/trackers/head/rotation", "fff", 30.0, -40.0, -20.0);
	expect(&c, &s, &b);
	s.flags &= ~(uint32_t)HP_POS;
	b.n = 0;
	put_message(&b, "/tracking/trackers/head/rotation", "fff", 30.0, -40.0, -20.0);
	expect(&c, &s, &b);
	end(&c);

	/* the bone's own place, whatever the tracker says of the room */
	s.flags |= HP_POS;
	BEGIN(&c, "preset", "vmc", "bone_x", "-0.5", "bone_y", "0.25", "bone_z", "2");
	b.n = 0;
	put_bundle(&b);
	ELEMENT(&b, "/VMC/Ext/OK", "i", 1);
	ELEMENT(&b, "/VMC/Ext/T", "f", 0.0);
	ELEMENT(&b, "/VMC/Ext/Bone/Pos", "sfffffff", "Head", -0.5, 0.25, 2.0, s.quat[2], -s.quat[3], -s.quat[1],
	        s.quat[0]);
	expect(&c, &s, &b);
	end(&c);
	s.flags &= ~(uint32_t)HP_POS;

	BEGIN(&c, "preset", "vmc");
	memcpy(q, s.quat, sizeof q);
	for (int i = 0; i < 2; i++) {
		b.n = 0;
		put_bundle(&b);
		ELEMENT(&b, "/VMC/Ext/OK", "i", 1);
		ELEMENT(&b, "/VMC/Ext/T", "f", i ? 2.5 : 0.0);
		ELEMENT(&b, "/VMC/Ext/Bone/Pos", "sfffffff", "Head", 0.0, 0.1, 0.0, q[2], -q[3], -q[1], q[0]);
		expect(&c, &s, &b);
		s.time_ns += 2500000000;
	}
	end(&c);
}
/* What a datagram holds, in the words of osc_presets.def: address and arguments, `|` between messages. */
static void words_of(const uint8_t *p, size_t size, char *out, size_t room)
{
	size_t at, used = strlen(out);
	if (!memcmp(p, "#bundle", 8)) {
		for (at = 16; at + 4 <= size;) {
			size_t length = (size_t)p[at + 2] << 8 | p[at + 3];
			words_of(p + at + 4, length, out, room);
			at += 4 + length;
		}
		return;
	}
	used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " | " : "", (const char *)p);
	at = strlen((const char *)p) / 4 * 4 + 4;
	const char *types = (const char *)p + at + 1;
	at += strlen((const char *)p + at) / 4 * 4 + 4;
	for (; *types; types++) {
		uint32_t bits =
		    (uint32_t)p[at] << 24 | (uint32_t)p[at + 1] << 16 | (uint32_t)p[at + 2] << 8 | p[at + 3];
		float f;
		memcpy(&f, &bits, sizeof f);
		if (*types == 's')
			used += (size_t)snprintf(out + used, room - used, " %s", (const char *)p + at);
		else if (*types == 'i')
			used += (size_t)snprintf(out + used, room - used, " %d", (int)bits);
		else
			used += (size_t)snprintf(out + used, room - used, " %.5g", (double)f);
		at += *types == 's' ? strlen((const char *)p + at) / 4 * 4 + 4 : 4;
	}
	assert_int_equal(at, size);
}
static const struct {
	const char *name, *shown;
} presets[] = {
#define OSC_PRESET(name, address, args, who, port, what, ini, words, first, how, shown, ...) { #name, shown },
#include "outputs/encoders/osc_presets.def"
};
/* Every row sends what it says that it sends; test_presets() knows the older ones by heart. */
static void test_rows(void **unused)
{
	struct hp_sample s = pose();
	uint8_t got[1024];
	(void)unused;
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		char words[1024] = "";
		struct coder c;
		BEGIN(&c, "preset", presets[i].name);
		assert_int_equal(c.opened, 0);
		int n = osc->encode(c.state, &s, &c.f.stream, got, sizeof got);
		assert_true(n > 0);
		words_of(got, (size_t)n, words, sizeof words);
		if (strcmp(words, presets[i].shown))
			fail_msg("preset %s sends `%s`, osc_presets.def says `%s`", presets[i].name, words,
			         presets[i].shown);
		end(&c);
	}
}
static void test_own_messages(void **unused)
{
	struct hp_sample s = pose();
	struct coder c;
	struct bytes b = { .n = 0 };
	(void)unused;
	BEGIN(&c, "address", "/3DTI-OSC/receiver/pry", "args", "pitch,roll,yaw", "units", "rad");
	put_message(&b, "/3DTI-OSC/receiver/pry", "fff", 30.0 * (3.14159265358979323846 / 180),
	            20.0 * (3.14159265358979323846 / 180), 40.0 * (3.14159265358979323846 / 180));
	expect(&c, &s, &b);
	end(&c);
	BEGIN(&c, "address", " /yaw|/roll ", "args", "-yaw | -roll", "units", "norm");
	b.n = 0;
	put_bundle(&b);
	ELEMENT(&b, "/yaw", "f", -40.0 / 360 + 0.5);
	ELEMENT(&b, "/roll", "f", -20.0 / 360 + 0.5);
	expect(&c, &s, &b);
	end(&c);
	BEGIN(&c, "address", "/listener/orientation", "args",
	      "'DefaultListener, one' int:-7 sim_yaw sim_pitch sim_roll x", "bundle", "always");
	b.n = 0;
	put_bundle(&b);
	ELEMENT(&b, "/listener/orientation", "siffff", "DefaultListener, one", -7, -40.0, -30.0, 20.0, 0.0);
	expect(&c, &s, &b);
	end(&c);
	BEGIN(&c, "address", "/bang", "args", "");
	b.n = 0;
	put_message(&b, "/bang", "");
	expect(&c, &s, &b);
	end(&c);
	/* only a position, and none was measured: nothing is sent */
	uint8_t got[64];
	BEGIN(&c, "address", "/p", "args", "x,y,z");
	assert_int_equal(osc->encode(c.state, &s, &c.f.stream, got, sizeof got), 0);
	s.flags |= HP_POS;
	b.n = 0;
	put_message(&b, "/p", "fff", 10.0, 20.0, 30.0);
	expect(&c, &s, &b);
	s.pos[1] = 1e300; /* no float32 */
	assert_int_equal(osc->encode(c.state, &s, &c.f.stream, got, sizeof got), -EDOM);
	end(&c);
}
static void test_refused(void **unused)
{
	static const char *const bad[][5] = {
		{ "address", "ypr", "args", "yaw", "address: `ypr` does not begin with a slash" },
		{ "address", "/a b", "args", "yaw", "has a character that OSC does not allow there" },
		{ "address", "/a[1]", "args", "yaw", "has a character that OSC does not allow there" },
		{ "address", "/a | ", "args", "yaw | yaw", "does not begin with a slash" },
		{ "address", "/a", "args", "yaw,yawn", "args: `yawn` is not known here" },
		{ "address", "/a", "args", "--yaw", "args: `--yaw` is not known here" },
		{ "address", "/a", "args", "'x", "has no closing quote" },
		{ "address", "/a", "args", "int:1.5", "is no 32-bit whole number" },
		{ "address", "/a", "args", "int:99999999999", "is no 32-bit whole number" },
		{ "address", "/a | /b", "args", "yaw", "address has more messages than args" },
		{ "address", "/a", "args", "yaw | roll", "args has more of them than address" },
		{ "address", "/a|/a|/a|/a|/a|/a|/a|/a|/a", "args", "x|x|x|x|x|x|x|x|x", "8 are possible" },
		{ "address", "/a", "args", "x x x x x x x x x x x x x x x x x", "a message takes 16" },
	};
	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct coder c;
		BEGIN(&c, bad[i][0], bad[i][1], bad[i][2], bad[i][3]);
		assert_int_equal(c.opened, -EINVAL);
		const char *key = NULL;
		char why[300], said[400];
		assert_int_equal(osc->check(c.state, &key, why, sizeof why), -EINVAL);
		snprintf(said, sizeof said, "%s: %s", key, why);
		if (!strstr(said, bad[i][4]))
			fail_msg("said: %s", said);
		end(&c);
	}
}
/* Another program's eyes: liblo's own parser reads back what was sent. */
static void test_read_back(void **unused)
{
	struct hp_sample s = pose();
	struct coder c;
	uint8_t got[256];
	int result;
	(void)unused;
	BEGIN(&c, "preset", "iem");
	int n = osc->encode(c.state, &s, &c.f.stream, got, sizeof got);
	assert_string_equal((char *)got, "/SceneRotator/ypr");
	lo_message m = lo_message_deserialise(got, (size_t)n, &result);
	assert_non_null(m);
	assert_string_equal(lo_message_get_types(m), "fff");
	double q[4], inverse[4] = { s.quat[0], -s.quat[1], -s.quat[2], -s.quat[3] };
	double back[3];
	for (int i = 0; i < 3; i++) {
		float v; /* liblo's pointers into the message are not aligned for its own type */
		memcpy(&v, (void *)lo_message_get_argv(m)[i], sizeof v);
		back[i] = (double)v;
	}
	hp_frame_quat_from_ypr(back, q);
	for (int i = 0; i < 4; i++)
		assert_true(fabs(q[i] - inverse[i]) < 1e-6);
	lo_message_free(m);
	end(&c);
}
static void test_no_allocation(void **unused)
{
	struct hp_sample s = pose();
	uint8_t got[512];
	int most = 0;
	(void)unused;
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		struct coder c;
		BEGIN(&c, "preset", presets[i].name);
		int before = allocations, wrong = 0;
		for (int k = 0; k < 1000; k++) {
			s.flags ^= HP_POS;
			wrong += osc->encode(c.state, &s, &c.f.stream, got, sizeof got) <= 0;
		}
		int after = allocations - before;
		assert_int_equal(wrong, 0);
		if (after > most)
			most = after;
		end(&c);
	}
	print_message("count: osc allocations per 1000 samples, worst preset: %d%s\n", most,
	              COUNTING ? "" : " (not counted under sanitizers)");
	assert_int_equal(most, 0);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_zero),   cmocka_unit_test(test_presets), cmocka_unit_test(test_rows),
		cmocka_unit_test(test_own_messages),  cmocka_unit_test(test_refused), cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_no_allocation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
