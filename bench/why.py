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
    "the host of this run was slow: its NumPy adds 1,024 elements in 1.01 us, that of the record "
    "before in 0.56 us, where this row reached what is wanted"
)
SORTED = (
    "the record is older than the count in one pass (decision 29), which was measured beside the "
    "same peers since: 2.7 times the best one for bincount, 1.1 for histogram"
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
    "unique of 1,000 int32, 64 Mi": "four passes of a sort (72, 13 and 250 to 336 us by Nsight "
    "Compute), and masks of what differs from its neighbour; how the peer does it is not "
    "profiled yet",
    "bincount of 1,000 int32, 64 Mi": SORTED,
    "histogram of float32, 256 bins, 64 Mi": SORTED,
    "sea water: density and speed of sound": MANY_KERNELS + "expressions are cut at 48 nodes, so "
    "that some hundred operations are 14 kernels, which read and write 1.9 GB where 0.13 would do. "
    "Tried: no cut before 400 nodes and 1,024 pending results, 0.34 ms instead of 0.55",
    "k-means": MANY_KERNELS + "distances, their smallest, members and counts pass through memory, "
    "since no reduction becomes part of a matrix product",
    "Gray-Scott": MANY_KERNELS + "roll copies both parts of what it turns, 16 copies in each step. "
    "Tried: gathers in place of the copies (3.56 to 3.67 ms, copies 3.56), padding by hand (3.31)",
    "attention": "two products by cuBLAS, between which the scores go through memory; which part "
    "the compiler makes shorter is not profiled yet",
    "LSTM steps": MANY_KERNELS + "two products and two kernels in each step, which the host "
    "launches one by one",
    "conjugate gradients, sparse": MANY_KERNELS + "some thirty launches for thirty steps and as "
    "many for their scalars",
    "random normal float32": "bound by instructions: 69 for each number by the machine code, at "
    "the rate at which the device issues them, of functions that give the same bits on every "
    "platform. Tried: contracted multiplications and additions, 7 % faster in a kernel of its own",
}

SLOWER = {"cpu": CPU, "cuda": CUDA}
