"""Solutions, determinants and factorisations: results are judged by what they must fulfil."""

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp, from_numpy, to_numpy
from hypothesis import given
from hypothesis import strategies as st
from support.compare import Tolerance, agree, assert_same
from support.device_sets import run as run_on_set
from support.dtypes import bfloat16, name
from support.matrices import (
    EXACT,
    FLOATING,
    OBLONG,
    SHAPES,
    adjoint,
    assert_small,
    assert_solves,
    definite,
    hermitian,
    sample,
    size_of,
    wide,
)
from support.operands import operands

# ---- solve and inv


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_solve(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    for columns in (1, 3):
        b = sample(dtype, (*shape[:-1], columns), 1)
        assert_solves(a, cp.linalg.solve(from_numpy(a), from_numpy(b)), b, dtype)
    b = sample(dtype, shape[-1:], 2)
    assert_solves(a, cp.linalg.solve(from_numpy(a), from_numpy(b)), b, dtype)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((4, 4), (3, 4, 2)),
        ((3, 4, 4), (4, 2)),
        ((3, 1, 4, 4), (2, 4, 1)),
        ((1, 4, 4), (5, 4, 3)),
        ((2, 4, 4), (4,)),
        ((2, 4, 4), (2, 4, 0)),
        ((2, 4, 4), (4, 4)),
    ],
    ids=str,
)
def test_solve_broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    left, right = sample(np.dtype("d"), a), sample(np.dtype("d"), b)
    assert_solves(left, cp.linalg.solve(from_numpy(left), from_numpy(right)), right, left.dtype)


def test_types_are_promoted() -> None:
    for first in FLOATING + EXACT:
        for second in FLOATING + EXACT:
            a, b = sample(first, (3, 3), 5) + np.eye(3, dtype=first) * 9, sample(second, (3, 2))
            a = a.astype(first) if first.kind != "b" else np.eye(3, dtype=bool)
            want = np.linalg.solve(a, b)
            assert_solves(a, cp.linalg.solve(from_numpy(a), from_numpy(b)), b, want.dtype)


