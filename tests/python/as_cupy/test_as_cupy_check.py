"""`python -m cupola.as_cupy --check`: names that programs use and that are missing or different."""

import json
from pathlib import Path
from typing import Any

import pytest
from cupola_under_test import cp
from support.subprocesses import output_of

pytestmark = pytest.mark.cupola_only

if hasattr(cp, "errors"):
    from cupola._cupy import differences, names
    from cupola._cupy.check import check, counterpart, findings_in


def found(tmp_path: Path, text: str) -> list[tuple[int, str, str]]:
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    return [(each.line, each.status, each.name) for each in findings_in(str(path))]


MISSING: dict[str, list[str]] = {
    "import cupy\ncupy.nosuch(1)": ["cupy.nosuch"],
    "import cupy as cp\nxp = cp\n\n\ndef f():\n    return xp.linalg.nosuch": ["cupy.linalg.nosuch"],
    "from cupy import nosuch, ones": ["cupy.nosuch"],
    "import cupy.nosuch": ["cupy.nosuch"],
    "from cupy.cuda import cublas as t\nt.create": ["cupy.cuda.cublas"],
    "from cupyx.scipy import ndimage": ["cupyx.scipy"],
    "import cupyx.scipy.sparse as sp\nsp.csr_matrix": ["cupyx.scipy.sparse"],
    "import cupy as cp\ncp.ones(3).sum().nosuch": ["cupy.ndarray.nosuch"],
    "import cupy as cp\na = cp.ones(3)\n(a + 1).nosuch\n-a.nosuch": ["cupy.ndarray.nosuch"] * 2,
    "import cupy as cp\ncp.ones(3).view(cp.int64).nosuch\ncp.ones(3).view('i8').nosuch": [
        "cupy.ndarray.nosuch"
    ]
    * 2,
    "import cupy as cp\nwith cp.cuda.Stream() as s:\n    s.nosuch()": ["cupy.cuda.Stream.nosuch"],
    "import cupy as cp\na, b = cp.ones(3), 1\na.nosuch\nb.nosuch": ["cupy.ndarray.nosuch"],
    "import cupy as cp\nf = lambda n: cp.nosuch(n)": ["cupy.nosuch"],
    "import cupy\ngetattr(cupy, 'nosuch')\ngetattr(cupy, 'nosuch', None)": ["cupy.nosuch"],
    "def f():\n    return cp.nosuch\n\n\nimport cupy as cp": ["cupy.nosuch"],
    "import cupy\n\n\nclass A(cupy.nosuch):\n    b = cupy.ones(1)": ["cupy.nosuch"],
    "import cupy as cp\n\ndef f(x):\n    xp = cp.get_array_module(x)\n    xp.nosuch": [
        "cupy.nosuch"
    ],
    "try:\n    import cupy as xp\nexcept ImportError:\n    import numpy as xp\nxp.nosuch": [
        "cupy.nosuch"
    ],
    "import cupy, numpy\nxp = cupy if True else numpy\nxp.linalg.nosuch": ["cupy.linalg.nosuch"],
    "import cupy, numpy as np\nif 1:\n    xp = np\nelse:\n    xp = cupy\nxp.nosuch": [
        "cupy.nosuch"
    ],
    "import importlib\nm = importlib.import_module('cupy')\nm.nosuch": ["cupy.nosuch"],
    "__import__('cupy.cuda.nosuch')": ["cupy.cuda.nosuch"],
    "import cupy as cp\n\ndef f(a, xp=cp, *, yp=cp):\n    return xp.nosuch + yp.nosuch1": [
        "cupy.nosuch",
        "cupy.nosuch1",
    ],
    "import cupy as cp\n\n\nclass A:\n    xp = cp\n\n    def __init__(self):\n"
    "        self.la = cp.linalg\n\n    def f(self):\n        self.xp.nosuch\n"
    "        self.la.nosuch": ["cupy.nosuch", "cupy.linalg.nosuch"],
    "from cupy import *\nprint(cublas, ones(3).nosuch)": ["cupy.cublas", "cupy.ndarray.nosuch"],
}


@pytest.mark.parametrize("text", MISSING)
def test_missing_names_are_found(text: str, tmp_path: Path) -> None:
    rows = found(tmp_path, text)
    first = [name for _, status, name in rows if status == "missing"]
    # What is used of a missing module counts at its own line, too.
    assert [name for name in first if not name.endswith(("cublas.create", "csr_matrix"))] == (
        MISSING[text]
    )


