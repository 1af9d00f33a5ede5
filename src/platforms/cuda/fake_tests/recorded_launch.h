#pragma once
// For tests: what the fake driver of tests/fake_cuda remembers of a launch.

#include <cuda.h>

#include <cstddef>

namespace fake_cuda {

// A kernel that was launched.
struct Launch {
  int device = -1;
  CUfunction function = nullptr;
  unsigned int grid_x = 0;
  unsigned int grid_y = 0;
  unsigned int is_graph = 0;
  std::byte argument[256]{};  // the front of the first parameter, as far as it was asked for
};

}  // namespace fake_cuda
