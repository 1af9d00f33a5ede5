"""Arrays over several devices: values, where they lie, and what cannot be."""

import pickle

import numpy as np
import pytest
from cupola_under_test import cp, on_cuda
from hypothesis import given
from hypothesis import strategies as st
from support.subprocesses import output_of

pytestmark = pytest.mark.cupola_only

PLATFORM = "cuda" if on_cuda() else "cpu"
COUNT = cp._cupola.device_count(PLATFORM) if hasattr(cp, "_cupola") else 0
needs_several = pytest.mark.skipif(COUNT < 2, reason="needs several devices")

# Small pieces, so that small arrays are divided.
PIECES = {
    "CUPOLA_PLATFORM": "cpu",
    "CUPOLA_CPU_DEVICES": "4",
    "CUPOLA_CPU_STRIPE_BYTES": "16",
    "CUPOLA_CPU_MAP_TILE": "64",
    "CUPOLA_STRIPE_THRESHOLD": "1",
    "CUPOLA_MATMUL_BLOCK_ROWS": "16",
    "CUPOLA_DEVICE": "cpu:0-2",
    "CUPOLA_MEMORY_DEBUG": "",
}


def run(code: str, **environment: str) -> str:
    """What a program prints where arrays of a few elements are divided."""
    return output_of(
        "import numpy as np\nimport cupola as cp\n" + code, **{**PIECES, **environment}
    )


# ---- devices


@needs_several
def test_a_set_is_a_device() -> None:
    pair = cp.Device(f"{PLATFORM}:0-1")
    assert pair == cp.Device(f"{PLATFORM}:0,1") == cp.Device([f"{PLATFORM}:0", f"{PLATFORM}:1"])
    assert hash(pair) == hash(cp.Device(f"{PLATFORM}:0,1"))
    assert pair != cp.Device(f"{PLATFORM}:1,0")
    assert repr(pair) == f"<Device '{PLATFORM}:0-1'>"
    assert str(cp.Device(f"{PLATFORM}:1,0")) == f"{PLATFORM}:1,0"
    assert pair.is_set
    assert not pair[0].is_set
    assert list(pair) == [cp.Device(f"{PLATFORM}:0"), cp.Device(f"{PLATFORM}:1")]
    assert pair.members == tuple(pair)
    assert len(pair) == 2
    assert pair[1] in pair
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert cp.Device(f"{PLATFORM}:1-1") == cp.Device(f"{PLATFORM}:1")
    assert cp.Device(pair.id) == pair


@needs_several
def test_what_a_set_tells_of_its_members() -> None:
    pair = cp.Device(f"{PLATFORM}:0-1")
    assert pair.mem_info[1] == pair[0].mem_info[1] + pair[1].mem_info[1]
    assert pair.uuid == f"{pair[0].uuid},{pair[1].uuid}"
    assert pair.name == f"2 x {pair[0].name}" or " + " in pair.name
    assert pair.fault is None


def test_all_devices_are_one() -> None:
    everything = cp.all_devices(PLATFORM)
    assert len(everything) == COUNT
    assert list(everything) == [cp.Device(f"{PLATFORM}:{i}") for i in range(COUNT)]
    assert everything.is_set == (COUNT > 1)


