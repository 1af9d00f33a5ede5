"""What the programs of bench/programs cost on a GPU, counted on the fake driver: a change shows it.

With CUPOLA_UPDATE_GOLDEN=1 the counts are written to tests/golden/program_launches.json anew.
"""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from cupola_under_test import cp
from support.bench import BENCH, bench_module
from support.fake_cuda import needs_fake_cuda, output_on_fake_cuda

pytestmark = pytest.mark.cupola_only

GOLDEN = Path(__file__).parents[2] / "golden/program_launches.json"
PROGRAMS = bench_module("program_times").all_programs()
# Their shapes or indices are numbers that kernels compute, which the fake driver's do not.
READ_VALUES = {
    "conjugate_gradients",
    "crc",
    "histogram_equalisation",
    "lattice_boltzmann",
}

COUNTING = """
import collections, importlib, json, sys
sys.path.insert(0, FOLDER)
fake.fake_cuda_take_calls.restype = ctypes.c_size_t
fake.fake_cuda_take_calls.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
MOST = 1 << 22
KINDS = {
    "kernels": ("cuLaunchKernel", "cuGraphLaunch"),
    "products": ("cublasGemm", "cublasSgemm", "cublasDgemm"),
    "waits": ("cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"),
    "downloads": ("cuMemcpyDtoH",),
}

def calls():
    text = ctypes.create_string_buffer(MOST)
    assert fake.fake_cuda_take_calls(text, MOST) < MOST
    return text.value.decode().split()

def counts(name):
    program = importlib.import_module("programs." + name)
    made = program.operands(np.random.default_rng(1), program.SIZES["small"])
    operands = [cp.asarray(each) for each in made]
    cp.cuda.Device().synchronize()
    calls()
    cp.eval(program.run(cp, *operands))
    found = calls()
    return {kind: sum(call.startswith(names) for call in found) for kind, names in KINDS.items()}

fake.fake_cuda_watch_calls()
print(json.dumps({name: counts(name) for name in NAMES}))
"""


@needs_fake_cuda
def test_kernels_products_waits_and_downloads() -> None:
    names = [name for name in PROGRAMS if name not in READ_VALUES]
    given = f"FOLDER, NAMES = {str(BENCH)!r}, {names!r}\n"
    whole = {"CUPOLA_DEVICE": "", "CUPOLA_MATMUL_BLOCK_ROWS": ""}  # on one device, as by default
    found = json.loads(output_on_fake_cuda(given + COUNTING, **whole))
    if os.environ.get("CUPOLA_UPDATE_GOLDEN") == "1":
        lines = [f"  {json.dumps(name)}: {json.dumps(counts)}" for name, counts in found.items()]
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert found == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_what_numpy_gives(name: str) -> None:
    program = bench_module(f"programs.{name}")
    operands = program.operands(np.random.default_rng(1), program.SIZES["small"])
    expected = program.run(np, *(each.copy() for each in operands))
    found = program.run(cp, *map(cp.asarray, operands))
    assert found.dtype == expected.dtype
    bench_module("measure").agree(program.TOLERANCE, cp.asnumpy(found), expected)


def test_edits_between_words() -> None:
    program = bench_module("programs.edit_distance")
    rng = np.random.default_rng(2)
    for count in (1, 2, 7, 20):
        first, second = (rng.integers(0, 3, count, dtype=np.int32) for _ in range(2))
        table = np.zeros((count + 1, count + 1), int)
        table[0] = table[:, 0] = range(count + 1)
        for i in range(1, count + 1):
            for j in range(1, count + 1):
                turned = table[i - 1, j - 1] + (first[i - 1] != second[j - 1])
                table[i, j] = min(turned, table[i - 1, j] + 1, table[i, j - 1] + 1)
        assert program.run(np, first, second).tolist() == [table[-1, -1]]


def test_check_sums_are_those_of_x_25() -> None:
    message = np.frombuffer(b"123456789", np.uint8).astype(np.uint16)
    assert bench_module("programs.crc").run(np, message[:, None]).tolist() == [0x906E]
