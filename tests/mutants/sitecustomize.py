"""Breaks the Python package in every process of a test, as scripts/run_mutants.py asks.

CUPOLA_TEST_MUTANT is a statement that changes the package, `xp`.
"""

import os

if fault := os.environ.get("CUPOLA_TEST_MUTANT"):
    import cupola

    exec(fault, {"xp": cupola})
