"""`cupy_backends.cuda.libs`: NVIDIA's libraries, but those whose handles belong to the library."""

from cupola.cuda import nccl as nccl
from cupola.cuda import nvrtc as nvrtc
from cupola.cuda import nvtx as nvtx
