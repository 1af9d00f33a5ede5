#include "platforms/cuda/launch/cuda_select.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "base/counters.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "codegen/cuda/select_text.h"
#include "platforms/cuda/compile/compiler.h"
#include "platforms/cuda/device/cuda_api.h"

namespace cupola::cuda {
namespace {

using cupola_device::SelectArguments;
using cupola_device::SelectRow;

constexpr std::int64_t kMaxRows = 256;  // of a launch, whose counts take 8 MiB

// A kernel of one dtype: compiled for an architecture once, loaded on each device once.
struct SelectFunction {
  Mutex mutex;  // held while compiling and loading, so that one thread does it and the others wait
  DeviceTable<std::atomic<CUfunction>> loaded;
};

SelectFunction& function_of(DType dtype, SelectKernel kernel) {
  using Functions = std::array<SelectFunction, kDTypeCount * kSelectKernels>;
  static constinit Lazy<Functions> functions;
  const std::size_t of_dtype = static_cast<std::size_t>(dtype) * kSelectKernels;
  return (*functions)[of_dtype + static_cast<std::size_t>(kernel)];
}

CUfunction load(SelectFunction& function, DType dtype, SelectKernel kernel,
                const DeviceContext& context) {
  const char* const entry = select_entry(kernel);
  const std::scoped_lock lock(function.mutex);
  auto& slot = function.loaded[context.index];
  if (const CUfunction known = slot.load(std::memory_order_acquire)) return known;
  const KernelTask task(select_text(dtype), context.architecture, static_cast<int>(kernel));
  const MachineCode code = task.compile();
  const LoadTurn turn(context, entry);
  const ContextGuard guard(context);
  CUmodule module = nullptr;
  CUPOLA_CUDA(context.index, cuModuleLoadData, &module, code.bytes.data());
  count(Counter::module_loads);
  CUfunction loaded = nullptr;
  CUPOLA_CUDA(context.index, cuModuleGetFunction, &loaded, module, entry);
  slot.store(loaded, std::memory_order_release);
  return loaded;
}

CUfunction loaded_function(DType dtype, SelectKernel kernel, const DeviceContext& context) {
  SelectFunction& function = function_of(dtype, kernel);
  const CUfunction known = function.loaded[context.index].load(std::memory_order_acquire);
  return known ? known : load(function, dtype, kernel, context);
}

SelectArguments arguments_of(const SelectProblem& problem) {
  static_assert(cupola_device::kSelectDims == kMaxRank);
  SelectArguments arguments{};
  arguments.in = problem.in;
  arguments.ranks = static_cast<const long long*>(problem.ranks);
  arguments.out = problem.out;
  arguments.length = static_cast<unsigned long long>(problem.length());
  arguments.rows = static_cast<unsigned long long>(problem.rows());
  arguments.rank_count = static_cast<unsigned int>(problem.rank_count);
  arguments.ranks_of_all = problem.ranks_of_all ? 1 : 0;
  arguments.part_log = select_part_log(problem.length(), problem.rank_count);
  arguments.rank = static_cast<unsigned int>(problem.extents.size()) - 1;
  for (std::size_t d = 0; d < arguments.rank; ++d) {
    arguments.extents[d] = problem.extents[d];
    arguments.strides[d] = problem.strides[d];
  }
  return arguments;
}

void launch(const SelectLaunch& launch, CUfunction function, SelectArguments& arguments,
            unsigned int rows, CudaStream& stream) {
  const DeviceContext& context = *stream.context;
  arguments.known = launch.known;
  arguments.width = launch.width;
  arguments.by_part = launch.by_part;
  void* parameters[] = {&arguments};
  CUPOLA_CUDA(context.index, cuLaunchKernel, function, launch.grid_x, rows, 1,
              cupola_device::kSelectThreads, 1, 1, 0, stream.handle, parameters, nullptr);
  context.health->note_launch({select_entry(launch.kernel),
                               {launch.grid_x, rows, 1},
                               cupola_device::kSelectThreads,
                               reinterpret_cast<std::uint64_t>(stream.handle)});
}

}  // namespace

void run_select(const SelectProblem& problem, CudaStream& stream) {
  const std::int64_t rows = problem.rows();
  if (rows == 0 || problem.rank_count == 0) return;
  const DeviceContext& context = *stream.context;
  std::array<CUfunction, kSelectKernels> functions{};
  for (int k = 0; k < kSelectKernels; ++k) {
    const auto kernel = static_cast<SelectKernel>(k);
    functions[static_cast<std::size_t>(k)] = loaded_function(problem.dtype, kernel, context);
  }
  const std::vector<SelectLaunch> launches =
      select_launches(problem.dtype, problem.length(), problem.rank_count);
  SelectArguments arguments = arguments_of(problem);
  const ContextGuard guard(context);
  const std::int64_t most = std::min(rows, kMaxRows);
  const Scratch scratch(stream, static_cast<std::size_t>(most) * sizeof(SelectRow));
  arguments.scratch = scratch.data();
  stream.has_computed.store(true, std::memory_order_relaxed);
  for (std::int64_t first = 0; first < rows; first += most) {
    arguments.first_row = static_cast<unsigned long long>(first);
    const auto count = static_cast<unsigned int>(std::min(most, rows - first));
    for (const SelectLaunch& each : launches) {
      launch(each, functions[static_cast<std::size_t>(each.kernel)], arguments, count, stream);
    }
  }
}

std::vector<CompiledKernel> compile_select_kernels(int architecture) {
  std::vector<CompiledKernel> result;
  for (const DType dtype : {DType::float32, DType::float64, DType::int32, DType::int64}) {
    for (int kernel = 0; kernel < kSelectKernels; ++kernel) {
      const KernelTask task(select_text(dtype), architecture, kernel);
      result.push_back({task.key(), task.compile().bytes});
    }
  }
  return result;
}

}  // namespace cupola::cuda
