"""Axes that tests draw."""

from hypothesis import strategies as st


def axes_of(rank: int) -> st.SearchStrategy:
    """None, one axis or several."""
    if rank == 0:
        return st.sampled_from([None, ()])
    one = st.integers(-rank, rank - 1)
    several = st.lists(st.integers(0, rank - 1), unique=True, max_size=rank).map(tuple)
    return st.one_of(st.none(), one, several)
