"""The layer checker finds includes that break the rules."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/check_layers.py"


def load():
    spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_layers = load()

FORBIDDEN = [
    ("src/core/a.cc", '#include "driver/driver.h"'),
    ("src/base/a.h", '#include "core/layout.h"'),
    ("src/graph/a.h", '#include "codegen/plan.h"'),
    ("src/graph/a_test.cc", '#include "runtime/stream.h"'),
    ("src/codegen/a.cc", '# include "memory/pool/pool.h"'),
    ("src/driver/a.cc", '#include "codegen/cuda/cuda_text.h"'),
    ("src/exec/a.cc", '#include "ops/reduce.h"'),
    ("src/ops/a.cc", '#include "platforms/cpu/driver.h"'),
    ("src/ops/a.cc", "#include <cuda.h>"),
    ("src/exec/a.cc", "#include <nanobind/nanobind.h>"),
    ("src/platforms/cpu/a.cc", '#include "runtime/stream.h"'),
    ("src/platforms/cuda/a.cc", '#include "platforms/cpu/driver.h"'),
    ("src/core/a.cc", '#include "cupola/ops/linalg.h"'),
    ("src/base/a.cc", '#include "cupola/array.h"'),
    ("src/core/a.cc", '#include "cupola/runtime.h"'),
    ("src/core/a.cc", '#include "layout.h"'),
    ("src/stray.cc", ""),
    ("src/unknown/a.cc", ""),
    ("include/cupola/a.h", '#include "core/layout.h"'),
    ("include/cupola/a.h", "#include <fmt/format.h>"),
    ("include/cupola/a.h", "#include <cuda.h>"),
]

ALLOWED = [
    ("src/core/a.cc", '#include "base/containers/hash.h"'),
    ("src/core/a.cc", '#include "cupola/dtype.h"'),
    ("src/base/a.cc", '#include "cupola/error.h"'),
    ("src/core/a.h", '#include "cupola/array.h"'),
    ("src/core/a.cc", '#include "cupola/opdefs/ufuncs.def"'),
    ("src/driver/driver.h", '#include "codegen/plan.h"'),
    ("src/ops/a.cc", '#include "cupola/ops.h"'),
    ("src/ops/a.cc", '#include "exec/evaluate.h"'),
    ("src/platforms/cpu/kernels/a.cc", '#include "platforms/cpu/tile.h"'),
    ("src/platforms/cuda/a.cc", "#include <cuda.h>"),
    ("src/python/a.cc", "#include <nanobind/nanobind.h>"),
    ("include/cupola/a.h", '#include "cupola/dims.h"'),
    ("include/cupola/a.h", "#include <vector>"),
]


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text + "\n")


@pytest.mark.parametrize(("path", "text"), FORBIDDEN)
def test_violation_is_caught(tmp_path, path, text):
    write(tmp_path, path, text)
    found = check_layers.violations(tmp_path)
    assert len(found) == 1
    assert found[0].startswith(path)


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_allowed_include_passes(tmp_path, path, text):
    write(tmp_path, path, text)
    assert check_layers.violations(tmp_path) == []


def test_command_fails_on_a_violation(tmp_path):
    write(tmp_path, "src/core/a.cc", '#include "exec/evaluate.h"')
    done = subprocess.run(
        [sys.executable, SCRIPT, "--root", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "core may not include headers of exec" in done.stdout
