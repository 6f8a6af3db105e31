# headpipe - two commands matter: `make run` and `make test`.
VERSION  := 0.1.0
PREFIX   ?= /usr/local
DESTDIR  ?=
CC       ?= cc
CFLAGS   ?= -O2 -g
SANITIZE ?=
WERROR   ?=
# Build folder. The plain build's program is build/headpipe; sanitizers and BUILD=name get folders of their own.
comma := ,
NAME  := $(or $(BUILD),$(subst $(comma),-,$(SANITIZE)))
B     := build$(if $(NAME),/$(NAME))

DEPS := libuv msgpack hidapi-hidraw inih zlib jansson
# Optional libraries: VARIABLE:pkg-config name:Debian package. A module that needs one is listed as "not built" without it.
OPTIONAL := ZSTD:libzstd:libzstd-dev LZ4:liblz4:liblz4-dev LIBDEFLATE:libdeflate:libdeflate-dev LIBLO:liblo:liblo-dev LIBEVDEV:libevdev:libevdev-dev MOSQUITTO:libmosquitto:libmosquitto-dev
part = $(word $2,$(subst :, ,$1))

HP_CFLAGS := -std=c11 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -Ihost/api -Ihost -I. -I$B \
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wimplicit-fallthrough \
  -fvisibility=hidden -MMD -MP -DHP_VERSION='"$(VERSION)"' -DHP_PREFIX='"$(PREFIX)"' $(if $(WERROR),-Werror)
HP_LDFLAGS :=
# The bytes are a promise, so these stand after CFLAGS in every compile line: no fused multiply-add, no fast-math, no x87.
# On x86 the instructions themselves are taken away, because gcc's vectoriser fuses in spite of -ffp-contract=off.
# Words that link start-up code which flushes subnormal numbers to 0 are taken out altogether.
X86  := $(if $(filter x86_64% amd64% i%86-%,$(shell $(CC) -dumpmachine 2>/dev/null)),-msse2 -mfpmath=sse -mno-fma -mno-fma4 -mno-avx512f)
HP_LAST := -fno-fast-math -fno-unsafe-math-optimizations -fno-associative-math -fno-reciprocal-math -fno-finite-math-only \
  -fsigned-zeros -fno-math-errno -ffp-contract=off $(X86)
kept  = $(patsubst -Ofast,-O3,$(filter-out -ffast-math -funsafe-math-optimizations,$1))
COMPILE = $(CC) $(HP_CFLAGS) $1 $(call kept,$(CFLAGS)) $(HP_LAST)
LINK    = $(CC) $(HP_LDFLAGS) $(call kept,$(LDFLAGS))
# `make V=1` shows the full commands.
Q = $(if $(V),,@echo '  $1'; )
ifneq ($(SANITIZE),)
HP_CFLAGS  += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
HP_LDFLAGS += -fsanitize=$(SANITIZE)
endif

FUZZING ?=
ifneq ($(FUZZING),)
HP_CFLAGS += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
endif

# Only now, so that a fresh machine can still run `make deps`: what pkg-config knows.
HAVE    = $(foreach o,$(OPTIONAL),$(if $(shell pkg-config --exists $(call part,$o,2) 2>/dev/null && echo y),$o))
HAVE   := $(HAVE)
PC_CFLAGS = $(shell pkg-config --cflags $(DEPS) $(foreach o,$(HAVE),$(call part,$o,2)))
PC_LIBS   = $(shell pkg-config --libs $(DEPS) $(foreach o,$(HAVE),$(call part,$o,2)))

# Sources that need an optional library are named here; everything else is built always.
NEEDS_ZSTD      :=
NEEDS_LIBLO     := outputs/encoders/osc.c
NEEDS_LIBEVDEV  := outputs/uinput.c
NEEDS_MOSQUITTO := outputs/mqtt.c inputs/mqtt.c host/io/broker.c host/io/broker_thread.c host/io/broker_cause.c host/io/topic.c
LACKING := $(foreach o,$(filter-out $(HAVE),$(OPTIONAL)),$(NEEDS_$(call part,$o,1)))

