"""`cupy._core._accelerator`: the library chooses its kernels itself, whatever is set here."""

from __future__ import annotations

from collections.abc import Iterable

ACCELERATOR_CUB = 1
ACCELERATOR_CUTENSOR = 2
ACCELERATOR_CUTENSORNET = 3

_NUMBERS = {
    "cub": ACCELERATOR_CUB,
    "cutensor": ACCELERATOR_CUTENSOR,
    "cutensornet": ACCELERATOR_CUTENSORNET,
}
_chosen: dict[str, list[int]] = {"elementwise": [], "reduction": [], "routine": []}


def _number(accelerator: str | int) -> int:
    if isinstance(accelerator, int):
        return accelerator
    if accelerator not in _NUMBERS:
        raise ValueError(f"unknown accelerator: {accelerator}")
    return _NUMBERS[accelerator]


def set_elementwise_accelerators(accelerators: Iterable[str | int]) -> None:
    """Kept for `get_elementwise_accelerators`."""
    _chosen["elementwise"] = [_number(each) for each in accelerators]


def set_reduction_accelerators(accelerators: Iterable[str | int]) -> None:
    """Kept for `get_reduction_accelerators`."""
    _chosen["reduction"] = [_number(each) for each in accelerators]


def set_routine_accelerators(accelerators: Iterable[str | int]) -> None:
    """Kept for `get_routine_accelerators`."""
    _chosen["routine"] = [_number(each) for each in accelerators]


def get_elementwise_accelerators() -> list[int]:
    """What was set; nothing before."""
    return _chosen["elementwise"]


def get_reduction_accelerators() -> list[int]:
    """What was set; nothing before."""
    return _chosen["reduction"]


def get_routine_accelerators() -> list[int]:
    """What was set; nothing before."""
    return _chosen["routine"]
