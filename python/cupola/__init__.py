"""NumPy arrays on GPUs and CPUs.

`import cupola as cp` gives NumPy's names. An array lives on a device (`a.device`), operations run
there, and nothing is copied between host and devices unasked: `cupola.asarray` and
`cupola.asnumpy` copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cupola import _loading  # noqa: F401 (raises where the compiled part cannot be used)

from cupola import _environment, _later  # isort: skip
from cupola import cuda as cuda
from cupola import doctor as doctor
from cupola import errors as errors
from cupola import fft as fft
from cupola import linalg as linalg
from cupola import random as random
from cupola._array import dispatch as _dispatch
from cupola._array import habits as _habits
from cupola._array import methods as _methods
from cupola._array import neighbour_watch as _neighbour_watch
from cupola._array import printing as _printing
from cupola._array import signatures as _signatures
from cupola._array import subclasses as _subclasses
from cupola._array import ufunc_documentation as _ufunc_documentation
from cupola._array.descriptions import flatiter as flatiter
from cupola._array.printing import array2string as array2string
from cupola._array.printing import array_repr as array_repr
from cupola._array.printing import array_str as array_str
from cupola._array.standard import __array_api_version__ as __array_api_version__
from cupola._array.standard import __array_namespace_info__ as __array_namespace_info__
from cupola._cupola import Device as Device
from cupola._cupola import ElementwiseKernel as ElementwiseKernel
from cupola._cupola import RawKernel as RawKernel
from cupola._cupola import RawModule as RawModule
from cupola._cupola import ReductionKernel as ReductionKernel
from cupola._cupola import Stream as Stream
from cupola._cupola import ndarray as ndarray
from cupola._cupola import ufunc as ufunc
from cupola._devices import fork as _fork
from cupola._devices import libraries as _libraries
from cupola._devices.current import *  # noqa: F403
from cupola._devices.evaluation import config as config
from cupola._devices.evaluation import eval as eval
from cupola._devices.sets import *  # noqa: F403
from cupola._devices.transfers import *  # noqa: F403
from cupola._functions.creation.arrays import *  # noqa: F403
from cupola._functions.creation.arrays import asnumpy as asnumpy
from cupola._functions.creation.filled import *  # noqa: F403
from cupola._functions.creation.foreign import *  # noqa: F403
from cupola._functions.creation.matrices import *  # noqa: F403
from cupola._functions.creation.ranges import *  # noqa: F403
from cupola._functions.creation.triangles import *  # noqa: F403
from cupola._functions.dtypes import *  # noqa: F403
from cupola._functions.indexing.assignment import *  # noqa: F403
from cupola._functions.indexing.positions import *  # noqa: F403
from cupola._functions.indexing.selection import *  # noqa: F403
from cupola._functions.linalg.einsum import *  # noqa: F403
from cupola._functions.linalg.products import *  # noqa: F403
from cupola._functions.linalg.vector_products import *  # noqa: F403
from cupola._functions.manipulation.inserting import *  # noqa: F403
from cupola._functions.manipulation.joining import *  # noqa: F403
from cupola._functions.manipulation.padding import *  # noqa: F403
from cupola._functions.manipulation.rearranging import *  # noqa: F403
from cupola._functions.manipulation.shapes import *  # noqa: F403
from cupola._functions.manipulation.splitting import *  # noqa: F403
from cupola._functions.mathematics.elementwise import *  # noqa: F403
from cupola._functions.mathematics.predicates import *  # noqa: F403
from cupola._functions.mathematics.scans import *  # noqa: F403
from cupola._functions.mathematics.sums import *  # noqa: F403
from cupola._functions.mathematics.ufuncs import *  # noqa: F403
from cupola._functions.sorting.sorting import *  # noqa: F403
from cupola._functions.sorting.unique import *  # noqa: F403
from cupola._functions.statistics.counting import *  # noqa: F403
from cupola._functions.statistics.extremes import *  # noqa: F403
from cupola._functions.statistics.nan_forms import *  # noqa: F403
from cupola._functions.statistics.order_statistics import *  # noqa: F403
from cupola._memory.history import *  # noqa: F403
from cupola._memory.pinned_arrays import empty_like_pinned as empty_like_pinned
from cupola._memory.pinned_arrays import empty_pinned as empty_pinned
from cupola._memory.pinned_arrays import full_pinned as full_pinned
from cupola._memory.pinned_arrays import ones_pinned as ones_pinned
from cupola._memory.pinned_arrays import pin as pin
from cupola._memory.pinned_arrays import zeros_like_pinned as zeros_like_pinned
from cupola._memory.pinned_arrays import zeros_pinned as zeros_pinned
from cupola._observation import feed_switch as _feed_switch
from cupola._observation.config import show_config as show_config
from cupola._observation.explain import *  # noqa: F403
from cupola._observation.profile import *  # noqa: F403
from cupola._translation.fuse import *  # noqa: F403
from cupola._translation.vectorize import *  # noqa: F403
from cupola._version import __version__ as __version__
from cupola.cuda import get_default_memory_pool as get_default_memory_pool
from cupola.cuda import get_default_pinned_memory_pool as get_default_pinned_memory_pool

if TYPE_CHECKING:
    from cupola import array_api as array_api
    from cupola import cupyx as cupyx
    from cupola import lib as lib
    from cupola import multiprocessing as multiprocessing
    from cupola import polynomial as polynomial
    from cupola import prof as prof
    from cupola import testing as testing
    from cupola import typing as typing
    from cupola._array.nditer import *  # noqa: F403
    from cupola._cupy.aliases import *  # noqa: F403
    from cupola._cupy.memo import *  # noqa: F403
    from cupola._cupy.old_names import *  # noqa: F403
    from cupola._cupy.old_types import *  # noqa: F403
    from cupola._files.npy import *  # noqa: F403
    from cupola._files.raw import *  # noqa: F403
    from cupola._files.text import *  # noqa: F403
    from cupola._functions.callbacks import *  # noqa: F403
    from cupola._functions.creation.blocks import *  # noqa: F403
    from cupola._functions.creation.checked import *  # noqa: F403
    from cupola._functions.creation.concatenators import *  # noqa: F403
    from cupola._functions.creation.windows import *  # noqa: F403
    from cupola._functions.error_state import *  # noqa: F403
    from cupola._functions.indexing.iteration import *  # noqa: F403
    from cupola._functions.information import *  # noqa: F403
    from cupola._functions.mathematics import scimath as emath  # noqa: F401
    from cupola._functions.mathematics.bits import *  # noqa: F403
    from cupola._functions.mathematics.convolution import *  # noqa: F403
    from cupola._functions.mathematics.differences import *  # noqa: F403
    from cupola._functions.mathematics.interpolation import *  # noqa: F403
    from cupola._functions.sorting.set_operations import *  # noqa: F403
    from cupola._functions.statistics.bin_edges import *  # noqa: F403
    from cupola._functions.statistics.covariance import *  # noqa: F403
    from cupola._functions.statistics.histograms import *  # noqa: F403
    from cupola._functions.statistics.nan_quantiles import *  # noqa: F403
    from cupola._functions.type_tables import *  # noqa: F403
    from cupola.polynomial._poly1d import *  # noqa: F403

_environment.warn_about_unknown()

e: float = np.e
euler_gamma: float = np.euler_gamma
inf: float = np.inf
nan: float = np.nan
newaxis = None
pi: float = np.pi

bool = bool_ = np.bool_
int8 = np.int8
int16 = np.int16
int32 = np.int32
int64 = np.int64
uint8 = np.uint8
uint16 = np.uint16
uint32 = np.uint32
uint64 = np.uint64
int_ = np.int_
intp = np.intp
uint = np.uint
uintp = np.uintp
intc = np.intc
uintc = np.uintc
byte = np.byte
ubyte = np.ubyte
short = np.short
ushort = np.ushort
longlong = np.longlong
ulonglong = np.ulonglong
float16 = half = np.float16
float32 = single = np.float32
float64 = double = np.float64
complex64 = csingle = np.complex64
complex128 = cdouble = np.complex128
bfloat16: type[np.generic]
generic = np.generic
number = np.number
integer = np.integer
signedinteger = np.signedinteger
unsignedinteger = np.unsignedinteger
inexact = np.inexact
floating = np.floating
complexfloating = np.complexfloating
long = np.long
ulong = np.ulong
True_ = np.True_
False_ = np.False_
little_endian = np.little_endian


if not TYPE_CHECKING:  # which would allow every name

    def __getattr__(name: str) -> Any:
        """What costs time to load is loaded when first asked for."""
        if name == "bfloat16":
            from cupola._functions.bfloat16 import dtype_object

            value = dtype_object().type
        else:
            value = _later.load(name)
        globals()[name] = value
        return value


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext cupola` in IPython and notebooks: the magics `%cupola` and `%%cupola`."""
    from cupola._notebook import magic

    magic.load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext cupola`."""
    from cupola._notebook import magic

    magic.unload(shell)


_LATER = {*_later.MODULE_OF, *_later.MODULES, "bfloat16"}
_FOR_IPYTHON = {"load_ipython_extension", "unload_ipython_extension"}
_NOT_OURS = {"Any", "TYPE_CHECKING", "annotations", "np", *_FOR_IPYTHON}

if not TYPE_CHECKING:  # which see what is imported above
    __all__ = sorted(name for name in {*globals(), *_LATER} - _NOT_OURS if name[0] != "_")


def __dir__() -> list[str]:
    """The names of the package, those that are loaded later among them."""
    return sorted({*globals(), *_LATER} - _NOT_OURS)


_methods.install()
_habits.install()
_signatures.install()
_ufunc_documentation.install()
_printing.install()
_subclasses.install()
_dispatch.install()
_libraries.announce()
_fork.install()
doctor.install()
_feed_switch.install()
_neighbour_watch.install()