QUIET = [
    "",
    "import numpy as cp\ncp.nosuch",
    "import cupy as cp\n\n\ndef f(cp):\n    return cp.nosuch",
    "import cupy as cp\na = cp.ones(3)\na = 3\na.nosuch",
    "import cupy as cp\nfor cp in []:\n    cp.nosuch",
    "from .cupy import nosuch",
    "import cupy as cp\ncp.add.at\ncp.ndarray.sum\ncp.float32(1).nosuch\ncp.cuda.Device(0).id",
    "from cupyx import jit\njit.threadIdx.x + jit.blockIdx.y",
    "import cupy, cupyx\nfrom cupy import *",
    "import cupy\nfrom cupyx.profiler import benchmark\nhasattr(cupy, 'x')",
    "import cupy\nimport numpy as np\nnp.nosuch\nnp.linalg.nosuch\nnp.ones(3).nosuch",
    "import cupy as cp, numpy as np\na = cp.ones(3)\na = np.ones(3)\na.nosuch",
    "import cupy as cp\n\n\nclass A:\n    def f(self, xp):\n        self.xp = xp\n"
    "        self.xp = cp\n        self.xp.nosuch",
    "from cupy import *\ncublas = 1\nprint(cublas)",
    "import cupy as cp\nclass A(cp.ndarray): pass\ncp.ones(3).view(A).info\n"
    "a = cp.ones(3).view(type=A)\na.info",
    "import cupy as cp\n\ndef f(n=cp.pi, xp=None):\n    return xp.nosuch + n.nosuch",
    "import importlib\nm = importlib.import_module('json' + '')\nm.nosuch",
    "import cupy.random as r\nr.default_rng\nimport cupy.linalg\ncupy.linalg.norm",
]


@pytest.mark.parametrize("text", QUIET)
def test_nothing_is_missing(text: str, tmp_path: Path) -> None:
    assert [row for row in found(tmp_path, text) if row[1] == "missing"] == []


def test_lines_reasons_and_exit_statuses(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "programs"
    (folder / "inner").mkdir(parents=True)
    (folder / "good.py").write_text("import cupy\n\ncupy.take(cupy.ones(3), 1)\n")
    assert check([str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0]
        == f"{folder}/good.py:3: different: cupy.take: " + (differences.DIFFERENT["cupy.take"])
    )
    assert lines[1] == "1 file: 0 missing, 1 different"
    (folder / "inner/bad.py").write_text("import cupy\n\n\ncupy.cublas\ncupy.nosuch\n")
    assert check([str(folder)]) == 1
    lines = capsys.readouterr().out.splitlines()
    reason = differences.reason_for("cupy", "cublas")
    assert lines[1] == f"{folder}/inner/bad.py:4: missing: cupy.cublas: {reason}"
    assert lines[2].endswith(
        f":5: missing: cupy.nosuch: it is no public name of CuPy {names.VERSION} either"
    )
    (folder / "syntax.py").write_text("if True\n")
    assert check([str(folder), str(folder / "nosuch.py")]) == 2
    text = capsys.readouterr().out
    assert f"{folder}/syntax.py:1: cannot be read: expected ':'" in text
    assert f"{folder}/nosuch.py: cannot be read: [Errno 2]" in text
    assert check([]) == 2


def test_programs_do_not_run(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import cupy\nraise SystemExit(9)\n")
    code = (
        f"import sys; from cupola.as_cupy import main; sys.exit(main(['--check', {str(path)!r}]))"
    )
    assert output_of(code) == "1 file: 0 missing, 0 different"


def test_rows_of_the_tables_are_names_of_cupy() -> None:
    for place, name in differences._REASONS:
        assert name in names.NAMES[place], (place, name)
        assert not hasattr(counterpart(place), name), (place, name)
    for path in differences.DIFFERENT:
        place, _, name = path.rpartition(".")
        assert name in names.NAMES[place], path
        assert hasattr(counterpart(place), name), path


def test_a_module_says_why_a_name_is_left_out() -> None:
    with pytest.raises(AttributeError, match=r"^module 'cupola.cuda' has no attribute 'cublas': "):
        cp.cuda.cublas  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"^module 'cupola' has no attribute 'cublas': handles"
    ):
        cp.cublas  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'cupola.cupyx' has no attribute 'nosuch'$"):
        cp.cupyx.nosuch  # noqa: B018


def test_notebooks_are_read_cell_by_cell(tmp_path: Path, capsys: Any) -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "source": ["cupy.nosuch"]},
        {
            "cell_type": "code",
            "source": [
                "%matplotlib inline\n",
                "import cupy as cp\n",
                "!ls\n",
                "cp.nosuch\n",
                "cp?",
            ],
        },
        {
            "cell_type": "code",
            "source": "if cp:\n    %time x = cp.ones(3)\nx = cp.ones(3)\nx.nosuch",
        },
        {"cell_type": "code", "source": ["%%bash\n", "cp.nosuch"]},
        {"cell_type": "code", "source": ["%%time\n", "cp.nosuch(1)"]},
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}))
    assert check([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": missing: ")[0] for line in lines[:-1]] == [
        f"{path}[2]:4",
        f"{path}[3]:4",
        f"{path}[5]:2",
    ]
    assert lines[-1] == "1 file: 3 missing, 0 different"
    path.write_text("[]")
    assert check([str(path)]) == 2
    assert "no list of cells" in capsys.readouterr().out
    (tmp_path / "b.py").write_bytes(b"import cupy\0")
    assert check([str(tmp_path / "b.py")]) == 2
    assert "b.py: cannot be read: " in capsys.readouterr().out
