"""The demo's results in one PNG."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from demo_jobs.digits import CLUSTERS, INK

SIZE = (17.0, 9.0)  # inches
DOTS_PER_INCH = 100


def tiled(centres: np.ndarray) -> np.ndarray:
    """Ten digits of 64 pixels as two rows of five, a white line between them."""
    padded = np.pad(centres.reshape(2, 5, 8, 8), ((0, 0), (0, 0), (1, 1), (1, 1)))
    return padded.transpose(0, 2, 1, 3).reshape(20, 50)


def show(axes: Axes, image: np.ndarray, title: str, **options) -> None:
    axes.imshow(image, **options)
    axes.set_title(title)
    axes.set_axis_off()


def scatter(axes: Axes, coordinates: np.ndarray, labels: np.ndarray) -> None:
    points = axes.scatter(*coordinates.T, c=labels, cmap="tab10", s=8, vmax=CLUSTERS - 1)
    axes.legend(
        *points.legend_elements(num=None),
        title="cluster",
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    axes.set_title("1,797 digits in their first two principal components")
    axes.set_xlabel("first component")
    axes.set_ylabel("second component")


def bars(axes: Axes, parts: dict[str, int]) -> None:
    axes.bar(list(parts), [count / 2**20 for count in parts.values()])
    axes.set_title("one array over all devices")
    axes.set_ylabel("MiB of it")


def draw(
    path: Path,
    photograph: np.ndarray,
    edges: np.ndarray,
    centres: np.ndarray,
    coordinates: np.ndarray,
    labels: np.ndarray,
    parts: dict[str, int],
) -> None:
    """Writes photograph and edges above cluster centres and clusters, and the bytes of each part of
    the array over all devices beside them; makes the folder."""
    figure, axes = plt.subplot_mosaic(
        [["photograph", "edges", "parts"], ["centres", "clusters", "parts"]],
        figsize=SIZE,
        layout="constrained",
        width_ratios=[4, 5, 3],
    )
    show(axes["photograph"], photograph, "photograph")
    show(axes["edges"], edges, "edge magnitude", cmap="magma", vmax=np.percentile(edges, 99))
    show(
        axes["centres"], tiled(centres), "k-means: centres of 10 clusters", cmap="gray_r", vmax=INK
    )
    scatter(axes["clusters"], coordinates, labels)
    bars(axes["parts"], parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DOTS_PER_INCH)
    plt.close(figure)
