"""Products with vectors on CUDA devices: reductions, in one kernel with what is around them."""

import pytest
from support.fake_cuda import (
    needs_fake_cuda,
    needs_nvrtc,
    output_on_fake_cuda,
    output_with_nvrtc,
)

pytestmark = pytest.mark.long

COUNT = """
def launches(compute):
    before = cp._cupola.counters()["launches"]
    cp.eval(compute())
    return cp._cupola.counters()["launches"] - before
"""


PRODUCTS = """
for dtype in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
    a, x, y = cp.ones((40, 30), dtype), cp.ones(30, dtype), cp.ones(40, dtype)
    stack, vectors = cp.ones((7, 40, 30), dtype), cp.ones((7, 30, 1), dtype)
    columns = a.copy("F")
    cp.eval(a, x, y, stack, vectors, columns)
    for compute in (
        lambda: a @ x, lambda: y @ columns, lambda: a @ x[:, None], lambda: x @ x,
        lambda: cp.dot(x, x), lambda: cp.vdot(x, x), lambda: cp.inner(x, x),
        lambda: (a + 1) @ (x * 2), lambda: (a @ x) * 2, lambda: a[::2, ::3] @ x[::3],
        lambda: abs((a - 1) @ x + 1), lambda: stack @ vectors, lambda: a @ vectors[0],
        lambda: cp.einsum("ij,j->i", a, x), lambda: cp.einsum("ij,ij->i", a, a),
        lambda: cp.tensordot(a, x, 1), lambda: cp.outer(x, y), lambda: x[:, None] @ y[None],
        lambda: x[None] @ a.T, lambda: x.dot(a.T), lambda: a.dot(x) + 1,
        lambda: cp.dot(x * 2, x) + 1,
    ):
        assert launches(compute) == 1, (dtype, launches(compute))
print("ok")
"""
PROGRAM = COUNT + PRODUCTS


@needs_fake_cuda
def test_they_are_one_kernel_and_need_no_cublas() -> None:
    """What is above and below them is in the same kernel; a call of cuBLAS is none."""
    assert output_on_fake_cuda(PROGRAM) == "ok"


@needs_fake_cuda
@needs_nvrtc
def test_nvrtc_compiles_them() -> None:
    assert output_with_nvrtc(PROGRAM) == "ok"


@needs_fake_cuda
def test_other_products_are_cublas() -> None:
    """Which is no launch of a kernel of the library's own: one matrix for a stack of vectors, and
    sums of elements that lie rows apart."""
    program = (
        COUNT
        + """
a, x, y, stack = cp.ones((4, 3)), cp.ones(3), cp.ones(4), cp.ones((9, 3, 1))
cp.eval(a, x, y, stack)
for compute in (lambda: a @ stack, lambda: y @ a, lambda: y[None] @ a, lambda: a.T @ y):
    print(launches(compute), end=" ")
"""
    )
    assert output_on_fake_cuda(program) == "0 0 0 0"


@needs_fake_cuda
def test_long_sums_of_small_results_are_pieces() -> None:
    """As a stack of products by cuBLAS and one kernel that adds them; what remains is one more."""
    program = (
        COUNT
        + """
for length in (1 << 17, (1 << 17) + 1):
    for dtype in ("float16", "float32"):
        a, b = cp.ones((length, 8), dtype), cp.ones((length, 4), dtype)
        cp.eval(a, b)
        print(launches(lambda: a.T @ b), launches(lambda: 2 * (a.T @ b) + 1), end=" ")
        with cp.profile() as profile:
            cp.eval(a.T @ b)
        print(sum(event["name"] == "matmul" for event in profile.events), end=" ")
"""
    )
    assert output_on_fake_cuda(program) == "0 1 1 1 2 1 0 1 1 2 3 2"
