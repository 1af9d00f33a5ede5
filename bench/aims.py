"""What rows are to reach, and what keeps those from it that fall short."""

from aim import Aim, of_copy, of_devices, of_four_devices, of_two_devices, within
from libraries import ONE_DEVICE
from why import FEW, SLOW_HOST

FOUR_NODES = (
    "by the host's clock four nodes, of 0.7 us each on a slow host, and a launch; a + b took 5.4 "
    "us in the same run, NumPy 1.5. Tried: what pending arrays read is looked at once, not twice"
)

JOINED = (
    "on four H200s a launch took 16 us more than its quarter on one, argmax 36: members waited for "
    "each other's events, and for the last launch's results, before they began. Tried: members go "
    "on with other memory, and blocks of partial results take turns (before: 3.74 of 4, argmax "
    "3.48)"
)
FOUR_LINKS = (
    "the host's memory bounds four links: plain copies by PyTorch from one pinned buffer of 4 GiB "
    "reach 175 GB/s up and 136 down on four H200s, of 110 with two of them. Tried: memory that the "
    "program maps and registers itself (179 and 137); the host shows one NUMA node, so that "
    "nothing lies nearer"
)

Aims = dict[str, list[Aim]]  # by the row's name

ONE_THREAD = "a + b from 1 thread, 1,024 elements"
IMAGES = "512x512 images: to device, mean, read; {} threads"

CUDA: Aims = {
    "new process to a result, empty cache": [within(0.7, SLOW_HOST)],
    "new process to a result, filled cache": [
        within(
            0.5,
            "what NumPy's import and a context take varies between machines and is most of it "
            "(the row 'NumPy, a CUDA context, no more'); beside them are the library's import, "
            "NVML, loading the plugin and kernels, and the interpreter's end. Tried: kernels "
            "compiled within the package, imports and libraries at first use",
        )
    ],
    "a + b, 1,024 elements": [within(3.5, SLOW_HOST)],
    "(a*b + c)*d - a, 1,024 elements": [within(5, FOUR_NODES)],
    "a[10:500].sum()": [within(5, SLOW_HOST)],
    "empty(1024)": [within(0.5, SLOW_HOST)],
    "node: a + b, not evaluated": [within(1000)],
    "flush: a + b of 1,024 elements, evaluated": [
        within(
            2500,
            "the host of this run was slow: its launch of an empty kernel takes 3.5 to 5.4 us, "
            "CuPy's 3.8 to 6.2 us. Tried on an H200's host, for an empty kernel: arguments by "
            "pointers (4.31 us), in one buffer (4.22), the extensible launch (4.19), and a graph "
            "of one kernel (2.09), whose arguments would have to be set first",
        )
    ],
    "float(a.sum()), 1,024 elements": [within(9, SLOW_HOST)],
    "asarray of 4 KiB": [within(4, SLOW_HOST)],
    "a + b from 8 threads, 1,024 elements": [
        Aim(4, "cupy"),
        Aim(
            1,
            ONE_THREAD,
            why="eight Python threads share one interpreter lock, and each hands it on between two "
            "additions; on another host 254 k/s beside 343 of one thread, on a third 202 and 196. "
            "Tried: threads look around before they ask for the lock",
        ),
    ],
    IMAGES.format(16): [
        Aim(
            4,
            IMAGES.format(1),
            why="sixteen threads on sixteen cores, which the threads that copy need as well; on a "
            "machine with 32 cores 4.4. " + SLOW_HOST,
        ),
        Aim(8, "cupy"),
    ],
    "a finished copy lets its source go, another stream stuck (p99)": [within(1000)],
    "asarray": [
        Aim(
            0.8,
            "pinned memory to device",
            why="the host read pageable memory slowly in this run: 41 GB/s, and its copies by CuPy "
            "and PyTorch were 0.81 and 0.74 of those of earlier records, where this row reached "
            "48 to 50 GB/s",
        ),
    ],
    "to NumPy, new memory": [
        Aim(
            0.8,
            "device to pinned memory",
            why="the system has to find and clear every page first: into pages that are there the "
            "same copy took 35 to 38 GB/s on two hosts and 52 on others. New pages of a virtual "
            "machine whose memory grows as it is used took from 16 to 32 GB/s. Tried: huge pages, "
            "sixteen threads that touch pages while a piece is on its way; NumPy arrays that have "
            "been let go leave their pages to the next ones",
        )
    ],
    "a + b": [of_copy(0.95)],
    "(a*b + c)*d - a": [of_copy(0.95)],
    "option pricing, 18 operations": [
        of_copy(
            0.92,
            "four divisions, a root, a logarithm and two exponentials with IEEE rounding and "
            "without contraction take nearly as long as the memory, and the two overlap not quite; "
            "a kernel written by hand reaches 0.93. Tried: packs one after the other with the next "
            "one loaded ahead (0.890 before), equal steps of equal scalars as one step (3,810 GB/s "
            "before, 3,845 now)",
        )
    ],
    "((a - b)**2).mean()": [of_copy(0.95)],
    "var, axis 1": [of_copy(0.95)],
    "sum": [of_copy(0.95)],
    "sum, axis 0": [of_copy(0.95)],
    "sum, axis 1": [of_copy(0.95)],
    "argmax": [of_copy(0.95)],
    "softmax of rows of 4,096": [of_copy(0.9)],
    "softmax, s[:, None]": [of_copy(0.9)],
    "(a - a.mean(0)) / a.std(0), 8,192 columns": [of_copy(0.62)],
    "cumsum": [
        of_copy(
            0.85,
            "tiles wait for the slowest of those that began before them, and the sum of a row has "
            "to be the same in every run: by Nsight Compute warps wait 20.6 cycles for each "
            "instruction at barriers, 11.6 for memory; without any wait the kernel reaches 0.96. "
            "Tried: larger tiles (0.58 before); in kernels of their own, tiles that wait in shared "
            "memory (0.70), and tiles combined ahead, in the cache (0.79); decision 20 has the "
            "figures",
        )
    ],
    "a[a > 0.5]": [
        of_copy(
            0.85,
            "the elements are read twice, to count them and to store them, since the result is as "
            "large as what is found: 2.5 units of memory traffic where 1.5 count, 0.6 at best. "
            "Tried, in kernels of their own: one pass that waits as scans do (0.65), tiles counted "
            "ahead, in the cache (0.73)",
        )
    ],
    "transpose copy": [of_copy(0.9)],
    "a + b.T": [of_copy(0.88)],
    "a[:, ::2] + b[:, 1::2], sectors": [of_copy(0.88)],
    "row + column": [of_copy(0.88)],
    "a[idx]*w + b[idx], sectors": [Aim(0.9, "its gathers alone, by a raw kernel")],
    "2*a + b, all devices": [of_devices(0.95)],
    "option pricing, all devices": [of_devices(0.95)],
    "sum, all devices": [of_devices(0.95, JOINED)],
    "mean, all devices": [of_devices(0.95, JOINED)],
    "var, all devices": [of_devices(0.95, JOINED)],
    "a[1:] + b[:-1], all devices": [of_devices(0.9)],
    "sort, all devices": [
        of_two_devices(
            1.5,
            "of 17.0 ms on two H200s the sorts of the two runs take 12.7, the exchange, in which "
            "half of all elements cross NVLink once, 3.7, and the look for the border 0.6: samples "
            "0.2, the elements around it 0.3, two waits of the host 0.1. Without the last it would "
            "be 1.54. Tried: runs parted by borders that are looked for once, stages of one device "
            "that wait for no other",
        ),
        of_four_devices(
            2.5,
            "of 10.6 ms on four H200s, by CUPTI, the sorts of the four runs take 6.5, the "
            "exchange 2.8, in which three quarters of all elements cross NVLink, samples 0.6, the "
            "looks around borders and the sorts of what is there the rest. Tried: looks around all "
            "borders at the same time, what is there sorted as rows by all devices (2.25) or by "
            "the first one, to which copies took 1.2 ms (2.23), or one border after the other "
            "(2.39), and one comparison for each border instead of three (0.34 ms less)",
        ),
    ],
    "matmul float32, all devices": [of_two_devices(1.85), of_four_devices(3.4)],
    "from NumPy, all devices": [Aim(1, ONE_DEVICE)],
    "from pinned memory, all devices": [of_devices(0.95, FOUR_LINKS)],
    "to pinned memory, all devices": [of_devices(0.95, FOUR_LINKS)],
    "sum, axis 0, all devices": [of_devices(0.95)],
    "sum of rows of 4,096, all devices": [of_devices(0.95)],
    "argmax, all devices": [of_devices(0.95, JOINED)],
    "a + b, 1,024 elements, on a set": [Aim(1 / 1.5, ONE_DEVICE)],
    "float(a.sum()), 1,024 elements, on a set": [Aim(1 / 1.5, ONE_DEVICE)],
}

