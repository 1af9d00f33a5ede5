"""Linear algebra under NumPy's names: solutions, factorisations and norms of matrices.

By LAPACK on CPU devices and cuSOLVER on CUDA devices, each opened when first needed. Matrices are
the last two dimensions, those before them a stack. Everything is computed in the precision of its
operands (NumPy computes in float64); integers are computed in float64.
"""

from __future__ import annotations

from numpy.linalg import LinAlgError

from cupola._functions.linalg.eigenvalues import eig, eigh, eigvals, eigvalsh
from cupola._functions.linalg.factorisations import (
    cholesky,
    det,
    inv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
)
from cupola._functions.linalg.linear_systems import (
    cond,
    lstsq,
    matrix_power,
    matrix_rank,
    pinv,
)
from cupola._functions.linalg.matrix_forms import cross, diagonal, matrix_transpose, outer, trace
from cupola._functions.linalg.norms import (
    matrix_norm,
    norm,
    vector_norm,
)
from cupola._functions.linalg.products import matmul, tensordot
from cupola._functions.linalg.tensor_systems import multi_dot, tensorinv, tensorsolve
from cupola._functions.linalg.vector_products import vecdot

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]
