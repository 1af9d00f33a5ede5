#pragma once
// The blocks of a launch of a user's kernel, on threads of the host.

#include <atomic>
#include <cstdint>

namespace cupola::cpu {

struct KernelLaunch;

// The blocks of a launch that no thread of the host has begun.
struct BlockQueue {
  std::int64_t count;
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> has_failed{false};  // those that run need not go on
};
// Runs at least `wanted` blocks, while there are some. One that polls memory is put aside, so that
// the block that it waits for runs here or on another thread. Throws as BlockRunner::go_on.
void run_blocks(const KernelLaunch& launch, BlockQueue& queue, std::int64_t wanted);

// All blocks of a grid whose threads wait for each other, on this thread of the host. Throws as
// BlockRunner::go_on.
void run_cooperative(const KernelLaunch& launch);

}  // namespace cupola::cpu