CPU: Aims = {
    "import after numpy": [
        within(
            0.1,
            "on this host NumPy's own import takes 0.056 s, on that of an earlier record 0.045, "
            "where this row reached 0.098",
        )
    ],
    "a + b, 1,024 elements": [within(3)],
    "node: a + b, not evaluated": [within(1000)],
    "flush: a + b of 1,024 elements, evaluated": [within(2000)],
    "launch: ElementwiseKernel of one element": [within(5000)],
    "1,000,000 copies of 64 elements, one behind the other": [Aim(500)],
    "a finished copy lets its source go, another stream stuck (p99)": [
        within(
            1000,
            "what nobody waits for is released by a thread that looks once in a millisecond, on "
            "two cores that the copies use as well",
        )
    ],
    "a + b from 8 threads, 1,024 elements": [
        Aim(
            1,
            ONE_THREAD,
            why="eight Python threads share one interpreter lock and two cores; by perf 55 % of "
            "the time is this library's, 35 % the interpreter's and its bindings', 7 % libc's",
        )
    ],
    "(a*b + c)*d - a": [
        Aim(
            3,
            "numpy",
            why="where new pages cost little, NumPy's temporaries do; a loop written by hand over "
            "all five arrays, on both cores, is bound by memory at 36 to 40 GB/s there. Tried: "
            "tiles of 512 elements that are fetched ahead (1.95 before)",
        )
    ],
    "option pricing, 18 operations": [Aim(4, "numpy")],
    "((a - b)**2).mean()": [
        Aim(
            4,
            "numpy",
            why="as in the row above: a loop written by hand reads 29 GB/s on both cores. Tried: "
            "tiles that are fetched ahead, without gain",
        )
    ],
    **{
        f"a + b, {elements} float64": [Aim(1 / 1.5, "numpy", why=FEW)]
        for elements in ("10", "100", "1,000")
    },
    **{
        name: [Aim(1 / 2, "numpy", why=FEW)]
        for name in (
            "v[3] = 1.",
            "v[3] > 0",
            "float(v[3])",
            "v[3] += v[4]*2",
            "v[idx], 100 places",
            "v.sum(), 1,000 float64",
        )
    },
}

# Measured for what others are held against.
REFERENCES = (
    "new process: NumPy, a CUDA context, no more",
    "its gathers alone, by a raw kernel",
)
AIMS = {"cuda": CUDA, "cpu": CPU}
