"""What keeps rows behind the fastest other library on the same devices."""

IMPORT = "the library imports NumPy, so that its own extension and modules come on top"
CALL = (
    "a call also finds the device, the stream and the memory's uses on other streams, where "
    "NumPy's goes straight to its loop; both take under 3 us"
)

CPU = {
    "import": IMPORT,
    "new process to a result, empty cache": IMPORT,
    "new process to a result, filled cache": IMPORT,
    "a + b, 1,024 elements": CALL,
    "a + b, 32 times, asked for together (each)": CALL,
    "(a*b + c)*d - a, 1,024 elements": CALL,
    "a[10:500].sum()": CALL,
    "empty(1024)": CALL,
    "float(a.sum()), 1,024 elements": CALL,
    "asarray of 4 KiB": CALL,
    "a + b from 1 thread, 1,024 elements": CALL,
    "a + b from 8 threads, 1,024 elements": CALL,
}

CUDA: dict[str, str] = {}

SLOWER = {"cpu": CPU, "cuda": CUDA}
