"""`cupy_backends.cuda.api`: CUDA's functions."""

from cupola.cuda import driver as driver
from cupola.cuda import runtime as runtime
