"""Pools that move arrays to the host and back: `StripedMemoryPool(spill=True)`."""

import pytest
from support.device_sets import run
from support.subprocesses import output_of, run_python

pytestmark = pytest.mark.cupola_only

# Four arrays of `N` float64 fill the three devices; each is divided between them.
N = 32768
BUDGETS = {
    "CUPOLA_CPU_DEVICES": "3",
    "CUPOLA_CPU_DEVICE_MEMORY": f"{4 * N * 8 // 4},{4 * N * 8 // 4},{4 * N * 8 // 2}",
    "CUPOLA_STRIPE_THRESHOLD": "65536",
}
NOTHING_MOVED = "SpillCounts(arrays_out=0, bytes_out=0, arrays_in=0, bytes_in=0)"
START = f"""
import warnings
N = {N}
warnings.simplefilter("ignore", cp.errors.PerformanceWarning)
pool = cp.cuda.StripedMemoryPool(spill=True)
cp.cuda.set_allocator(pool.malloc)
def done(a):
    cp.eval(a)
    return a
def away(a): return cp._cupola.is_spilled(a)
def value(i): return np.arange(N, dtype="float64") * (i + 1)
def arrays(n): return [cp.asarray(value(i)) for i in range(n)]
def right(a, i): return cp.asnumpy(a).tobytes() == value(i).tobytes()
def release_all():
    for _ in range(10_000):  # another thread may be about to release what it found complete
        cp.synchronize()
        if pool.used_bytes() == 0: return
"""


def spilling(code: str, **environment: str) -> str:
    return run(START + code, **{**BUDGETS, **environment})


def test_more_arrays_than_fit() -> None:
    code = """
many = arrays(11)
print(sum(map(away, many)) >= 7, pool.spilled_bytes() == 8 * N * sum(map(away, many)))
for step in (1, 3, 5):
    print(all(right(many[i * step % 11], i * step % 11) for i in range(11)))
total = cp.zeros(N)
for a in many: total += a
print((cp.asnumpy(total) == np.arange(N) * 66.0).all())
product = cp.asnumpy(many[2] * many[9] - many[4])
print(product.tobytes() == (value(2) * value(9) - value(4)).tobytes())
counts = pool.spill_counts()
print(counts.bytes_out == 8 * N * counts.arrays_out, counts.bytes_in == 8 * N * counts.arrays_in)
print(counts.arrays_out - counts.arrays_in == sum(map(away, [*many, total])))
del many, a, total
release_all()
print(pool.spilled_bytes(), pool.used_bytes())
pool.free_all_blocks()
info = cp.all_devices("cpu").mem_info
print(pool.total_bytes(), info[1] - info[0])
"""
    lines = spilling(code).splitlines()
    assert lines[:-2] == ["True True", *["True"] * 5, "True True", "True"]
    assert lines[-2:] == ["0 0", "0 0"]


def test_the_least_recently_used_goes_first() -> None:
    code = """
a, b, c, d = arrays(4)
print([away(x) for x in (a, b, c, d)])
done(a.sum()); float(c[3])
e = arrays(1)[0]
print([away(x) for x in (a, b, c, d, e)])
f = arrays(1)[0]
print([away(x) for x in (a, b, c, d, e, f)])
float(b[0])
print([away(x) for x in (a, b, c, d, e, f)])
"""
    # a's and c's readers needed room of their own, which is small.
    spare = {"CUPOLA_CPU_DEVICE_MEMORY": f"{N * 8 + 65536},{N * 8 + 65536},{2 * N * 8 + 65536}"}
    assert spilling(code, **spare).splitlines() == [
        "[False, False, False, False]",
        "[False, True, False, False, False]",
        "[False, True, False, True, False, False]",
        "[True, False, False, True, False, False]",
    ]


