/* my_sim.c - yaw, pitch, roll as three little floats, over any transport. */
#include <errno.h>
#include <headpipe.h>
#include <string.h>
struct my_sim { double scale; };
static const struct hp_option options[] = {
	HP_OPT_REAL(struct my_sim, scale, "1.0", 0.01, 10, "multiplies every angle"),
	HP_OPT_END
};
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	const struct my_sim *m = self;
	float packet[3];
	(void)from;
	if (cap < sizeof packet)
		return -ENOSPC;
	for (int i = 0; i < 3; i++)
		packet[i] = (float)(s->ypr[i] * m->scale);
	memcpy(buf, packet, sizeof packet);
	return sizeof packet;
}
HP_MODULE(my_sim) = {
	HP_MODULE_HEAD, .kind = HP_ENCODER, .name = "my_sim", .summary = "packets for My Sim",
	.options = options, .state_size = sizeof(struct my_sim), .encode = encode,
};
