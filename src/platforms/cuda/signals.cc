// Words of pinned memory that streams wait for.
#include <mutex>
#include <new>
#include <vector>

#include "platforms/cuda/cuda_api.h"
#include "platforms/cuda/cuda_stream.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kWordBytes = 64;  // a cache line each

// Pages are never freed: they are few, and a device may look at a word at any time.
struct Words {
  std::mutex mutex;
  std::vector<Signal> free;
};

Words& words() {
  static Words& instance = *new Words;
  return instance;
}

void add_page(std::vector<Signal>& free, int device) {
  void* page = nullptr;
  CUPOLA_CUDA(device, cuMemHostAlloc, &page, kPageBytes,
              CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  for (std::size_t at = 0; at < kPageBytes; at += kWordBytes) {
    free.push_back({new (static_cast<char*>(page) + at) std::uint32_t(0), 0});
  }
}

}  // namespace

Signal take_signal(int device) {
  const std::scoped_lock lock(words().mutex);
  if (words().free.empty()) add_page(words().free, device);
  const Signal signal = words().free.back();
  words().free.pop_back();
  return signal;
}

void give_back(Signal signal) noexcept {
  if (!signal.word) return;
  const std::scoped_lock lock(words().mutex);
  words().free.push_back(signal);
}

}  // namespace cupola::cuda