def test_operands_of_an_operation_are_not_moved_for_it() -> None:
    code = """
a, b, c, d = arrays(4)
before = pool.spill_counts()
s = done(a + b)
print([away(x) for x in (a, b, c, d)], pool.spill_counts().arrays_in - before.arrays_in)
print((cp.asnumpy(s) == 3.0 * np.arange(N)).all())
"""
    assert spilling(code).splitlines() == ["[False, False, True, False] 0", "True"]


def test_arrays_keep_their_addresses_and_parts() -> None:
    code = """
a, b = arrays(2)
before = [(str(p.device), p.bytes) for p in a.placement]
more = arrays(4)
print(away(a), right(a, 0))
print([(str(p.device), p.bytes) for p in a.placement] == before, len(before))
"""
    assert spilling(code).splitlines()[0] == "True True"
    assert spilling(code).splitlines()[1].endswith(" 3")


def test_views_and_writes_of_arrays_that_are_away() -> None:
    code = """
a, b, c, d = arrays(4)
view, flipped = a[100:200:3], a.reshape(128, 256).T
e, f = arrays(2)
print(away(a), away(b))
expected = value(0)
print((cp.asnumpy(view) == expected[100:200:3]).all())
g, h, i, j = arrays(4)
print(away(a))
view += 7
expected[100:200:3] += 7
print(away(a), cp.asnumpy(a).tobytes() == expected.tobytes())
g2, h2, i2, j2 = arrays(4)
print(away(a))
a[:50] = cp.asarray(np.ones(50))
expected[:50] = 1
print((cp.asnumpy(flipped) == expected.reshape(128, 256).T).all())
b.set(np.full(N, 2.5))
print((cp.asnumpy(b) == 2.5).all())
"""
    assert spilling(code).splitlines() == [
        "True True",
        "True",
        "True",
        "False True",
        "True",
        "True",
        "True",
    ]


def test_arrays_whose_address_others_have_stay() -> None:
    code = """
a, b, c, d = arrays(4)
pointer, exported = a.data.ptr, np.from_dlpack(b)
view = np.asarray(memoryview(c))
more = arrays(1)
print([away(x) for x in (a, b, c, d)])
try: more = [*more, *arrays(1)], done(cp.ones(2 * N))
except cp.errors.OutOfMemoryError as error: print("spilled to pinned host memory" in str(error))
print([away(x) for x in (a, b, c)], (exported == value(1)).all(), (view == value(2)).all())
print(a.data.ptr == pointer, right(a, 0), right(d, 3))
"""
    assert spilling(code).splitlines() == [
        "[False, False, False, True]",
        "True",
        "[False, False, False] True True",
        "True True True",
    ]


def test_an_array_that_is_away_gets_its_address_first() -> None:
    code = """
a, b, c, d, e, f = arrays(6)
print(away(a), away(b))
view = np.from_dlpack(a)
print(away(a), (view == value(0)).all())
print(away(b), (np.asarray(memoryview(b)) == value(1)).all(), away(b))
rest = arrays(3)
print(away(a), away(b), (view == value(0)).all())
"""
    assert spilling(code).splitlines() == [
        "True True",
        "False True",
        "True True False",
        "False False True",
    ]


def test_free_while_away() -> None:
    code = """
many = arrays(10)
before = pool.spilled_bytes()
print(away(many[0]), before > 0)
del many[0]
print(before - pool.spilled_bytes() == 8 * N)
for round in range(30): many = arrays(8)
del many
release_all(); pool.free_all_blocks()
info = cp.all_devices("cpu").mem_info
print(pool.spilled_bytes(), pool.used_bytes(), pool.total_bytes(), info[1] - info[0])
"""
    assert spilling(code).splitlines() == ["True True", "True", "0 0 0 0"]


def test_free_blocks_of_the_pool_go_first() -> None:
    code = """
a, b = arrays(2)
c = done(cp.ones(2 * N)); del c
cp.synchronize()
print(pool.free_bytes() >= 16 * N)
d = done(cp.ones(3 * N // 2))
print(away(a), away(b), pool.spill_counts())
"""
    assert spilling(code).splitlines() == ["True", f"False False {NOTHING_MOVED}"]


