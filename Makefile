# make demo   builds an environment and scores a finished game
# make test   everything a change must pass, within five minutes on two cores
# make check  sanitizers, fuzzers and slow comparisons
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard core/*/*.cpp core/*/*.hpp core/*/*/*.hpp)
FUZZED ?= 100000

.PHONY: demo test lint check fuzz sanitize slow docs clean tools
.DELETE_ON_ERROR:

# Where the tests' environment stands already, the demo uses it.
demo: $(or $(wildcard $(VENV)/.installed-dev),$(VENV)/.installed)
	@$(BIN)/tengen score examples/finished-9x9.sgf

test: $(VENV)/.installed-dev lint
	$(BIN)/pytest -n 2 --dist worksteal

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports

check: slow sanitize fuzz

slow: $(VENV)/.installed-dev build/sabaki
	$(BIN)/pytest -n 2 --dist worksteal -m slow

# Sabaki's client of GTP, if npm can bring it; without it the test that needs it is skipped and says so.
build/sabaki: tests/protocols/sabaki/package.json
	@mkdir -p $@ && cp $< $@/
	@npm install --silent --no-audit --no-fund --prefix $@ > build/sabaki.log 2>&1 || { rm -rf $@; echo "npm cannot bring @sabaki/gtp, see build/sabaki.log"; }

# The extension once more with AddressSanitizer, UBSan and the core's own invariants, and the tests of the core on it.
sanitize: $(VENV)/.installed-dev
	@mkdir -p build
	$(BIN)/cmake -S . -B build/sanitize -DCMAKE_BUILD_TYPE=Release -DTENGEN_SANITIZE=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) > build/sanitize.log
	$(BIN)/cmake --build build/sanitize -j 2 >> build/sanitize.log || { tail -40 build/sanitize.log; exit 1; }
	rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/tengen build/sanitized/ && cp build/sanitize/_core*.so build/sanitized/tengen/
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(BIN)/python tests/sanitized.py build/sanitized tests/core tests/go

# Mutated records through the native reader, without Python, leaks looked for.
fuzz: $(VENV)/.installed-dev
	@mkdir -p build
	$(BIN)/cmake -S . -B build/fuzz -DCMAKE_BUILD_TYPE=Release -DTENGEN_SANITIZE=ON -DTENGEN_FUZZ=ON > build/fuzz.log
	$(BIN)/cmake --build build/fuzz -j 2 >> build/fuzz.log || { tail -40 build/fuzz.log; exit 1; }
	build/fuzz/sgf_fuzz $(FUZZED)

docs: $(VENV)/.installed-dev
	@test -x $(BIN)/mkdocs || $(BIN)/pip install -q --disable-pip-version-check --no-build-isolation -e '.[dev,docs]'
	$(BIN)/mkdocs build --strict

$(VENV)/.installed: $(SOURCES) $(shell find src -name '*.py') | tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "building tengen …"
	@$(BIN)/pip install -q --disable-pip-version-check .
	@touch $@

$(VENV)/.installed-dev: $(SOURCES) | tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja
	@echo "building tengen …"
	@$(BIN)/pip install -q --disable-pip-version-check --no-build-isolation -e '.[dev]'
	@rm -f $(VENV)/.installed && touch $@

# What is missing is named, with the package that brings it.
tools:
	@command -v $(PYTHON) > /dev/null || { echo "Python 3.11 or newer is needed: on Debian, apt install python3 python3-venv python3-dev"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is older: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2> /dev/null || { echo "Python's venv is missing: on Debian, apt install python3-venv"; exit 1; }
	@test -e "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h" || { echo "Python's headers are missing: on Debian, apt install python3-dev"; exit 1; }
	@command -v $(firstword $(CXX)) > /dev/null || { echo "a C++20 compiler is missing: on Debian, apt install g++"; exit 1; }

clean:
	rm -rf build dist site $(VENV) src/tengen/*.so
