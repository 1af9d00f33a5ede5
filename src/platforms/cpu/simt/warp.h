#pragma once
// The operations that lanes of a warp do together.

#include <array>
#include <cstdint>

#include "codegen/device/simt/thread.cuh"

namespace cupola::cpu {

struct WarpState {
  struct Lane {
    cupola_simt::WarpOp op;
    std::uint32_t mask;
    unsigned long long value;  // then what the operation means to the lane
    std::uint32_t source;
    const void* place;
  };
  std::uint32_t alive = 0;    // lanes that have not ended
  std::uint32_t arrived = 0;  // lanes that wait here
  std::uint32_t epoch = 0;    // barriers so far
  std::array<Lane, cupola_simt::kWarp> lanes;

  // If all lanes that `lane` waits for have come, with the same operation and mask: does it and
  // gives them, no longer arrived; else 0.
  std::uint32_t complete(unsigned int lane);
  // The lanes that ask which are active at the same place as the first of them: answers them.
  std::uint32_t complete_active();
};

}  // namespace cupola::cpu
