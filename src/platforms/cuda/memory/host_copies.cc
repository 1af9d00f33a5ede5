#include "platforms/cuda/memory/host_copies.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string_view>

#include "base/counters.h"
#include "base/threads/lazy.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/device/kernel_arguments.cuh"
#include "platforms/cuda/compile/compiler.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/device/device_table.h"

namespace cupola::cuda {
namespace {

constexpr const char* kEntry = "cupola_copy_from_host";
// Of a copy: what is smaller takes no time, and of what is larger the engine's pauses are a small
// part.
constexpr std::size_t kFewestBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxBytes = std::size_t{2} << 20;

// Whether copies come from many streams in turn: how many more of the last ones came from another
// stream than the one before.
struct Turns {
  static constexpr int kMany = 16;
  std::atomic<const CudaStream*> last{nullptr};
  std::atomic<int> changes{0};

  // Exact only where one thread copies; it is a guess.
  bool note(const CudaStream& stream) {
    const bool is_other = last.exchange(&stream, std::memory_order_relaxed) != &stream;
    const int before = changes.load(std::memory_order_relaxed);
    changes.store(std::clamp(before + (is_other ? 1 : -2), 0, 2 * kMany),
                  std::memory_order_relaxed);
    return before >= kMany;
  }
};

Turns& turns_on(int device) {
  static constinit Lazy<DeviceTable<Turns>> turns;
  return (*turns)[device];
}

bool is_aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

}  // namespace

const std::string& copy_kernel_text() {
  static constinit Lazy<const std::string> text;
  return text.get([] {
    constexpr std::array<std::string_view, 1> kHeaders{"kernel_copy.cuh"};
    return cuda_header_text(kHeaders) +
           "extern \"C\" __global__ void __launch_bounds__(cupola_device::kCopyThreads)\n" +
           kEntry +
           "(const __grid_constant__ cupola_device::CopyArguments p) {\n"
           "  cupola_device::copy_from_host(p);\n}\n";
  });
}

CUfunction load_copy_kernel(const DeviceContext& context) {
  const auto code = KernelTask(copy_kernel_text(), context.architecture, 0).shipped();
  if (!code) return nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUPOLA_CUDA(context.index, cuModuleLoadData, &module, code->bytes.data());
  CUPOLA_CUDA(context.index, cuModuleGetFunction, &function, module, kEntry);
  return function;
}

bool try_kernel_copy(void* target, const void* source, std::size_t bytes, CudaStream& stream) {
  const DeviceContext& context = *stream.context;
  const bool is_of_many = turns_on(context.index).note(stream);
  const bool computes = stream.has_computed.exchange(false, std::memory_order_relaxed);
  if (!is_of_many || !computes || !context.copy_kernel) return false;
  if (bytes < kFewestBytes || bytes > kMaxBytes) return false;
  if (!is_aligned(target) || !is_aligned(source)) return false;
  cupola_device::CopyArguments arguments{static_cast<unsigned char*>(target),
                                         static_cast<const unsigned char*>(source), bytes};
  void* parameters[] = {&arguments};
  const ContextGuard guard(context);
  CUPOLA_CUDA(context.index, cuLaunchKernel, context.copy_kernel, cupola_device::kCopyBlocks, 1, 1,
              cupola_device::kCopyThreads, 1, 1, 0, stream.handle, parameters, nullptr);
  context.health->note_launch({kEntry,
                               {cupola_device::kCopyBlocks, 1, 1},
                               cupola_device::kCopyThreads,
                               reinterpret_cast<std::uint64_t>(stream.handle)});
  count(Counter::kernel_copies);
  return true;
}

}  // namespace cupola::cuda
