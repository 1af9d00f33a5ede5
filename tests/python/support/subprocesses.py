"""Python programs in a fresh process with an environment of their own."""

import os
import subprocess
import sys


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the program; values of the environment replace those of this process.

    With other devices the default one is not what the configuration of the tests says.
    """
    inherited = dict(os.environ)
    if not environment.keys().isdisjoint({"CUPOLA_CPU_DEVICES", "CUPOLA_PLATFORM"}):
        inherited.pop("CUPOLA_DEVICE", None)
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def output_of(code: str, **environment: str) -> str:
    """What the program prints; it must succeed."""
    result = run_python(code, **environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()
