"""Products of a matrix and a vector, of every layout."""

import itertools

import numpy as np
import pytest

import cupola as cp

DTYPES = ["float32", "float64", "complex64", "complex128"]
LAYOUTS = {
    "rows": lambda a: a,
    "columns": lambda a: a.T,
    "part of rows": lambda a: a[:, : max(1, a.shape[1] // 2)],
    "part of columns": lambda a: a.T[:, : max(1, a.shape[0] // 2)],
    "steps": lambda a: a[::2, ::3],
    "backwards": lambda a: a[::-1, ::-1],
}


def numbers(rng, shape, dtype):
    parts = rng.integers(-8, 9, (2, *shape))
    return (parts[0] + 1j * parts[1] if dtype.startswith("c") else parts[0]).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "shape", [(1, 1), (7, 5), (1, 9001), (9001, 1), (300, 513), (3, 20011), (600, 1100)]
)
def test_layouts(dtype, layout, shape):
    """Of small integers, so that every order of summation gives the same."""
    rng = np.random.default_rng(5)
    host = numbers(rng, shape, dtype)
    matrix, ours = LAYOUTS[layout](host), LAYOUTS[layout](cp.asarray(host))
    for step in (1, 3, -1):
        right = numbers(rng, (abs(step) * matrix.shape[1],), dtype)[::step]
        left = numbers(rng, (abs(step) * matrix.shape[0],), dtype)[::step]
        right_of_ours, left_of_ours = cp.asarray(right.copy()), cp.asarray(left.copy())
        if step != 1:
            right_of_ours = cp.asarray(np.ascontiguousarray(right[::-1]))[::-1]
            left_of_ours = cp.asarray(np.repeat(left, 3))[::3]
        assert np.array_equal((ours @ right_of_ours).get(), matrix @ right)
        assert np.array_equal((left_of_ours @ ours).get(), left @ matrix)
        assert np.array_equal((ours @ right_of_ours[:, None]).get(), matrix @ right[:, None])
        assert np.array_equal((left_of_ours[None] @ ours).get(), left[None] @ matrix)
        assert cp.vdot(right_of_ours, right_of_ours) == np.vdot(right, right)


@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks_and_outputs(dtype):
    rng = np.random.default_rng(6)
    matrices, vectors = numbers(rng, (4, 3, 30, 40), dtype), numbers(rng, (3, 40), dtype)
    expected = np.matvec(matrices, vectors)
    ours = cp.asarray(matrices)
    for a, b in itertools.product(
        (ours, cp.asarray(np.moveaxis(matrices, 0, -1).copy()).transpose(3, 0, 1, 2)),
        (cp.asarray(vectors), cp.asarray(vectors.T.copy()).T),
    ):
        assert np.array_equal((a @ b[..., None])[..., 0].get(), expected)
        out = cp.full((4, 3, 30, 2), 7, dtype)
        cp.matmul(a, b[..., None], out=out[..., 1:])
        assert np.array_equal(out[..., 1].get(), expected)
        assert (out[..., 0] == 7).all()


def test_infinities_and_nothing():
    matrix = cp.asarray([[np.inf, 1.0], [0.0, np.nan]])
    assert np.array_equal((matrix @ cp.asarray([0.0, 1.0])).get(), [np.nan, np.nan], equal_nan=True)
    assert (cp.zeros((3, 0)) @ cp.zeros(0)).tolist() == [0, 0, 0]
    assert (cp.zeros((0, 3)) @ cp.zeros(3)).tolist() == []
