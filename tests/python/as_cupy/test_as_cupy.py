"""Programs that say `import cupy`: `python -m cupola.as_cupy`, `install_as`, and pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cupola_under_test import cp
from support.compilers import skip_without_compiler
from support.subprocesses import output_of, run_python

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

PROGRAM = '''"""A program."""
import sys
import numpy as np
NAME = "é"
print(sys.argv[1:], __name__, __doc__, __spec__, __package__, __file__, NAME)
print(os_path := sys.path[0], sorted(k for k in globals() if not k.startswith("_")))
'''

ENDINGS = {
    "normal": "print('end')",
    "exit": "raise SystemExit(7)",
    "text": "raise SystemExit('a reason')",
    "error": "def f(x):\n    return 1 / x\n\n\nf(0)",
    "chained": "try:\n    {}[1]\nexcept KeyError as error:\n    raise ValueError('bad') from error",
    "syntax": "print('never')\nif True\n    pass",
    "own hook": "import sys\nsys.excepthook = lambda kind, value, trace: print(kind, "
    "trace.tb_lineno, trace.tb_frame.f_code.co_name)\nraise KeyError(1)",
    "at exit": "import atexit\natexit.register(print, 'bye')\nraise RuntimeError('x')",
    "annotations": "def f(x: int): ...\nprint(f.__annotations__)",
    "interrupt": "raise KeyboardInterrupt",
}


def run(*words: str, cwd: Path | None = None, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
        env={**os.environ, **environment},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_ends_as_with_plain_python(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(ENDINGS[ending], encoding="utf-8")
    plain = run(str(path), "--check", "x")
    assert run("-m", "cupola.as_cupy", str(path), "--check", "x") == plain


@pytest.mark.parametrize("place", ["program.py", "./folder/../program.py", "folder"])
def test_a_program_sees_what_plain_python_shows(place: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "folder/__main__.py").write_text(PROGRAM, encoding="utf-8")
    plain = run(place, "a", "-m", "b", cwd=tmp_path)
    ours = run("-m", "cupola.as_cupy", place, "a", "-m", "b", cwd=tmp_path)
    if place == "folder":  # whose spec has a loader of its own
        plain = (plain[0], plain[1].splitlines()[-1], plain[2])
        ours = (ours[0], ours[1].splitlines()[-1], ours[2])
    assert ours == plain
    assert plain[0] == 0


def test_modules_and_text_and_files_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "module_of_test.py").write_text(PROGRAM, encoding="utf-8")
    for words in (["-m", "module_of_test", "a"], ["-c", "import sys; print(sys.argv)", "-x"]):
        plain = run(*words, cwd=tmp_path)
        ours = run("-m", "cupola.as_cupy", *words, cwd=tmp_path)
        first = plain[1].split(" ModuleSpec")[0], plain[1].splitlines()[-1]
        assert (ours[0], ours[2]) == (plain[0], plain[2])
        assert (ours[1].split(" ModuleSpec")[0], ours[1].splitlines()[-1]) == first
    plain = run("nosuch.py", cwd=tmp_path)
    assert run("-m", "cupola.as_cupy", "nosuch.py", cwd=tmp_path) == plain
    assert plain[0] == 2
    code, _, error = run("-m", "cupola.as_cupy", "-m", "nosuch_module")
    assert code == 1
    assert error.endswith("No module named nosuch_module\n")
    assert run("-m", "cupola.as_cupy")[0] == 2
    assert run("-m", "cupola.as_cupy", "--nosuch")[0] == 2


NAMES = """
import importlib.util, sys
import cupola
cupola.install_as("cupy")
assert cupola.install_as("cupy") is True
assert "cupy" in sys.modules and "cupyx" in sys.modules and "cupy.cuda" in sys.modules
assert importlib.util.find_spec("cupy").origin
assert importlib.util.find_spec("cupy.linalg") and importlib.util.find_spec("cupyx.profiler")
assert importlib.util.find_spec("cupy.nosuch") is None
import cupy, cupyx
import cupy.cuda, cupy.fft, cupy.linalg, cupy.testing, cupy.exceptions, cupy.polynomial
import cupy.random as r
import cupy.lib.stride_tricks
import cupy.polynomial.chebyshev as chebyshev
import cupyx.profiler
from cupy.cuda import memory_hooks, runtime, stream
from cupy.cuda.runtime import getDevice
from cupy import nosuch_is_not_there as missing
"""

SAME = {
    "cupy": "cupola",
    "cupyx": "cupola.cupyx",
    "cupyx.profiler": "cupola.cupyx.profiler",
    "cupy.lib.stride_tricks": "cupola.lib.stride_tricks",
    "cupy.cuda.memory_hooks": "cupola.cuda.memory_hooks",
    "cupy.exceptions": "numpy.exceptions",
}


def test_modules_are_the_same_objects() -> None:
    checks = [
        "import importlib, cupola\ncupola.install_as('cupy')",
        *(
            f"assert importlib.import_module({alias!r}) is importlib.import_module({own!r}), "
            f"{alias!r}\nassert importlib.import_module({own!r}).__spec__.name == {own!r}"
            for alias, own in SAME.items()
        ),
        "import cupola.polynomial.legendre as a, cupy.polynomial.legendre as b; assert a is b",
    ]
    assert output_of("\n".join(checks)) == ""


def test_the_names_are_there_by_every_way() -> None:
    done = run_python(NAMES)
    assert done.stderr.splitlines()[-1].startswith("ImportError: cannot import name 'nosuch_is")
    assert output_of(
        "import cupola; cupola.install_as()\n"
        "try:\n    import cupy.nosuch\nexcept ModuleNotFoundError as error: print(error)\n"
        "import cupy; a = cupy.ones(1)\n"
        "print(type(a).__module__, cupy.__name__, type(cupy.add).__module__)"
    ).splitlines() == ["No module named 'cupy.nosuch'", "cupy cupy cupy"]


def test_other_names_and_a_cupy_that_is_imported_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not as 'torch'"):
        cp.install_as("torch")
    (tmp_path / "cupy.py").write_text("mark = 'the real one'\n")
    folder = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    failed = run_python(folder + "import cupy, cupola\ncupola.install_as()")
    assert "RuntimeError: cupy is imported already" in failed.stderr
    code = folder + "import cupola\nprint(cupola.install_as(prefer_installed={0}))\nimport cupy\n"
    code += "print(getattr(cupy, 'mark', cupy is cupola))"
    assert output_of(code.format(True)).split("\n") == ["False", "the real one"]
    assert output_of(code.format(False)).split("\n") == ["True", "True"]
    program = tmp_path / "program.py"
    program.write_text("import cupy\nprint(hasattr(cupy, 'mark'))\n")
    path = str(tmp_path) + os.pathsep + os.environ.get("PYTHONPATH", "")
    for words, answer in ((["--prefer-cupy"], "True\n"), ([], "False\n")):
        ours = run("-m", "cupola.as_cupy", *words, str(program), PYTHONPATH=path)
        assert ours[:2] == (0, answer), ours


def test_import_cupola_does_not_install_the_names() -> None:
    code = "import cupola, sys; print(cupola.__name__, 'cupy' in sys.modules, "
    code += "any('_cupy.aliases' in name or 'cupyx' in name for name in sys.modules))"
    assert output_of(code) == "cupola False False"


def test_spawned_processes_have_the_names(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import multiprocessing\nimport cupy\n\n\ndef work(n):\n"
        "    return float(cupy.arange(n).sum())\n\n\nif __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(work, [3, 4]))\n"
    )
    assert run("-m", "cupola.as_cupy", str(path))[:2] == (0, "[3.0, 6.0]\n")


def test_pytest_takes_it_as_a_plugin(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import cupy\nimport cupyx\n")
    (tmp_path / "test_it.py").write_text(
        "import cupola\nimport cupy\n\n\ndef test_it():\n    assert cupy is cupola\n"
    )
    words = ["-m", "pytest", "-q", "-p", "cupola.as_cupy", "-p", "no:cacheprovider", str(tmp_path)]
    code, output, error = run(*words, cwd=tmp_path)
    assert code == 0, output + error
    assert "1 passed" in output


LIBRARIES = {
    "scipy": """
