/* SPDX-License-Identifier: MIT
 * node.h - what the host keeps of one section while it runs. Only host/ looks inside. Every part has one owner; what
 * only its owner understands is a pointer here. */
#ifndef HP_NODE_H
#define HP_NODE_H
#include "api/builtin.h"
#include "headpipe.h"
#include <stdatomic.h>

struct hp_run;

enum hp_phase { HP_NEW, HP_OPENED, HP_STARTED, HP_ENDED, HP_FAILED, HP_STOPPED, HP_CLOSED };

struct hp_slot {
	struct hp_sample sample;
	uint8_t room[HP_SAMPLE_MOST - sizeof(struct hp_sample)]; /* a newer module's header may have a longer sample */
};
_Static_assert(sizeof(struct hp_slot) == HP_SAMPLE_MOST, "what the loader lets pass");

/* One step of an input's program; see run/program.h. */
struct hp_step {
	enum { HP_STEP_FILTER, HP_STEP_COPY, HP_STEP_OUTPUT } op;
	uint16_t slot, to; /* sample slots; `to` for COPY                        */
	uint32_t skip;     /* FILTER: steps of its subtree, jumped when it drops */
	struct hp_node *node;
};

/* run/program.c, run by run/pipeline.c. Inputs: the program, and what it runs on. Filters: the slots of their own
 * emit(). */
struct hp_program {
	struct hp_step *steps;
	uint32_t nsteps;
	uint32_t first, after; /* filters: their subtree in the input's program */
	struct hp_slot *slots;
	uint32_t nslots;
	uint16_t slot;                     /* filters: their first slot                                          */
	bool jump;                         /* inputs: the next sample is the first after a gap                   */
	int64_t look_ns;                   /* from this sample time on one is looked at: a gap, run/constant.c   */
	bool rotvec_is_enough;             /* inputs: nothing directly below looks at quat[]                     */
	uint32_t known_flags, sample_size; /* inputs and filters that emit: what is taken of their samples       */
	uint64_t seq;                      /* inputs and filters that emit: next sample number                   */
	struct hp_node **raws;             /* inputs: outputs below with raw()                                   */
	size_t nraws;
};

/* Everybody may read them. */
struct hp_counts {
	uint64_t in, out;    /* samples that came, that left well */
	uint64_t not_finite; /* samples dropped for that          */
	uint64_t nonsense;   /* filters: answers that mean nothing, dropped */
	uint64_t lost;       /* inputs: dropped between a thread and the loop */
	uint64_t dropped;    /* outputs: did not leave, by the module's own count */
	/* outputs that write files: of `out`, what went into a ring, and what the writer thread has put where it
	 * belongs */
	uint64_t handed;
	_Atomic uint64_t stored;
};

/* run/output.c: failures of one output, told at most once a second. */
struct hp_trouble {
	uint64_t total, since_told; /* errors */
	int64_t told_ns;
	int last;         /* errno value, positive */
	bool ends;        /* `on_error = stop` */
	const char *what; /* "sends", "encodings", ... */
};

/* run/request.c: requests of a module that were refused, told at most once a second. */
struct hp_refused {
	uint64_t more; /* since the last that was told */
	int64_t told_ns;
};

/* The services that have handles; each its own list, freed by the host. */
struct hp_handles {
	struct hp_timer *timers;
	struct hp_udp *udps;
	struct hp_watch *watches;
	struct hp_file *files;
};

struct hp_node {
	struct hp_host host; /* first member: what the module sees */

	/* graph.c: which section, and who does its work */
	struct hp_run *run;
	enum hp_kind kind;
	const char *name;                         /* of the section */
	char who[48];                             /* "output game", for log lines */
	const struct hp_module *module, *encoder; /* encoder: outputs with `send` */
	void *state, *encoder_state;
	struct hp_node_ini *ini;

	/* wiring.c: where it hangs */
	struct hp_node *up;    /* NULL for inputs */
	struct hp_node *input; /* the root; an input's own address */
	struct hp_node **kids; /* in the order of the file */
	size_t nkids;
	struct hp_node **all; /* inputs: everything below, depth first */
	size_t nall;

	/* run/life.c: how it is */
	enum hp_phase phase;
	bool opening, said; /* in open(): it has said itself why it cannot */
	bool dead;          /* failed: outputs are skipped, filters drop */
	struct hp_again
	    *again; /* run/again.c: an output that could not be opened, and is dead until it can; NULL = none */
	struct hp_again *kept; /* the same, while it is opened first */
	bool bypass; /* filters above the place where the samples of a replay were recorded: these had it already */

	struct hp_program program;
	struct hp_counts counts;
	struct hp_stream stream;        /* inputs: what outputs see now; run/stream.c */
	struct hp_described *described; /* run/stream.c: what describe() left */
	struct hp_queue *_Atomic queue; /* run/post.c, made on first use      */
	struct hp_constant *constant;   /* run/constant.c: inputs with constant_after, else NULL */
	struct hp_limit *limit;         /* run/limit.c: outputs with rate or on_loss, else NULL */
	struct hp_fail *fail;           /* run/fail.c */
	struct hp_handles handles;
	struct hp_trouble trouble;
	struct hp_refused refused;
};

/* Everything that runs: the nodes of all files in the order of the files. Zero it before hp_graph_build(). */
struct hp_run {
	struct hp_node **nodes;
	size_t nnodes, nall; /* in the pipeline; with those left out by `enabled = no` */
	uint32_t ninputs;
	struct hp_run_ini *ini;
	bool quiet, stopping;
	int exit_code;
	uint8_t *packet; /* encoders write here */
	size_t packet_size;
	struct hp_perf *perf;       /* NULL = not measured */
	struct hp_loop *loop;       /* run/loop.h; NULL before and after */
	struct hp_udp_sockets *udp; /* run/udp_socket.c: shared by all outputs, NULL = none yet */
};

/* The module only ever had a const view of what is the node's first member. */
static inline struct hp_node *hp_node_of(const struct hp_host *h)
{
	return (struct hp_node *)(uintptr_t)h;
}
#endif
