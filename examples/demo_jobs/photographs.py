"""Image statistics as a service computes them: many threads, every request on some device."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_sample_images

THREADS = 16
CROP = 192  # pixels to a side
LUMA = (0.299, 0.587, 0.114)  # ITU-R BT.601
WHITE = 255.0


class Features(NamedTuple):
    """What a request answers: four numbers and, in grey levels, the edges of the inner pixels."""

    mean: float
    deviation: float
    rms_contrast: float
    michelson_contrast: float
    edges: np.ndarray


def load_photographs() -> list[np.ndarray]:
    """The two photographs of scikit-learn, uint8, (427, 640, 3)."""
    return list(load_sample_images().images)


def cut_crops(photographs: Sequence[np.ndarray], count: int, seed: int = 2) -> list[np.ndarray]:
    """`count` views of CROP x CROP pixels at random places of the photographs in turn."""
    rng = np.random.default_rng(seed)
    crops = []
    for i in range(count):
        image = photographs[i % len(photographs)]
        top, left = (int(rng.integers(extent - CROP + 1)) for extent in image.shape[:2])
        crops.append(image[top : top + CROP, left : left + CROP])
    return crops


def grey_levels(pixels: Any) -> Any:
    """Luma of (..., 3) pixels, float32, 0 to 255."""
    red, green, blue = (pixels[..., channel].astype("float32") for channel in range(3))
    return red * LUMA[0] + green * LUMA[1] + blue * LUMA[2]


def edge_magnitude(xp: Any, grey: Any) -> Any:
    """Length of the gradient by central differences; two rows and two columns fewer."""
    across = (grey[1:-1, 2:] - grey[1:-1, :-2]) * 0.5
    down = (grey[2:, 1:-1] - grey[:-2, 1:-1]) * 0.5
    return xp.sqrt(across * across + down * down)


def features_of(xp: Any, crop: np.ndarray, to_host: Callable[[Any], np.ndarray]) -> Features:
    """Host to device, everything that is asked about a crop, device to host."""
    grey = grey_levels(xp.asarray(crop))
    mean, deviation = float(grey.mean()), float(grey.std())
    darkest, brightest = float(grey.min()), float(grey.max())
    return Features(
        mean,
        deviation,
        deviation / mean,
        (brightest - darkest) / (brightest + darkest),
        to_host(edge_magnitude(xp, grey)),
    )


def serve(
    xp: Any,
    crops: Sequence[np.ndarray],
    devices: Sequence[Any],
    to_host: Callable[[Any], np.ndarray],
    done: Callable[[], object],
) -> tuple[list[Features], float]:
    """Answers every crop from THREADS threads, device by device in turn; the answers, seconds.

    `devices` are context managers that make a device current.
    """

    def answer(request: int) -> Features:
        with devices[request % len(devices)]:
            features = features_of(xp, crops[request], to_host)
        done()
        return features

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(answer, range(min(len(crops), len(devices)))))  # compiles and allocates
        start = time.perf_counter()
        answers = list(pool.map(answer, range(len(crops))))
        return answers, time.perf_counter() - start


def largest_difference(found: Sequence[Features], expected: Sequence[Features]) -> float:
    """Numbers relative to the expected ones, edges relative to white. NaN if anything is NaN."""
    differences = [
        [
            *(abs(a - b) / abs(b) for a, b in zip(f[:-1], e[:-1], strict=True)),
            np.max(np.abs(f.edges - e.edges)) / WHITE,
        ]
        for f, e in zip(found, expected, strict=True)
    ]
    return float(np.max(differences))
