"""Arrays as another library has them."""

from typing import Any


class Producer:
    """An array that only DLPack knows as one; it notes what it is asked for."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.asked: list[dict[str, Any]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        """That of the array."""
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        """That of the array."""
        self.asked.append(options)
        return self.array.__dlpack__(**options)
