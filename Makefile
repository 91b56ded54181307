# headcount: `make sweep` installs what is missing, builds, and finds the best head count.
# `make help` lists the targets.

CC       = gcc
BUILD    = build
PREFIX   = /usr/local
DB       = results/headcount.db
WERROR   =
SAN      =

# Of the machine that the compiler builds for; nothing where there is no compiler yet (`make deps`).
ARCH    := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
VERSION := 1.0.0
# A tar of `make dist` has .commit instead of a history: the commit, and a hash of what it compiles.
PACKED  := $(if $(wildcard .git),,$(shell cat .commit 2>/dev/null))
COMMIT  := $(or $(firstword $(PACKED)),$(shell git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null || echo unknown))

WARN     = -Wall -Wextra -Wconversion -Wshadow -Wformat=2 -Wmissing-prototypes \
           -Wstrict-prototypes $(if $(SAN)$(COVERAGE),,-Wframe-larger-than=139264) $(if $(WERROR),-Werror)
# Hardening as in the OpenSSF compiler options guide.
HARDEN   = -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
           $(if $(filter x86_64,$(ARCH)),-fcf-protection)
LDHARDEN = -pie -Wl,-z,relro,-z,now,-z,noexecstack
OPT      = $(if $(SAN),-O1,-O2)
# What sanitizers tell is lines; what else -g writes takes a sixth of the time of their build, and -O2 two fifths.
DEBUG    = $(if $(SAN),-g1,-g)
# One object serves the program and the library that the tests link: code for libraries, which calls
# itself as directly as a program's does.
CFLAGS   = -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -fPIC -fno-semantic-interposition $(DEBUG) $(OPT) $(WARN) -MMD -MP
LDFLAGS  = -g
# A user's EXTRA=-march=native or EXTRA='-IFOLDER -LFOLDER' goes to everything that is compiled or linked. The
# kernels' instruction sets stay those of their names.
EXTRA    =
export CC EXTRA # for tests/deps.sh

# `make V=1` shows whole commands; otherwise one short line a file.
V       =
Q       = $(if $(V),,@)
SAY     = $(if $(V),@:,@printf '  %-4s %s\n')

# One goal is built on all cores unless -j says otherwise; several goals stand in an order that counts
# (`make clean all`).
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(or $(shell nproc 2>/dev/null),1)
endif

comma := ,
ifeq ($(SAN),)
CFLAGS  += $(HARDEN)
LDFLAGS += $(LDHARDEN)
else
override BUILD := $(BUILD)/$(subst $(comma),-,$(SAN))
CFLAGS  += -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SAN)
endif
ifneq ($(COVERAGE),)
override BUILD := $(BUILD)/coverage
OPT      = -O0
HARDEN   =
CFLAGS  += --coverage
LDFLAGS += --coverage
endif
# Kernels: products may be contracted, errno and traps are never looked at. Sums are not reordered by
# the compiler (the sources say in which order they are taken), and NaN, Inf and signed zeros keep
# their meaning: -fassociative-math was measured to gain nothing and loses a NaN in cross-entropy.
KERNEL_FLAGS = -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast
# Of the sanitizers' questions about every pointer, those that the address sanitizer answers too are
# left out: unrolled loops ask them so often that the kernels would take minutes to compile.
KERNEL_FLAGS += $(if $(SAN),-fno-sanitize=pointer-overflow$(comma)null$(comma)object-size)

ifeq ($(ARCH),x86_64)
KERNEL_SETS = sse2 avx2 avx512
else
KERNEL_SETS = portable
endif
KERNEL_CFLAGS_portable =
KERNEL_CFLAGS_sse2   = -march=x86-64
KERNEL_CFLAGS_avx2   = -march=x86-64 -mavx2 -mfma
KERNEL_CFLAGS_avx512 = -march=x86-64 -mavx512f -mavx512vl -mavx512bw -mavx512dq -mfma -mprefer-vector-width=512
# A set takes a minute of the compiler sanitized with -O3, and a third with -O1, with which training takes
# three times as long: for the sets that this machine does not train with, which tests run all the same.
ifneq ($(SAN),)
SETS_BESIDE = sse2 $(if $(shell grep -m1 avx512bw /proc/cpuinfo 2>/dev/null),avx2,avx512)
$(foreach s,$(filter $(SETS_BESIDE),$(KERNEL_SETS)),$(eval KERNEL_CFLAGS_$(s) += -O1))
endif

