#include "platforms/cuda/streams/cuda_stream.h"

#include <algorithm>
#include <bit>

#include "platforms/cuda/device/cuda_api.h"

namespace cupola::cuda {
namespace {

constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
constexpr std::size_t kSmallestBytes = std::size_t{64} << 10;

}  // namespace

Scratch::Scratch(CudaStream& stream, std::size_t bytes)
    : stream_(stream), lock_(stream.scratch_mutex) {
  if (bytes > kKeptBytes || stream.capture()) {
    data_ = allocate_for_work(stream, bytes);
    owned_ = true;
    return;
  }
  if (bytes > stream.scratch_bytes) {
    const std::size_t grown = std::max(kSmallestBytes, std::bit_ceil(bytes));
    release_scratch(stream);
    stream.scratch = allocate_for_work(stream, grown);
    stream.scratch_bytes = grown;
  }
  data_ = stream.scratch;
}

Scratch::~Scratch() {
  if (owned_) free_after_work(stream_, data_);
}

void release_scratch(CudaStream& stream) noexcept {
  const CudaApi* const api = cuda_api_in_reach();
  if (api && stream.scratch && stream.owned) api->cuMemFreeAsync(stream.scratch, stream.handle);
  // A stream of others may be gone: this waits for the work instead.
  if (api && stream.scratch && !stream.owned) api->cuMemFree(stream.scratch);
  stream.scratch = 0;
  stream.scratch_bytes = 0;
}

}  // namespace cupola::cuda
