"""CuPy's names for memory."""

from __future__ import annotations

from typing import Any

from cupola import _cupola as _core

__all__ = ["MemoryPool", "get_default_memory_pool"]


class MemoryPool:
    """CuPy's view of the memory that the library keeps for reuse on the current device."""

    def free_all_blocks(self, stream: Any = None) -> int:
        """Give cached memory back to the platform; returns the bytes."""
        return int(_core.release_cached_memory(_core.current_device()))

    def used_bytes(self) -> int:
        """Bytes of live arrays."""
        return int(_core.memory_statistics(_core.current_device())[0])

    def free_bytes(self) -> int:
        """Bytes held for reuse."""
        return int(_core.memory_statistics(_core.current_device())[1])

    def total_bytes(self) -> int:
        """Bytes of both."""
        return self.used_bytes() + self.free_bytes()


_pool = MemoryPool()


def get_default_memory_pool() -> MemoryPool:
    """The pool; it is the same for all devices and acts on the current one."""
    return _pool