def test_what_does_not_fit_together_names_the_devices() -> None:
    code = """
a, b, c = arrays(3)
def fails(operation):
    try: done(operation())
    except cp.errors.OutOfMemoryError as error: text = str(error)
    names = ("cpu:0: ", "cpu:1: ", "cpu:2: ", "spilled to pinned host memory", "asked for")
    return all(name in text for name in names)
print(fails(lambda: cp.ones(3 * N)), fails(lambda: a + b))
a *= b  # two of them do
print([right(x, i) for i, x in enumerate((b, c), 1)])
print(cp.asnumpy(a).tobytes() == (value(0) * value(1)).tobytes(), pool.used_bytes() <= 16 * N)
"""
    two = {"CUPOLA_CPU_DEVICE_MEMORY": f"{N * 4},{N * 4},{N * 8}"}
    assert spilling(code, **two).splitlines() == ["True True", "[True, True]", "True True"]


def test_not_by_default() -> None:
    code = """
pool = cp.cuda.StripedMemoryPool()
cp.cuda.set_allocator(pool.malloc)
four = arrays(4)
try: more = arrays(1)
except cp.errors.OutOfMemoryError as error: print("spilled" in str(error))
print(pool.spill, pool.spilled_bytes(), pool.spill_counts(), right(four[0], 0))
"""
    assert spilling(code).splitlines() == [
        "False",
        f"False 0 {NOTHING_MOVED} True",
    ]


