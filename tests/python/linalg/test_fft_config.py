"""`cupola.fft.config`: what is kept of the plans of transforms."""

from collections.abc import Iterator

import numpy as np
import pytest
from cupola_under_test import IS_NUMPY, cp

if not IS_NUMPY:
    from cupola.fft import config

pytestmark = pytest.mark.cupola_only


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    config.clear_plan_cache()
    yield
    config.set_plan_cache_max_memsize(-1)
    config.set_plan_cache_size(32)


def transform(length: int) -> None:
    numbers = np.arange(float(length))
    np.testing.assert_allclose(cp.fft.fft(cp.asarray(numbers)).get(), np.fft.fft(numbers))
    cp.cuda.Device().synchronize()


def test_plans_are_kept_and_forgotten() -> None:
    cache = config.get_plan_cache()
    assert cache.get_size() == config.get_plan_cache_size() == 32
    assert cache.get_curr_size() == 0
    transform(10)
    transform(12)
    transform(10)
    assert cache.get_curr_size() == 2
    cache.clear()
    assert (cache.get_curr_size(), cache.get_size()) == (0, 32)


def test_no_more_are_kept_than_was_set() -> None:
    cache = config.get_plan_cache()
    for length in (5, 6, 7, 8):
        transform(length)
    cache.set_size(2)
    assert cache.get_curr_size() == 2
    config.set_plan_cache_size(0)
    assert cache.get_curr_size() == 0
    transform(9)
    cache.clear()
    assert cache.get_curr_size() == 0
    cache.set_size(-1)
    for length in range(4, 50):
        transform(length)
    assert cache.get_curr_size() == 46
    with pytest.raises(ValueError, match="size must be -1"):
        cache.set_size(-2)


def test_plans_keep_no_memory_of_arrays() -> None:
    cache = config.get_plan_cache()
    assert cache.get_memsize() == config.get_plan_cache_max_memsize() == -1
    used = cp.get_default_memory_pool().used_bytes()
    transform(1 << 12)
    assert cache.get_curr_memsize() == 0
    assert cp.get_default_memory_pool().used_bytes() == used
    cache.set_memsize(1 << 20)
    assert config.get_plan_cache_max_memsize() == 1 << 20
    config.set_plan_cache_max_memsize(0)
    assert cache.get_size() == 0
    with pytest.raises(ValueError, match="memsize must be -1"):
        cache.set_memsize(-3)


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    transform(10)
    config.get_plan_cache().show_info()
    lines = capsys.readouterr().out.splitlines()
    assert f"FFT plan cache ({cp.current_device()})" in lines[0]
    assert lines[1:] == [
        "cache enabled? True",
        "current / max size   : 1 / 32 (counts)",
        "current / max memsize: 0 / unlimited (bytes)",
    ]
    config.show_plan_cache_info()
    titles = [line for line in capsys.readouterr().out.splitlines() if "FFT plan cache" in line]
    assert len(titles) == cp.cuda.runtime.getDeviceCount()


def test_settings_of_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert config.enable_nd_planning is True
    assert config.use_multi_gpus is False
    monkeypatch.setattr(config, "use_multi_gpus", True)
    monkeypatch.setattr(config, "enable_nd_planning", False)
    transform(8)
    with pytest.raises(ValueError, match="Must use at least 2 GPUs"):
        config.set_cufft_gpus(1)
    with pytest.raises(ValueError, match="each GPU can be chosen once"):
        config.set_cufft_gpus([0, 0])
    with pytest.raises(cp.errors.DeviceError):
        config.set_cufft_gpus([0, 10_000])
    assert config.get_current_callback_manager() is None
    with pytest.raises(AttributeError, match="use elementwise operations"):
        config.set_cufft_callbacks  # noqa: B018
