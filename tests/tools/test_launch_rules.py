"""Rules of text for launches: no block size that a kernel cannot have."""

import re
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
LAUNCHES = re.compile(r"\bcuLaunch(?:Cooperative)?Kernel(?:Ex)?\b(?!\s*\\)(?!\")")
# The library's own kernels, whose text bounds their blocks, and users' kernels, which are checked.
MAY_LAUNCH = {
    "platforms/cuda/launch/cuda_kernel.cc",
    "platforms/cuda/launch/cuda_module.cc",
    "platforms/cuda/launch/cuda_select.cc",
    "platforms/cuda/memory/host_copies.cc",
}
# Blocks of so many threads are too large for some kernels: these sizes stand in launch bounds.
LARGE_BLOCKS = {"kPartThreads", "kTallyThreads", "kCopyThreads", "kSelectThreads"}


def sources() -> list[Path]:
    """All C++ and CUDA text of the library; tests may launch what they test."""
    every = [p for s in ("*.h", "*.cc", "*.cuh", "*.cu") for p in SOURCES.rglob(s)]
    return [path for path in every if not path.name.endswith("_test.cc")]


def test_few_files_launch_kernels() -> None:
    found = {
        path.relative_to(SOURCES).as_posix()
        for path in sources()
        if path.name != "cuda_api.h" and LAUNCHES.search(path.read_text())
    }
    assert found == MAY_LAUNCH


def number(path: str, name: str) -> int:
    match = re.search(rf"\b{name} = (\d+);", (SOURCES / path).read_text())
    assert match, name
    return int(match[1])


def test_own_kernels_are_bounded_to_the_size_of_their_blocks() -> None:
    """The compiler then keeps the registers of that many threads within a multiprocessor's."""
    # 255 registers for each of 256 threads are the most that every architecture has. Partitions
    # and tallies have larger blocks, for which the compiler makes do with fewer.
    block = number("codegen/cuda/families/family.h", "kCudaBlock")
    assert block <= 256
    large = {
        "part_rows<Body>": number("codegen/device/kernel_arguments.cuh", "kPartThreads"),
        "tally_elements<Body": number("codegen/device/kernel_arguments.cuh", "kTallyThreads"),
    }
    large_texts = set()
    for path in (SOURCES.parent / "tests/golden").glob("cuda_*.cu"):
        text = path.read_text()
        kernels = re.findall(r"__global__ void (\S*?)[,)]", text)
        assert kernels
        kinds = [kind for kind in large if kind in text]
        large_texts |= set(kinds)
        threads = large[kinds[0]] if kinds else block
        assert set(kernels) == {f"__launch_bounds__({threads}"}, path
    assert large_texts == set(large)
    for path in sources():
        if path.suffix == ".cuh":
            for kernel in re.findall(r"__global__ void ([^(]*)\(", path.read_text()):
                assert kernel.startswith("__launch_bounds__"), path


def test_no_fixed_blocks_of_512_threads() -> None:
    pattern = re.compile(r"(?i)\b(\w*(?:threads|block)\w*)\s*=\s*(?:512|1024)\b")
    found = {
        match[1]
        for path in sources()
        if {"cuda", "codegen"} & set(path.relative_to(SOURCES).parts)
        for match in pattern.finditer(path.read_text())
    }
    assert found == LARGE_BLOCKS


def test_kernels_without_a_plan_are_bounded_to_the_size_of_their_blocks() -> None:
    for path, threads in (
        ("platforms/cuda/memory/host_copies.cc", "kCopyThreads"),
        ("codegen/cuda/select_text.cc", "kSelectThreads"),
    ):
        text = (SOURCES / path).read_text()
        assert text.count("__global__ void") == 1
        assert f"__launch_bounds__(cupola_device::{threads})" in text