@needs_several
def test_scopes_and_device_arguments() -> None:
    pair = cp.Device(f"{PLATFORM}:0-1")
    with pair:
        a = cp.zeros(3)
        assert cp.current_device() == pair
    assert a.device == pair
    assert cp.ones(3, device=pair).device == pair
    assert cp.asarray(np.ones(3), device=f"{PLATFORM}:0-1").device == pair
    assert a.to_device(pair[1]).device == pair[1]
    assert a.to_device(pair[1]).to_device(pair).device == pair


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cpu:0,0", "cpu:0 is named twice"),
        ("cpu:0-2,1", "cpu:1 is named twice"),
        ("cpu:2-1", "runs backwards"),
        ("cpu:0-", "does not name a device"),
        ("cpu:,1", "does not name a device"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cp.Device(name)


def test_unknown_members_and_two_platforms() -> None:
    with pytest.raises(cp.errors.DeviceError, match="cpu:500"):
        cp.zeros(3, device="cpu:0,500")
    with pytest.raises(cp.errors.DeviceError, match="below 512"):
        cp.Device("cpu:0-600")
    with pytest.raises(ValueError, match="one platform, not cpu:0 and cuda:0"):
        cp.Device(["cpu:0", "cuda:0"])
    with pytest.raises(ValueError, match="at least one"):
        cp.Device([])


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


# ---- the same bits for any number of members

FAMILIES = """
import hashlib, sys
random = np.random.default_rng(3)
def made(*shape, dtype="float64"):
    return random.standard_normal(shape).astype(dtype)
X = [made(1000), made(37, 61), made(7, 11, 13), made(5, 2000, dtype="float32"), made(3000, 3),
     (made(40, 50) * 9).astype("int32"), made(2500) > 0, made(90) + 1j * made(90)]
def bits(value):
    host = cp.asnumpy(value)
    return hashlib.md5(repr((host.dtype, host.shape)).encode() + host.tobytes()).hexdigest()
def programs(a, real):
    yield "map", lambda: a * a + a
    yield "functions", lambda: cp.sin(a) + cp.sqrt(abs(a))
    yield "shifted", lambda: a[1:] + a[:-1]
    yield "reversed", lambda: a[::-1] * 2
    yield "transposed", lambda: a.T + a.T
    yield "every other", lambda: a[::2] + 1
    yield "broadcast", lambda: a + a[:1]
    yield "sum", lambda: a.sum()
    yield "product", lambda: cp.prod(a[:9] * 2)
    yield "mean", lambda: a.mean()
    yield "var", lambda: a.var()
    for axis in range(a.ndim):
        yield f"sum {axis}", lambda axis=axis: a.sum(axis=axis)
        yield f"max {axis}", lambda axis=axis: abs(a).max(axis=axis)
        yield f"cumsum {axis}", lambda axis=axis: cp.cumsum(a, axis=axis)
        yield f"softmax {axis}", lambda axis=axis: (lambda e: e / e.sum(axis=axis, keepdims=True))(
            cp.exp(a - abs(a).max(axis=axis, keepdims=True)))
    if real:
        yield "argmax", lambda: a.argmax()
        yield "where", lambda: cp.where(a > 0, a, -a)
        yield "nonzero", lambda: cp.stack(cp.nonzero(a > 0))
        yield "mask", lambda: a[a > 0.5]
        yield "cumprod", lambda: cp.cumprod(a.ravel()[:50])
        yield "nansum", lambda: cp.nansum(a)
    yield "take", lambda: a[cp.arange(a.shape[0]) % 3]
    yield "flat cumsum", lambda: cp.cumsum(a)
    yield "concatenate", lambda: cp.concatenate([a, a * 2])
    yield "reshape", lambda: a.ravel()[: a.size // 2 * 2].reshape(2, -1) + 1
    yield "astype", lambda: a.astype("complex64")
    yield "reduceat", lambda: cp.add.reduceat(a.ravel(), [0, 5, 3, 17])
    yield "fill", lambda: cp.full_like(a, 3)
    yield "set", lambda: setting(a)
    yield "put", lambda: putting(a)
    yield "at", lambda: adding(a)
    yield "matmul", lambda: a.reshape(-1, a.shape[-1]) @ a.reshape(-1, a.shape[-1]).T
def setting(a):
    b = a.copy(); b[1:-1] = b[2:] * 2; b[b == b[0]] = 1; return b
def putting(a):
    b = a.copy(); b[cp.arange(3)] = b[cp.arange(3) + 1]; return b
def adding(a):
    b = a.ravel().copy()
    if b.dtype != bool: cp.add.at(b, cp.arange(40) % 7, b[:40])
    return b
for x in X:
    a = cp.asarray(x)
    for name, program in programs(a, x.dtype.kind not in "cb"):
        try:
            print(x.shape, x.dtype, name, bits(program()))
        except (TypeError, ValueError, IndexError) as error:
            print(x.shape, x.dtype, name, type(error).__name__)
counters = cp._cupola.counters()
print("divided", counters["divided_launches"] > 0, file=sys.stderr)
"""


def test_the_same_bits_for_any_number_of_members() -> None:
    one = run(FAMILIES, CUPOLA_DEVICE="cpu:1").splitlines()
    for device in ("cpu:0-1", "cpu:2,0,1", "cpu:0-3"):
        several = run(
            FAMILIES, CUPOLA_DEVICE=device, CUPOLA_CPU_DEVICE_MEMORY="1G,3G,2G"
        ).splitlines()
        different = [pair for pair in zip(one, several, strict=True) if pair[0] != pair[1]]
        assert not different, (device, different[:5])


def test_the_same_bits_where_the_platform_is_hostile() -> None:
    one = run(FAMILIES, CUPOLA_DEVICE="cpu:1").splitlines()
    several = run(FAMILIES, CUPOLA_ADVERSARY="7").splitlines()
    assert one == several


def test_work_is_divided() -> None:
    code = """
a = cp.asarray(np.arange(100000.0))
before = cp._cupola.counters()
float((a * 2 + 1).sum())
after = cp._cupola.counters()
print(after["divided_launches"] - before["divided_launches"] >= 1)
print(after["gathered_launches"] - before["gathered_launches"])
"""
    assert run(code).split() == ["True", "0"]


def test_who_computes_what_is_told() -> None:
    code = """
a = cp.asarray(np.arange(10000.0)).reshape(100, 100)
cp.eval(a + 1)
print(cp.explain(a + 1))
cp.doctor.start()
cp.eval(a @ a)
cp.eval(a + 2)
print([(one.kind, one.what, one.count) for one in cp.doctor.findings() if one.kind == "gathered"])
print(cp.doctor.report())
"""
    text = run(code, CUPOLA_STRIPE_THRESHOLD="100", CUPOLA_MATMUL_BLOCK_ROWS="51")
    assert "runs on cpu:0 (" in text
    assert "[('gathered', 'matmul', 1)]" in text
    assert "work of several devices that one of them did" in text


PRODUCTS = """
import hashlib
random = np.random.default_rng(5)
def made(*shape, dtype="float64"):
    return cp.asarray(random.standard_normal(shape).astype(dtype))
def bits(value):
    return hashlib.md5(cp.asnumpy(value).tobytes()).hexdigest()
for dtype in ("float16", "float32", "float64", "complex64"):
    a, b = made(100, 70, dtype=dtype), made(70, 90, dtype=dtype)
    stack = made(7, 33, 70, dtype=dtype)
    wide = made(64, 200, dtype=dtype)
    out = cp.zeros((100, 120), dtype=dtype)
    cp.matmul(a, b, out=out[:, 10:100])
    for value in (a @ b, a.T @ a, a @ a.T, b.T @ b, stack @ b, stack @ stack.swapaxes(1, 2),
                  stack[:, None] @ stack.swapaxes(1, 2)[None], stack[::2] @ b, a[:, 5:69] @ wide,
                  a @ b[:, 0], a[3:90, :] @ b[:, 1:80], out):
        print(dtype, value.shape, bits(value))
    np.testing.assert_allclose(cp.asnumpy(a @ b).astype("complex128"),
                               cp.asnumpy(a).astype("complex128") @ cp.asnumpy(b),
                               atol=0.1 if dtype == "float16" else 1e-4)
"""


def test_products_have_the_same_bits_for_any_number_of_members() -> None:
    one = run(PRODUCTS, CUPOLA_DEVICE="cpu:1").splitlines()
    assert len(one) == 48
    for device in ("cpu:0-1", "cpu:2,0,1", "cpu:0-3"):
        assert run(PRODUCTS, CUPOLA_DEVICE=device).splitlines() == one, device
    assert run(PRODUCTS, CUPOLA_ADVERSARY="11").splitlines() == one


def test_rows_of_products_are_divided() -> None:
    code = """
a = cp.asarray(np.arange(6400.0).reshape(80, 80))
before = cp._cupola.counters()
product = cp.asnumpy(a @ a)
after = cp._cupola.counters()
np.testing.assert_allclose(product, cp.asnumpy(a) @ cp.asnumpy(a))
print(after["divided_launches"] - before["divided_launches"])
print(after["gathered_launches"] - before["gathered_launches"])
"""
    assert run(code).split() == ["1", "0"]
    assert run(code, CUPOLA_MATMUL_BLOCK_ROWS="41").split() == ["0", "1"]


def test_block_rows_that_are_none() -> None:
    code = """
try:
    cp.asarray(np.ones((4, 4))) @ cp.asarray(np.ones((4, 4)))
except ValueError as error:
    print(error)
"""
    for value in ("0", "-1", "many"):
        printed = run(code, CUPOLA_MATMUL_BLOCK_ROWS=value)
        assert f"CUPOLA_MATMUL_BLOCK_ROWS={value} is no" in printed


# ---- together with other devices


def test_arrays_of_members_go_to_the_set() -> None:
    code = """
a = cp.arange(100.0)
b = cp.arange(100.0, device="cpu:1")
for result in (a + b, b + a, cp.where(b > 5, a, b), cp.concatenate([b, a]), a[b.astype(int)]):
    print(result.device, float(result.sum()))
c = a.copy(); c[:50] = b[50:]; print(float(c.sum()), b.device)
print((a.reshape(10, 10) @ b.reshape(10, 10)).device)
"""
    lines = run(code).splitlines()
    assert lines == [
        "cpu:0-2 9900.0",
        "cpu:0-2 9900.0",
        "cpu:0-2 4950.0",
        "cpu:0-2 9900.0",
        "cpu:0-2 4950.0",
        "7450.0 cpu:1",
        "cpu:0-2",
    ]


def test_arrays_of_others_do_not() -> None:
    code = """
a = cp.arange(10.0)
for other in (cp.arange(10.0, device="cpu:3"), cp.arange(10.0, device="cpu:2-3")):
    try: a + other
    except cp.errors.DeviceError as error: print(error)
b = cp.arange(10.0, device="cpu:1")
try: cp.add(a, a, out=b)
except cp.errors.DeviceError as error: print("out", error)
try: b[:] = a
except cp.errors.DeviceError as error: print("set")
"""
    first, second, *rest = run(code).splitlines()
    assert "cpu:0-2 and cpu:3" in first
    assert "cpu:0-2 and cpu:2-3" in second
    assert rest[0].startswith("out")
    assert rest[1] == "set"


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


# ---- what cannot be


@pytest.mark.parametrize("peers", ["1-2:none", "1-2:lies"])
def test_devices_that_do_not_reach_each_other(peers: str) -> None:
    code = """
try: cp.zeros(100)
except cp.errors.PeerAccessError as error: print(error)
print([cp.Device(f"cpu:{i}").mem_info[0] == cp.Device(f"cpu:{i}").mem_info[1] for i in range(3)])
print(float(cp.zeros(100, device="cpu:0-1").sum()), len(cp.split_over(np.ones(9), "cpu:0-2")))
"""
    message, free, rest = run(code, CUPOLA_CPU_PEERS=peers).splitlines()
    assert "cpu:1" in message
    assert "cpu:2" in message
    assert "split_over" in message
    assert free == "[True, True, True]"
    assert rest == "0.0 3"


def test_streams_and_events_of_a_set() -> None:
    code = """
stream = cp.Stream()
start, stop = cp.cuda.Event(), cp.cuda.Event()
with stream:
    start.record()
    a = cp.arange(10000.0) * 2
    cp.eval(a)
    stop.record()
stop.synchronize()
print(cp.cuda.get_elapsed_time(start, stop) >= 0, float(a[-1]), stop.done)
seen = []
stream.launch_host_func(seen.append, 1)
stream.synchronize()
print(seen)
"""
    assert run(code).splitlines() == ["True 19998.0 True", "[1]"]
