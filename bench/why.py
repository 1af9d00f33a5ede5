"""What keeps rows behind the fastest other library on the same devices."""

IMPORT = "the library imports NumPy, so that its own extension and modules come on top"
CALL = (
    "a call also finds the device, the stream and the memory's uses on other streams, where "
    "NumPy's goes straight to its loop; both take under 3 us"
)

FEW = (
    "40 to 300 ns of a call that finds the device, the stream and what is pending on the memory, "
    "and, of one element, makes an array where NumPy makes a scalar: by perf no function takes "
    "more than 4 % of `v[3] > 0`. Tried, and as it is now: memory of results and their objects "
    "from pools, steps of one element that are computed at the call, without a node"
)
COPIED = "the image is copied, so that a program may write to it meanwhile; NumPy takes it as it is"
SHARED = (
    "; by the time of one processor it is not behind, so that the record's loss is of its two, "
    "which share the work, and not of the loop"
)
AWAKE = (
    "after a rest the two take 2.4 to 2.6 ms for float32; of calls one behind the other NumPy's "
    "take 1.15 ms, since the threads of its BLAS stay awake between them, ours 1.26 or, where the "
    "second thread wakes too late to share the work, 2.0 to 2.4, as on one processor"
)
NUMPYS_THREADS = (
    "threads of NumPy's BLAS look for work for 0.1 s after a product, so that the next one finds "
    "them awake"
)
CPU = {
    **dict.fromkeys(
        (
            "a + b, 10 float64",
            "a + b, 100 float64",
            "v[3] = 1.",
            "v[3] > 0",
            "float(v[3])",
            "v[3] += v[4]*2",
            "v[idx], 100 places",
        ),
        FEW,
    ),
    "o[idx] = b, sectors": "memory bounds both: a place is a line of the cache, read and written; "
    "calls one behind the other take 15 to 17 ms, NumPy's 15 to 17 as well. Indices are looked at "
    "before anything is written, 3 ms of it. Tried: places that are fetched 24 ahead, without gain",
    "a[:, ::2] + b[:, 1::2], sectors": "by perf on one processor 74 % of the time picks every "
    "other element out of rows, 9 % stores the result; the call takes 6.8 ms there, NumPy's 9.4"
    + SHARED,
    "to NumPy, memory of the result before": "by perf on one processor 94 % of the time is the "
    "copy, by the same function of the C library as NumPy's; the call takes 0.57 ms there, "
    "NumPy's 0.70" + SHARED,
    **dict.fromkeys(
        (
            "matrix times vector float32",
            "vector times matrix float32",
            "matrix times vector float64",
            "vector times matrix float64",
        ),
        AWAKE,
    ),
    "vector dot float64": "by perf on one processor over 90 % of the time is BLAS' loop over the "
    "elements, as of NumPy's; the call takes 6.48 ms there, NumPy's 6.62" + SHARED,
    "cholesky of 128 float64 32 x 32": "by perf on one processor 24 % of the time turns matrices "
    "to columns and back, 8 % takes the lower triangles; the call takes 0.41 to 0.44 ms there, "
    "NumPy's 0.32 to 0.37",
    "cholesky of 128 float64 64 x 64": "matrices are turned to columns and back; the call takes "
    "2.03 to 2.11 ms on one processor, NumPy's 1.97 to 2.02; on two 1.86, "
    "NumPy's 1.84",
    "inv of 128 float64 128 x 128": "by perf on one processor 79 % of the time is within LAPACK, "
    "17 % turns matrices to columns and back; the call takes 32.4 ms there, NumPy's 34.8" + SHARED,
    "k-means": "by perf on one processor 25 % of the time are products by BLAS, 11 % search the "
    "nearest centre, 15 % gather what is read in another order than it lies; the step takes "
    "29.6 ms there, NumPy's 37.2" + SHARED,
    "matmul float32": NUMPYS_THREADS
    + "; with pauses of 0.15 s between the two ours takes 105.6 ms, "
    "NumPy's 104.2",
    "matmul float64": NUMPYS_THREADS + "; with pauses of 0.15 s between the two ours takes 216 ms, "
    "NumPy's 221",
    "LSTM steps": NUMPYS_THREADS
    + "; where they sleep at once (OPENBLAS_THREAD_TIMEOUT=4) the steps "
    "take 17.7 ms, NumPy's 17.5",
    "1,000,000 copies of 64 elements, one behind the other": "the host of this run was slow: its "
    "NumPy multiplies matrices of float32 with 0.16 TFLOP/s, that of an earlier record with 0.26, "
    "where this row reached 970",
    "Floyd-Warshall": "by perf on one processor 33 % of the time goes to where tiles of 256 "
    "elements lie, which is asked anew for each row because a column is broadcast along it, 25 % "
    "to the loops",
    "512x512 images: to device, mean, read; 1 threads": COPIED,
    "512x512 images: to device, mean, read; 4 threads": COPIED,
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

SLOW_HOST = (
    "the host of this run was slow: its NumPy takes 1.7 us for a[10:500].sum() and 0.52 us for "
    "empty(1024), that of an earlier record 0.75 us and 0.24 us, where this row reached what is "
    "wanted"
)
INVERSES = (
    "by Nsight Compute nine kernels, 33 us in all for 5,000 of 4 x 4, eleven, 206 us, for 128 of "
    "64 x 64, and nineteen, 562 us, for 128 of 128 x 128, of which those that turn matrices and "
    "look for zeros take 33 and 44; the rest is cuBLAS's and the host's, and a wait for whether "
    "one was singular, which CuPy does not look for. Tried: cuBLAS's own function for inverses "
    "(0.81 and 0.76 before, by solutions of identities)"
)
CHOLESKY_STACKS = (
    "by Nsight Compute the kernels of 32 x 32 take 47 us, PyTorch's 38: one of 3.6 us clears the "
    "other triangle, two of 3.3 turn the matrices, one of 3.6 looks whether all have factors. "
    "Tried: clearing while they are turned, which is two launches more, so that only large ones are"
)
TWO_KERNELS = (
    "parts in a hundred behind: by Nsight Compute the pass over memory takes 691 to 695 us, that "
    "of a sum 345, at 92 to 93 % of its speed, the kernel that adds its parts 6 to 11. Tried by "
    "hand, on an H200 where the dot product took 481 us: all in one launch (474 us, 475 with two), "
    "larger and fewer blocks (475), eight loads ahead (477); parts that are loaded 16 at a time, "
    "as they are now"
)
MANY_KERNELS = "the compiler makes one kernel of what are several here: "

AT_COPY_SPEED = (
    "one part in a hundred behind, in a kernel that memory bounds at the speed of a copy"
)
CUDA = {
    "o[idx] = b, sectors": "where an index comes twice, the last value stays, as NumPy's does; the "
    "peers leave open which. A table of places and their last writers is cleared, filled by "
    "atomics and read again: some 300 bytes for an index where 76 count",
    **dict.fromkeys(("sum", "((a - b)**2).mean()", "vector dot float32"), TWO_KERNELS),
    **dict.fromkeys(("sum, axis 0", "matrix times vector float32"), AT_COPY_SPEED),
    "argmax": "by Nsight Compute the pass over memory takes 348 us at 92 % of its speed, that of a "
    "sum 345 at 93 %, and what it found in parts is compared in another 15 (a sum's in 10); of the "
    "compute units 36 % are busy, of a sum's 11. Tried by hand, on an H200 where this took 253 us: "
    "one launch that compares by atomics (242 to 252), as no larger position can be; parts that "
    "are loaded 8 at a time, as they are now",
    "fft, 2^26 complex64": "one part in fifty, of one H100, where an H200 had none: by Nsight "
    "Compute three kernels of cuFFT's, as the peers' are. Tried on an H200: CuPy's plans, in place "
    "(1,043 us) and not (1,081), where this library took 1,018, CuPy 1,026, PyTorch 1,019",
    "option pricing, 18 operations": "the compilers contract multiplications and additions; "
    "here every operation is rounded as NumPy's is. By Nsight Compute an H200 is bound by "
    "instructions (87 % of what it issues, memory 81 %), an H100 has its compute units busy for "
    "67 % and its memory for 91 % of the time. Tried by hand on an H200: contraction alone "
    "(1,189 us, 1,192 without it), divisions that are not IEEE's as well (996; the "
    "compilers take 1,045)",
    "solve 4,096 float32": "one part in a hundred: the same function of cuSOLVER, and a look at "
    "whether the matrix was singular, which waits for the device. Tried on an H200, where this "
    "took 12.40 ms: cuSOLVER's older functions with and without such a look (12.38, 12.35), the "
    "matrix as it lies instead of turned (12.40), which takes 0.13; PyTorch 12.35",
    "sort, 64 Mi int64": "eight passes of three stages, of which the first two read and sum counts "
    "(138 and 26 us of 476 by Nsight Compute); the peers' passes look back at one another, which "
    "blocks of several devices could not. The last stage takes 312 us, where copying takes 255: it "
    "waits at barriers. Tried: counts summed in wide loads (82 us before), fewer chunks (10 % "
    "slower)",
    "device to pinned memory": "one call of the driver, as of the peers; not found why it took "
    "longer in this run: on another host with H100s this library copies 4 GiB at 54.5 GB/s, here 1 "
    "GiB at 52.3, the peers at 53.7 to 54.5",
    "512x512 images: to device, mean, read; 1 threads": "by the host's clock the copy of a "
    "pageable image takes 75 of 125 us, in every library, the mean 27 and reading it 24",
    "cholesky 4,096 float32": "by Nsight Compute 1,545 us are one kernel of cuSOLVER's, the peers' "
    "as well, 60 and 33 turn the matrix before and after it (JAX: 43 and 33). Tried: the other "
    "triangle cleared while it is turned (80 us before, 0.95)",
    **dict.fromkeys(
        (
            "inv of 5,000 float64 4 x 4",
            "inv of 128 float64 32 x 32",
            "inv of 128 float64 64 x 64",
            "inv of 128 float64 128 x 128",
        ),
        INVERSES,
    ),
    "matmul float64": "by Nsight Compute one kernel of cuBLAS, whose units are busy for 95 % of "
    "the time, as the peers' is; samples of each library differ by 10 to 20 parts in a hundred. "
    "Tried on an H200: the five kernels of cuBLASLt's choice (2.22 to 2.65 ms, cuBLAS 2.18), 64 "
    "MiB to work in (2.21), turned operands (2.49 to 2.95)",
    **dict.fromkeys(
        (
            "cholesky of 128 float64 32 x 32",
            "cholesky of 128 float64 64 x 64",
            "cholesky of 128 float64 128 x 128",
        ),
        CHOLESKY_STACKS,
    ),
    "sea water: density and speed of sound": "by Nsight Compute one kernel of 61 us (JAX's takes "
    "62): the rest is the host, which makes 170 nodes and looks at them, where a compiled function "
    "is called once. Tried: expressions that are not cut at 48 nodes (0.51 ms before)",
    "k-means": MANY_KERNELS + "distances, their smallest, members and counts pass through memory, "
    "since no reduction becomes part of a matrix product: by Nsight Compute 146 us for distances, "
    "107 for the smallest, 115 for members, 134 and 116 for their products and counts. Tried: long "
    "sums of products in pieces (325 us before, by cuBLAS)",
    "Gray-Scott": MANY_KERNELS + "by Nsight Compute the kernels of 20 steps take 0.66 ms (JAX's "
    "0.43); meanwhile the host makes some 50 nodes for each step and looks at them, which takes "
    "longer. Tried: rolled arrays read where they lie (3.63 ms before), owners of pending arrays "
    "counted last (2.80 before)",
    "attention": "by Nsight Compute two products of 1.07 and 0.89 ms, each in four launches, so "
    "that several devices could share them with the same bits; the compiler's take 0.98 and 0.75 "
    "in one. Tried: what nobody reads of the rows between is left pending, not stored (1.07 ms, "
    "the compiler's 0.54; 3.03 ms before, 2.47 now)",
    "LSTM steps": "by Nsight Compute 92 % are products, each of 61 us by cuBLAS's choice of a "
    "kernel; the compiler multiplies all inputs at once before the steps, and chooses among "
    "kernels by their times, with 53 us for a product of a step. Tried on an H200: all inputs "
    "multiplied before the steps, in the program (3.48 ms, 4.46 as it is); the eight kernels of "
    "cuBLASLt's choice (53.7 us at best, as cuBLAS')",
    "conjugate gradients, sparse": MANY_KERNELS + "seven launches for a step, two of them for one "
    "number. Tried: such numbers as parts of the kernels that use them (2.41 ms before, on a "
    "slower host, 2.31 now)",
    "fft2, 4,096 x 4,096 complex64": "by Nsight Compute one kernel of cuFFT of 90 us for the last "
    "axis, at 81 % of memory's speed, and two of 79 us, at 44 %, for the first, where it lies: 248 "
    "us, as long as the peers' plan of two dimensions takes with its launches. Tried: the first "
    "axis by its step, without a transposed copy: 0.94 of the best peer on an H100, where the copy "
    "had 0.76 on an H200",
    "histogram of float32, 256 bins, 64 Mi": "samples of this run differ by 16 parts in a hundred, "
    "PyTorch's by 0.2; the same kernel was 1.23 and 1.34 times as fast in the two records before",
    "random normal float32": "bound by instructions: 69 for each number by the machine code, at "
    "the rate at which the device issues them, of functions that give the same bits on every "
    "platform. Tried: contracted multiplications and additions, 7 % faster in a kernel of its own",
}

SLOWER = {"cpu": CPU, "cuda": CUDA}
