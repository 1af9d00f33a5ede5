#!/usr/bin/env python3
"""A program that is told to use one device of several, and touches no other.

Exits with status 1 if another device has less free memory afterwards.
"""

import os
import sys

import numpy as np

# Without a GPU the CPU takes the part of four devices; read when the package is first imported.
os.environ.setdefault("CUPOLA_CPU_DEVICES", "4")
import cupola as cp

SIDE = 2048


def free_memory() -> list[int]:
    """Bytes of each device; asking takes none."""
    count = cp.cuda.runtime.getDeviceCount()
    return [cp.cuda.Device(i).mem_info[0] for i in range(count)]


def main() -> int:
    before = free_memory()
    ours = len(before) - 1
    with cp.cuda.Device(ours):
        a = cp.ones((SIDE, SIDE), dtype="float32")
        product = a @ a
    # Outside the scope the array works as before: operations run where their operands are.
    total = float((product - SIDE + 1).sum())

    others_untouched = True
    for device, (old, new) in enumerate(zip(before, free_memory(), strict=True)):
        mark = "used here" if device == ours else "not used"
        print(f"{cp.cuda.Device(device)}: {(old - new) / 2**20:8.1f} MiB taken, {mark}")
        others_untouched &= device == ours or new >= old
    right = np.isclose(total, SIDE * SIDE)
    print(
        f"result {'is' if right else 'IS NOT'} right; other devices "
        f"{'untouched' if others_untouched else 'WERE TOUCHED'}"
    )
    return 0 if right and others_untouched else 1


if __name__ == "__main__":
    sys.exit(main())
