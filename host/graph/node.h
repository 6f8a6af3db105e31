/* SPDX-License-Identifier: MIT
 * node.h - what the host keeps of one section while it runs. Only host/ looks inside. */
#ifndef HP_NODE_H
#define HP_NODE_H
#include "api/builtin.h"
#include "config/config.h"
#include "config/options.h"
#include "headpipe.h"
#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

struct hp_run;
struct hp_queue;
struct hp_limit;

enum hp_phase { HP_NEW, HP_OPENED, HP_STARTED, HP_ENDED, HP_FAILED, HP_STOPPED, HP_CLOSED };

struct hp_slot {
	struct hp_sample sample;
	uint8_t room[HP_SAMPLE_MOST - sizeof(struct hp_sample)]; /* a newer module's header may have a longer sample */
};
_Static_assert(sizeof(struct hp_slot) == HP_SAMPLE_MOST, "what the loader lets pass");

/* One step of an input's program; see pipeline.c. */
struct hp_step {
	enum { HP_STEP_FILTER, HP_STEP_COPY, HP_STEP_OUTPUT } op;
	uint16_t slot, to; /* sample slots; `to` for COPY                        */
	uint32_t skip;     /* FILTER: steps of its subtree, jumped when it drops */
	struct hp_node *node;
};

/* Failures of one output, told at most once a second. */
struct hp_trouble {
	uint64_t total, since_told; /* errors */
	int64_t told_ns;
	int last;         /* errno value, positive */
	const char *what; /* "sends", "encodings", ... */
};

/* Requests of a module that were refused, told at most once a second. */
struct hp_refused {
	uint64_t more; /* since the last that was told */
	int64_t told_ns;
};

struct hp_node {
	struct hp_host host; /* first member: what the module sees */
	struct hp_run *run;
	enum hp_kind kind;
	const char *name;           /* of the section */
	char who[HP_NAME_MAX + 16]; /* "output game", for log lines */
	const struct hp_section *section;
	const struct hp_module *module, *encoder; /* encoder: outputs with `send` */
	void *state, *encoder_state;
	struct hp_host_keys keys;
	struct hp_values values;
	char *base_dir; /* folder of the ini file, for paths */

	struct hp_node *up;    /* NULL for inputs */
	struct hp_node *input; /* the root; an input's own address */
	struct hp_node **kids; /* in the order of the file */
	size_t nkids;
	enum hp_phase phase;
	bool opening, said; /* in open(): it has said itself why it cannot */
	bool dead;          /* outputs that failed: skipped */
	bool bypass; /* filters above the place where the samples of a replay were recorded: these had it already */

	/* inputs: the program, and what it runs on. filters: the slots of their own emit(). */
	struct hp_step *steps;
	uint32_t nsteps;
	struct hp_slot *slots;
	uint32_t nslots;
	uint32_t first, after; /* filters: their subtree in the input's program; first slot: */
	uint16_t slot;
	struct hp_node **raws; /* inputs: outputs below with raw() */
	size_t nraws;
	struct hp_node **all; /* inputs: everything below, depth first, for events */
	size_t nall;
	uint32_t known_flags, sample_size; /* inputs and filters that emit: what is taken of their samples */
	uint64_t seq;                      /* inputs and filters that emit: next sample number */
	bool jump;                         /* inputs: the next sample is the first after a gap */
	bool rotvec_is_enough;             /* inputs: nothing directly below looks at quat[] */
	struct hp_stream stream;           /* inputs: what outputs see now; its strings are in stream_memory */
	void *stream_memory;
	struct {
		struct hp_stream stream;
		void *memory;          /* NULL = nothing new */
	} described;                   /* by describe(), in force from the next HP_CONNECTED */
	pthread_mutex_t describe_lock; /* described, and the making of queue */

	struct hp_queue *queue; /* post(), made on first use */
	struct hp_limit *limit; /* outputs with rate or on_loss */

	uint64_t samples_in, samples_out, not_finite, lost;
	struct hp_trouble trouble;
	struct hp_refused refused;

	/* services, freed by the host */
	struct hp_timer *timers;
	struct hp_udp *udps;
	struct hp_watch *watches;
	struct hp_file *files;

	/* fail(): set from any thread, acted upon on the loop */
	atomic_bool fail_pending;
	pthread_mutex_t fail_lock;
	int fail_err;
	char fail_text[512];
};

/* Everything that runs: the nodes of all files in the order of the files. */
struct hp_run {
	struct hp_config *config;
	struct hp_node **nodes;
	size_t nnodes, nall;     /* in the pipeline; with those left out by `enabled = no` */
	struct hp_values values; /* of [headpipe] */
	uint32_t ninputs;
	uv_loop_t loop;
	uv_async_t wake; /* post() and fail() of other threads */
	uv_idle_t idle;  /* runs while timers are due at once */
	struct hp_timer *due;
	bool loop_open, stopping;
	pthread_t loop_thread;
	int exit_code;
	struct hp_udp_socket *udp_sockets; /* udp.c: one per receiving host */
	int64_t behind_since_ns;           /* udp.c: since when a receiver is behind; 0 = none is */
	bool quiet;
	struct hp_perf *perf; /* NULL = not measured */
	uint8_t *packet;      /* encoders write here */
	size_t packet_size;
	struct hp_settings settings;
};
#endif
