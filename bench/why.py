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

SLOW_HOST = (
    "the host of this run was slow: its NumPy adds 1,024 elements in 0.72 us, that of an earlier "
    "record in 0.56 us, where this row reached what is wanted"
)
SOLVER = (
    "the same functions of cuSOLVER and cuBLAS as the peers', for some hundred microseconds; where "
    "the rest of the time goes is not profiled yet"
)
ROWS_APART = (
    "the record is older than the choice of cuBLAS for sums of elements that lie rows apart: the "
    "reduction of that run read the vector again in each thread"
)
MANY_KERNELS = "the compiler makes one kernel of what are several here: "

CUDA = {
    "sum, axis 0": "one part in a hundred behind, in a kernel that memory bounds at the speed of a "
    "copy",
    "option pricing, 18 operations": "the compilers contract multiplications and additions; "
    "here every operation is rounded as NumPy's is. The kernel is "
    "bound by instructions (87 % of what the device issues, memory 81 %, by Nsight Compute)",
    "solve 4,096 float32": "one part in a hundred: the same function of cuSOLVER, and a look at "
    "whether the matrix was singular, which waits for the device",
    "sort, 64 Mi int64": "eight passes of three stages, of which the first two read and sum counts "
    "(138 and 26 us of 476 by Nsight Compute); the peers' passes look back at one another, which "
    "blocks of several devices could not. The last stage takes 312 us, where copying takes 255: it "
    "waits at barriers. Tried: counts summed in wide loads (82 us before), fewer chunks (10 % "
    "slower)",
    "512x512 images: to device, mean, read; 1 threads": "a pageable image's copy to the device "
    "takes part of it in every library; not profiled yet",
    "vector times matrix float32": ROWS_APART,
    "vector times matrix float64": ROWS_APART,
    "cholesky 4,096 float32": "the same function of cuSOLVER as the peers'; not profiled yet",
    **dict.fromkeys(
        (
            "inv of 5,000 float64 4 x 4",
            "inv of 128 float64 32 x 32",
            "cholesky of 128 float64 32 x 32",
            "cholesky of 128 float64 64 x 64",
            "cholesky of 128 float64 128 x 128",
        ),
        SOLVER,
    ),
    "sea water: density and speed of sound": "one kernel since expressions are not cut at 48 nodes "
    "(0.51 ms before). By the figure of a node in the same record, the host takes a third of it to "
    "make 170 of them, which a compiled function does not; the kernel is not profiled yet",
    "k-means": MANY_KERNELS + "distances, their smallest, members and counts pass through memory, "
    "since no reduction becomes part of a matrix product. The products are cuBLAS's: 64 x 1 Mi by "
    "1 Mi x 16 takes 325 us (the compiler's own kernel 123), 1 Mi x 16 by 16 x 64 157 (107)",
    "Gray-Scott": MANY_KERNELS + "each step is one, made of some forty nodes. Tried: rolled arrays "
    "read where they lie (copies before: 3.63 ms, now 2.80); not profiled since",
    "attention": "by Nsight Compute two products of 1.07 and 0.89 ms, each in four launches, so "
    "that several devices could share them with the same bits; the compiler's take 0.98 and 0.75 "
    "in one. Tried: what nobody reads of the rows between is left pending, not stored (1.07 ms, "
    "the compiler's 0.54; 3.03 ms before, 2.47 now)",
    "LSTM steps": "by Nsight Compute 92 % are products, each of 61 us by cuBLAS's choice of a "
    "kernel; the compiler multiplies all inputs at once before the steps, and chooses among "
    "kernels by their times, with 53 us for a product of a step",
    "conjugate gradients, sparse": MANY_KERNELS + "seven launches for a step, two of them for one "
    "number. Tried: such numbers as parts of the kernels that use them (2.41 ms before, on a "
    "slower host, 2.31 now)",
    "random normal float32": "bound by instructions: 69 for each number by the machine code, at "
    "the rate at which the device issues them, of functions that give the same bits on every "
    "platform. Tried: contracted multiplications and additions, 7 % faster in a kernel of its own",
}

SLOWER = {"cpu": CPU, "cuda": CUDA}
