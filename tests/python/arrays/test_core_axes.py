"""Products along other axes than the last ones, against NumPy."""

from typing import Any

import numpy as np
import pytest
from support.compare import agree

CALLS = [
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(-2, -1), (-2, -1), (1, 0)]),
    lambda xp, a, b, v: xp.matmul(a, v[0], axes=[(1, 2), 0, 0]),
    lambda xp, a, b, v: xp.matmul(v[0], v[0], axes=[0, (0,), ()]),
    lambda xp, a, b, v: xp.matmul(a, b, xp.ones((2, 5, 4)), axes=[(1, 2), (1, 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, order="F"),
    lambda xp, a, b, v: xp.matmul(a, b, order="C", subok=False),
    lambda xp, a, b, v: xp.matvec(a, v, axes=[(1, 2), 1, 0]),
    lambda xp, a, b, v: xp.matvec(a, v, out=(xp.ones((4, 2)),), order="C"),
    lambda xp, a, b, v: xp.vecmat(v * 1j, b, axes=[(1,), (1, 2), (0,)]),
    lambda xp, a, b, v: xp.vecdot(v, v, axis=0),
    lambda xp, a, b, v: xp.vecdot(v, v * 1j, axis=0, keepdims=True),
    lambda xp, a, b, v: xp.vecdot(v, v, keepdims=True),
    lambda xp, a, b, v: xp.vecdot(v, v, axes=[0, 0]),
    lambda xp, a, b, v: xp.vecdot(v, v, axes=[0, 0, ()]),
    lambda xp, a, b, v: xp.vecdot(v, v, axes=[0, 0, 0], keepdims=True),
    lambda xp, a, b, v: xp.vecdot(v, v, axes=[0, 0], keepdims=True),
    lambda xp, a, b, v: xp.vecdot(v, v, xp.ones(4, np.float32)),
    lambda xp, a, b, v: xp.vecdot(v, v, xp.ones((1, 3)), axis=0, keepdims=True),
    lambda xp, a, b, v: xp.vecdot(v, v, dtype=np.float32),
    lambda xp, a, b, v: xp.vecdot(v > 0, v > 0),
    lambda xp, a, b, v: xp.vecdot(v[:, :0], v[:, :0]),
    # What is refused.
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(1, 2), (1, 2)]),
    lambda xp, a, b, v: xp.matmul(a, b, axes=((1, 2), (1, 2), (0, 1))),
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(1,), (1, 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, axes=[1, (1, 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(1, 1), (1, 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(1, 7), (1, 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, axes=[(1, 2), ("a", 2), (0, 1)]),
    lambda xp, a, b, v: xp.matmul(a, b, axis=1),
    lambda xp, a, b, v: xp.matmul(a, b, keepdims=True),
    lambda xp, a, b, v: xp.matmul(a, b, order="X"),
    lambda xp, a, b, v: xp.matvec(a, v, axis=1),
    lambda xp, a, b, v: xp.matvec(a, v, keepdims=True),
    lambda xp, a, b, v: xp.vecdot(v, v, axes=[0, 0], axis=0),
    lambda xp, a, b, v: xp.vecdot(v, v, axis=5),
    lambda xp, a, b, v: xp.vecdot(v, v, axis=1.5),
    lambda xp, a, b, v: xp.vecdot(v, v, axis=None),
    lambda xp, a, b, v: xp.vecdot(v, v, axes=None),
    lambda xp, a, b, v: xp.vecdot(v, v, keepdims=1),
    lambda xp, a, b, v: xp.vecdot(v[0, 0], v),
    lambda xp, a, b, v: xp.vecdot(v, v[:, :2]),
    lambda xp, a, b, v: xp.vecdot(v, v, xp.ones((3, 3))),
    lambda xp, a, b, v: xp.vecdot(v, v, dtype=np.float32, casting="safe"),
]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_products(number: int) -> None:
    a, b, v = (np.arange(float(np.prod(s))).reshape(s) for s in ((4, 2, 3), (4, 3, 5), (4, 3)))
    call: Any = CALLS[number]
    agree(call, a, b, v)
