"""Navier and Stokes in a cavity with a moving lid, float64: pressure by Jacobi steps."""

from typing import Any

import numpy as np

STEPS, INNER, RHO, NU, DT = 4, 10, 1.0, 0.1, 0.0001
SIZES = {"small": 31, "cpu": 201, "cuda": 1001}  # points to a side
TOLERANCE = 1e-9
COMPILED = ""


def operands(rng: np.random.Generator, size: int) -> list[np.ndarray]:
    return [rng.random((size, size)) * 0.01 for _ in range(3)]


def source(u: Any, v: Any, d: float) -> Any:
    ux, uy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * d), (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * d)
    vx, vy = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * d), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * d)
    return RHO * ((ux + vy) / DT - ux**2 - 2 * uy * vx - vy**2)


def pressure(p: Any, b: Any, d: float) -> None:
    for _ in range(INNER):
        old = p.copy()
        p[1:-1, 1:-1] = (old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1]) / 4
        p[1:-1, 1:-1] -= d**2 / 4 * b
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def moved(a: Any, u: Any, v: Any, slope: Any, d: float) -> Any:
    inner = a[1:-1, 1:-1]
    spread = a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1] - 4 * inner
    return (
        inner
        - u[1:-1, 1:-1] * DT / d * (inner - a[1:-1, :-2])
        - v[1:-1, 1:-1] * DT / d * (inner - a[:-2, 1:-1])
        - DT / (2 * RHO * d) * slope
        + NU * DT / d**2 * spread
    )


def run(xp: Any, first: Any, second: Any, third: Any) -> Any:
    u, v, p = first.copy(), second.copy(), third.copy()
    d = 2 / (u.shape[0] - 1)
    for _ in range(STEPS):
        pressure(p, source(u, v, d), d)
        new_u = moved(u, u, v, p[1:-1, 2:] - p[1:-1, :-2], d)
        new_v = moved(v, u, v, p[2:, 1:-1] - p[:-2, 1:-1], d)
        u[1:-1, 1:-1], v[1:-1, 1:-1] = new_u, new_v
        for a, lid in ((u, 1.0), (v, 0.0)):
            a[0, :] = a[:, 0] = a[:, -1] = 0
            a[-1, :] = lid
    return xp.stack((u, v, p))
