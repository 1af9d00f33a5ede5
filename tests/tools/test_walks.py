"""docs/dev/a_plus_b.md and docs/dev/softmax.md tell the ways of an addition and a softmax."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
A_PLUS_B = ROOT / "docs/dev/a_plus_b.md"
SOFTMAX = ROOT / "docs/dev/softmax.md"
WALKS = [A_PLUS_B, SOFTMAX]
OBJECTS = re.compile(r"/CMakeFiles/\w+\.dir")  # of a layer, whose folder they lie in
STATION = re.compile(r"^(\d+)\. `([^`]+)`: ([^.]+)\.", re.MULTILINE)

# Two arrays that no kernel has made, of more elements than the calling thread adds by itself, then
# their sum: every function that the sum calls for the
# first time in the process is bound by the dynamic linker while it is computed.
ADDITION = """
import numpy, os, sys
sys.setdlopenflags(os.RTLD_LAZY)
import cupola
a, b = (cupola.asarray(numpy.arange(n, n + 1e4)) for n in range(2))
cupola.eval(cupola.add(a, b))
"""


class Station(NamedTuple):
    number: int
    file: str
    functions: list[str]


def stations(document: Path) -> list[Station]:
    text = document.read_text(encoding="utf-8")
    return [
        Station(int(number), file, re.findall(r"`([^`]+)`", functions))
        for number, file, functions in STATION.findall(text)
    ]


def source(station: Station) -> str:
    return (ROOT / station.file).read_text(encoding="utf-8")


def symbols_of(object_file: Path) -> str:
    """The functions that an object file defines, demangled."""
    command = ["nm", "--demangle", "--defined-only", object_file]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def object_of(file: str, build: Path) -> Path:
    """Of the source, or of all those that are compiled together with it."""
    built = re.findall(r"^build (src/\S+\.o):", (build / "build.ninja").read_text(), re.MULTILINE)

    def holds(name: str) -> bool:
        unit = build / name.removesuffix(".o")
        if unit.parent.name != "Unity":
            return OBJECTS.sub("", name) == f"{file}.o"
        return f'/{file}"' in unit.read_text(encoding="utf-8")

    (found,) = filter(holds, built)
    return build / found


def test_four_files_to_the_node_and_six_to_the_launch():
    to_node, to_launch = A_PLUS_B.read_text(encoding="utf-8").split("## To the launch")
    assert 1 <= len(STATION.findall(to_node)) <= 4
    assert 1 <= len(STATION.findall(to_launch)) <= 6


@pytest.mark.parametrize("document", WALKS, ids=lambda document: document.stem)
def test_stations_are_numbered(document):
    numbers = [station.number for station in stations(document)]
    assert numbers
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(
    "station",
    [station for document in WALKS for station in stations(document)],
    ids=lambda station: station.file,
)
def test_the_file_has_the_functions(station, build_folder):
    if station.file.endswith(".h"):
        table = (ROOT / "include/cupola/opdefs/ufuncs.def").read_text(encoding="utf-8")
        assert "CUPOLA_BINARY_OPERATOR(+, add)" in source(station)
        assert "CUPOLA_UFUNC(add," in table
        return
    for function in station.functions:
        assert re.search(rf"^[\w:<>*&\s]*[\s:]{function}\(", source(station), re.MULTILINE), (
            function
        )
    built = object_of(station.file, build_folder)
    symbol = rf" [TW] cupola::(\w+::)*{station.functions[0]}(\[abi:\w+\])?\("
    assert re.search(symbol, symbols_of(built))


@pytest.mark.parametrize("document", WALKS, ids=lambda document: document.stem)
def test_each_station_is_called_by_an_earlier_one(document):
    way = stations(document)
    for i, station in enumerate(way[1:], start=1):
        calls = re.compile(rf"\b{station.functions[0]}\(")
        assert any(calls.search(source(earlier)) for earlier in way[:i]), station


def linked_with_bindings(build: Path, folder: Path) -> Path:
    """The library once more, whose own functions are bound by the dynamic linker, too."""
    target = "python/cupola/libcupola.so"
    ninja = re.search(
        r"^CMAKE_MAKE_PROGRAM:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE
    )
    assert ninja
    listed = subprocess.run(
        [ninja[1], "-C", build, "-t", "commands", target],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in listed.stdout.splitlines() if "-Wl,-Bsymbolic-functions" in line]
    assert len(lines) == 1
    linked = re.search(r" -o (\S+) ", lines[0])
    assert linked
    library = folder / Path(linked[1]).name
    command = lines[0].replace("-Wl,-Bsymbolic-functions", "").replace(linked[1], str(library), 1)
    subprocess.run(command, shell=True, cwd=build, check=True)
    return library


def test_an_addition_passes_the_stations_in_this_order(build_folder, tmp_path):
    library = linked_with_bindings(build_folder, tmp_path)
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True).stdout
    if "NOW" in dynamic:
        pytest.skip("the library was linked to bind its functions when it is loaded")
    log = tmp_path / "bindings"
    environment = {
        **os.environ,
        "LD_DEBUG": "bindings",
        "LD_DEBUG_OUTPUT": str(log),
        "LD_LIBRARY_PATH": str(tmp_path),
        "CUPOLA_PLATFORM": "cpu",
    }
    environment.pop("LD_BIND_NOW", None)
    subprocess.run([sys.executable, "-c", ADDITION], env=environment, check=True)
    (written,) = tmp_path.glob("bindings.*")
    bound = re.findall(
        r"libcupola\.so[.\d]* \[0\]: normal symbol `_ZN6cupola(\d+)(\w+)'", written.read_text()
    )
    calls = [name[: int(length)] for length, name in bound]
    # The first file is compiled into the caller, the last is reached through a virtual function.
    for station in stations(A_PLUS_B)[1:-1]:
        function = station.functions[0]
        assert function in calls, f"{station.file}: {function} is not called, or not at this place"
        del calls[: calls.index(function) + 1]


SOFTMAX_PROGRAM = """
import numpy, cupola
a = cupola.asarray(numpy.random.default_rng(0).random((300, 200), dtype=numpy.float32))
e = cupola.exp(a - a.max(axis=1, keepdims=True))
quotient = e / e.sum(axis=1, keepdims=True)
del e
print(len(cupola.explain(quotient).kernels))
"""


def test_a_softmax_is_one_kernel():
    environment = {**os.environ, "CUPOLA_PLATFORM": "cpu"}
    command = [sys.executable, "-c", SOFTMAX_PROGRAM]
    told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "1"
