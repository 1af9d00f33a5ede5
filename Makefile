# Thin: each target calls one script. PRESET chooses the build (CMakePresets.json).
PRESET ?= release
RUN = PYTHONPATH=build/$(PRESET)/python .venv/bin/python

.PHONY: demo test test-all check bench docs gpu-check build setup wheel package-check release clean

demo: build
	$(RUN) examples/demo.py

test: setup
	.venv/bin/python scripts/run_tests.py --preset $(PRESET)

# Everything in all configurations, all sanitizers on all programs; bench/results/test_all.json says
# what it gave.
test-all: setup
	.venv/bin/python scripts/run_tests.py --preset $(PRESET) --all --record

check: build
	.venv/bin/python scripts/check.py --preset $(PRESET)

bench: build
	$(RUN) bench/run.py

# The site, in docs/_build/html; every example of its pages runs.
docs: build
	.venv/bin/python scripts/build_docs.py --preset $(PRESET)

gpu-check:
	scripts/gpu_check

# Wheels for Python 3.11 and for 3.12 and later, in dist/.
wheel:
	scripts/build_wheel

# All packages, tested where their users are: half an hour, root, debootstrap.
package-check: setup
	scripts/package_check

# Shows what a release would change: make release VERSION=1.2.3; DO=--do makes it.
release:
	scripts/release $(VERSION) $(DO)

build: setup
	scripts/build $(PRESET)

setup:
	scripts/setup

clean:
	rm -rf build dist .gpu
