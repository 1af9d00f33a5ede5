"""When a test has nothing to say."""

import os

import pytest

one_device = pytest.mark.skipif(
    any(sign in os.environ.get("CUPOLA_DEVICE", "") for sign in "-,"),
    reason="about arrays on a single device",
)
deferring = pytest.mark.skipif(
    os.environ.get("CUPOLA_EAGER") == "1", reason="about results that wait to be computed"
)
