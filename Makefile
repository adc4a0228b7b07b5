# The way in. `make demo` runs the main experiment, `make test` all tests; each target installs what it
# needs and is missing, and says so first (scripts/setup).
.PHONY: demo lab test test-here check build lint lint-tests format sanitize aarch64 riscv64 windows wasm model mutants conformance cluster fuzz package wheel pack docs clean
.DEFAULT_GOAL := demo

JOBS ?= $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
CLANG_FORMAT ?= clang-format-19
CLANG_TIDY ?= .venv/bin/clang-tidy

# Everything of ours in C++, and the C interface.
sources = $(shell git ls-files '*.hpp' '*.cpp' 'include/*.h' 'examples/*.c' 'docs/code/*.c')
# What the project's compiler was given, tests several to a file; clang-tidy reads no OpenMP.
compiled = $(shell sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/release/compile_commands.json | sort -ru | grep -v /openmp.cpp)
tests_compiled = $(foreach file,$(compiled),$(if $(findstring /tests/,$(file)),$(file)))
# $(call tidy,files)
tidy = printf '%s\n' $(1) | xargs -P $(JOBS) -n 1 $(CLANG_TIDY) --quiet -p build/release 2>build/clang-tidy.log

# The lab's compiler is clang 19, as in the papers; where it cannot be had, the one that is there.
lab_preset = $(if $(shell command -v clang++-19),release,system)
# $(call configure,preset)
configure = mkdir -p build && cmake --preset $(1) >build/$(1).log 2>&1 || { cat build/$(1).log; exit 1; }

# A prerequisite, not the first line of a recipe: when that is expanded, the compiler has to be there.
setup-%: FORCE
	@scripts/setup $*

# 90 files, a minute on 2 CPUs; the measuring takes another one.
demo: setup-demo
	@$(call configure,$(lab_preset))
	cmake --build --preset $(lab_preset) -j $(JOBS) --target demo
	./lab run relic-kernels --quick

# All that `./lab run all` needs.
lab: setup-lab
	@$(call configure,$(lab_preset))
	cmake --build --preset $(lab_preset) -j $(JOBS) --target lab

# The debug build is gcc's, with misuse checked, of what sanitizers leave out: the drop-in, threads that
# are refused, allocations that are counted. All else is run so by `make sanitize`. Tests run side by
# side, except those that need two CPUs (ALONE in tests/unit/CMakeLists.txt, RUN_SERIAL for the lab's).
test: build build/debug/.unsanitized
	ctest --preset release -j $(JOBS)
	ctest --preset debug -j $(JOBS) -R '^(omp|refused_thread_test|no_allocation)\.'

# On any system with a C++ compiler and CMake, without GoogleTest, and nothing is fetched or installed.
# Without make: `cmake --workflow --preset here`.
test-here:
	cmake --preset here
	MAKEFLAGS= cmake --build --preset here -j $(JOBS)
	ctest --preset here

# What has changed since main, in minutes; it says what it leaves out.
check: setup-lint
	@$(call configure,release)
	@.venv/bin/python scripts/check.py

build: build/release/.built

build/debug/.unsanitized: setup-test FORCE
	@$(call configure,debug)
	cmake --build --preset debug -j $(JOBS) --target finegrain_omp finegrain_omp_all build_omp_programs \
		refused_thread_test finegrain_bench_kernels_test

# One build folder a preset, always brought up to date.
build/%/.built: setup-test FORCE
	@$(call configure,$*)
	cmake --build --preset $* -j $(JOBS)

.PHONY: FORCE
FORCE:

sanitize: build/asan/.built build/tsan/.built
	ctest --preset asan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

# 64-bit Arm: cross-compiled, the tests under an emulator. It shows build and function; not
# memory ordering, which it takes from this machine. Left out in tests/CMakeLists.txt (not_here): the stress
# tests of relics, which are slow there, those that simulate a faster clock than the emulated one
# (16 ns), a thread in a forked child, where the emulator asserts, those that start themselves again,
# which the kernel refuses for another processor's program, and those that time what the emulator
# makes slow.
# 64-bit RISC-V is the same by hand, and no part of CI.
aarch64 riscv64: %: setup-%
	@$(call configure,$*)
	cmake --build --preset $* -j $(JOBS)
	ctest --preset $* -j $(JOBS)

# 64-bit Windows: cross-compiled by MinGW's gcc, the tests under Wine. What is left out, and why:
# tests/windows.cmake. The first time Wine fills a folder of 690 MB, build/windows/wine.
# Wine's server stays while the tests run: a program that begins as it ends finds its folder gone. Its
# services begin before: they would keep the output of the test that starts them open.
wine = WINEPREFIX=$(CURDIR)/build/windows/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= /usr/lib/wine
windows: setup-windows
	@$(call configure,windows)
	cmake --build --preset windows -j $(JOBS)
	mkdir -p build/windows/wine
	$(wine)/wineserver64 --persistent && $(wine)/wine64 wineboot --init >build/wine.log 2>&1
	ctest --preset windows -j $(JOBS); status=$$?; $(wine)/wineserver64 --kill; exit $$status

# WebAssembly: by Emscripten, the tests in Node and in a page of headless Chromium.
wasm: setup-wasm
	@$(call configure,wasm)
	cmake --build --preset wasm -j $(JOBS)
	ctest --preset wasm

# Every use of the concurrent protocols that fits into a model, in every way that the memory model
# allows: tests/model/README.md.
model: setup-test
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target models
	@.venv/bin/python -m scripts.models run

# Counts what fg::mpi does on up to 512 simulated ranks: the table of docs/cluster.md.
cluster: setup-cluster
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target uts_simulated
	@python3 tests/mpi/simulated/counts.py

# Breaks the headers in one place at a time, and shows which check finds it: 20 minutes.
# Options in MUTANTS, for instance MUTANTS='--filter spsc' (or '--help').
mutants: model
	@.venv/bin/python -m scripts.mutants $(MUTANTS)

# LLVM's own tests of its OpenMP runtime, or gcc's of libgomp, with the drop-in and without; options in
# CONFORMANCE, for instance CONFORMANCE='--runtime libgomp' (or '--help').
conformance: build
	@.venv/bin/python -m scripts.conformance $(CONFORMANCE)

# Hostile input, for so long a target (tests/fuzz/README.md); FUZZ names some, else all. The tests run
# their corpus only.
FUZZ_SECONDS ?= 60
fuzz: setup-test
	@$(call configure,fuzz)
	cmake --build --preset fuzz -j $(JOBS) --target fuzzers
	@.venv/bin/python scripts/fuzz.py --seconds $(FUZZ_SECONDS) $(FUZZ)

# clang-tidy for all but tests, which are 103 of 271 files: `make check` reads those that have changed,
# `make lint-tests` all.
lint: setup-lint build
	$(CLANG_FORMAT) --dry-run --Werror $(sources)
	@$(call tidy,$(filter-out $(tests_compiled),$(compiled)))
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

lint-tests: setup-lint build
	@$(call tidy,$(tests_compiled))

format:
	$(CLANG_FORMAT) -i $(sources)
	.venv/bin/ruff format .

# The .deb and the .tar.gz, into build/package.
package: setup-package
	@$(call configure,package)
	cmake --build --preset package -j $(JOBS)
	cd build/package && cpack

# The wheel, into build/package.
wheel: setup-wheel
	scripts/wheel build/package

# The lab as one archive for machines without root, compilers and network, into build/package.
pack: lab wheel
	./lab pack

# The pages and the headers' reference as a site, build/site/index.html.
docs: setup-docs
	doxygen docs/Doxyfile
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict

clean:
	rm -rf build
