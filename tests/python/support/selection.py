"""Some tests in place of all, where each takes long."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def spread(items: Sequence[Item], function: Callable[[Item], Hashable], cases: int) -> list[Item]:
    """Of the items with the same `function` at most so many, from the first to the last one."""
    places: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(function(item), []).append(place)
    kept: set[int] = set()
    for each in places.values():
        count = min(cases, len(each))
        kept.update(each[(len(each) - 1) * i // max(count - 1, 1)] for i in range(count))
    return [items[place] for place in sorted(kept)]
