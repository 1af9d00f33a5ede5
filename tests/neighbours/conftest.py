"""Tests with the real packages of requirements/neighbours.txt and requirements/pytorch.txt.

One that is not there is skipped.
"""

import os
import sys
from pathlib import Path

# SciPy and the devices read these when they are first used.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
os.environ.setdefault("CUPOLA_DISK_CACHE", "0")
os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

# Last, so that the NVIDIA packages that come with it hide none of those that the build has.
sys.path.append(str(Path(__file__).resolve().parents[2] / "build/pytorch"))