import os
os.environ["SCIPY_ARRAY_API"] = "1"
import cupola; cupola.install_as()
import cupy as cp
from scipy._lib._array_api import array_namespace, is_cupy
import scipy.stats
x = cp.asarray([1.0, 2.0, 4.0])
xp = array_namespace(x)
assert is_cupy(xp), xp
y = xp.asarray(x) * 2
assert isinstance(y, cp.ndarray) and float(xp.sum(y)) == 14.0
""",
    "opt_einsum": """
import cupola; cupola.install_as()
import cupy as cp, opt_einsum
a = cp.arange(6.0).reshape(2, 3)
r = opt_einsum.contract("ij,kj->ik", a, a)
assert isinstance(r, cp.ndarray) and r.tolist() == [[5.0, 14.0], [14.0, 50.0]]
""",
    "dask": """
import cupola; cupola.install_as()
import cupy as cp, dask.array as da
x = da.from_array(cp.arange(10.0), chunks=5, asarray=False)
s = (x + 1).sum().compute()
assert float(s) == 55.0, s
assert isinstance((x * 2).compute(), cp.ndarray)
""",
    "sklearn": """
import os
os.environ["SCIPY_ARRAY_API"] = "1"
import cupola; cupola.install_as()
import cupy as cp, sklearn
from sklearn.utils._array_api import get_namespace
with sklearn.config_context(array_api_dispatch=True):
    xp, is_array_api = get_namespace(cp.ones(3))
