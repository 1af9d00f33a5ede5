"""Where property tests draw from: the same examples in every run, or new ones that are printed.

CUPOLA_TEST_SEED=new takes a new seed, and a number repeats the run that printed it.
"""

import os
import secrets


def chosen_seed() -> int | None:
    """The seed of this run, the same in all its processes; None: every run is alike."""
    text = os.environ.get("CUPOLA_TEST_SEED")
    if not text:
        return None
    if text == "new":
        text = os.environ["CUPOLA_TEST_SEED"] = str(secrets.randbelow(2**32))
    return int(text)


SEED = chosen_seed()


def seeds(count: int) -> range:
    """For tests with generators of their own."""
    first = 0 if SEED is None else SEED
    return range(first, first + count)
