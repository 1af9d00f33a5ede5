"""Operations on arrays over several devices: the values, who computes, and operands of others."""

import pytest
from support.device_sets import run

pytestmark = pytest.mark.cupola_only


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
    yield "rolled", lambda: cp.roll(a, 2, 0) + a
    yield "broadcast", lambda: a + a[:1]
    yield "sum", lambda: a.sum()
    yield "product", lambda: cp.prod(a[:9] * 2)
    yield "mean", lambda: a.mean()
    yield "var", lambda: a.var()
    for axis in range(a.ndim):
        yield f"sum {axis}", lambda axis=axis: a.sum(axis=axis)
        yield f"max {axis}", lambda axis=axis: abs(a).max(axis=axis)
        yield f"cumsum {axis}", lambda axis=axis: cp.cumsum(a, axis=axis)
        yield f"sort {axis}", lambda axis=axis: cp.sort(a, axis=axis)
        yield f"argsort {axis}", lambda axis=axis: cp.argsort(a, axis=axis)
        yield f"softmax {axis}", lambda axis=axis: (lambda e: e / e.sum(axis=axis, keepdims=True))(
            cp.exp(a - abs(a).max(axis=axis, keepdims=True)))
    if real:
        yield "argmax", lambda: a.argmax()
        yield "where", lambda: cp.where(a > 0, a, -a)
        yield "nonzero", lambda: cp.stack(cp.nonzero(a > 0))
        yield "mask", lambda: a[a > 0.5]
        yield "cumprod", lambda: cp.cumprod(a.ravel()[:50])
        yield "nansum", lambda: cp.nansum(a)
        yield "median", lambda: cp.median(a, axis=0)
        yield "unique", lambda: cp.unique(a)
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


def test_a_reversed_row_is_sorted_as_the_row_itself() -> None:
    """Elements that are looked at are the row's: those behind it in memory would mislead."""
    code = """
size = 300_000
held = np.full(2 * size, np.nan)
held[:size] = np.random.default_rng(3).standard_normal(size)
rows = cp.asarray(held)[:size]
def launches(row):
    with cp.profile() as profile:
        assert np.array_equal(cp.asnumpy(cp.sort(row)), np.sort(held[:size]))
    return sum(each["kind"] == "kernel" for each in profile.events)
print(launches(rows) == launches(rows[::-1]))
"""
    assert run(code, CUPOLA_DEVICE="cpu:0-1") == "True"


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
    sizes = {"CUPOLA_STRIPE_THRESHOLD": "100", "CUPOLA_MATMUL_BLOCK_ROWS": "51"}
    text = run(code, CUPOLA_EAGER="0", **sizes)  # what waits is explained
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


TRANSFORMS = """
import hashlib
random = np.random.default_rng(6)
def bits(value):
    return hashlib.md5(cp.asnumpy(value).tobytes()).hexdigest()
for dtype in ("float32", "float64", "complex64", "complex128"):
    for shape in ((50, 33), (21, 64), (9, 5, 97), (3, 4096), (700,)):
        x = random.standard_normal(shape).astype(dtype)
        a = cp.asarray(x)
        np.testing.assert_allclose(cp.asnumpy(cp.fft.fftn(a)), np.fft.fftn(x), rtol=0, atol=2e-2)
        for value in (cp.fft.fft(a), cp.fft.ifft(a, axis=0), cp.fft.fft(a[..., ::2], 20),
                      cp.fft.irfft(a), cp.fft.rfft(a.real, norm="ortho"), cp.fft.fftn(a)):
            print(dtype, value.shape, bits(value))
"""


def test_transforms_have_the_same_bits_for_any_number_of_members() -> None:
    one = run(TRANSFORMS, CUPOLA_DEVICE="cpu:1").splitlines()
    assert len(one) == 120
    for device in ("cpu:0-1", "cpu:2,0,1", "cpu:0-3"):
        assert run(TRANSFORMS, CUPOLA_DEVICE=device).splitlines() == one, device
    assert run(TRANSFORMS, CUPOLA_ADVERSARY="11").splitlines() == one


def test_rows_of_transforms_are_divided_and_one_row_is_told() -> None:
    code = """
def launches(shape):
    a = cp.asarray(np.random.default_rng(1).standard_normal(shape) + 0j)
    before = cp._cupola.counters()
    result = cp.asnumpy(cp.fft.fft(a))
    after = cp._cupola.counters()
    np.testing.assert_allclose(result, np.fft.fft(cp.asnumpy(a)))
    print(*[after[name] - before[name] for name in ("divided_launches", "gathered_launches")])
launches((80, 90))
cp.doctor.start()
launches((1, 7200))
print([(one.kind, one.what, one.count) for one in cp.doctor.findings() if one.kind == "gathered"])
"""
    assert run(code).splitlines() == ["1 0", "0 1", "[('gathered', 'fft', 1)]"]
    few = run(code, CUPOLA_FFT_BLOCK_ROWS="80").splitlines()
    assert few[0] == "0 1"


def test_block_rows_that_are_none() -> None:
    code = """
try:
    a = cp.asarray(np.ones((4, 4)))
    a @ a
    cp.fft.fft(a)
except ValueError as error:
    print(error)
"""
    for name in ("CUPOLA_MATMUL_BLOCK_ROWS", "CUPOLA_FFT_BLOCK_ROWS"):
        for value in ("0", "-1", "many"):
            assert f"{name}={value} is no" in run(code, **{name: value})


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
