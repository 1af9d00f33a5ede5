"""Arrays and numbers as text of Python, from a random number generator.

The text says everything: evaluated with `xp` as either library, it gives the same array, with the
same view of the same base.
"""

from __future__ import annotations

from random import Random

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
EXTENTS = (0, 1, 1, 2, 2, 3, 3, 4, 5)
LONG_EXTENTS = (17, 40, 300)  # beyond vectors, tiles and short cuts
MOST_ELEMENTS = 4000
LISTED = 8  # numbers that an array repeats
FLOATS = ("0.0", "1.0", "-1.0", "0.5", "2.0", "-2.5", "3.0", "7.25", "-0.75", "1.5")
SPECIAL_FLOATS = ("nan", "inf", "-inf", "-0.0", "1e-3", "60000.0", "-1e-7", "1e4")

Shape = tuple[int, ...]


def number(random: Random, dtype: str, special: bool) -> str:
    """An element of that dtype."""
    kind, bits = dtype[0], 8 * int(dtype[1:] or 1)
    if kind == "?":
        return random.choice(("True", "False"))
    if kind in "iu":
        if special and random.random() < 0.3:
            bottom, top = (0, 2**bits - 1) if kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
            return str(random.choice((bottom, top - (kind == "i"), bottom + 1, top // 2)))
        return str(random.randint(0 if kind == "u" else -4, 9))
    pool = SPECIAL_FLOATS if special and random.random() < 0.3 else FLOATS
    if kind == "f":
        return random.choice(pool)
    return f"complex({random.choice(pool)}, {random.choice(FLOATS)})"


def shape(random: Random, rank: int | None = None) -> Shape:
    """Extents, zeros and ones among them."""
    if rank is None:
        rank = random.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4))
    extents = [random.choice(EXTENTS) for _ in range(rank)]
    if rank and random.random() < 0.08:
        extents[random.randrange(rank)] = random.choice(LONG_EXTENTS)
    return tuple(extents) if size(tuple(extents)) <= MOST_ELEMENTS else tuple(extents[:1])


def size(extents: Shape) -> int:
    result = 1
    for extent in extents:
        result *= extent
    return result


def broadcastable(random: Random, full: Shape) -> Shape:
    """A shape that broadcasts to `full`."""
    kept = full[random.randint(0, len(full)) :] if random.random() < 0.4 else full
    return tuple(1 if random.random() < 0.25 else extent for extent in kept)


def base(random: Random, dtype: str, extents: Shape, special: bool) -> str:
    """A new array."""
    count = size(extents)
    if count == 0:
        return f"xp.asarray(np.empty({extents}, {dtype!r}))"
    if not extents:
        return f"xp.asarray(np.array({number(random, dtype, special)}, {dtype!r}))"
    listed = [number(random, dtype, special) for _ in range(min(count, LISTED + len(extents)))]
    numbers = f"np.array([{', '.join(listed)}], {dtype!r})"
    if len(extents) == 1 and count == len(listed):
        return f"xp.asarray({numbers})"
    return f"xp.asarray(np.resize({numbers}, {extents}))"


def view(random: Random, name: str, extents: Shape) -> tuple[str, Shape]:
    """A view of `name` with these extents, and the extents that `name` must have for it."""
    first = extents[:1]
    kinds = ["pending", "broadcast"]
    if extents:
        kinds += ["reversed", "strided", "offset", "last", "swapped"]
    if len(extents) > 1:
        kinds += ["transposed", "transposed"]
    kind = random.choice(kinds)
    if kind == "reversed":
        return f"{name}[::-1]", extents
    if kind == "strided":
        return f"{name}[::2]", (2 * first[0], *extents[1:])
    if kind == "offset":
        return f"{name}[1:]", (first[0] + 1, *extents[1:])
    if kind == "last":
        return f"{name}[..., ::-2]", (*extents[:-1], 2 * extents[-1])
    if kind == "swapped":
        swapped = list(extents)
        swapped[0], swapped[-1] = swapped[-1], swapped[0]
        return f"{name}.swapaxes(0, -1)", tuple(swapped)
    if kind == "transposed":
        return f"{name}.T", extents[::-1]
    if kind == "broadcast":
        return f"xp.broadcast_to({name}, {extents})", broadcastable(random, extents)
    return f"xp.where(True, {name}, {name})", extents
