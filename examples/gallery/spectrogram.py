"""
A spectrogram
=============

Which tones does a sound have at which time? Overlapping windows of it are a view with strides: no
sample is copied, and one call transforms all of them.
"""

# %%
# A chirp, a melody and noise.

import matplotlib.pyplot as plt
import numpy as np

import cupola as cp

RATE, SECONDS, WINDOW, HOP = 8000, 8.0, 512, 64
time = cp.arange(int(RATE * SECONDS)) / RATE
chirp = cp.sin(2 * np.pi * (200 * time + 150 * time**2))
melody = cp.asarray([440.0, 554.4, 659.3, 880.0, 659.3, 554.4, 440.0, 330.0])
tones = 0.6 * cp.sin(2 * np.pi * melody[(time / SECONDS * len(melody)).astype("int64")] * time)
noise = 0.2 * cp.random.default_rng(0).standard_normal(time.size)
sound = chirp + tones + noise

# %%
# Windows as a view, weighted and transformed together.

windows = cp.lib.stride_tricks.sliding_window_view(sound, WINDOW)[::HOP]
spectrum = cp.fft.rfft(windows * cp.hanning(WINDOW), axis=1)
power = cp.abs(spectrum) ** 2
decibels = 10 * cp.log10(cp.maximum(power, 1e-6))
print(windows.shape, "windows are views of", sound.nbytes, "bytes")

# %%
# The picture, and the loudest tone of each window.

figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
extent = (0, SECONDS, 0, RATE / 2)
picture = axes.imshow(
    cp.asnumpy(decibels).T, origin="lower", aspect="auto", extent=extent, vmin=-10, cmap="magma"
)
axes.set(xlabel="seconds", ylabel="Hz", ylim=(0, 3200))
figure.colorbar(picture, label="dB")
plt.show()

# %%
# The loudest tone is the chirp's, to the width of a bin, but where the melody crosses it.

loudest = cp.asnumpy(power[:, 5:].argmax(axis=1) + 5) * RATE / WINDOW
middle = (np.arange(len(loudest)) * HOP + WINDOW / 2) / RATE
is_chirp = np.abs(loudest - (200 + 300 * middle)) < 2 * RATE / WINDOW
print(f"{is_chirp.mean():.0%} of the windows show the chirp")
assert is_chirp.mean() > 0.85
total = float(power.sum())
assert np.isclose(total, (np.abs(np.fft.rfft(cp.asnumpy(windows) * np.hanning(WINDOW))) ** 2).sum())
