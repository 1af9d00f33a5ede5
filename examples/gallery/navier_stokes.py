"""
Navier-Stokes: two vortex sheets roll up
========================================

Incompressible flow in a periodic square by its vorticity, in Fourier space: derivatives are
products there, and so is the solution of Poisson's equation for the stream function.
"""

# %%
# The grid, and what a derivative is in Fourier space.

import matplotlib.pyplot as plt
import numpy as np
from tqdm import tqdm

import cupola as cp

N, STEPS, DT, VISCOSITY = 192, 360, 0.01, 1.5e-4
numbers = cp.asarray(np.fft.fftfreq(N, 1 / N))
kx, ky = numbers[None, : N // 2 + 1], numbers[:, None]
squares = kx**2 + ky**2
inverse = cp.where(squares == 0, 0, 1 / cp.where(squares == 0, 1, squares))
# Products of two fields have waves that the grid cannot show: the shortest third is left out.
kept = (cp.abs(kx) < N / 3) & (cp.abs(ky) < N / 3)
decay = cp.exp(-VISCOSITY * squares * DT)

# %%
# The right-hand side: vorticity is carried by the velocity, which is the curl of the stream
# function.


def advection(waves):
    """-u . grad(vorticity), of vorticity in Fourier space."""
    stream = waves * inverse
    u = cp.fft.irfft2(1j * ky * stream)
    v = cp.fft.irfft2(-1j * kx * stream)
    along_x = cp.fft.irfft2(1j * kx * waves)
    along_y = cp.fft.irfft2(1j * ky * waves)
    return -cp.fft.rfft2(u * along_x + v * along_y) * kept


# %%
# Two sheets of opposite vorticity with a small wave on them, and Heun's method: the viscous part
# is exact.

y, x = cp.meshgrid(*[cp.arange(N) * (2 * np.pi / N)] * 2, indexing="ij")
width = 0.15
sheets = 1 / cp.cosh((y - np.pi / 2) / width) ** 2 - 1 / cp.cosh((y - 3 * np.pi / 2) / width) ** 2
waves = cp.fft.rfft2(sheets / width + 0.5 * cp.cos(2 * x))
waves[0, 0] = 0
energy = [float((cp.abs(waves) ** 2 * inverse).sum())]
frames = []
for step in tqdm(range(STEPS), unit="step"):
    first = advection(waves)
    guess = (waves + DT * first) * decay
    waves = (waves + 0.5 * DT * first) * decay + 0.5 * DT * advection(guess)
    if step % (STEPS // 3) == STEPS // 3 - 1:
        frames.append(cp.asnumpy(cp.fft.irfft2(waves)))
        energy.append(float((cp.abs(waves) ** 2 * inverse).sum()))

# %%
# The vorticity at three times.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
for i, (place, frame) in enumerate(zip(axes, frames, strict=True), 1):
    place.imshow(frame, cmap="RdBu_r", vmin=-6, vmax=6)
    place.set_title(f"t = {i * (STEPS // 3) * DT:.1f}")
    place.axis("off")
plt.show()

# %%
# Viscosity takes energy, a little of it, and vorticity is neither made nor lost.

print("kinetic energy beside that of the start:", [round(e / energy[0], 4) for e in energy])
assert sorted(energy, reverse=True) == energy
assert energy[-1] > 0.85 * energy[0]
assert abs(frames[-1].sum()) < 1e-6
