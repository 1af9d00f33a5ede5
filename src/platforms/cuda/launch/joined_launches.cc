// Launches of one kernel that go out as one, by a kernel of their own: the text has it, and it is
// compiled and loaded once it would have served many.

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "platforms/cuda/launch/cuda_kernel.h"

namespace cupola::cuda {
namespace {

// To compile takes as long as so many launches by themselves.
constexpr int kFewestLaunches = 1024;

struct WantedKernel {
  std::shared_ptr<CudaKernel> kernel;
  int number;
  const DeviceContext* context;
};

struct WantedKernels {
  WantedKernels() { lock_at_fork(ForkLayer::platform, mutex); }
  std::mutex mutex;
  std::vector<WantedKernel> all;
};
WantedKernels& wanted() {
  static constinit Lazy<WantedKernels> kernels;
  return *kernels;
}
std::atomic<bool> are_wanted{false};

std::vector<WantedKernel> take_wanted() {
  const std::lock_guard lock(wanted().mutex);
  are_wanted.store(false, std::memory_order_relaxed);
  return std::exchange(wanted().all, {});
}

bool is_single(const CudaLaunch& launch) {
  return launch.stage_count == 1 && launch.scratch_bytes == 0;
}

}  // namespace

bool joined_kernels_are_wanted() { return are_wanted.load(std::memory_order_relaxed); }

void load_joined_kernels() noexcept {
  if (!joined_kernels_are_wanted()) return;
  for (const auto& [kernel, number, context] : take_wanted()) {
    try {
      kernel->load_ahead(number, *context);
    } catch (const std::exception&) {
      // Launches go one by one, as they did.
    }
  }
}

void CudaKernel::note_separate(int joined_kernel, const DeviceContext& context) {
  auto& count = separate_[static_cast<std::size_t>(joined_kernel)][context.index];
  if (count.load(std::memory_order_relaxed) >= kFewestLaunches) return;
  if (count.fetch_add(1, std::memory_order_relaxed) + 1 != kFewestLaunches) return;
  const std::lock_guard lock(wanted().mutex);
  wanted().all.push_back({shared_from_this(), joined_kernel, &context});
  are_wanted.store(true, std::memory_order_relaxed);
}

std::size_t CudaKernel::launch_joined(std::span<const LaunchArguments> all, CudaStream& stream) {
  const std::size_t most =
      family_->joins() ? std::min(joined_launches(layout_), all.size()) : std::size_t{0};
  if (most < 2) return 0;
  const CudaLaunch first = cuda_launch(*family_, all.front());
  if (!is_single(first)) return 0;
  CudaStage stage = first.stages[0];
  const int number = stage.kernel + static_cast<int>(family_->kernels().size());
  auto& loaded = functions_[static_cast<std::size_t>(number)][stream.context->index];
  if (!loaded.load(std::memory_order_acquire)) {
    note_separate(number, *stream.context);
    return 0;
  }
  alignas(16) std::byte arguments[kJoinedBytes];
  std::size_t joined = 0;
  for (; joined < most; ++joined) {
    const CudaLaunch launch = cuda_launch(*family_, all[joined]);
    const CudaStage& own = launch.stages[0];
    if (!is_single(launch) || own.kernel != first.stages[0].kernel) break;
    if (!family_->joins_other_sizes() && own.grid_x != stage.grid_x) break;
    if (own.grid_y != stage.grid_y) break;
    stage.grid_x = std::max(stage.grid_x, own.grid_x);
    pack_cuda_arguments(layout_, all[joined], launch.header, launch.view,
                        arguments + joined * layout_.bytes);
  }
  if (joined < 2) return 0;
  stage.kernel = number;
  stage.joined = static_cast<unsigned int>(joined);
  const ContextGuard guard(*stream.context);
  run(stage, arguments, stream);
  return joined;
}

}  // namespace cupola::cuda
