# Hopscope's verbs. `make help` lists them. Quiet about success, loud about failure; everything may be repeated.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:

# An empty environment is enough: the usual places for programs, and rustup's.
export HOME ?= $(shell getent passwd "$$(id -u)" | cut -d: -f6)
export PATH := $(or $(PATH),/usr/local/bin:/usr/bin:/bin):$(HOME)/.cargo/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Node.js trusts its own list of authorities alone; npm must trust those of the system as pip and cargo do.
export NODE_EXTRA_CA_CERTS ?= $(wildcard /etc/ssl/certs/ca-certificates.crt)

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# The first interpreter that is new enough and can make virtual environments.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

RUST_SOURCES := Cargo.toml $(wildcard Cargo.lock) $(shell find crates -name '*.rs' -o -name Cargo.toml -o -name build.rs)

# The stack that TCP is compared with needs a newer Rust than everything else.
TOO_NEW = $(shell rustc --version 2>/dev/null | awk '{ split($$2, v, "."); if (v[1] == 1 && v[2] < 91) print "--exclude hopscope-conformance" }')
RUST_TESTED = --workspace --exclude hopscope-python $(TOO_NEW)

# $(call quiet,what,command): prints one line, and the command's output only when it fails.
define quiet
	@echo "$(1)"; log=$$(mktemp); \
	if ! { $(2); } >$$log 2>&1 </dev/null; then cat $$log; rm -f $$log; echo "make: FAILED: $(1)" >&2; exit 1; fi; rm -f $$log
endef

# The fuzz targets without libFuzzer.
FUZZ = --manifest-path fuzz/Cargo.toml --target-dir target --no-default-features $(if $(TOO_NEW),,--features scripts)
# Targets of libFuzzer, and how long each is tried.
FUZZ_TARGETS := octets files scenario script
FUZZ_SECONDS ?= 300