@pytest.mark.parametrize("dtype", FLOATING, ids=name)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_inv(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    inverse = cp.linalg.inv(from_numpy(a))
    assert_solves(a, inverse, np.broadcast_to(np.eye(shape[-1]), shape), dtype)
    if not IS_NUMPY:
        assert inverse.flags.c_contiguous


@given(st.data())
def test_views_of_any_layout(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(FLOATING))
    n, columns = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    stack = data.draw(st.sampled_from([(), (2,), (3, 1)]))
    a = data.draw(operands(dtype, (*stack, n, n), "small", broadcast=False))
    b = data.draw(operands(dtype, (n, columns), "small"))
    shift = np.eye(n, dtype=dtype) * 40
    left, right = a.in_numpy() + shift, b.in_numpy()
    x = cp.linalg.solve(a.under_test() + from_numpy(shift), b.under_test())
    assert_solves(left, x, right, dtype)
    square = a.under_test()
    product = cp.matmul(square, square.conj().swapaxes(-1, -2)) + from_numpy(shift)
    lower = wide(cp.linalg.cholesky(product))
    assert_small(lower @ adjoint(lower) - wide(product), size_of(wide(product)), n, dtype)


def test_order_f_and_pending() -> None:
    a = np.asfortranarray(sample(np.dtype("d"), (6, 6)))
    b = np.asfortranarray(sample(np.dtype("d"), (6, 3)))
    x, y = from_numpy(a), from_numpy(b)
    assert_solves(a, cp.linalg.solve(x, y), b, a.dtype)
    assert_solves(2 * a + 1, cp.linalg.solve(2 * x + 1, y - 3), b - 3, a.dtype)
    assert_solves(a.T, cp.linalg.solve(x.T, y[::-1]), b[::-1], a.dtype)
    assert_same(x, a)  # the operands are as they were
    assert_same(y, b)


def test_results_go_on() -> None:
    a = sample(np.dtype("d"), (5, 5))
    x = from_numpy(a)
    got = to_numpy(cp.linalg.inv(x) @ x + cp.linalg.det(x) * 0)
    assert np.allclose(got, np.eye(5))


# ---- det and slogdet


@pytest.mark.parametrize("dtype", FLOATING + EXACT, ids=name)
@pytest.mark.parametrize("shape", SHAPES[:4], ids=str)
def test_determinants(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    single = dtype.char in "fF"
    close = Tolerance(absolute=(2e-3 if single else 1e-9) * float(abs(np.linalg.det(a)).max() + 1))
    agree(lambda xp, x: xp.linalg.det(x), a, tolerance=close)
    if abs(np.linalg.det(a)).min() > 1e-3:
        agree(
            lambda xp, x: list(xp.linalg.slogdet(x)),
            a,
            tolerance=Tolerance(absolute=1e-3 if single else 1e-9),
        )


def test_determinants_of_any_size() -> None:
    """What would overflow or vanish on the way does not."""
    for exponents in [(200, 200, -200, -200), (-200, -200, 200, 195), (90,) * 4, (-90,) * 4]:
        a = np.diag(10.0 ** np.array(exponents)) @ np.eye(4)[[1, 0, 2, 3]]
        agree(lambda xp, x: xp.linalg.det(x), a, tolerance=Tolerance(ulps=1e6))
    agree(lambda xp, x: xp.linalg.det(x), np.diag([2.0, 3.0, 7.0]), tolerance=Tolerance(ulps=20))


def test_determinants_of_singular_matrices() -> None:
    for dtype in FLOATING:
        a = np.stack([np.zeros((3, 3)), np.eye(3), np.diag([1, 0, 2.0])]).astype(dtype)
        agree(lambda xp, x: xp.linalg.det(x), a)
        agree(lambda xp, x: [part + 0 for part in xp.linalg.slogdet(x)], a)


def test_names_of_results() -> None:
    a = from_numpy(definite(sample(np.dtype("d"), (3, 3))))
    assert cp.linalg.slogdet(a)._fields == ("sign", "logabsdet")
    assert cp.linalg.qr(a)._fields == ("Q", "R")
    assert cp.linalg.eigh(a)._fields == ("eigenvalues", "eigenvectors")
    assert cp.linalg.svd(a)._fields == ("U", "S", "Vh")


# ---- cholesky


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_cholesky(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = definite(sample(dtype, shape))
    noise = np.triu(np.ones(shape[-2:], dtype), 1)  # in the triangle that is not read
    lower = cp.linalg.cholesky(from_numpy(a + noise))
    upper = cp.linalg.cholesky(from_numpy(a + noise.T), upper=True)
    for factor, other in ((lower, np.triu), (upper, np.tril)):
        assert to_numpy(factor).dtype == dtype
        assert not other(to_numpy(factor), 1 if other is np.triu else -1).any()
    low, high = wide(lower), wide(upper)
    assert_small(low @ adjoint(low) - a, size_of(wide(a)), shape[-1], dtype)
    assert_small(adjoint(high) @ high - a, size_of(wide(a)), shape[-1], dtype)


# ---- qr


@pytest.mark.parametrize("shape", [*SHAPES, *OBLONG], ids=str)
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_qr(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    m, n = shape[-2:]
    alone = cp.linalg.qr(from_numpy(a), "r")
    for mode, columns in (("reduced", min(m, n)), ("complete", m)):
        q, r = cp.linalg.qr(from_numpy(a), mode)
        assert to_numpy(q).dtype == to_numpy(r).dtype == dtype
        q, r = wide(q), wide(r)
        assert q.shape == (*shape[:-1], columns)
        assert r.shape == (*shape[:-2], columns, n)
        assert not np.tril(r, -1).any()
        assert_small(adjoint(q) @ q - np.eye(columns), 1, m, dtype)
        assert_small(q @ r - a, size_of(wide(a)), max(m, n), dtype)
        if mode == "reduced":
            close = Tolerance(absolute=float(np.finfo(dtype).eps) * 100 * max(m, n))
            assert_same(alone, to_numpy(cp.linalg.qr(from_numpy(a))[1]), close)


@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_raw_qr(dtype: np.dtype) -> None:
    for shape in ((5, 3), (2, 3, 5)):
        a = sample(dtype, shape)
        close = Tolerance(absolute=float(np.finfo(dtype).eps) * 100)
        agree(lambda xp, x: list(xp.linalg.qr(x, "raw")), a, tolerance=close)


# ---- eigenvalues and singular values


@pytest.mark.parametrize("triangle", ["L", "U"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_eigh(dtype: np.dtype, shape: tuple[int, ...], triangle: str) -> None:
    a = hermitian(sample(dtype, shape)).astype(dtype)
    noise = np.triu(np.ones(shape[-2:], dtype), 1)
    given_matrix = from_numpy(a + (noise if triangle == "L" else noise.T))
    values, vectors = cp.linalg.eigh(given_matrix, triangle)
    assert to_numpy(values).dtype == np.finfo(dtype).dtype
    assert to_numpy(vectors).dtype == dtype
    w, v = wide(values), wide(vectors)
    assert (np.diff(w) >= 0).all()
    assert_small(a @ v - v * w[..., None, :], size_of(wide(a)), shape[-1], dtype)
    assert_small(adjoint(v) @ v - np.eye(shape[-1]), 1, shape[-1], dtype)
    alone = wide(cp.linalg.eigvalsh(given_matrix, UPLO=triangle))
    assert_small((alone - w)[..., None], size_of(wide(a)), shape[-1], dtype)


@pytest.mark.parametrize("shape", [*SHAPES, *OBLONG], ids=str)
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_svd(dtype: np.dtype, shape: tuple[int, ...]) -> None:
    a = sample(dtype, shape)
    m, n = shape[-2:]
    shorter = min(m, n)
    for full in (False, True):
        u, s, vh = cp.linalg.svd(from_numpy(a), full_matrices=full)
        assert to_numpy(u).dtype == to_numpy(vh).dtype == dtype
        assert to_numpy(s).dtype == np.finfo(dtype).dtype
        u, s, vh = wide(u), wide(s), wide(vh)
        assert u.shape == (*shape[:-1], m if full else shorter)
        assert vh.shape == (*shape[:-2], n if full else shorter, n)
        assert (np.diff(s) <= 0).all()
        assert (s >= 0).all()
        assert_small(adjoint(u) @ u - np.eye(u.shape[-1]), 1, m, dtype)
        assert_small(vh @ adjoint(vh) - np.eye(vh.shape[-2]), 1, n, dtype)
        product = (u[..., :shorter] * s[..., None, :]) @ vh[..., :shorter, :]
        assert_small(product - a, size_of(wide(a)), max(m, n), dtype)
    for alone in (cp.linalg.svdvals, partial(cp.linalg.svd, compute_uv=False)):
        values = wide(alone(from_numpy(a)))
        assert_small((values - s)[..., None], size_of(wide(a)), max(m, n), dtype)


@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_svd_of_hermitian_matrices(dtype: np.dtype) -> None:
    a = hermitian(sample(dtype, (3, 5, 5))).astype(dtype)
    u, s, vh = (wide(part) for part in cp.linalg.svd(from_numpy(a), hermitian=True))
    assert_small((u * s[..., None, :]) @ vh - a, size_of(wide(a)), 5, dtype)
    assert_small(adjoint(u) @ u - np.eye(5), 1, 5, dtype)
    values = wide(cp.linalg.svd(from_numpy(a), compute_uv=False, hermitian=True))
    assert_small((values - s)[..., None], size_of(wide(a)), 5, dtype)


# ---- nothing, and errors

UNARY: dict[str, Callable[[Any, Any], Any]] = {
    "inv": lambda xp, x: xp.linalg.inv(x),
    "det": lambda xp, x: xp.linalg.det(x),
    "slogdet": lambda xp, x: list(xp.linalg.slogdet(x)),
    "cholesky": lambda xp, x: xp.linalg.cholesky(x),
    "eigh": lambda xp, x: list(xp.linalg.eigh(x)),
    "eigvalsh": lambda xp, x: xp.linalg.eigvalsh(x),
    "qr": lambda xp, x: list(xp.linalg.qr(x)),
    "complete qr": lambda xp, x: list(xp.linalg.qr(x, "complete")),
    "r": lambda xp, x: xp.linalg.qr(x, "r"),
    "svd": lambda xp, x: list(xp.linalg.svd(x)),
    "reduced svd": lambda xp, x: list(xp.linalg.svd(x, False)),
    "svdvals": lambda xp, x: xp.linalg.svdvals(x),
    "matrix_rank": lambda xp, x: xp.linalg.matrix_rank(x),
    "pinv": lambda xp, x: xp.linalg.pinv(x),
}


@pytest.mark.parametrize("function", UNARY)
def test_of_nothing(function: str) -> None:
    for dtype in "fdFD":
        for shape in ((0, 0), (2, 0, 0), (0, 3, 3), (0, 2, 4), (3, 0), (0, 3)):
            if function in ("pinv", "matrix_rank") and 0 in shape[:-2]:
                continue  # nothing has no largest element
            if not (function == "svd" and 0 in shape[-2:]) or shape in ((0, 0), (3, 0), (0, 3)):
                agree(UNARY[function], np.zeros(shape, dtype))


def test_solve_nothing() -> None:
    for a, b in [((0, 0), (0,)), ((0, 0), (0, 3)), ((2, 0, 0), (0, 1)), ((0, 3, 3), (3, 2))]:
        agree(lambda xp, x, y: xp.linalg.solve(x, y), np.zeros(a), np.zeros(b))
    agree(lambda xp, x, y: xp.linalg.solve(x, y), np.eye(3), np.zeros((3, 0)))
    agree(lambda xp, x, y: xp.linalg.solve(x, y), np.eye(3), np.zeros((0, 3, 2)))


@pytest.mark.parametrize("function", UNARY)
def test_refused(function: str) -> None:
    agree(UNARY[function], np.ones(()))
    agree(UNARY[function], np.ones(3))
    if function not in (
        "qr",
        "complete qr",
        "r",
        "svd",
        "reduced svd",
        "svdvals",
        "pinv",
        "matrix_rank",
    ):
        agree(UNARY[function], np.ones((2, 3)))
    agree(UNARY[function], np.ones((2, 2), np.float16))


@pytest.mark.cupola_only
def test_bfloat16_is_refused() -> None:
    with pytest.raises(TypeError, match="bfloat16 is unsupported"):
        cp.linalg.inv(cp.eye(2, dtype=bfloat16))


def test_shapes_that_do_not_match() -> None:
    for a, b in [
        ((3, 3), (2,)),
        ((3, 3), (2, 3)),
        ((2, 3, 3), (4, 3, 1)),
        ((3, 3), ()),
        ((3, 2), (3,)),
        ((3,), (3,)),
    ]:
        agree(lambda xp, x, y: xp.linalg.solve(x, y), np.ones(a), np.ones(b))


def test_options_that_are_none() -> None:
    agree(lambda xp, x: xp.linalg.qr(x, "half"), np.eye(2))
    agree(lambda xp, x: xp.linalg.eigh(x, "X"), np.eye(2))
    agree(lambda xp, x: xp.linalg.eigvalsh(x, "X"), np.eye(2))


@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_what_cannot_be_factored(dtype: np.dtype) -> None:
    for n in (1, 2, 5):
        good = definite(sample(dtype, (n, n)))
        stack = np.stack([good, np.zeros((n, n), dtype), good])
        for call in (
            lambda xp, x: xp.linalg.inv(x),
            lambda xp, x: xp.linalg.solve(x, xp.ones(x.shape[-1])),
            lambda xp, x: xp.linalg.cholesky(x),
        ):
            agree(call, stack)
            agree(call, stack[1])
            assert np.isfinite(to_numpy(call(cp, from_numpy(stack[::2])))).all()
    if not IS_NUMPY:
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            cp.linalg.inv(cp.zeros((2, 2), dtype))
        with pytest.raises(cp.linalg.LinAlgError, match="Matrix is not positive definite"):
            cp.linalg.cholesky(-cp.eye(2, dtype=dtype))


@pytest.mark.cupola_only
@pytest.mark.parametrize("element", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_singular_values_of_what_is_not_finite(dtype: np.dtype, element: float) -> None:
    """LAPACK and cuSOLVER may go on for ever where there are infinities."""
    for shape in ((3, 3), (5, 4), (4, 6), (2, 3, 3)):
        a = sample(dtype, shape)
        a.flat[-2] = element
        for call in (
            cp.linalg.svd,
            cp.linalg.svdvals,
            cp.linalg.matrix_rank,
            cp.linalg.pinv,
            partial(cp.linalg.norm, ord="nuc", axis=(-2, -1)),
        ):
            with pytest.raises(cp.linalg.LinAlgError, match="SVD did not converge"):
                call(from_numpy(a))
    assert np.isfinite(to_numpy(cp.linalg.svdvals(from_numpy(sample(dtype, (3, 3)))))).all()


@pytest.mark.parametrize("dtype", FLOATING, ids=name)
def test_eigenvalues_of_one_triangle(dtype: np.dtype) -> None:
    """The other one may hold anything."""
    a = hermitian(sample(dtype, (2, 4, 4)))
    a[..., 0, 2] = np.nan
    values = to_numpy(cp.linalg.eigvalsh(from_numpy(a)))
    assert_small(values - np.linalg.eigvalsh(a), 10, 4, dtype)


# ---- devices


@pytest.mark.cupola_only
def test_numpy_hands_over() -> None:
    a = definite(sample(np.dtype("d"), (3, 3)))
    x = cp.asarray(a)
    for function in (np.linalg.inv, np.linalg.det, np.linalg.cholesky, np.linalg.svdvals):
        assert isinstance(function(x), cp.ndarray)
    assert_solves(a, np.linalg.solve(x, x), a, a.dtype)
    with pytest.raises(TypeError, match=r"numpy\.ndarray|both cupola and numpy"):
        cp.linalg.solve(x, a)


PROGRAMS = """
import hashlib
random = np.random.default_rng(3)
def bits(value):
    host = cp.asnumpy(value)
    return hashlib.md5(repr((host.dtype, host.shape)).encode() + host.tobytes()).hexdigest()
for dtype in "fdFD":
    for shape in ((120, 120), (9, 40, 40), (1, 5, 5)):
        values = random.standard_normal(shape) + 1j * random.standard_normal(shape)
        a = cp.asarray((values if dtype in "FD" else values.real).astype(dtype))
        square = a @ a.conj().mT + cp.eye(shape[-1], dtype=dtype)
        results = [cp.linalg.solve(a, square), cp.linalg.inv(a), cp.linalg.det(a),
                   *cp.linalg.slogdet(a), cp.linalg.cholesky(square),
                   *cp.linalg.qr(a[..., 1:]), *cp.linalg.eigh(square), *cp.linalg.svd(a[..., 1:]),
                   cp.linalg.svdvals(a[..., 1:, :])]
        print(dtype, shape, *(bits(result) for result in results))
    try:
        cp.linalg.inv(cp.stack([square, square * 0]))
    except np.linalg.LinAlgError as error:
        print(error)
"""


@pytest.mark.cupola_only
def test_the_same_bits_for_any_number_of_members() -> None:
    def lines(**settings: str) -> list[str]:
        # Threads of the library that wait for one another on few cores cost more than they bring.
        return run_on_set(PROGRAMS, OPENBLAS_NUM_THREADS="1", **settings).splitlines()

    one = lines(CUPOLA_DEVICE="cpu:1")
    assert len(one) == 16
    assert "Singular matrix" in one
    for device in ("cpu:0-1", "cpu:2,0,1", "cpu:0-3"):
        assert lines(CUPOLA_DEVICE=device, CUPOLA_CPU_DEVICE_MEMORY="1G,3G,2G") == one, device
    assert lines(CUPOLA_ADVERSARY="5") == one


@pytest.mark.cupola_only
def test_who_factors_what() -> None:
    code = """
counters = cp._cupola.counters
a = cp.asarray(np.random.default_rng(1).standard_normal((8, 200, 200)))
def changes(program):
    cp.synchronize()
    before = counters()
    program()
    return [counters()[name] - before[name] for name in ("divided_launches", "gathered_launches")]
print(changes(lambda: cp.linalg.eigvalsh(a)))
print(changes(lambda: cp.linalg.eigvalsh(a[0])))
"""
    # The hostile platform looks at the elements first, by launches of its own.
    output = run_on_set(code, CUPOLA_ADVERSARY="")
    divided, gathered = (eval(line) for line in output.splitlines())
    assert divided[0] >= 2  # the copy, and the factorisation
    assert divided[1] == 0
    assert gathered[1] == 1


@pytest.mark.cupola_only
def test_a_library_without_lapack(tmp_path: Path) -> None:
    """It multiplies, and what it lacks is said."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    source, library = tmp_path / "blas.c", tmp_path / "blas.so"
    source.write_text(
        "".join(
            f"void cblas_{name}(void) {{}}\n"
            for name in [
                *(kind + product for kind in "sdcz" for product in ("gemm", "gemv", "syrk")),
                *("sdot", "ddot", "cdotu_sub", "zdotu_sub"),
            ]
        )
    )
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    code = """
cp.eval(cp.eye(3) @ cp.eye(3))
try:
    cp.linalg.inv(cp.eye(3))
except cp.errors.LibraryError as error:
    print(error)
"""
    text = run_on_set(code, CUPOLA_BLAS=str(library))
    assert f"{library} has no sgetrf" in text
    assert "Install OpenBLAS" in text


@pytest.mark.parametrize("mode", ["full", "f", "economic", "e"])
def test_old_modes_of_qr(mode: str) -> None:
    close = Tolerance(64, 1e-12)
    for shape in ((3, 2), (2, 3)):
        a = np.arange(1.0, 7.0).reshape(shape) ** 2
        agree(lambda xp, x: xp.linalg.qr(x, mode), a, tolerance=close)
    with pytest.warns(DeprecationWarning, match="deprecated") as caught:
        cp.linalg.qr(cp.asarray(a), mode)
    assert caught[0].filename == __file__