def test_the_first_array_that_is_moved_is_told() -> None:
    code = START.replace('"ignore"', '"always"') + "many = arrays(9)\nfor i in range(50): pass\n"
    result = run_python(
        "import numpy as np\nimport cupola as cp\n" + code,
        **{"CUPOLA_PLATFORM": "cpu", "CUPOLA_CPU_STRIPE_BYTES": "16", **BUDGETS},
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("PerformanceWarning") == 1
    assert "pinned host memory" in result.stderr


def test_the_doctor_names_the_lines() -> None:
    code = """
cp.doctor.start()
many = arrays(6)
print(right(many[0], 0))
found = [(one.what, one.count, one.bytes) for one in cp.doctor.findings() if one.kind == "spill"]
print(sorted({what for what, count, size in found}))
counts = pool.spill_counts()
print(sum(size for what, count, size in found) == counts.bytes_out + counts.bytes_in)
print("arrays moved for want of memory" in cp.doctor.report())
"""
    assert (
        spilling(code).splitlines()
        == ["True", "['brought back', 'moved to the host']"] + ["True"] * 2
    )


def test_the_limit_of_the_pool() -> None:
    code = """
pool.set_limit(2 * 8 * N)
with_limit = arrays(5)
print(pool.total_bytes() <= 2 * 8 * N, sum(away(a) for a in with_limit) >= 3)
print(all(right(a, i) for i, a in enumerate(with_limit)))
"""
    assert spilling(code).splitlines() == ["True True", "True"]


def test_on_the_devices_of_this_machine() -> None:
    code = """
import numpy as np
import cupola as cp
N = 1 << 20
pool = cp.cuda.StripedMemoryPool(spill=True)
cp.cuda.set_allocator(pool.malloc)
pool.set_limit(20 << 20)
many = [cp.asarray(np.arange(N) * (i + 1.0)) for i in range(6)]
print(sum(map(cp._cupola.is_spilled, many)) >= 4, pool.total_bytes() <= 20 << 20)
print(all((cp.asnumpy(a) == np.arange(N) * (i + 1.0)).all() for i, a in enumerate(many)))
total = cp.zeros(N)
for a in many: total += a
print((cp.asnumpy(total) == np.arange(N) * 21.0).all())
"""
    lines = output_of(code, PYTHONWARNINGS="ignore").splitlines()
    assert lines == ["True True", "True", "True"]


def test_one_device() -> None:
    code = """
many = [done(cp.arange(N * 8, dtype="float64") + i) for i in range(6)]
print(sum(map(away, many)) > 1, many[0].device)
print([float(a[-1]) - i for i, a in enumerate(many)])
"""
    one = {
        "CUPOLA_CPU_DEVICES": "1",
        "CUPOLA_DEVICE": "cpu:0",
        "CUPOLA_CPU_DEVICE_MEMORY": str(N * 8 * 8 * 3),
    }
    assert spilling(code, **one).splitlines() == ["True cpu:0", str([N * 8 - 1.0] * 6)]


@pytest.mark.parametrize("hostile", [False, True])
def test_many_threads(hostile: bool) -> None:
    code = """
import random, threading
shared = arrays(3)
wrong = []
together = threading.Barrier(6)
def work(seed):
    try:
        together.wait()
        dice = random.Random(seed)
        own = {}
        for step in range(25):
            what = dice.randrange(5)
            if what == 0 or not own:
                i = dice.randrange(50)
                own[i] = done(cp.arange(N, dtype="float64") * (i + 1))
            elif what == 1:
                own.pop(dice.choice(list(own)))
            elif what == 2:
                i = dice.choice(list(own))
                if not right(own[i], i): wrong.append(("read", seed, step))
            elif what == 3:
                i, j = dice.choice(list(own)), dice.randrange(3)
                if float((own[i] + shared[j])[-1]) != (N - 1) * float(i + j + 2):
                    wrong.append(("sum", seed, step))
            else:
                i = dice.choice(list(own))
                own[i] += 1; own[i] -= 1
            if len(own) > 3: own.pop(dice.choice(list(own)))
        for i in range(50, 50 + 3 - len(own)):
            own[i] = done(cp.arange(N, dtype="float64") * (i + 1))
        together.wait()  # now there are 21 arrays, whatever the threads did before
        for i in own:
            if not right(own[i], i): wrong.append(("end", seed, i))
    except BaseException as error:
        wrong.append(repr(error))
        together.abort()
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong)
print([right(a, i) for i, a in enumerate(shared)], pool.spill_counts().arrays_out >= 13)
del shared
release_all(); pool.free_all_blocks()
print(pool.spilled_bytes(), pool.used_bytes())
"""
    room = 8 * N * 8  # a third of what the threads have
    environment = {"CUPOLA_CPU_DEVICE_MEMORY": f"{room // 4},{room // 4},{room // 2}"}
    if hostile:
        environment["CUPOLA_ADVERSARY"] = "5"
    assert spilling(code, **environment).splitlines() == [
        "[]",
        "[True, True, True] True",
        "0 0",
    ]


def test_streams_are_waited_for() -> None:
    code = """
streams = [cp.cuda.Stream() for i in range(3)]
many = []
for i in range(12):
    with streams[i % 3]:
        a = cp.arange(N, dtype="float64")
        for k in range(i): a += 1
        many.append(a)
for i, a in enumerate(many):
    with streams[(i + 1) % 3]: a *= 2
print(pool.spill_counts().arrays_out > 12)
print(all((cp.asnumpy(a) == (np.arange(N) + i) * 2.0).all() for i, a in enumerate(many)))
"""
    for seed in ("", "1", "2"):
        hostile = {"CUPOLA_ADVERSARY": seed} if seed else {}
        assert spilling(code, **hostile).splitlines() == ["True", "True"]


def test_a_forked_child_has_them_all() -> None:
    code = """
import os
many = arrays(9)
child = os.fork()
if child == 0: os._exit(0 if all(right(a, i) for i, a in enumerate(many)) else 1)
print(os.waitpid(child, 0)[1], all(right(a, i) for i, a in enumerate(many)))
"""
    assert spilling(code) == "0 True"