# simd.c is compiled once per instruction set, by a rule of its own.
ENGINE_SRC   = $(filter-out engine/kernels/simd.c,$(wildcard engine/*.c engine/*/*.c))
DATASETS_SRC = $(wildcard datasets/*.c)
SWEEP_SRC    = $(filter-out sweep/cli/main.c $(SERVE_OUT),$(wildcard sweep/*/*.c))

# libmicrohttpd is for `headcount serve` only, which without its header says how to get it.
HTTPD       := $(shell printf '\043include <microhttpd.h>\n\043if MHD_VERSION < 0x00097302\n\043error\n\043endif\n' | \
                 $(CC) $(EXTRA) -E -x c - >/dev/null 2>&1 && echo yes)
SERVE_OUT    = $(addprefix sweep/serve/,$(if $(HTTPD),listener_none.c,listener.c httpd.c))

# The kernels, which take longest to compile, come first.
ENGINE_OBJ   = $(KERNEL_SETS:%=$(BUILD)/engine/kernels/simd_%.o) $(ENGINE_SRC:%.c=$(BUILD)/%.o)
DATASETS_OBJ = $(DATASETS_SRC:%.c=$(BUILD)/%.o)
SWEEP_OBJ    = $(SWEEP_SRC:%.c=$(BUILD)/%.o)
DOUBLE_OBJ   = $(ENGINE_SRC:%.c=$(BUILD)/double/%.o)

LIBENGINE    = $(BUILD)/libengine.a
LIBDOUBLE    = $(BUILD)/libengine_double.a
LIBDATASETS  = $(BUILD)/libdatasets.a
LIBSWEEP     = $(BUILD)/libsweep.a

# OpenBLAS is loaded when something is computed (engine/kernels/blas.h).
ENGINE_LIBS  = -lm -ldl $(LDLIBS)
SWEEP_LIBS   = -lyaml -lsqlite3 -lz -pthread $(ENGINE_LIBS)

PROGRAM = $(if $(SAN)$(COVERAGE),$(BUILD)/headcount,headcount)
RUN     = $(if $(filter /%,$(PROGRAM)),,./)$(PROGRAM)

all: $(PROGRAM)

$(PROGRAM): $(BUILD)/sweep/cli/main.o $(LIBSWEEP) $(LIBDATASETS) $(LIBENGINE)
	$(SAY) LD $@
	$(Q)$(CC) $(LDFLAGS) $(EXTRA) -o $@ $^ $(SWEEP_LIBS)
	$(if $(HTTPD),,@echo '  without headcount serve: libmicrohttpd-dev is missing or older than 0.9.73 (make deps installs it)')

$(LIBENGINE): $(ENGINE_OBJ)
$(LIBDATASETS): $(DATASETS_OBJ)
$(LIBSWEEP): $(SWEEP_OBJ)
$(LIBDOUBLE): $(DOUBLE_OBJ)
$(BUILD)/%.a:
	@rm -f $@
	$(SAY) AR $@
	$(Q)ar rcs $@ $^

# Nothing is compiled before all that it takes is there: one message instead of one for each file.
$(BUILD)/deps: Makefile
	@sh tests/deps.sh -n build
	@mkdir -p $(@D) && touch $@

# An object of other flags does not link, or worse, links and stays: this file has them.
$(BUILD)/%.o: %.c Makefile | $(BUILD)/deps
	@mkdir -p $(@D)
	$(SAY) CC $@
	$(Q)$(CC) $(CFLAGS) $(EXTRA) -c -o $@ $<

