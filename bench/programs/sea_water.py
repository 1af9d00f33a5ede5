"""Density of sea water times the speed of sound in it: about 150 operations per element, float64.

The equation of state is that of UNESCO Technical Paper in Marine Science 44 (Fofonoff and Millard,
1983), the speed of sound that of Chen and Millero (1977) as printed there.
"""

from typing import Any

import numpy as np

SIZES = {"small": 4096, "cpu": 1 << 18, "cuda": 1 << 22}  # elements
TOLERANCE = 1e-13
COMPILED = "run"


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    """Practical salinity, temperature in degrees Celsius, pressure in bar."""
    return [rng.random(size) * 42, rng.random(size) * 42 - 2, rng.random(size) * 1000]


def polynomial(x: Any, *coefficients: float) -> Any:
    """By Horner's rule, the constant first."""
    result = coefficients[-1] * x + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        result = result * x + coefficient
    return result


def density(s: Any, t: Any, p: Any, root: Any) -> Any:
    """In kg/m^3; `root` is that of s."""
    water = polynomial(
        t, 999.842594, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6, 6.536332e-9
    )
    first = polynomial(t, 8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9)
    second = polynomial(t, -5.72466e-3, 1.0227e-4, -1.6546e-6)
    at_surface = water + (first + second * root + 4.8314e-4 * s) * s
    pure = polynomial(t, 19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5)
    linear = polynomial(t, 54.6746, -0.603459, 1.09987e-2, -6.1670e-5)
    power = polynomial(t, 7.944e-2, 1.6483e-2, -5.3009e-4)
    a = polynomial(t, 3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7)
    a = a + (polynomial(t, 2.2838e-3, -1.0981e-5, -1.6078e-6) + 1.91075e-4 * root) * s
    b = polynomial(t, 8.50935e-5, -6.12293e-6, 5.2787e-8)
    b = b + polynomial(t, -9.9348e-7, 2.0816e-8, 9.1697e-10) * s
    modulus = pure + (linear + power * root) * s + (a + b * p) * p
    return at_surface / (1 - p / modulus)


def speed_of_sound(s: Any, t: Any, p: Any, root: Any) -> Any:
    """In m/s."""
    w0 = polynomial(t, 1402.388, 5.03711, -5.80852e-2, 3.3420e-4, -1.47800e-6, 3.1464e-9)
    w1 = polynomial(t, 0.153563, 6.8982e-4, -8.1788e-6, 1.3621e-7, -6.1185e-10)
    w2 = polynomial(t, 3.1260e-5, -1.7107e-6, 2.5974e-8, -2.5335e-10, 1.0405e-12)
    w3 = polynomial(t, -9.7729e-9, 3.8504e-10, -2.3643e-12)
    a0 = polynomial(t, 1.389, -1.262e-2, 7.164e-5, 2.006e-6, -3.21e-8)
    a1 = polynomial(t, 9.4742e-5, -1.2580e-5, -6.4885e-8, 1.0507e-8, -2.0122e-10)
    a2 = polynomial(t, -3.9064e-7, 9.1041e-9, -1.6002e-10, 7.988e-12)
    a3 = polynomial(t, 1.100e-10, 6.649e-12, -3.389e-13)
    b = polynomial(t, -1.922e-2, -4.42e-5) + polynomial(t, 7.3637e-5, 1.7945e-7) * p
    d = 1.727e-3 - 7.9836e-6 * p
    water = w0 + (w1 + (w2 + w3 * p) * p) * p
    salt = a0 + (a1 + (a2 + a3 * p) * p) * p
    return water + (salt + b * root + d * s) * s


def run(xp: Any, s: Any, t: Any, p: Any) -> Any:
    root = xp.sqrt(s)
    return density(s, t, p, root) * speed_of_sound(s, t, p, root)
