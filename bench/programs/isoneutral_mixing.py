"""Mixing of temperature along surfaces of neutral density in an ocean, float64, on three axes.

The rotated diffusion tensor for small slopes (Redi, 1982; Cox, 1987) on triads of neighbours
(Griffies et al., 1998), tapered where slopes are steep (Danabasoglu and McWilliams, 1995). Most of
it are shifted slices, chosen between by masks, that are added to slices of the fluxes in place.
"""

from typing import Any

import numpy as np

SIZES = {"small": (12, 10, 8), "cpu": (64, 64, 32), "cuda": (256, 256, 64)}  # x, y, z upwards
TOLERANCE = 1e-10
COMPILED = ""

SPACING, TIME_STEP = 20e3, 3600.0  # m, s
DIFFUSIVITY = 1000.0  # m^2/s
STEEPEST, TAPER_WIDTH = 4e-3, 1e-3
LEAST_STABLE = -1e-9  # kg/m^4
EXPANSION, CURVATURE, CONTRACTION = (
    -0.17,
    -0.01,
    0.78,
)  # of density: kg/m^3 per K, per K^2, per g/kg


def operands(rng: np.random.Generator, size: tuple[int, int, int]) -> list[np.ndarray]:
    """Temperature, salinity, where there is water, and the layers' thickness."""
    height = np.linspace(0, 1, size[2])
    temperature = 20 * height + rng.random(size)
    salinity = 36 - height + 0.1 * rng.random(size)
    return [temperature, salinity, rng.random(size) < 0.9, 50 + 100 * rng.random(size[2])]


def between(axis: int, side: int) -> tuple[slice, ...]:
    """The cells on one side of the faces along an axis."""
    return tuple(slice(side, None if side else -1) if i == axis else slice(None) for i in range(3))


def gradients(xp: Any, a: Any, water: Any, thickness: Any) -> list[Any]:
    """To the next cell along each axis; 0 beside land."""
    results = []
    for axis in range(3):
        below, above = between(axis, 0), between(axis, 1)
        distance = (thickness[1:] + thickness[:-1]) / 2 if axis == 2 else SPACING
        gradient = xp.zeros_like(a)
        gradient[below] = xp.where(
            water[below] & water[above], (a[above] - a[below]) / distance, 0.0
        )
        results.append(gradient)
    return results


def add_triad(
    xp: Any,
    fluxes: list[Any],
    of_t: list[Any],
    of_s: list[Any],
    density_by_t: Any,
    axis: int,
    side: int,
    level: int,
) -> None:
    """Adds to the fluxes what one triad of each horizontal face gives them.

    A triad is a face, the cell on one side of it, and the face below or above that cell.
    """
    inner = (*between(axis, 0)[:2], slice(1, -1))
    cell = (*between(axis, side)[:2], slice(1, -1))
    corner = (*between(axis, side)[:2], slice(level, level - 2))
    by_t = density_by_t[cell]
    across = by_t * of_t[axis][inner] + CONTRACTION * of_s[axis][inner]
    along = by_t * of_t[2][corner] + CONTRACTION * of_s[2][corner]
    slope = -across / xp.minimum(along, LEAST_STABLE)
    taper = 0.5 * (1 + xp.tanh((STEEPEST - xp.abs(slope)) / TAPER_WIDTH))
    weight = 0.25 * DIFFUSIVITY * taper
    down_slope = of_t[axis][inner] + slope * of_t[2][corner]
    fluxes[axis][inner] += weight * down_slope
    fluxes[2][corner] += weight * slope * down_slope


def run(xp: Any, temperature: Any, salinity: Any, water: Any, thickness: Any) -> Any:
    of_t = gradients(xp, temperature, water, thickness)
    of_s = gradients(xp, salinity, water, thickness)
    density_by_t = EXPANSION + CURVATURE * (temperature - 10)
    fluxes = [xp.zeros_like(temperature) for _ in range(3)]
    for axis in (0, 1):
        for side in (0, 1):
            for level in (0, 1):
                add_triad(xp, fluxes, of_t, of_s, density_by_t, axis, side, level)
    result = temperature.copy()
    inside = (slice(1, -1),) * 3
    for axis, flux in enumerate(fluxes):
        faces = xp.where(water, flux, 0.0)
        before = tuple(slice(0, -2) if i == axis else slice(1, -1) for i in range(3))
        distance = thickness[1:-1] if axis == 2 else SPACING
        result[inside] += TIME_STEP * (faces[inside] - faces[before]) / distance
    return result
