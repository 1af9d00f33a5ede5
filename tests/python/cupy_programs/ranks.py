"""Two processes that train the mean of data that each has a half of."""

import multiprocessing
import os

import cupy as cp
import numpy as np
from cupyx.distributed import init_process_group

DATA = np.random.default_rng(10).random((2, 1000))


def work(rank, port, results):
    cp.cuda.Device(rank % cp.cuda.runtime.getDeviceCount()).use()
    comm = init_process_group(2, rank, port=port)
    data = cp.asarray(DATA[rank])
    mean = cp.zeros(1)
    for _ in range(50):
        gradient = (mean - data).mean(keepdims=True)
        comm.all_reduce(gradient, gradient)
        mean -= 0.5 * gradient
    means = cp.zeros(2)
    comm.all_gather(mean, means, 1)
    comm.barrier()
    comm.stop()
    results.put((rank, means.tolist()))


def main():
    port = 10_000 + os.getpid() % 20_000
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    processes = [context.Process(target=work, args=(rank, port, results)) for rank in range(2)]
    for process in processes:
        process.start()
    found = dict(results.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()
    for rank in range(2):
        np.testing.assert_allclose(found[rank], [DATA.mean()] * 2, rtol=1e-9)


if __name__ == "__main__":
    if cp.cuda.is_available() and cp.cuda.runtime.getDeviceCount() < 2:
        print("NCCL needs a device for each process")
    else:
        main()
    print("ok")
