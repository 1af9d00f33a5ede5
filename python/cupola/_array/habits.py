"""Names that programs written for PyTorch use, and what to write instead.

Arrays do not have them: to ask for one is an AttributeError that names the way here.
"""

from __future__ import annotations

from typing import Any

from cupola._cupola import ndarray

_NO_GRADIENTS = "no gradients are recorded"

OF_ARRAYS: dict[str, str] = {
    "cpu": "a.get() gives a NumPy array, a.to_device('cpu:0') an array on a CPU device",
    "cuda": "a.to_device('cuda:0') gives an array on a GPU",
    "to": "a.to_device('cuda:0') gives an array on a device, a.astype(dtype) one of a dtype",
    "numpy": "a.get() or cupola.asnumpy(a) gives a NumPy array",
    "detach": f"{_NO_GRADIENTS}: use the array itself, or a.copy()",
    "requires_grad": f"{_NO_GRADIENTS}: write the derivative as a function of its own",
    "requires_grad_": f"{_NO_GRADIENTS}: write the derivative as a function of its own",
    "grad": f"{_NO_GRADIENTS}: write the derivative as a function of its own",
    "backward": f"{_NO_GRADIENTS}: write the derivative as a function of its own",
    "clone": "a.copy() gives a new array",
    "numel": "a.size is the number of elements",
    "element_size": "a.itemsize is the number of bytes of an element",
    "dim": "a.ndim is the number of dimensions",
    "is_cuda": "a.device.platform == 'cuda' tells it",
    "get_device": "a.device.id is the number of the device",
    "pin_memory": "cupola.pin(host_array) gives a NumPy array in pinned memory",
    "permute": "a.transpose(axes) permutes the axes",
    "unsqueeze": "cupola.expand_dims(a, axis), or a[:, None]",
    "contiguous": "cupola.ascontiguousarray(a)",
    "expand": "cupola.broadcast_to(a, shape)",
    "t": "a.T",
    "type": "a.astype(dtype), and a.dtype for the dtype",
    "double": "a.astype('float64')",
    "float": "a.astype('float32')",
    "half": "a.astype('float16')",
    "bfloat16": "a.astype('bfloat16')",
    "long": "a.astype('int64')",
    "int": "a.astype('int32')",
    "bool": "a.astype('bool')",
    "masked_fill": "cupola.where(mask, value, a)",
    "index_select": "a.take(indices, axis)",
    "mm": "a @ b",
    "bmm": "a @ b",
    "add_": "a += b",
    "sub_": "a -= b",
    "mul_": "a *= b",
    "div_": "a /= b",
    "zero_": "a.fill(0), or a[...] = 0",
    "fill_": "a.fill(value)",
    "copy_": "a[...] = b",
    "abs": "cupola.abs(a)",
    "exp": "cupola.exp(a)",
    "log": "cupola.log(a)",
    "sqrt": "cupola.sqrt(a)",
}
"""What to write instead of `a.name`."""

OF_PACKAGE: dict[str, str] = {
    "tensor": "cupola.array makes an array",
    "Tensor": "cupola.ndarray is the type, cupola.array makes an array",
    "from_numpy": "cupola.asarray copies a NumPy array to a device",
    "as_tensor": "cupola.asarray gives an array",
    "cat": "cupola.concatenate joins arrays",
    "no_grad": f"{_NO_GRADIENTS}: leave it out",
    "manual_seed": "cupola.random.seed, or cupola.random.default_rng(seed)",
    "randn": "cupola.random.randn, or default_rng().standard_normal",
    "rand": "cupola.random.rand, or default_rng().random",
    "randperm": "cupola.random.permutation",
    "mm": "cupola.matmul, or a @ b",
    "bmm": "cupola.matmul, or a @ b",
    "numel": "a.size is the number of elements",
    "unsqueeze": "cupola.expand_dims",
    "clamp": "cupola.clip",
    "device": "cupola.Device names a device",
    "set_default_device": "cupola.Device(name).use(), or CUPOLA_DEVICE in the environment",
}
"""What to write instead of `cupola.name`."""


class _Habit:
    """An attribute that is not there, with a message."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    def __get__(self, array: Any, kind: type) -> Any:
        raise AttributeError(
            f"arrays have no attribute {self.name!r} as in PyTorch: {self.text}",
            name=self.name,
            obj=kind if array is None else array,
        )


def _names(array: ndarray) -> list[str]:
    """Those of attributes that are there."""
    return sorted(set(object.__dir__(array)) - OF_ARRAYS.keys())


def install() -> None:
    """Called once, at import."""
    for name, text in OF_ARRAYS.items():
        if name in vars(ndarray):
            raise TypeError(f"arrays have {name}")
        setattr(ndarray, name, _Habit(name, text))
    ndarray.__dir__ = _names  # type: ignore[method-assign, assignment]
