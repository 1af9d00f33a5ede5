# Thin: each target calls one script. PRESET chooses the build (CMakePresets.json).
PRESET ?= release
RUN = PYTHONPATH=build/$(PRESET)/python .venv/bin/python

.PHONY: demo test test-all check bench docs gpu-check build setup clean

demo: build
	$(RUN) examples/demo.py

test: setup
	.venv/bin/python scripts/run_tests.py --preset $(PRESET)

# Everything in all configurations, all sanitizers on all programs.
test-all: setup
	.venv/bin/python scripts/run_tests.py --preset $(PRESET) --all

check: build
	.venv/bin/python scripts/check.py --preset $(PRESET)

bench: build
	$(RUN) bench/run.py

# The site, in docs/_build/html; every example of its pages runs.
docs: build
	.venv/bin/python scripts/build_docs.py --preset $(PRESET)

gpu-check:
	scripts/gpu_check

build: setup
	scripts/build $(PRESET)

setup:
	scripts/setup

clean:
	rm -rf build dist .gpu
