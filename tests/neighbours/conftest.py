"""Tests with the real packages of requirements/neighbours.txt; one that is not there is skipped."""

import os

# SciPy and the devices read these when they are first used.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("CUPOLA_DISK_CACHE", "0")
os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
