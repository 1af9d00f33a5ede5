"""The threads of BLAS beside the library's own: docs/dev/decisions/0034-blas-threads.md."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cupola_under_test import on_cuda

import cupola as cp
from cupola._devices import libraries as _libraries

IS_CUT = "CUPOLA_MATMUL_BLOCK_ROWS" in os.environ

pytestmark = [
    pytest.mark.skipif(on_cuda(), reason="CUDA devices do not compute with BLAS"),
    pytest.mark.long,
]

WORK = """
import json, os, sys
import numpy as np
tasks = lambda: {int(task) for task in os.listdir("/proc/self/task")}
of_numpy = tasks() - {os.getpid()}
import cupola as cp

rng = np.random.default_rng(3)
def work():
    results = []
    for count, n in ((40, 32), (10, 64), (4, 100), (2, 128)):
        a = cp.asarray(rng.random((count, n, n)) + n * np.eye(n))
        s = a + a.swapaxes(1, 2)
        results += [*cp.linalg.svd(a), *cp.linalg.qr(a), *cp.linalg.eigh(s), cp.linalg.inv(a)]
        results += [cp.linalg.solve(a, s), cp.linalg.cholesky(s), cp.linalg.det(a), a @ s]
        results += [a @ a.swapaxes(1, 2), cp.linalg.inv(a[0]), cp.linalg.svdvals(a[0])]
    b = cp.asarray(rng.random((400, 300)))
    results += [b @ b.T, b.T @ b, b @ b[0, :300], b[:, 0] @ b, b[:300] @ b[:300].T.copy()]
    results += [cp.dot(b.ravel(), b.ravel()), cp.vecdot(b, b)]
    return [result.get() for result in results]
"""


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WORK + code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"),
    reason="the system does not say how long threads ran",
)
def test_no_thread_of_blas_wakes() -> None:
    """NumPy's sleep on, and there are no others than the library's own."""
    code = """
def time_of(task):
    return int(open(f"/proc/self/task/{task}/schedstat").read().split()[0])
def sleeps(task):
    return open(f"/proc/self/task/{task}/stat").read().rpartition(")")[2].split()[0] == "S"

for task in of_numpy:  # those that have just been started look for work first
    asleep = 0
    while asleep < 100:
        asleep = asleep + 1 if sleeps(task) else 0
        os.sched_yield()
pool = cp.asarray(rng.random(1 << 22))
for _ in range(20):
    cp.eval(cp.sort(pool), (pool + 1).sum())
known = tasks()
before = {task: time_of(task) for task in of_numpy}
work()
print(json.dumps([len(tasks() - known), sum(time_of(task) - before[task] for task in of_numpy)]))
"""
    new, nanoseconds = json.loads(run(code))
    assert new == 0
    assert nanoseconds == 0


def test_numpys_setting_stays() -> None:
    path = _libraries.numpy_blas()
    if path is None:
        pytest.skip("NumPy brings no OpenBLAS")
    code = f"""
import ctypes
library = ctypes.CDLL({path!r})
get = library.scipy_openblas_get_num_threads64_
set_number = library.scipy_openblas_set_num_threads64_
before = get()
work()
print(before == get())
set_number(1)
work()
print(get())
set_number(2)
work()
print(get())
"""
    assert run(code).split() == ["True", "1", "2"]


def test_numbers_do_not_depend_on_its_threads() -> None:
    code = """
import hashlib
print(hashlib.sha256(b"".join(result.tobytes() for result in work())).hexdigest())
"""
    assert run(code, OPENBLAS_NUM_THREADS="1") == run(code, OPENBLAS_NUM_THREADS="3")


def test_numbers_do_not_depend_on_devices_and_deferral() -> None:
    code = """
import hashlib
with cp.Device(os.environ["WHERE"]):
    results = work()
print(hashlib.sha256(b"".join(result.tobytes() for result in results)).hexdigest())
"""
    striped = {
        "CUPOLA_CPU_DEVICES": "4",
        "CUPOLA_STRIPE_THRESHOLD": "1",
        "CUPOLA_CPU_STRIPE_BYTES": "4096",
    }
    found = {
        run(code, WHERE=where, CUPOLA_EAGER=eager, **striped)
        for where in ("cpu:0", "cpu:0-3")
        for eager in ("0", "1")
    }
    assert len(found) == 1


def test_forked_children_compute() -> None:
    code = """
expected = work()
child = os.fork()
if child == 0:
    rng = np.random.default_rng(3)
    same = all(np.array_equal(a, b) for a, b in zip(work(), expected, strict=True))
    os._exit(0 if same else 1)