assert is_array_api and float(xp.sum(xp.ones(3))) == 3.0
""",
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_take_it_for_cupy(library: str) -> None:
    pytest.importorskip(library)
    assert output_of(LIBRARIES[library]) == ""


def test_the_version_is_that_of_the_cupy_that_is_followed() -> None:
    text = "import cupy; from cupola._cupy.names import VERSION; print(cupy.__version__, VERSION)"
    status, output, errors = run("-m", "cupola.as_cupy", "-c", text)
    assert (status, errors) == (0, "")
    version, followed = output.split()
    assert version == f"{followed}.0"


def test_raw_kernels_take_views_with_gaps() -> None:
    skip_without_compiler()
    program = (
        "import warnings, cupola; cupola.install_as()\n"
        "import cupy as cp\n"
        "code = 'extern \"C\" __global__ void f(int* x, int gap, int n)'\n"
        "code += '{ if (threadIdx.x < n) x[threadIdx.x * gap] += 1; }'\n"
        "kernel, x = cp.RawKernel(code, 'f'), cp.zeros(6, 'i')\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    kernel((1,), (32,), (x[::2], 2, 3))\n"
        "    kernel((1,), (32,), (x, 1, 2))\n"
        "print(x, [(str(each.message)[:38], each.filename) for each in seen])\n"
        "for given in ((x[::2], 2), (x.astype('d')[::2], 2, 3)):\n"
        "    try: kernel((1,), (1,), given)\n"
        "    except (TypeError, ValueError) as error: print(type(error).__name__)\n"
        "try: kernel((1,), (1,), (x[::2], 2, 3), allow_strided=False)\n"
        "except ValueError as error: print(str(error)[:37])\n"
    )
    assert output_of(program).splitlines() == [
        "[2 1 1 0 1 0] [('argument 1 of f (int* x): the view of ', '<string>')]",
        "TypeError",
        "TypeError",
        "argument 1 of f (int* x): the view of",
    ]


def test_arrays_on_sets_stay_where_they_are() -> None:
    program = (
        "import cupola; cupola.install_as()\n"
        "import cupy as cp\n"
        "both = cp.cuda.Device('cpu:0,1')\n"
        "x = cp.ones(4, device=both)\n"
        "with cp.cuda.Device(2):\n"
        "    print(cp.asarray(x).device, cp.zeros_like(x).device, x.copy().device)\n"
        "    print(cp.asarray(cp.ones(3, device='cpu:1'), device='cpu:3').device)\n"
        "y = cp.ones(4, device='cpu:1')\n"
        "with both: print(y.copy().device)\n"
    )
    environment = {"CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_DEVICES": "4"}
    kept, given, beside = output_of(program, **environment).splitlines()
    assert kept.split()[0] == kept.split()[1] == kept.split()[2] != "cpu:2"
    assert (given, beside) == ("cpu:3", "cpu:1")


def test_memory_is_profiled_by_lines_of_the_program(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import cupy\nfrom cupy.cuda import memory_hooks\n\n\ndef work():\n"
        "    cupy.cuda.alloc(512)\n\n\n"
        "hook = memory_hooks.LineProfileHook(max_depth=2)\nwith hook:\n    work()\n"
        "hook.print_report()\n"
    )
    status, output, _ = run("-m", "cupola.as_cupy", str(path))
    places = [line.split(" (")[0].rsplit("/", 1)[-1] for line in output.splitlines()]
    assert (status, places) == (
        0,
        ["_root", "program.py:11:<module>", "program.py:6:work"],
    )


def test_functions_under_the_names_are_pickled() -> None:
    program = (
        "import cupola; cupola.install_as()\n"
        "import cupy, pickle\n"
        "names = 'array asarray asanyarray copy copyto empty_like full_like sum'.split()\n"
        "functions = [getattr(cupy, name) for name in names]\n"
        "print(pickle.loads(pickle.dumps(functions)) == functions)\n"
    )
    assert output_of(program) == "True"