SOURCES := $(wildcard inputs/*.c inputs/*/*.c filters/*.c filters/*/*.c outputs/*.c outputs/*/*.c)
MODS  := $(filter-out $(LACKING),$(SOURCES))
HOST  := $(filter-out $(LACKING),$(wildcard host/*/*.c host/*/*/*.c))
# Each file in host/commands is a command of its name; what they share is in host/commands/shared.
COMMANDS := $(sort $(filter-out main,$(patsubst host/commands/%.c,%,$(wildcard host/commands/*.c))))
LIBO  := $(MODS:%.c=$B/%.o) $(HOST:%.c=$B/%.o)
UNIT  := $(patsubst %.c,$B/%,$(wildcard tests/unit/test_*.c))
PLAINO := $(patsubst %.c,$B/%.o,$(wildcard tests/plain/*.c))
FUZZ  := $(patsubst %.c,$B/%,$(wildcard tests/fuzz/fuzz_*.c))
TESTMODS := $(patsubst tests/unit/modules/%.c,$B/tests/modules/%.so,$(wildcard tests/unit/modules/*.c))
BENCHO := $(patsubst %.c,$B/%.o,$(wildcard bench/*.c))

.PHONY: all run test deps deps-test clean format install bench bench-count bench-idle bench-verify fuzz fuzz-run tests test-device FORCE
# As many at once as there are processors, unless make was told.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
.DELETE_ON_ERROR:
.SECONDARY:
all: $B/headpipe

# The recipe runs make again, because what pkg-config finds was asked before the installation.
deps:
	@pkg-config --exists $(DEPS) 2>/dev/null || sh host/install-deps.sh build
deps-test:
	@sh host/install-deps.sh test

run: deps
	@$(MAKE) --no-print-directory $(JOBS) all
	$B/headpipe run conf/demo.ini

$B/flags: FORCE
	@mkdir -p $B; echo '$(subst ','"'"',$(call COMPILE,) $(LINK) $(HAVE))' | cmp -s - $@ || \
	echo '$(subst ','"'"',$(call COMPILE,) $(LINK) $(HAVE))' > $@
$B/have.h: $B/flags
	@{ $(foreach o,$(OPTIONAL),echo '#define HP_HAVE_$(call part,$o,1) $(if $(filter $o,$(HAVE)),1,0)';) } > $@

$B/commands.def: FORCE
	@mkdir -p $B; echo '$(foreach c,$(COMMANDS),COMMAND($c))' >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$B/host/main.o $B/host/commands/help.o $B/tests/unit/test_arguments.o $B/tests/fuzz/fuzz_arguments.o: $B/commands.def

# Built-in modules take their kind from their folder, and their place in the list from their file: MODULE rows are
# BUILTIN(kind, name) or, where the library is not there, MISSING(kind, name, "package"), by kind, then by name.
kind_of = $(if $(filter inputs/%,$1),input,$(if $(filter filters/%,$1),filter,$(if $(filter outputs/encoders/%,$1),encoder,$(if \
  $(filter outputs/%,$1),output))))
KIND = $(addprefix -DHP_BUILTIN=,$(call kind_of,$<))
rows = $(if $(strip $2),sed -n 's/^HP_MODULE(\([a-z0-9_]*\)).*/$(call part,$1,1)($(call part,$1,2), \1$3)/p' $2;)
of_kind = $(foreach s,$2,$(if $(filter $1,$(call kind_of,$s)),$s))
$B/builtin.def: FORCE
	@mkdir -p $B; { $(foreach k,input filter output encoder,$(call rows,BUILTIN:$k,$(call of_kind,$k,$(MODS))) \
	  $(foreach o,$(filter-out $(HAVE),$(OPTIONAL)),$(call rows,MISSING:$k,$(call \
	    of_kind,$k,$(filter $(NEEDS_$(call part,$o,1)),$(SOURCES))),$(comma) "$(call part,$o,3)"))) } | \
	LC_ALL=C sort -t'(' -k2 >$@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$B/host/graph/modules.o: $B/builtin.def

$B/%.o: %.c $B/flags $B/have.h
	@mkdir -p $(@D)
	$(call Q,CC   $<)$(call COMPILE,$(KIND) $(PC_CFLAGS)) -c $< -o $@

$B/libhost.a: $(LIBO)
	@rm -f $@
	@ar rcs $@ $^
$B/headpipe: $B/host/main.o $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
$B/tests/unit/%: $B/tests/unit/%.o $(PLAINO) $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ $(PC_LIBS) -lcmocka -ldl -lm -lpthread
# Modules that tests load; a sanitizer's own symbols are in the program.
$B/tests/modules/%.so: tests/unit/modules/%.c $B/flags
	@mkdir -p $(@D)
	$(call Q,LINK $@)$(call COMPILE,) -fPIC -shared $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) -Wl,-z,nodelete $< -o $@
# The same source explores under `make fuzz` and replays its committed corpus in `make test`.
ifneq ($(FUZZING),)
$B/tests/fuzz/%: $B/tests/fuzz/%.o $B/libhost.a
	$(call Q,LINK $@)$(CC) -fsanitize=fuzzer,address,undefined $(call kept,$(LDFLAGS)) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
else
$B/tests/fuzz/%: $B/tests/fuzz/%.o $B/tests/fuzz/replay.o $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
endif
# make fuzz [FUZZ_SECONDS=60] [TARGET=config]: what is found lies in build/fuzz/.
FUZZ_SECONDS ?= 60
TARGET ?= *
fuzz: deps-test
	@$(MAKE) --no-print-directory BUILD=fuzz CC=clang FUZZING=1 fuzz-run
fuzz-run: $(FUZZ)
	@for t in $B/tests/fuzz/fuzz_$(TARGET); do case $$t in *.[od]) continue;; esac; n=$${t##*/fuzz_}; \
	mkdir -p $B/corpus/$$n; echo "== $$n"; \
	$$t -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=1024 \
	    -artifact_prefix=$B/found-$$n- $B/corpus/$$n tests/fuzz/corpus/$$n >$B/$$n.log 2>&1 || \
	    { tail -n 40 $B/$$n.log; exit 1; }; done; echo 'nothing found'

$B/headpipe-bench: $(BENCHO) $(PLAINO) $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
$B/headpipe-verify: $B/bench/verify/verify.o $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ -lm -lpthread

# libheadpipe-session: the session reader and writer alone. Only the functions of headpipe-session.h can be seen.
SESSION_SRC := $(wildcard host/session/*.c host/number/*.c)
SESSION_PIC := $(SESSION_SRC:%.c=$B/pic/%.o)
SESSION_OPT := $(foreach o,ZSTD:libzstd LZ4:liblz4 LIBDEFLATE:libdeflate,$(if $(filter $(call part,$o,1):%,$(HAVE)),$(call part,$o,2)))
SESSION_LIBS = $(shell pkg-config --libs zlib $(SESSION_OPT)) -lm
SESSION_SO := libheadpipe-session.so.1
.PHONY: lib
lib: $B/$(SESSION_SO) $B/libheadpipe-session.a
$B/pic/%.o: %.c $B/flags $B/have.h
	@mkdir -p $(@D)
	$(call Q,CC   $<)$(call COMPILE,-fPIC $(PC_CFLAGS)) -c $< -o $@
$B/$(SESSION_SO): $(SESSION_PIC)
	$(call Q,LINK $@)$(CC) -shared -Wl,-soname,$(SESSION_SO) $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) $(HP_LDFLAGS) $(call kept,$(LDFLAGS)) $^ -o $@ $(SESSION_LIBS)
	@ln -sf $(SESSION_SO) $B/libheadpipe-session.so
$B/libheadpipe-session.a: $(SESSION_PIC)
	@rm -f $@
	@ld -r $^ -o $B/pic/session.o && objcopy --localize-hidden $B/pic/session.o && ar rcs $@ $B/pic/session.o

# Session files in figures, beside those of the peer; --json: one object per line.
BENCH_SESSIONO := $(patsubst %.c,$B/%.o,$(wildcard bench/session/*.c))
$B/headpipe-bench-session: $(BENCH_SESSIONO) $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ $(PC_LIBS) -lm -lpthread
bench-session: deps
	@$(MAKE) --no-print-directory $B/headpipe $B/headpipe-bench-session
	$B/headpipe-bench-session

# The live path of whole programs, beside a plain one; see bench/live.
$B/bench/live/plain: $B/bench/live/plain.o $B/libhost.a
	$(call Q,LINK $@)$(CC) $(HP_LDFLAGS) $(LDFLAGS) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
$B/bench/live/live: $B/bench/live/live.o
	$(call Q,LINK $@)$(CC) $(HP_LDFLAGS) $(LDFLAGS) $^ -o $@ -lpthread
$B/bench/live/preload.so: bench/live/preload.c $B/flags
	@mkdir -p $(@D)
	$(call Q,LINK $@)$(CC) $(filter-out -fsanitize%,$(HP_CFLAGS)) $(PC_CFLAGS) $(CFLAGS) -fvisibility=default -fPIC -shared $< -o $@ -ldl
LIVE := $B/bench/live/plain $B/bench/live/live $B/bench/live/preload.so
.PHONY: bench-live
bench-live: deps
	@$(MAKE) --no-print-directory $B/headpipe $(LIVE)
	@B=$B sh bench/live/run.sh $(LIVE_ARGS)

# Pose quality in figures (docs/pose.md). UPDATE=1 writes them into the page and into what a test compares with;
# HEADS=folder: recorded heads of your own.
BENCH_POSE := $(patsubst %.c,$B/%.o,$(wildcard bench/pose/*.c))
HEADS ?= bench/pose/data
.PHONY: bench-pose
$B/headpipe-bench-pose: $(BENCH_POSE) $B/libhost.a
	$(call Q,LINK $@)$(LINK) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
bench-pose: deps
	@$(MAKE) --no-print-directory $B/headpipe-bench-pose
	@if [ -z "$(UPDATE)" ]; then $B/headpipe-bench-pose --heads '$(HEADS)'; else \
	  $B/headpipe-bench-pose --write bench/pose/figures.txt && $B/headpipe-bench-pose --heads '$(HEADS)' >$B/pose.md && \
	  awk 'FNR == NR { table = table $$0 "\n"; next } /^<!-- figures -->/ { print; printf "\n%s\n", table; skip = 1 } \
	    /^<!-- end -->/ { skip = 0 } !skip' $B/pose.md docs/pose.md >$B/pose.new && mv $B/pose.new docs/pose.md; fi

# Timing; number text against the C library, 10^8 values each; instructions per operation (see bench/count.sh).
bench: deps
	@$(MAKE) --no-print-directory $B/headpipe-bench
	$B/headpipe-bench --counts bench/counts.txt
bench-verify: deps
	@$(MAKE) --no-print-directory $B/headpipe-verify
	$B/headpipe-verify
bench-count: deps
	@$(MAKE) --no-print-directory $B/headpipe-bench
	sh bench/count.sh $B/headpipe-bench

tests: all $B/docs-tables $(UNIT) $(FUZZ) $(TESTMODS) $(if $(SANITIZE),,$(LIVE) $B/headpipe-bench $B/headpipe-bench-session $B/headpipe-bench-pose)
test: deps-test
	@$(MAKE) --no-print-directory $(JOBS) tests
	@B=$B CC='$(CC)' SANITIZE='$(SANITIZE)' sh tests/run.sh

# The same on a busy machine, N=5 times.
.PHONY: test-load mutants account
test-load: deps-test
	@$(MAKE) --no-print-directory $(JOBS) tests
	@B=$B CC='$(CC)' SANITIZE='$(SANITIZE)' N=$(N) sh tests/load.sh
# Does every command account for every message? Random legal MCAP files: make account [FILES=10000] [SEED=1]
account: deps-test
	@$(MAKE) --no-print-directory $B/headpipe
	@B=$B python3 tests/e2e/session_account.py $(or $(FILES),10000) $(SEED)
# Which small changes of the program does no test notice? make mutants [N=200] [SEED=1] [ONLY=host/run/limit.c]
N    ?= $(if $(filter mutants,$(MAKECMDGOALS)),200,5)
SEED ?= 1
mutants: deps-test
	@$(MAKE) --no-print-directory $(JOBS) tests
	@B=$B python3 tests/mutants/mutate.py $(N) $(SEED) $(ONLY)

# Wake-ups, CPU time, page faults and memory, idle and streaming; SECONDS_EACH=30 per case.
bench-idle: all
	@HEADPIPE=$B/headpipe sh bench/idle.sh

# headpipe on a real kernel with virtual head trackers, in a virtual machine; skipped where there is no QEMU.
test-device: deps
	@$(MAKE) --no-print-directory $(JOBS) all
	@B=$B CC='$(CC)' sh tests/device/run.sh || { [ $$? = 77 ] || exit 1; }

# What is installed needs nothing of this folder. Modules of your own: pkg-config --cflags headpipe.
.PHONY: install uninstall
D = $(DESTDIR)$(PREFIX)
UDEV_RULES ?= $(if $(filter /usr,$(PREFIX)),/usr/lib,/etc)/udev/rules.d
install: all lib
	install -d $D/bin $D/include $D/lib/headpipe $D/lib/pkgconfig $D/share/headpipe/conf $D/share/man/man1 $D/share/doc/headpipe
	install -m 755 $B/headpipe $D/bin/headpipe
	install -m 644 host/api/headpipe.h host/api/headpipe-session.h $D/include/
	install -m 755 $B/$(SESSION_SO) $D/lib/$(SESSION_SO)
	ln -sf $(SESSION_SO) $D/lib/libheadpipe-session.so
	@if [ -z "$(DESTDIR)" ] && [ -w /etc/ld.so.cache ]; then case $(PREFIX) in /usr|/usr/local) ldconfig;; esac; fi
	install -m 644 $B/libheadpipe-session.a $D/lib/libheadpipe-session.a
	install -m 644 docs/headpipe.1 $D/share/man/man1/headpipe.1
	install -m 644 LICENSE README.md docs/*.md $D/share/doc/headpipe/
	install -m 644 $(filter-out %.rules %.service,$(wildcard conf/*)) $D/share/headpipe/conf/
	sed 's,@BINDIR@,$(PREFIX)/bin,' conf/70-headpipe.rules > $D/share/headpipe/70-headpipe.rules
	install -d $D/lib/systemd/user
	sed 's,@BINDIR@,$(PREFIX)/bin,' conf/headpipe.service > $D/lib/systemd/user/headpipe.service
	@# udev runs what the rule names as root: never a program in a folder that somebody else may write to
	@if [ -z "$(DESTDIR)" ] && ! $D/bin/headpipe udev rule | grep -q 'PROGRAM=='; then \
	  echo "no udev rule: others than root may write to $D/bin; for access to head trackers: $D/bin/headpipe doctor"; \
	elif install -d $(DESTDIR)$(UDEV_RULES) 2>/dev/null && [ -w $(DESTDIR)$(UDEV_RULES) ]; then \
	  echo install -m 644 $D/share/headpipe/70-headpipe.rules $(DESTDIR)$(UDEV_RULES)/; \
	  install -m 644 $D/share/headpipe/70-headpipe.rules $(DESTDIR)$(UDEV_RULES)/; \
	else echo "not allowed to write $(UDEV_RULES); for access to head trackers: $D/bin/headpipe doctor"; fi
	@# what is connected already gets its access now; not when this only fills a package
	@if [ -z "$(DESTDIR)" ] && [ -e $(UDEV_RULES)/70-headpipe.rules ] && command -v udevadm >/dev/null; then \
	  udevadm control --reload && udevadm trigger --action=add --subsystem-match=hidraw || true; fi
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'moduledir=$${prefix}/lib/headpipe' '' \
	  'Name: headpipe' 'Description: header for modules of the headpipe head-tracking host' 'Version: $(VERSION)' \
	  'Cflags: -I$${includedir}' > $D/lib/pkgconfig/headpipe.pc
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' 'libdir=$${prefix}/lib' '' \
	  'Name: headpipe-session' 'Description: reads and writes headpipe session files (MCAP)' 'Version: $(VERSION)' \
	  'Requires.private: zlib $(SESSION_OPT)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lheadpipe-session' \
	  'Libs.private: -lm' > $D/lib/pkgconfig/headpipe-session.pc
uninstall:
	rm -rf $D/bin/headpipe $D/include/headpipe.h $D/lib/pkgconfig/headpipe.pc $D/share/man/man1/headpipe.1 \
	  $D/include/headpipe-session.h $D/lib/pkgconfig/headpipe-session.pc $D/lib/libheadpipe-session.* \
	  $D/share/doc/headpipe $D/share/headpipe $D/lib/systemd/user/headpipe.service \
	  $(DESTDIR)$(UDEV_RULES)/70-headpipe.rules
	-rmdir $D/lib/headpipe # stays while modules are in it

# The pages that are generated, and the tables in others; tests/docs compares them.
$B/docs-tables: $B/tests/docs/tables.o $B/libhost.a
	$(call Q,LINK $@)$(CC) $(HP_LDFLAGS) $(LDFLAGS) $^ -o $@ $(PC_LIBS) -ldl -lm -lpthread
.PHONY: docs
docs: all $B/docs-tables $B/tests/unit/test_signs
	$B/headpipe modules --markdown > docs/modules.md
	B=$B UPDATE=1 sh tests/docs/tables.sh
	B=$B UPDATE=1 sh tests/docs/man.sh
	UPDATE=1 $B/tests/unit/test_signs

# Not what stays as it was published, nor what is shown to people as text.
format:
	clang-format -i $$(git ls-files '*.c' '*.h' | grep -v -e ^tests/abi/ -e ^docs/examples/ -e ^host/commands/new_text.h)
clean:
	rm -rf build
-include $(SESSION_PIC:.o=.d) $(BENCH_SESSIONO:.o=.d)
-include $(BENCHO:.o=.d) $(BENCH_POSE:.o=.d) $(LIBO:.o=.d) $B/tests/docs/tables.d $B/host/main.d $(UNIT:=.d) $(PLAINO:.o=.d) $(FUZZ:=.d) $(TESTMODS:.so=.d)