$(BUILD)/double/%.o: %.c Makefile | $(BUILD)/deps
	@mkdir -p $(@D)
	$(SAY) CC $@
	$(Q)$(CC) $(CFLAGS) $(EXTRA) -DREAL_DOUBLE -c -o $@ $<

define KERNEL_RULE
$(BUILD)/engine/kernels/simd_$(1).o: engine/kernels/simd.c Makefile | $(BUILD)/deps
	@mkdir -p $$(@D)
	$$(SAY) CC $$@
	$$(Q)$$(CC) $$(CFLAGS) $$(KERNEL_FLAGS) $$(EXTRA) $$(KERNEL_CFLAGS_$(1)) -DKERNEL_SET=$(1) -c -o $$@ $$<
endef
$(foreach s,$(KERNEL_SETS),$(eval $(call KERNEL_RULE,$(s))))

# Loops over all attention weights: plain C, which becomes vectors under the flags of kernels.
ifeq ($(COVERAGE),)
$(BUILD)/engine/measures/%.o $(BUILD)/engine/kernels/similarity.o: OPT = $(KERNEL_FLAGS)
endif

# What is generated appears whole, under its name or not at all: another make may be at work here.
IN_PLACE = > $@.$$$$ && mv $@.$$$$ $@ || { rm -f $@.$$$$; false; }

# A text as the lines of a C string; ?? would begin a trigraph.
AS_C = sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/.*/"&\\n"/'

# The database schema and the statements of each floor, as C.
SQL_AS_C = $(BUILD)/schema.h $(BUILD)/views.h
$(BUILD)/sweep/db/store.o: $(SQL_AS_C)
$(SQL_AS_C): $(BUILD)/%.h: sweep/db/%.sql
	@mkdir -p $(@D)
	$(Q)$(AS_C) $< $(IN_PLACE)

STATEMENTS = $(addprefix $(BUILD)/,db_parts.h trials_parts.h trials_sql.h trials_checks.h merge_sql.h)
$(SWEEP_OBJ) $(BUILD)/sweep/cli/main.o: | $(STATEMENTS)
$(BUILD)/db_parts.h: sweep/db/parts.sql
$(BUILD)/trials_parts.h $(BUILD)/trials_sql.h: sweep/db/parts.sql sweep/trials/trials.sql
$(BUILD)/trials_checks.h: sweep/trials/checks.sql
$(BUILD)/merge_sql.h: sweep/db/parts.sql sweep/merge/merge.sql
$(STATEMENTS): sweep/db/statements.awk
	@mkdir -p $(@D)
	$(Q)awk -v want=$(if $(filter %_parts.h,$@),shared,statements) -f sweep/db/statements.awk $(filter %.sql,$^) $(IN_PLACE)

