"""Arrays over several devices: which part lies where, and the memory of each device."""

import numpy as np
import pytest
from cupola_under_test import cp
from hypothesis import given
from hypothesis import strategies as st
from support.device_sets import COUNT, PLATFORM, needs_several, run

pytestmark = pytest.mark.cupola_only


# ---- placement


@given(
    nbytes=st.integers(1, 10**9),
    weights=st.lists(st.floats(0, 1e6), min_size=1, max_size=5).filter(any),
    exponent=st.integers(0, 21),
)
def test_plans_keep_to_the_wished_shares(nbytes: int, weights: list[float], exponent: int) -> None:
    piece = 1 << exponent
    free = [1 << 40] * len(weights)
    plan = cp.plan_placement(nbytes, free=free, granularity=piece, weights=weights)
    assert sum(plan.bytes) == -(-nbytes // piece) * piece
    assert all(part % piece == 0 for part in plan.bytes)
    assert plan.deviation <= piece * (1 + 1e-9)
    for part, share in zip(plan.bytes, plan.wished, strict=True):
        assert abs(part - share * sum(plan.bytes)) <= piece * (1 + 1e-9)


@given(nbytes=st.integers(1, 4000), free=st.lists(st.integers(0, 2000), min_size=1, max_size=5))
def test_plans_fit_where_anything_fits(nbytes: int, free: list[int]) -> None:
    if sum(size // 16 for size in free) * 16 < nbytes:
        with pytest.raises(cp.errors.OutOfMemoryError, match="device 0 has"):
            cp.plan_placement(nbytes, free=free, granularity=16)
        return
    plan = cp.plan_placement(nbytes, free=free, granularity=16)
    assert all(part <= room for part, room in zip(plan.bytes, free, strict=True))


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0], [-1.0, 2.0], [0.0, 0.0], [np.nan, 1]])
def test_bad_weights(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weight"):
        cp.plan_placement(1000, free=[5000, 5000], weights=weights)
    if COUNT > 1:
        with pytest.raises(ValueError, match="weight"):
            cp.place(cp.zeros(1000), devices=f"{PLATFORM}:0-1", weights=weights)


def test_bad_plans() -> None:
    for cuts in ([], [1, 2], [2000]):
        with pytest.raises(ValueError, match="cut points"):
            cp.plan_placement(1000, free=[5000, 5000], cuts=cuts)
    with pytest.raises(ValueError, match="exclude each other"):
        cp.plan_placement(1000, free=[5000, 5000], cuts=[1], even=True)
    with pytest.raises(ValueError, match="0 bytes"):
        cp.plan_placement(0, free=[5000])
    with pytest.raises(ValueError, match="at least one device"):
        cp.plan_placement(1, free=[])


@needs_several
def test_plans_of_real_devices() -> None:
    plan = cp.plan_placement(64 << 20, f"{PLATFORM}:0-1", even=True)
    assert plan.bytes == [32 << 20, 32 << 20]
    assert plan.deviation == 0


def test_plans_of_one_device() -> None:
    plan = cp.plan_placement(64 << 20, f"{PLATFORM}:0")
    assert plan.bytes == [64 << 20]
    assert cp.plan_placement(5 << 20, f"{PLATFORM}:0", weights=[3]).deviation == 0
    with pytest.raises(ValueError, match="1 device"):
        cp.plan_placement(1 << 20, f"{PLATFORM}:0", weights=[1, 2])
    with pytest.raises(cp.errors.OutOfMemoryError):
        cp.plan_placement(1 << 60, f"{PLATFORM}:0")


def test_parts_are_told() -> None:
    code = """
a = cp.place(np.arange(100.0), devices="cpu:0-2", weights=[1, 2, 1])
for part in a.placement: print(part.device, part.uuid, part.bytes, part.elements)
b = cp.place(a.reshape(10, 10), cuts=[2, 7])
print([part.elements for part in b.placement], b.device, (b == a.reshape(10, 10)).all())
print([part.elements for part in b[3:6].placement])
c = cp.place(a, even=True, devices="cpu:3,1")
print([(str(part.device), part.elements) for part in c.placement])
print([(str(part.device), part.bytes) for part in cp.zeros(5, device="cpu:1").placement])
print([part.bytes for part in cp.zeros((0, 3)).placement], len(cp.float64(1).reshape(()).shape))
"""
    assert run(code).splitlines() == [
        "cpu:0 cpu-0 (0, 208) (0, 26)",
        "cpu:1 cpu-1 (208, 608) (26, 76)",
        "cpu:2 cpu-2 (608, 800) (76, 100)",
        "[(0, 2), (2, 7), (7, 10)] cpu:0-2 True",
        "[(0, 3)]",
        "[('cpu:3', (0, 50)), ('cpu:1', (50, 100))]",
        "[('cpu:1', (0, 40))]",
        "[(0, 0)] 0",
    ]


def test_arrays_of_one_device_may_have_memory_of_several() -> None:
    code = """
with cp.Device("cpu:1"), cp.cuda.using_allocator(cp.cuda.malloc_striped):
    with cp.Device("cpu:1"):
        a = cp.arange(200000.0)
print(a.device, [str(part.device) for part in a.placement], float(a.sum()))
"""
    budgets = {"CUPOLA_CPU_DEVICE_MEMORY": "4M", "CUPOLA_DEVICE": "cpu:0"}
    assert run(code, **budgets) == "cpu:1 ['cpu:1', 'cpu:0', 'cpu:2', 'cpu:3'] 19999900000.0"


def test_place_with_a_mask_is_numpys() -> None:
    a, b = cp.arange(6), np.arange(6)
    assert cp.place(a, a > 2, [7, 8]) is None
    np.place(b, b > 2, [7, 8])
    np.testing.assert_array_equal(cp.asnumpy(a), b)
    with pytest.raises(TypeError, match="together"):
        cp.place(a, a > 2)


def test_small_arrays_stay_on_one_device() -> None:
    code = "print([str(part.device) for part in cp.zeros({}, device='cpu:0-2').placement])"
    threshold = {"CUPOLA_STRIPE_THRESHOLD": str(3 << 20)}
    assert run(code.format(1000), **threshold) == "['cpu:0']"
    assert run(code.format(500000), **threshold) == "['cpu:0', 'cpu:1', 'cpu:2']"
    full = "a = cp.zeros(4 << 20, dtype='uint8', device='cpu:0'); "
    small = {**threshold, "CUPOLA_CPU_DEVICE_MEMORY": "4M,3M,9M"}
    assert run(full + code.format(1000), **small) == "['cpu:2']"


def test_a_threshold_that_is_none() -> None:
    code = """
try: cp.zeros(10)
except ValueError as error: print(error)
"""
    for value in ("0", "-1", "1k"):
        assert f"CUPOLA_STRIPE_THRESHOLD={value} is no" in run(code, CUPOLA_STRIPE_THRESHOLD=value)


@needs_several
def test_one_array_for_each_device() -> None:
    a = np.arange(10.0)
    for source in (a, cp.asarray(a)):
        parts = cp.split_over(source, f"{PLATFORM}:0-1")
        assert [part.device for part in parts] == list(cp.Device(f"{PLATFORM}:0-1"))
        np.testing.assert_array_equal(np.concatenate([cp.asnumpy(part) for part in parts]), a)


# ---- memory


def test_an_array_larger_than_every_member() -> None:
    code = """
a = cp.asarray(np.arange(1500000.0))
b = cp.sqrt(a) * 2
print(bool((cp.asnumpy(b) == np.sqrt(np.arange(1500000.0)) * 2).all()), float(a.sum()))
print([round((part.bytes[1] - part.bytes[0]) / 1e6) for part in a.placement])
"""
    budgets = {"CUPOLA_CPU_DEVICE_MEMORY": "9M,10M,11M,11M", "CUPOLA_DEVICE": "cpu:0-3"}
    good, parts = run(code, **budgets).splitlines()
    assert good == "True 1124999250000.0"
    assert abs(sum(eval(parts)) - 12) <= 2


def test_the_account_of_every_member() -> None:
    code = """
a = cp.zeros(1 << 20, dtype="uint8")
try: cp.zeros(10 << 20, dtype="uint8")
except cp.errors.OutOfMemoryError as error: print(error)
"""
    text = run(code, CUPOLA_CPU_DEVICE_MEMORY="2M,3M,4M")
    assert "out of memory on cpu:0-2: 10485760 bytes asked for" in text
    for member in ("cpu:0: ", "cpu:1: ", "cpu:2: "):
        assert member in text
    assert text.count("held by live arrays") >= 3


def test_a_member_that_is_full_leaves_its_share_to_others() -> None:
    code = """
full = cp.zeros(1900 << 10, dtype="uint8", device="cpu:1")
a = cp.zeros(4 << 20, dtype="uint8")
sizes = {str(part.device): part.bytes[1] - part.bytes[0] for part in a.placement}
print(a.size, sizes.get("cpu:1", 0) < 200 << 10, sum(sizes.values()))
b = cp.place(np.zeros(2000, "uint8"), even=True, devices="cpu:0-1")
del a
try: cp.place(np.zeros(1 << 20, "uint8"), cuts=[100], devices="cpu:0-1")
except cp.errors.OutOfMemoryError as error: print("cut points" in str(error), "cpu:1" in str(error))
"""
    lines = run(code, CUPOLA_CPU_DEVICE_MEMORY="4M,2M,4M").splitlines()
    assert lines[0] == "4194304 True 4194304"
    assert lines[1] == "True True"


def test_memory_is_given_back_and_used_again() -> None:
    code = """
for i in range(50):
    a = cp.zeros((i % 3 + 1) << 20, dtype="uint8") + 1
    assert int(a[-1]) == 1
del a
cp.synchronize()
pool = cp.get_default_memory_pool()
pool.free_all_blocks()
print(pool.used_bytes(), pool.total_bytes(), [free == total for free, total in
      [cp.Device(f"cpu:{i}").mem_info for i in (1, 2)]])
"""
    assert run(code, CUPOLA_CPU_DEVICE_MEMORY="8M,8M,8M") == "0 0 [True, True]"


def test_the_memory_of_a_larger_array_does_not_move_a_smaller_one_to_one_member() -> None:
    output = run(
        """
size = 4 << 20
whole = cp.zeros(size)
del whole
half = cp.zeros(size // 2)
print(len(half.placement), cp.get_default_memory_pool().n_free_blocks() > 0)
"""
    )
    assert output.split() == ["3", "True"]


def test_one_word_of_a_managed_program_changes() -> None:
    code = """
print(cp.zeros(3).device)
cp.cuda.set_allocator(cp.cuda.MemoryPool(cp.cuda.malloc_striped).malloc)
a = cp.zeros(1500000)
print(a.device, len(a.placement), float((a + 1).sum()))
cp.cuda.set_allocator(None)
print(cp.zeros(3).device)
with cp.cuda.using_allocator(cp.cuda.StripedMemoryPool().malloc):
    print(len(cp.zeros(1500000).placement))
print(cp.zeros(3).device, cp.cuda.malloc_striped(1000).mem.size)
"""
    environment = {"CUPOLA_DEVICE": "cpu:0", "CUPOLA_CPU_DEVICE_MEMORY": "8M"}
    assert run(code, **environment).splitlines() == [
        "cpu:0",
        "cpu:0-3 4 1500000.0",
        "cpu:0",
        "4",
        "cpu:0 1000",
    ]


# ---- results of what was placed by hand

PLACED = """
shares = lambda array: [part.elements[1] - part.elements[0] for part in array.placement]
def alike(result, operand):
    if len(shares(result)) != len(shares(operand)): return False
    pairs = zip(shares(result), shares(operand))
    scale = result.placement[-1].elements[1] / operand.placement[-1].elements[1]
    return all(abs(a - b * scale) <= 0.01 * len(result) for a, b in pairs)
host = np.random.default_rng(1).random((600, 2000))
a = cp.place(host, weights=[3, 1, 0, 2], devices="cpu:0-3")
other = cp.asarray(host, device="cpu:0-3")
"""
BUDGETS = {"CUPOLA_CPU_DEVICE_MEMORY": "160M,240M,320M,200M"}


@pytest.mark.parametrize("eager", ["0", "1"])
def test_results_are_divided_as_their_operands(eager: str) -> None:
    code = """
def check(result, expected, like=a):
    np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=1e-8)
    assert alike(result, like), (shares(result), shares(like))
check(2 * a + 1, host * 2 + 1)
check(other - a, host * 0)
check(cp.sqrt(a * a).astype("float32"), host.astype("float32"))
check((a > 0.5).reshape(-1, 4).sum(1), (host > 0.5).reshape(-1, 4).sum(1))
check(a.reshape(-1, 4).mean(1), host.reshape(-1, 4).mean(1))
check(cp.sort(a, 1), np.sort(host, 1))
check(cp.argsort(a, 1), np.argsort(host, 1))
check(a @ other[:400].T, host @ host[:400].T)
check(abs(cp.fft.fft(a)), abs(np.fft.fft(host)))
check(a.cumsum(1), host.cumsum(1))
check(a.copy(), host)
once = a + 1
check(once / 2, (host + 1) / 2)
again = (once * 3)
del once
check(again - 1, host * 3 + 2)
for _ in range(3): check(a * a, host * host)
by_cuts = cp.place(host, cuts=[20, 40, 300], devices="cpu:0-3")
check(by_cuts * 2, host * 2, by_cuts)
assert not alike(other + 1, a)
print("passed")
"""
    assert run(PLACED + code, CUPOLA_EAGER=eager, **BUDGETS) == "passed"


def test_results_of_placed_arrays_go_elsewhere_where_they_must() -> None:
    code = """
small = cp.place(host[:2], weights=[3, 1, 0, 2], devices="cpu:0-3")
print(len(small.placement), [str(part.device) for part in (small + 1).placement])
with cp.cuda.using_allocator(cp.cuda.StripedMemoryPool().malloc):
    print(alike(a + 1, a))
print(alike(a + 1, a), alike(cp.asarray(a, device="cpu:0-1") + 1, a))
b = cp.place(host, weights=[3, 1, 0, 2], devices="cpu:0-3")
full = cp.empty(cp.Device("cpu:0").mem_info[0] - (1 << 20), dtype="uint8", device="cpu:0")
c = b + b
print(bool((cp.asnumpy(c) == 2 * host).all()), alike(c, b), sum(shares(c)))
"""
    threshold = {"CUPOLA_STRIPE_THRESHOLD": str(1 << 20)}
    assert run(PLACED + code, **BUDGETS, **threshold).splitlines() == [
        "3 ['cpu:0']",
        "False",
        "True False",
        "True False 600",
    ]


def test_memory_of_results_goes_back_with_the_last_of_them() -> None:
    code = """
c = a * 2
del a
d = c + 1
del c
print(alike(d, d + 1))
del d, other
cp.synchronize()
for devices in ("cpu:0-2", "cpu:0-3"):
    with cp.Device(devices): cp.get_default_memory_pool().free_all_blocks()
print([free == total for free, total in (cp.Device(f"cpu:{i}").mem_info for i in range(4))])
"""
    assert run(PLACED + code, **BUDGETS).splitlines() == ["True", "[True, True, True, True]"]
