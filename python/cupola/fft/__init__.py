"""Discrete Fourier transforms: the names of numpy.fft.

float16, float32 and complex64 are computed in single precision, all else in double precision.
"""

from __future__ import annotations

from cupola.fft import config as config
from cupola.fft._frequencies import fftfreq as fftfreq
from cupola.fft._frequencies import fftshift as fftshift
from cupola.fft._frequencies import ifftshift as ifftshift
from cupola.fft._frequencies import rfftfreq as rfftfreq
from cupola.fft._one_axis import fft as fft
from cupola.fft._one_axis import hfft as hfft
from cupola.fft._one_axis import ifft as ifft
from cupola.fft._one_axis import ihfft as ihfft
from cupola.fft._one_axis import irfft as irfft
from cupola.fft._one_axis import rfft as rfft
from cupola.fft._several_axes import fft2 as fft2
from cupola.fft._several_axes import fftn as fftn
from cupola.fft._several_axes import ifft2 as ifft2
from cupola.fft._several_axes import ifftn as ifftn
from cupola.fft._several_axes import irfft2 as irfft2
from cupola.fft._several_axes import irfftn as irfftn
from cupola.fft._several_axes import rfft2 as rfft2
from cupola.fft._several_axes import rfftn as rfftn

__all__ = [
    "config",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