# The page's scripts are one, of which the last begins: of the page in a file, and of the live one.
PAGE_AS_C  = $(addprefix $(BUILD)/page_,html.h css.h js.h live_js.h)
PAGE_FILE  = sweep/page/file.js
PAGE_LIVE  = $(filter-out %/live.js,$(wildcard sweep/page/live_*.js)) sweep/page/live.js
PAGE_PARTS = $(filter-out $(PAGE_FILE) $(PAGE_LIVE),$(sort $(wildcard sweep/page/*.js)))
$(BUILD)/sweep/page/page.o: $(PAGE_AS_C)
$(BUILD)/page_html.h: sweep/page/page.html
$(BUILD)/page_css.h: sweep/page/page.css
$(BUILD)/page_js.h: $(PAGE_PARTS) $(PAGE_FILE)
$(BUILD)/page_live_js.h: $(PAGE_PARTS) $(PAGE_LIVE)
$(PAGE_AS_C):
	@mkdir -p $(@D)
	$(Q)cat $^ | $(AS_C) $(IN_PLACE)

$(BUILD)/sweep/worker/build_info.o: $(BUILD)/build_id.h
# What hosts compare, and what tells builds apart whose commit does not: a hash of the version and of
# all that is compiled, whatever the compiler and its flags make of it.
COMPILED = $(sort $(wildcard $(foreach folder,engine engine/* datasets sweep/*,$(addprefix $(folder)/*.,c h def)) \
             sweep/*/*.sql sweep/db/statements.awk $(addprefix sweep/page/*.,html css js)))
$(BUILD)/build_id.h: force
	@mkdir -p $(@D)
	@sources=$$(sha256sum $(COMPILED)) && sources=$$(printf '%s\n' '$(VERSION)' "$$sources" | sha256sum) && \
	  sources=$${sources%% *} commit='$(COMMIT)' packed='$(word 2,$(PACKED))' && \
	  case "$${packed:-$$sources}" in "$$sources") ;; *) commit=$${commit%-dirty}-dirty ;; esac && \
	  case $$commit in *-dirty | unknown) commit=$$commit+$$(printf %.12s "$$sources") ;; esac && \
	  printf '#define BUILD_%s "%s"\n' VERSION '$(VERSION)' SOURCES "$$sources" \
	    COMMIT "$$commit" \
	    COMPILER "$$($(CC) --version 2>/dev/null | head -n1 | tr -d '"\\')" \
	    FLAGS '$(OPT) $(EXTRA) $(if $(SAN),-fsanitize=$(SAN))' > $@.$$$$ && \
	  if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
force:

# ---- tests ----

TEST_SRC    = $(wildcard tests/unit/test_*.c tests/parity/test_*.c tests/sweep/test_*.c)
TEST_BIN    = $(TEST_SRC:%.c=$(BUILD)/%)
GRADIENT    = $(BUILD)/tests/gradient/test_gradients
SCRIPTED    = $(BUILD)/tests/scenarios/scripted_agent
# The longest begin, so that no core is left with one of them at the end.
TEST_LONG   = $(patsubst %,tests/cli/test_%.sh,hosts scenarios faults_kills faults_input failing_hosts faults_signals faults_storage foreign sweep stages \
              from commands merge bad_hosts build dist extend docs heads run_serve launchers numbers prune tap eval)
TEST_SHORT  = $(filter-out $(TEST_LONG),$(wildcard tests/cli/test_*.sh))
# All but main() as one shared library: 190 programs with a copy each took 600 MB, and were all linked
# anew for every file that changed. They find it from where they lie. Some have a read() or malloc() of their
# own, which all of it then calls. cmocka 2 deprecates names of cmocka 1 that have no others there.
LIBTESTED   = $(BUILD)/libtested.so
TEST_FLAGS  = $(CFLAGS) $(EXTRA) -fsemantic-interposition -Wno-deprecated-declarations

$(LIBTESTED): $(ENGINE_OBJ) $(DATASETS_OBJ) $(SWEEP_OBJ)
	$(SAY) LD $@
	$(Q)$(CC) $(filter-out -pie,$(LDFLAGS)) $(EXTRA) -shared -Wl,-Bsymbolic,-soname,$(@F) -o $@ $^ $(SWEEP_LIBS)

$(BUILD)/tests/%: tests/%.c | $(LIBTESTED)
	@mkdir -p $(@D)
	$(SAY) LD $@
	$(Q)$(CC) $(TEST_FLAGS) $(LDFLAGS) -o $@ $< $(filter %.o,$^) $(LIBTESTED) '-Wl,-rpath,$$ORIGIN/../..' -lcmocka $(SWEEP_LIBS)

$(GRADIENT): $(wildcard tests/gradient/*.[ch]) $(LIBDOUBLE)
	@mkdir -p $(@D)
	$(SAY) LD $@
	$(Q)$(CC) $(CFLAGS) $(EXTRA) -DREAL_DOUBLE $(LDFLAGS) -o $@ $(filter %.c,$^) $(LIBDOUBLE) -lcmocka $(ENGINE_LIBS)

# The simulation of the verdict: its short form is a test, its long form a program.
CALIBRATE_OBJ = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c,$(wildcard tests/calibrate/*.c)))
CALIBRATE     = $(BUILD)/tests/calibrate/main

$(CALIBRATE) $(BUILD)/tests/sweep/test_calibration: $(CALIBRATE_OBJ)

tests: $(TEST_BIN) $(GRADIENT) $(CALIBRATE) $(SCRIPTED) $(PROGRAM)

# TESTS=name runs only those whose path contains it; JOBS=1 one at a time (default: two more than cores).
test: deps
	@$(MAKE) --no-print-directory test-only

test-only: tests check-deps
	@HEADCOUNT=$(RUN) BUILD=$(BUILD) MAKE="$(MAKE)" sh tests/run.sh "$(TESTS)" $(TEST_LONG) $(TEST_BIN) $(GRADIENT) $(TEST_SHORT)

# What every command prints of kept results files becomes what it has to print, and what comes of the cases of
# tests/verdicts and tests/sweep_files what has to come of them, and so for tests/data/report: read the diff.
BLESSED = $(patsubst %,$(BUILD)/tests/sweep/test_%,verdicts sweep_files metrics page report)

bless: $(PROGRAM) $(BLESSED)
	@for test in $(BLESSED); do BLESS=1 $$test >/dev/null || exit 1; done
	@HEADCOUNT=$(RUN) BLESS=1 sh tests/cli/test_contract.sh

# Mistakes made on purpose, and which test finds each (tests/mutants/run.sh): hours, but what was tried is kept.
# MUTANT=name: only those with that in their names; TESTS=pattern: by these tests only.
MUTANT       =
ABOUT_BUILD  = $(patsubst %,tests/cli/test_%.sh,build deps dist docs engine extend layout messages numbers reference_edges tap)
mutants:
	@MAKE="$(MAKE)" TESTS="$(TESTS)" sh tests/mutants/run.sh $(BUILD)/mutants "$(MUTANT)" \
	  $(filter $(BUILD)/tests/sweep/%,$(TEST_BIN)) $(filter-out $(ABOUT_BUILD),$(TEST_SHORT) $(TEST_LONG))

# Lines of each folder beside those of the last release: a mirror, no gate.
weight:
	@sh tests/deps.sh weight
	@sh tests/weight.sh tests/data/weight-1.0.0.txt

# In Debian's Chromium, a little in its Firefox. Pictures stay in $(BUILD)/page.
test-page: $(PROGRAM)
	@sh tests/deps.sh test page
	@HEADCOUNT=$(RUN) BUILD=$(BUILD) sh tests/run.sh "" $(wildcard tests/page/test_*.sh)

# On a cluster made of this machine: Slurm with four nodes, two hosts by ssh. CLUSTER_FORM=short: a sample.
test-cluster: $(PROGRAM)
	@sh tests/deps.sh test cluster
	@HEADCOUNT=$(RUN) BUILD=$(BUILD) JOBS=1 sh tests/run.sh "$(TESTS)" $(wildcard tests/cluster/test_*.sh)

# Built for arm64 and run under QEMU. ARM64_FORM=short: a sample.
test-arm64: $(PROGRAM)
	@HEADCOUNT=$(RUN) MAKE="$(MAKE)" sh tests/arm64/run.sh $(BUILD)/arm64 $(ARM64_FORM)

# Both commands of the README on a bare Debian, as root and as a user, from what `make dist` packs.
# BARE_FORM=short: a sample; BARE_FORM=deb: the Debian package, made and installed.
SUITE     = bookworm trixie
BARE_FORM = full
test-bare: dist
	@for suite in $(SUITE); do sh tests/bare.sh $(BUILD) $(DIST) $(BARE_FORM) $$suite || exit; done

# Every include leads to the same floor of the house or to one below it.
check-deps: $(LIBENGINE)
	@sh tests/check_deps.sh $(LIBENGINE)

# SWEEPS=2000: sooner, less exact. CASE=looks: those whose name contains it.
SWEEPS = 20000
CASE   =
calibrate: $(CALIBRATE)
	$(CALIBRATE) -s $(SWEEPS) "$(CASE)"

# ---- a fresh machine ----

# What building and testing need beside a shell.
deps:
	@sh tests/deps.sh build serve test

# ARGS: further arguments of headcount run.
sweep:
	@sh tests/deps.sh build
	@$(MAKE) --no-print-directory all
	$(RUN) run configs/gather.yaml --db $(DB) $(ARGS)

BIN        = $(DESTDIR)$(PREFIX)/bin
MAN        = $(DESTDIR)$(PREFIX)/share/man/man1
COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
SHARE      = $(DESTDIR)$(PREFIX)/share/headcount
INSTALL    = install

# Its options and keys come from the program's own tables.
MAN_PAGE   = $(BUILD)/headcount.1
$(MAN_PAGE): sweep/cli/headcount.1 sweep/cli/manual.sh $(PROGRAM)
	$(Q)sh sweep/cli/manual.sh $(RUN) $< $(IN_PLACE)

# Of the man page and `headcount help`: files that their examples name are there.
install: $(PROGRAM) $(MAN_PAGE)
	$(INSTALL) -d "$(BIN)" "$(MAN)" "$(COMPLETION)" "$(SHARE)/configs/schedulers"
	$(INSTALL) -s -m 755 $(PROGRAM) "$(BIN)/headcount"
	sed 's,configs/,$(subst -,\\-,$(PREFIX))/share/headcount/&,' $(MAN_PAGE) | $(INSTALL) -m 644 /dev/stdin "$(MAN)/headcount.1"
	$(INSTALL) -m 644 sweep/cli/completion.bash "$(COMPLETION)/headcount"
	$(INSTALL) -m 644 configs/*.yaml configs/README.md "$(SHARE)/configs"
	$(INSTALL) -m 755 configs/corpora.sh "$(SHARE)/configs"
	$(INSTALL) -m 644 configs/schedulers/* "$(SHARE)/configs/schedulers"

uninstall:
	rm -f "$(BIN)/headcount" "$(MAN)/headcount.1" "$(COMPLETION)/headcount"
	rm -rf "$(SHARE)"

# ---- packages ----

DIST = $(BUILD)/headcount-$(VERSION).tar.gz
ID   = $$(sed -n 's/.* BUILD_$(1) "\([^+"]*\).*/\1/p' $(BUILD)/build_id.h)
dist: $(BUILD)/build_id.h
	@sh sweep/cli/dist.sh $(DIST) $(call ID,COMMIT) $(call ID,SOURCES)
	@echo $(DIST)

# A Debian package for this machine's Debian, from that tar.
deb: dist
	@sh tests/deps.sh build serve deb
	@sh sweep/cli/debian/build.sh $(DIST) $(BUILD)/deb

# ---- speed ----

# One core, nothing else running; the environment's choice of BLAS kernels is put aside on both sides.
QUIET = env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE taskset -c 0

bench: $(PROGRAM)
	$(QUIET) $(RUN) bench

# What the coordinator makes of very many machines, which are simulated (SCALE="HOSTS SLOTS TRIALS
# SECONDS").
bench-scale: $(PROGRAM) $(SCRIPTED)
	@sh tests/bench/scale.sh $(RUN) $(SCRIPTED) $(SCALE)

# What trials cost through agents against workers (HOSTS="TRIALS PAIRS").
bench-hosts: $(PROGRAM)
	@env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE sh tests/bench/hosts.sh $(RUN) $(HOSTS)

# CASES="gather:4 toy:8": some. THREADS=2: of each. PEERS_PIP: further arguments for pip.
THREADS = 1
bench-peers: $(PROGRAM)
	@PEERS_PIP='$(PEERS_PIP)' sh tests/bench/peers.sh $(RUN) $(BUILD)/peers $(THREADS) $(CASES)

# SERVE="TRIALS SECONDS PAIRS": fewer of them.
SERVE =
bench-serve: $(PROGRAM)
	python3 tests/bench/serve.py $(RUN) $(BUILD)/bench-serve $(SERVE)

# ---- faults ----

# FUZZ_SECONDS=1200 for long runs. Each target keeps what it finds in $(BUILD)/fuzz/.
FUZZ_SECONDS = 20
FUZZ_TARGETS = $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# Of all sources, those that read foreign bytes, and what these stand on.
FUZZ_SRC     = $(wildcard engine/*.c engine/base/*.c datasets/*.c sweep/plan/*.c) \
               sweep/worker/wire.c sweep/worker/fields.c sweep/hosts/agent_wire.c $(addprefix sweep/serve/,request.c token.c answers.c)
LIBFUZZ      = $(BUILD)/libfuzz.a

fuzz: $(FUZZ_TARGETS:%=fuzz-%)
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: fuzz-lib $(STATEMENTS)
	@mkdir -p $(BUILD)/fuzz/$*
	clang -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -g -O1 -fsanitize=fuzzer,address,undefined \
	  -o $(BUILD)/fuzz/fuzz_$* tests/fuzz/fuzz_$*.c \
	  $(BUILD)/fuzzer-no-link-address-undefined/libfuzz.a $(SWEEP_LIBS)
	$(BUILD)/fuzz/fuzz_$* -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	  -artifact_prefix=$(BUILD)/fuzz/$*- -print_final_stats=1 $(BUILD)/fuzz/$* tests/fuzz/corpus/$*
fuzz-lib:
	@sh tests/deps.sh fuzz
	@$(MAKE) --no-print-directory -s -j"$$(nproc)" CC=clang SAN=fuzzer-no-link,address,undefined OPT=-O1 libfuzz

libfuzz: $(LIBFUZZ)
$(LIBFUZZ): $(FUZZ_SRC:%.c=$(BUILD)/%.o)

# CRASH_KILLS=1000 for the long form.
crash: $(PROGRAM)
	@sh tests/deps.sh test crash
	HEADCOUNT=$(RUN) sh tests/crash/run.sh

# Lines and branches of each file, by all tests but the injected faults (whose processes die before
# they could count).
GCOVR = gcovr --root . --filter 'engine/|datasets/|sweep/' \
        $(addprefix $(BUILD)/coverage/,engine datasets sweep double)

coverage:
	@sh tests/deps.sh build serve test coverage
	@find $(BUILD) -name '*.gcda' -delete
	@$(MAKE) --no-print-directory -s COVERAGE=1 tests
	@$(MAKE) --no-print-directory -s COVERAGE=1 test-only
	@echo 'Lines:'; $(GCOVR) | sed '1,/^File/d'
	@echo 'Branches:'; $(GCOVR) --branches | sed '1,/^File/d'

# What is suppressed stands with its reason in .clang-tidy and tests/lint/cppcheck.txt.
LINT_SRC = $(ENGINE_SRC) engine/kernels/simd.c $(DATASETS_SRC) $(wildcard sweep/*/*.c)
# gcc's analyzer knows no vector types, takes a chunk in the arena's list for lost, and a table of the byte model
# that has grown, and takes values for unset that longjmp leaves behind.
GCC_LINT = $(filter-out engine/kernels/simd.c engine/base/arena.c datasets/byte_model.c sweep/plan/expr.c,$(LINT_SRC))
LINT_FLAGS = -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -DKERNEL_SET=$(firstword $(KERNEL_SETS))
# States of a function that clang's analyzer goes through. With 75,000, clang-tidy takes nearly twice as long
# and finds the same 82 of 159 mistakes made on purpose (free() twice or not at all, values not set, NULL
# not asked for); its own limit is 225,000.
LINT_DEPTH = -Xclang -analyzer-config -Xclang max-nodes=25000
EACH     = | xargs -P "$$(nproc)" -I{}

lint: $(BUILD)/build_id.h $(SQL_AS_C) $(STATEMENTS) $(PAGE_AS_C)
	@sh tests/deps.sh build serve lint
	@echo cppcheck; cppcheck -j "$$(nproc)" --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	  --suppressions-list=tests/lint/cppcheck.txt --error-exitcode=1 -I. -I$(BUILD) \
	  -D__x86_64__ engine datasets sweep
	@echo clang-tidy; printf '%s\n' $(LINT_SRC) $(EACH) clang-tidy --quiet {} -- $(LINT_FLAGS) $(LINT_DEPTH) 2>/dev/null
	@echo gcc -fanalyzer; printf '%s\n' $(GCC_LINT) $(EACH) $(CC) $(LINT_FLAGS) -O2 \
	  -fanalyzer -Werror -c -o /dev/null {}

# ---- care ----

SOURCES = $(wildcard engine/*.[ch] engine/*/*.[ch] datasets/*.[ch] sweep/*/*.[ch] tests/*/*.[ch])

format:
	clang-format -i $(SOURCES)

check-format:
	clang-format --dry-run -Werror $(SOURCES)

# Every text for a person who is refused, warned or advised (ALL=1: reports and help too), to be read at once.
messages:
	@awk -f tests/messages.awk $(if $(ALL),-v all=1) $(sort $(wildcard engine/*.c engine/*/*.c datasets/*.c sweep/*/*.c))

clean:
	rm -rf build headcount

help:
	@echo "make              build ./headcount"
	@echo "make sweep        install what is missing, build, run configs/gather.yaml to the verdict"
	@echo "make test         install what is missing, build, run all tests (TESTS=name: some)"
	@echo "make test-page    look at a sweep's page in Chromium and Firefox, with pictures in $(BUILD)/page"
	@echo "make test-cluster run sweeps on a cluster made of this machine (CLUSTER_FORM=short: a sample)"
	@echo "make test-arm64   build for arm64, run the test programs under QEMU (ARM64_FORM=short: a sample)"
	@echo "make test-bare    both commands on a bare Debian of its own (SUITE=trixie; BARE_FORM=short: a sample; deb: the package)"
	@echo "make install      program, man page, completion, configs (PREFIX=$(PREFIX) DESTDIR=)"
	@echo "make dist         a tar of the sources, the same bytes each time, in $(BUILD)/"
	@echo "make deb          a Debian package, in $(BUILD)/deb/"
	@echo "make bench        one training step against its matrix products (bench-peers: against PyTorch and JAX;"
	@echo "                  bench-scale: what the coordinator makes of 1,000 machines;"
	@echo "                  bench-hosts: trials through agents against workers)"
	@echo "make fuzz         libFuzzer on all that reads foreign bytes (FUZZ_SECONDS=20 each)"
	@echo "make crash        kill it everywhere and see that nothing is lost"
	@echo "make calibrate    how often the verdict errs, on synthetic sweeps (SWEEPS=20000 each, CASE=: some)"
	@echo "make coverage     lines and branches that the tests reach      make lint"
	@echo "make check-deps   prove that the folders include each other one way only"
	@echo "make format       lay out the sources by .clang-format (check-format: only look)"
	@echo "make mutants      make mistakes on purpose and see which test finds each (MUTANT=name: some)"
	@echo "make bless        let the contract and all cases be what is said now (read the diff)"
	@echo "make weight       lines of each folder, and what changed since the last release"
	@echo "make messages     every message of the program, a line each (ALL=1: reports and help too)"
	@echo "make clean        remove what was built"
	@echo "SAN=address,undefined | SAN=thread   with sanitizers    WERROR=1   warnings are errors"
	@echo "V=1   show whole commands    -jN   N at once (default: one per core)"

.PHONY: all force dist deb test-page test-cluster test-arm64 test-bare calibrate fuzz fuzz-lib libfuzz crash coverage lint $(FUZZ_TARGETS:%=fuzz-%) bench bench-peers bench-serve bench-scale bench-hosts tests test test-only check-deps deps sweep install uninstall format \
        check-format clean messages help bless mutants weight
.SECONDARY:

-include $(ENGINE_OBJ:.o=.d) $(DATASETS_OBJ:.o=.d) $(SWEEP_OBJ:.o=.d) $(DOUBLE_OBJ:.o=.d) \
         $(TEST_BIN:=.d) $(SCRIPTED).d $(CALIBRATE_OBJ:.o=.d) $(CALIBRATE).d $(BUILD)/sweep/cli/main.d