# Studies with recorded verdicts.
STUDIES := $(notdir $(patsubst %/,%,$(dir $(wildcard studies/*/verdicts.json))))

.PHONY: help demo build-words uml web test test-rust test-python test-web lint check-wasm fmt bench bench-peers docs validate nightly check-catalogue check-determinism crash live-crash growth fuzz fuzz-rust build wheel wheels clean

help: ## This list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

# --- building -------------------------------------------------------------------------------------------------------

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with its venv module is needed (Debian: apt install python3-venv)" >&2; exit 1; }
	$(call quiet,making $(VENV) with $(PYTHON),$(PYTHON) -m venv --clear $(VENV))
	@touch $@

$(VENV)/.requirements: requirements/dev.txt | $(VENV)/.python
	$(call quiet,installing the Python packages of requirements/dev.txt,$(PY) -m pip install -q --require-hashes -r requirements/dev.txt)
	@touch $@

$(VENV)/.requirements-docs: requirements/docs.txt | $(VENV)/.requirements
	$(call quiet,installing the Python packages of requirements/docs.txt,$(PY) -m pip install -q --require-hashes -r requirements/docs.txt)
	@touch $@

$(VENV)/.requirements-wheels: requirements/wheels.txt | $(VENV)/.requirements
	$(call quiet,installing the Python packages of requirements/wheels.txt,$(PY) -m pip install -q --require-hashes -r requirements/wheels.txt)
	@touch $@

$(VENV)/.engine: $(RUST_SOURCES) pyproject.toml $(VENV)/.requirements
	@command -v cargo >/dev/null || { echo "a Rust toolchain is needed: rustc 1.85 or newer and cargo, see https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null || { echo "a C compiler is needed as linker (Debian: apt install gcc libc6-dev)" >&2; exit 1; }
	$(call quiet,building the engine,env -u CONDA_PREFIX "VIRTUAL_ENV=$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked)
	@touch $@

# The llvm-profdata that belongs to rustc; one of another LLVM cannot read what the engine writes.
PROFDATA = $(wildcard $(shell rustc --print target-libdir 2>/dev/null)/../bin/llvm-profdata)

# In a folder of its own, as flags of the compiler differ: what the plain build has made stays good. Nothing else needs it:
# where it is there it is what tests and benchmarks use, and after a change of the engine they build plainly, which is sooner.
$(VENV)/.guided: $(RUST_SOURCES) pyproject.toml bench/train.py $(VENV)/.requirements
	@command -v cc >/dev/null || { echo "a C compiler is needed as linker (Debian: apt install gcc libc6-dev)" >&2; exit 1; }
	@rm -f $(VENV)/.engine
	$(call quiet,building the engine profile-guided: with counters and again after training,env -u CONDA_PREFIX "VIRTUAL_ENV=$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked --pgo --target-dir target/guided)
	@rm -rf target/guided
	@touch $(VENV)/.engine $@

build: ## Environment and engine, ready to use in .venv; profile-guided where rustup's llvm-tools are (PLAIN=1: plain, in half the time)
	@$(if $(PLAIN)$(PROFDATA),,echo "a plain build: for the profile-guided one run \`rustup component add llvm-tools\`")
	@$(MAKE) $(VENV)/.$(if $(PLAIN),engine,$(if $(PROFDATA),guided,engine))

wheel: $(VENV)/.requirements ## Release wheel, profile-guided, in dist/
	@$(PY) bench/release_wheel.py

wheels: $(VENV)/.requirements-wheels ## The wheels of a release, manylinux2014 for x86-64 (profile-guided) and aarch64, in dist/
	@$(PY) bench/wheels.py

# --- the engine and the pages of browsers ---------------------------------------------------------------------------

WEB := python/hopscope/web
WASM_TARGET := wasm32-unknown-unknown
WASM_BUILT := target/$(WASM_TARGET)/web/hopscope_web.wasm
WASM_OPT := web/node_modules/.bin/wasm-opt
WASM_SMALL := $(basename $(WASM_BUILT)).small.wasm
# Most octets of the engine as a page loads it, compressed.
WASM_MOST := 1000000
WEB_SOURCES = $(shell find web/src web/*.json web/*.ts web/*.html -type f 2>/dev/null)

# What is loaded counts: only passes after which gzip leaves less. Those that rename locals make the engine no faster and gzip worse.
# In the order of their names functions of one kind stand together, within the 32 KiB that gzip looks back.
WASM_PASSES := --duplicate-function-elimination --merge-similar-functions --vacuum --reorder-functions-by-name
# What browsers since 2022 know, and rustc uses.
WASM_FEATURES := --mvp-features --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals --enable-multivalue --enable-reference-types

WASM_CARGO := cargo build --quiet --locked --profile web --target $(WASM_TARGET) -p hopscope-web
WASM_LIBRARY = $$(rustc --print sysroot)/lib/rustlib/$(WASM_TARGET)
WASM_SOURCES = $$(rustc --print sysroot)/lib/rustlib/src/rust/library
# Debian's Rust has no library for this target but the sources of it, which cargo then builds with the engine: an unstable
# option, hence RUSTC_BOOTSTRAP. rustc looks for its linker as rust-lld.
WASM_WITH_STD = mkdir -p target/lld && ln -sf "$$(command -v lld)" target/lld/rust-lld && \
  PATH="$(CURDIR)/target/lld:$$PATH" RUSTC_BOOTSTRAP=1 $(WASM_CARGO) -Zbuild-std=std,panic_abort

# Scripts of packages are not run: none of them needs any.
web/node_modules/.installed: web/package-lock.json
	@command -v npm >/dev/null || { echo "Node.js 20 or newer with npm is needed (Debian: apt install nodejs npm)" >&2; exit 1; }
	$(call quiet,installing the packages of web/package-lock.json,npm --prefix web ci --ignore-scripts --no-audit --no-fund)
	@touch $@

$(WEB)/engine.wasm.gz: $(RUST_SOURCES) web/pack.mjs web/node_modules/.installed
	@command -v cargo >/dev/null || { echo "a Rust toolchain is needed: rustc 1.85 or newer and cargo, see https://rustup.rs" >&2; exit 1; }
	@if command -v rustup >/dev/null; then rustup -q target add $(WASM_TARGET) >/dev/null 2>&1 || true; fi
	@[ -d "$(WASM_LIBRARY)" ] || { [ -d "$(WASM_SOURCES)" ] && command -v lld >/dev/null; } || { \
	  echo "Rust's library for $(WASM_TARGET) is needed: rustup target add $(WASM_TARGET) (Debian: apt install rust-web-src lld)" >&2; exit 1; }
	$(call quiet,building the engine for pages,if [ -d "$(WASM_LIBRARY)" ]; then $(WASM_CARGO); else $(WASM_WITH_STD); fi)
	@mkdir -p $(WEB)
	$(call quiet,optimising the engine for pages,$(WASM_OPT) $(WASM_FEATURES) $(WASM_PASSES) --strip-debug --strip-producers $(WASM_BUILT) -o $(WASM_SMALL))
	$(call quiet,compressing the engine for pages,node web/pack.mjs $(WASM_SMALL) $@.part)
	@size=$$(wc -c <$@.part); if [ $$size -gt $(WASM_MOST) ]; then \
	  echo "make: FAILED: the engine has $$size octets compressed, $(WASM_MOST) are allowed" >&2; exit 1; fi
	@mv $@.part $@

$(WEB)/.pages: $(WEB_SOURCES) $(WEB)/engine.wasm.gz
	$(call quiet,building the pages,npm --prefix web run build)
	@touch $@

web: $(WEB)/.pages ## Engine and pages for browsers, into python/hopscope/web

# --- using ----------------------------------------------------------------------------------------------------------

demo: build-words $(VENV)/.engine ## One question answered: how many packets should be on their way over seven hops?
	@$(BIN)/python tools/demo.py results/demo || { echo "make: FAILED: the demo ended with status $$?" >&2; exit 1; }
	@test -s results/demo/report.html || { echo "make: FAILED: results/demo/report.html was not written" >&2; exit 1; }

# What the wait is for, said before it: only where something is to be built.
build-words:
	@test -e $(VENV)/.engine || echo "Building the engine once: about nine minutes on two cores; the demo itself takes ten seconds." >&2

uml: ## The kernel for `hopscope live --virtual`, into the cache: Debian's Linux 6.1 (15 minutes of processor time)
	@$(PYTHON) tools/uml/build.py --jobs $(JOBS)

validate: $(VENV)/.engine ## Every validation entry of the catalogue, in full length
	@$(BIN)/hopscope reproduce validation --out results/validation

# --- checking -------------------------------------------------------------------------------------------------------

test: test-rust web test-python test-web ## Every test: Rust, Python and the pages

test-rust: ## The engine's own tests
	@command -v cargo >/dev/null || { echo "a Rust toolchain is needed: rustc 1.85 or newer and cargo, see https://rustup.rs" >&2; exit 1; }
	@if [ -n "$(TOO_NEW)" ]; then echo "left out: TCP against smoltcp, which needs rustc 1.91"; fi
	$(call quiet,building the Rust tests,cargo test --locked $(RUST_TESTED) --no-run)
	@log=$$(mktemp); status=0; cargo test --quiet --locked $(RUST_TESTED) -- --include-ignored >$$log 2>&1 </dev/null || status=$$?; \
	if [ $$status -ne 0 ]; then cat $$log; rm -f $$log; echo "make: FAILED: Rust tests" >&2; exit 1; fi; \
	grep '^test result:' $$log || true; rm -f $$log
	$(call quiet,replaying the inputs of the fuzz targets,cargo test --quiet --locked $(FUZZ))

test-python: $(VENV)/.engine ## The package's tests
	@for tool in tshark tcptrace; do command -v $$tool >/dev/null || \
	  echo "left out: captures against $$tool, which is not installed (Debian: apt install $$tool)"; done
	@$(BIN)/python -m pytest -n $(JOBS) --no-header </dev/null

test-web: $(WEB)/.pages ## The tests of the pages: types, style, Vitest, and Chromium
	$(call quiet,tsc,npm --prefix web run types)
	$(call quiet,biome,npm --prefix web run lint)
	$(call quiet,vitest,npm --prefix web run test)
	@if command -v chromium >/dev/null; then echo "pages in Chromium" && npm --prefix web run --silent e2e; \
	  elif [ -n "$${HOPSCOPE_ALL_TOOLS:-}" ]; then echo "make: FAILED: chromium is missing" >&2; exit 1; \
	  else echo "left out: the pages in Chromium, which is not installed (Debian: apt install chromium)"; fi

lint: $(VENV)/.requirements ## Format, ruff, spelling, mypy, clippy
	$(call quiet,cargo fmt --check,cargo fmt --all --check && cargo fmt --manifest-path fuzz/Cargo.toml --check)
	$(call quiet,ruff format --check,$(BIN)/ruff format --check .)
	$(call quiet,ruff check,$(BIN)/ruff check .)
	$(call quiet,spelling,if [ -x $(BIN)/typos ]; then $(BIN)/typos --config _typos.toml; fi)
	$(call quiet,mypy --strict,$(BIN)/mypy --strict && for file in studies/*-*/*.py; do $(BIN)/mypy --strict $$file || exit 1; done)
	$(call quiet,cargo clippy,cargo clippy --quiet --locked --workspace $(TOO_NEW) --all-targets -- -D warnings)
	$(call quiet,cargo clippy of the fuzz targets,cargo clippy --quiet --locked $(FUZZ) --all-targets -- -D warnings)

check-wasm: ## The engine for pages compiles (rustup target add wasm32-unknown-unknown)
	$(call quiet,cargo check for wasm32-unknown-unknown,cargo check --quiet --locked --target wasm32-unknown-unknown -p hopscope-web)

fmt: $(VENV)/.requirements ## Format everything
	@cargo fmt --all
	@cargo fmt --manifest-path fuzz/Cargo.toml
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format --quiet .

# A validation has no recorded verdicts: in full length, a statement of it that fails is a defect.
check-catalogue: $(VENV)/.engine ## Every study in quick form against its recorded verdicts, and the validation in full
	@for study in $(STUDIES); do \
	  $(BIN)/hopscope reproduce $$study --quick --check --no-progress --out results/check-$$study >/dev/null || exit $$?; done
	@$(BIN)/hopscope reproduce validation --no-progress --out results/validation >/dev/null

check-determinism: $(VENV)/.engine ## The catalogue in quick form from every build, 1, 2 and 8 workers: the same bits (hours)
	@$(PY) bench/determinism.py

crash: $(VENV)/.engine ## 1,000 kills, power cuts, corruptions, full disks, several processes: nothing lost beyond what is documented
	@$(PY) bench/crash.py

live-crash: $(VENV)/.engine ## 100 kills of runs on real stacks at random moments (root): nothing is left, nobody else's things are touched
	@$(PY) bench/live_crash.py

growth: $(VENV)/.engine ## Time and memory of many flows, copies, points and runs: scenarios load and stores show as they grow
	@$(PY) bench/growth.py

fuzz: $(VENV)/.engine ## A million scenarios, node and frame files, raw configurations, and Rust's parsers and machines, damaged (hours)
	@$(PY) bench/fuzz.py

fuzz-rust: ## libFuzzer on Rust's parsers, FUZZ_SECONDS (300) each; what breaks is kept in fuzz/artifacts
	@rustup run nightly cargo fuzz --version >/dev/null 2>&1 || \
	  { echo "a nightly Rust and cargo-fuzz are needed: rustup toolchain install nightly; cargo install --locked cargo-fuzz" >&2; exit 1; }
	@for target in $(FUZZ_TARGETS); do \
	  mkdir -p fuzz/work/$$target; \
	  echo "$$target: $(FUZZ_SECONDS) s"; \
	  rustup run nightly cargo fuzz run --sanitizer none $$target fuzz/work/$$target fuzz/corpus/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=4096 -max_len=8192 -print_final_stats=1 -verbosity=0 2>&1 \
	    | grep -E '^stat::|panicked|SUMMARY|Test unit|^error' || exit 1; done

nightly: $(VENV)/.engine ## Long checks: 10,000 generated scenarios through loader and engine, 10 million DCCP packets as data and as octets, licences and advisories
	@HYPOTHESIS_PROFILE=nightly $(PY) -m pytest -n $(JOBS) --no-header tests </dev/null
	@PROPTEST_CASES=10000 cargo test --quiet --release --locked $(RUST_TESTED) -- --include-ignored </dev/null
	@PROPTEST_CASES=600000 cargo test --quiet --release --locked -p hopscope-transport --lib too_strange </dev/null
	@PROPTEST_CASES=600000 cargo test --quiet --release --locked -p hopscope-wire --test dccp </dev/null
	@if command -v cargo-deny >/dev/null; then cargo deny check; else echo "left out: licences and advisories of the crates, which need cargo-deny"; fi
	@if [ -x $(BIN)/pip-audit ]; then $(BIN)/pip-audit --require-hashes --disable-pip -r requirements/dev.txt; else echo "left out: advisories of the Python packages, which need pip-audit"; fi

# --- measuring ------------------------------------------------------------------------------------------------------

bench: $(VENV)/.engine ## Engine benchmarks: instructions, events/s, cost per frame, memory, start-up
	@$(PY) bench/run.py

bench-peers: $(VENV)/.engine ## Release build side by side with ns-2 and ns-3 (installs them when absent)
	@$(PY) bench/peers/run.py

# --- writing --------------------------------------------------------------------------------------------------------

docs: $(VENV)/.engine $(VENV)/.requirements-docs web ## The documentation with its playground, into docs/_build/html
	@rm -rf docs/reference/generated docs/validation/generated
	$(call quiet,generating the reference pages,$(PY) tools/generate.py)
	$(call quiet,building the documentation,$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html)
	@echo "documentation: $(CURDIR)/docs/_build/html/index.html"

clean: ## Remove everything that was built (not results/)
	@rm -rf $(VENV) target dist docs/_build docs/reference/generated docs/validation/generated bench/peers/work web/node_modules web/dist
	@rm -f $(WEB)/*.gz $(WEB)/*.html $(WEB)/*.js $(WEB)/.pages
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
