"""Conway's game of life on a torus: an elementwise kernel that reads its neighbours."""

import cupy as cp
import numpy as np

step = cp.ElementwiseKernel(
    "raw uint8 board, int32 rows, int32 columns",
    "uint8 next",
    """
    const int row = i / columns, column = i % columns;
    int alive = 0;
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (dy == 0 && dx == 0) continue;
        const int y = (row + dy + rows) % rows, x = (column + dx + columns) % columns;
        alive += board[y * columns + x];
      }
    }
    next = alive == 3 || (alive == 2 && board[i]);
    """,
    "life_step",
)


def step_of_numpy(board):
    shifts = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)]
    alive = sum(np.roll(board, shift, (0, 1)) for shift in shifts)
    return ((alive == 3) | ((alive == 2) & (board == 1))).astype(np.uint8)


wanted = np.random.default_rng(1).integers(0, 2, (33, 20), dtype=np.uint8)
board = cp.asarray(wanted)
for _ in range(10):
    board = step(board, board.shape[0], board.shape[1], cp.empty_like(board))
    wanted = step_of_numpy(wanted)
cp.testing.assert_array_equal(board, wanted)
print("ok")
