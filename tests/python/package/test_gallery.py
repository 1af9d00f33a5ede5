"""The programs of examples/gallery run, draw their pictures, and find their results right."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.cupola_only, pytest.mark.long]

GALLERY = sorted((Path(__file__).parents[3] / "examples/gallery").glob("[!_]*.py"))
NEEDED = ("matplotlib", "tqdm", "scipy", "sklearn", "dask")

# Runs a program as Sphinx-Gallery does, and says how many pictures it drew.
DRAWN = """
import runpy, sys
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt

pictures = []

def show(*args, **options):
    for number in plt.get_fignums():
        figure = plt.figure(number)
        figure.canvas.draw()
        pictures.append(figure.canvas.buffer_rgba().tobytes())
        plt.close(figure)

plt.show = show
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
runpy.run_path(sys.argv[1], run_name="__main__")
assert not plt.get_fignums()
print("pictures:", [len(set(zip(*[iter(picture)] * 4))) for picture in pictures])
"""


def test_there_are_fifteen() -> None:
    assert len(GALLERY) == 15


@pytest.mark.parametrize("program", GALLERY, ids=lambda path: path.stem)
def test_program(program: Path, tmp_path: Path) -> None:
    text = program.read_text(encoding="utf-8")
    for needed in NEEDED:
        if re.search(rf"^(from|import) {needed}\b", text, re.MULTILINE):
            pytest.importorskip(needed)
    path = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    done = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", DRAWN, program],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    colours = re.findall(r"pictures: \[(.*)\]", done.stdout)
    assert colours, done.stdout
    # Something is to be seen in each of them.
    assert all(int(count) > 50 for count in colours[0].split(", "))


@pytest.mark.parametrize("program", GALLERY, ids=lambda path: path.stem)
def test_form(program: Path) -> None:
    """As Sphinx-Gallery wants it, short, and with a check of its own result."""
    text = program.read_text(encoding="utf-8")
    title, line = text.split("\n")[1:3]
    assert text.startswith('"""\n')
    assert re.fullmatch("=+", line)
    assert len(line) == len(title)
    assert text.count("\n# %%\n") >= 3
    assert "\nassert " in text or "\n    assert " in text
    assert text.count("\n") <= 150