print(os.waitpid(child, 0)[1])
"""
    assert run(code).strip() == "0"


OPENBLAS = """
int openblas_get_parallel(void) { return 1; }
int openblas_get_num_threads(void) { return 2; }
void openblas_set_num_threads(int count) { (void)count; }
int running, most;
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a,
                 int lda, const double *b, int ldb, double beta, double *c, int ldc) {
  int now = __atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST);
  if (now > most) most = now;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i * lda + l] * b[l * ldb + j];
      c[i * ldc + j] = sum;
    }
  __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
}
"""


def test_a_library_that_keeps_its_threads_is_called_by_one_of_ours(tmp_path: Path) -> None:
    """It says that it has threads, and no copy of it is without them."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    names = [kind + product for kind in "sdcz" for product in ("gemm", "gemv", "syrk")]
    names += ["sdot", "ddot", "cdotu_sub", "zdotu_sub"]
    rest = "".join(f"void cblas_{name}(void) {{}}\n" for name in names if name != "dgemm")
    source, library = tmp_path / "openblas.c", tmp_path / "openblas.so"
    source.write_text(OPENBLAS + rest)
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    code = f"""
import ctypes
a = rng.integers(0, 9, (500, 30, 30)).astype(float)
assert np.array_equal((cp.asarray(a) @ cp.asarray(a)).get(), a @ a)
print(ctypes.c_int.in_dll(ctypes.CDLL({str(library)!r}), "most").value)
"""
    assert run(code, CUPOLA_BLAS=str(library)).strip() == "1"


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(1, 5), (2, 3), (40, 7), (129, 300), (513, 64), (700, 600)])
def test_a_matrix_times_its_transpose(dtype: str, shape: tuple[int, int]) -> None:
    """It is symmetric to the last bit, unless it is cut into blocks of rows."""
    rng = np.random.default_rng(5)
    parts = rng.random((2, *shape))
    host = (parts[0] + 1j * parts[1] if dtype[0] == "c" else parts[0]).astype(dtype)
    tolerance = 1e-4 if dtype in ("float32", "complex64") else 1e-12
    a = cp.asarray(host)
    for ours, theirs in ((a, host), (a.T, host.T)):
        product = (ours @ ours.T).get()
        assert np.array_equal(product, product.T) or IS_CUT
        assert np.allclose(product, theirs @ theirs.T, rtol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("shape", [(1030, 130, 2060), (520, 600, 515), (2053, 70, 1029)])
def test_products_that_threads_share(dtype: str, shape: tuple[int, int, int]) -> None:
    """Of small integers, so that every sum is exact: whole, of views, and into a wider array."""
    m, k, n = shape
    rng = np.random.default_rng(m)
    a, b = rng.integers(-4, 5, (m, 2 * k)).astype(dtype), rng.integers(-4, 5, (n, k)).astype(dtype)
    ours, other = cp.asarray(a), cp.asarray(b)
    assert np.array_equal(cp.asnumpy(ours[:, :k] @ other.T), a[:, :k] @ b.T)
    out = cp.zeros((m, n + 3), dtype)
    cp.matmul(ours[:, k:], other.T, out=out[:, 1:-2])
    assert np.array_equal(cp.asnumpy(out), np.pad(a[:, k:] @ b.T, ((0, 0), (1, 2))))


def test_stacks_times_their_transposes() -> None:
    host = np.random.default_rng(6).random((7, 5, 20, 30))
    a = cp.asarray(host)
    product = (a @ a.swapaxes(-1, -2)).get()
    assert np.array_equal(product, product.swapaxes(-1, -2))
    assert np.allclose(product, host @ host.swapaxes(-1, -2), rtol=1e-13)
    other = (a[0] @ a[1].swapaxes(-1, -2)).get()
    assert np.allclose(other, host[0] @ host[1].swapaxes(-1, -2), rtol=1e-13)
    out = cp.full((7, 5, 20, 25), 7.0)
    cp.matmul(a, a.swapaxes(-1, -2), out=out[..., :20])
    assert np.array_equal(out[..., :20].get(), product)
    assert (out[..., 20:] == 7).all()


def test_symmetry_is_the_same_however_it_waits() -> None:
    """Of a view of a sum that waits, both times."""
    host = np.random.default_rng(7).random((150, 90))
    stored = cp.asarray(host) + 1
    cp.eval(stored)
    expected = (stored @ stored.T).get()
    waiting = cp.asarray(host) + 1
    assert np.array_equal((waiting @ waiting.T).get(), expected)
    view = (cp.asarray(host) + 1).T
    assert np.array_equal((view.T @ view).get(), expected)
