"""CUPOLA_TOP=1 starts the feed of `python -m cupola top` at import."""

from __future__ import annotations

import os


def install() -> None:
    """Called once, at import of the package."""
    if os.environ.get("CUPOLA_TOP", "0") in ("", "0"):
        return
    import atexit

    from cupola._observation.feed import Feed

    try:
        feed = Feed()
    except OSError as error:
        import warnings

        warnings.warn(f"CUPOLA_TOP: {error}", RuntimeWarning, stacklevel=2)
        return
    atexit.register(feed.stop)
