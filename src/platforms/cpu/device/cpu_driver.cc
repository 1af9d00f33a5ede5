#include "platforms/cpu/device/cpu_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutant.h"
#include "base/threads/lazy.h"
#include "core/layout.h"
#include "cupola/error.h"
#include "driver/matmul_blocking.h"
#include "driver/registry.h"
#include "platforms/cpu/adversary/accesses.h"
#include "platforms/cpu/adversary/adversarial_driver.h"
#include "platforms/cpu/device/host_memory.h"
#include "platforms/cpu/fft/fft.h"
#include "platforms/cpu/fft/fft_columns.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/kernels/sort_tables.h"
#include "platforms/cpu/libraries/factor.h"
#include "platforms/cpu/libraries/gemm.h"
#include "platforms/cpu/libraries/matmul.h"
#include "platforms/cpu/ordering/complex_selection.h"
#include "platforms/cpu/ordering/memory_sort.h"
#include "platforms/cpu/ordering/selection.h"
#include "platforms/cpu/reductions/reduction.h"
#include "platforms/cpu/streams/handles.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

// What takes fewer nanoseconds begins and ends at the call, where the stream is idle, and threads
// of the pool help: another thread would begin it no sooner, and find other data in its caches.
constexpr std::int64_t kMostAtOnce = 1'000'000;
// Products of matrices that the host computes without a launch: many multiplications a cycle.
constexpr std::int64_t kSmallProduct = 512 * 1024;
// Transforms of as many elements.
constexpr std::int64_t kSmallTransform = 1 << 16;
// Steps of elements that take longer than kInterruptPeriod where each takes a nanosecond.
constexpr double kLongCost = 5e7;

bool is_small(const MatmulProblem& problem) {
  return problem.batch.empty() && problem.m * problem.n * problem.k <= kSmallProduct;
}

// Products of about a millisecond of one thread.
bool is_done_at_once(const MatmulProblem& problem) {
  double multiplications = static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                           static_cast<double>(problem.k);
  for (const std::int64_t extent : problem.batch) multiplications *= static_cast<double>(extent);
  return multiplications * cost_of_multiplication(problem.dtype) <= 4 * kCostOfTask;
}

class TileKernel final : public Kernel {
 public:
  explicit TileKernel(const KernelPlan& source) : program(source) {}
  const KernelPlan& plan() const override { return program.plan; }
  const TileProgram program;
};

std::string read_processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

// The file takes tens of microseconds to read.
const std::string& processor_name() {
  static constinit Lazy<const std::string> name;
  return name.get(read_processor_name);
}

// At once on an idle stream if `small`, else on the pool. `work` is copied only then.
template <typename Work>
void submit(StreamHandle stream, bool small, const Work& work) {
  if (!small || !stream->queue->try_run_now(work)) stream->queue->enqueue(work);
}

void enqueue_by_cost(Stream& queue, double cost, std::function<void()> work) {
  if (cost > kLongCost) return queue.enqueue_long(std::move(work));
  queue.enqueue(std::move(work));
}

// Of the work that is brought next, where that is recorded.
template <typename Name>
void name_recorded(StreamHandle stream, const Name& name) {
  if (const auto recording = stream->queue->recording()) [[unlikely]]
    recording->name_next(*stream->queue, name());
}

// Throws where the work is recorded.
void check_waits(StreamHandle stream, const char* what) {
  if (stream->queue->recording()) refuse_in_capture(what);
}

}  // namespace

CpuDriver::CpuDriver(const Settings& settings, Scheduler* scheduler)
    : settings_(settings),
      scheduler_(scheduler),
      in_use_(static_cast<std::size_t>(settings.devices)) {}

void CpuDriver::check_device(int device) const {
  if (device < 0 || device >= settings_.devices) {
    throw DeviceError(
        fmt::format("there is no cpu:{}: this process has {} CPU device{} "
                    "(CUPOLA_CPU_DEVICES sets the number)",
                    device, settings_.devices, settings_.devices == 1 ? "" : "s"));
  }
}

DeviceProperties CpuDriver::properties(int device) {
  check_device(device);
  DeviceProperties properties;
  properties.name = processor_name();
  properties.total_memory = settings_.device_memory.of(device);
  properties.multiprocessors = pool_size();
  properties.free_operations = 4;
  properties.uuid = fmt::format("cpu-{}", device);
  return properties;
}

MemoryInfo CpuDriver::memory_info(int device) {
  check_device(device);
  const std::size_t used = in_use_[static_cast<std::size_t>(device)].load();
  const std::size_t budget = settings_.device_memory.of(device);
  return {budget - std::min(used, budget), budget};
}

void CpuDriver::copy_from_host(void* target, const void* source, std::size_t bytes,
                               StreamHandle stream) {
  if (bytes == 0) return;
  check_waits(stream, "to copy from host memory that is read at the call");
  const auto copy_now = [&] { copy_bytes(target, source, bytes); };
  if (bytes > kSnapshotBytes) return stream->queue->run_now(copy_now);
  if (stream->queue->try_run_now(copy_now)) return;
  if (CUPOLA_MUTANT(no_snapshot)) {
    return stream->queue->enqueue([=] { std::memcpy(target, source, bytes); });
  }
  const auto* first = static_cast<const char*>(source);
  stream->queue->enqueue([target, snapshot = std::vector<char>(first, first + bytes)] {
    std::memcpy(target, snapshot.data(), snapshot.size());
  });
}

void CpuDriver::copy_to_host(void* target, const void* source, std::size_t bytes,
                             StreamHandle stream) {
  if (bytes == 0) return;
  check_waits(stream, "to copy to the host and wait for it");
  stream->queue->synchronize();  // which can be interrupted, unlike the copy
  stream->queue->run_now([&] { copy_bytes(target, source, bytes); });
}

void CpuDriver::copy(void* target, int target_device, const void* source, int source_device,
                     std::size_t bytes, StreamHandle stream) {
  check_device(target_device);
  check_device(source_device);
  if (bytes == 0) return;
  name_recorded(stream, [] { return "copy"; });
  submit(stream, bytes <= kMostCopiedAtOnce, [=] { copy_bytes(target, source, bytes); });
}

void CpuDriver::fill_bytes(void* target, std::uint8_t value, std::size_t bytes,
                           StreamHandle stream) {
  if (bytes == 0) return;
  name_recorded(stream, [] { return "fill"; });
  submit(stream, bytes <= kMostCopiedAtOnce, [=] { set_bytes(target, value, bytes); });
}

void CpuDriver::run_on_host(std::function<void()> function, StreamHandle stream) {
  stream->queue->enqueue_function(std::move(function));
}

std::shared_ptr<Kernel> CpuDriver::build(const KernelPlan& plan, int device) {
  check_device(device);
  return std::make_shared<TileKernel>(plan);
}

void CpuDriver::launch(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments,
                       StreamHandle stream) {
  const TileProgram& program = static_cast<const TileKernel&>(*kernel).program;
  check_arguments(program, arguments);
  name_recorded(stream, [&] { return adversary::describe_plan(program.plan); });
  const std::int64_t steps = cost_of(program, arguments);
  if (steps <= kMostAtOnce && stream->queue->try_run_now([&] { run_plan(program, arguments); })) {
    return;
  }
  const auto cost = static_cast<double>(steps);
  if (stream->queue->recording()) [[unlikely]] {
    // Runs again and again: with memory of its own each time.
    return enqueue_by_cost(*stream->queue, cost, [kernel, arguments] {
      const TileProgram& recorded = static_cast<const TileKernel&>(*kernel).program;
      Stages stages(cpu::stages_of(recorded, arguments));
      run_plan(recorded, arguments, stages);
    });
  }
  // What the host has too little memory for fails at the call.
  auto stages = std::make_shared<Stages>(cpu::stages_of(program, arguments));
  enqueue_by_cost(*stream->queue, cost, [kernel, arguments, stages = std::move(stages)] {
    run_plan(static_cast<const TileKernel&>(*kernel).program, arguments, *stages);
  });
}

HostLoop CpuDriver::host_loop(UfuncId id, const DType* inputs, std::optional<int> one) const {
  if (ufunc_info(id).output_count != 1) return nullptr;
  const int number = find_loop_number(id, inputs);
  if (number < 0) return nullptr;
  return one ? find_scalar_loop(id, number, *one) : find_loop(id, number, 0);
}

HostReduction CpuDriver::host_reduction(UfuncId id, DType dtype) const {
  return find_reduce(id, dtype).tree != nullptr ? &combine_in_memory : nullptr;
}

HostReduction CpuDriver::host_arg_reduction(UfuncId id, DType dtype) const {
  const bool is_there = find_extremum(id == UfuncId::maximum, dtype).along != nullptr;
  return is_there ? &find_in_memory : nullptr;
}

HostReduction CpuDriver::host_scan(UfuncId id, DType dtype) const {
  return find_reduce(id, dtype).scan != nullptr ? &scan_in_memory : nullptr;
}

HostReduction CpuDriver::host_sort(DType dtype) const {
  return sort_functions(dtype).key_bytes != 0 ? &sort_in_memory : nullptr;
}

HostReduction CpuDriver::host_argsort(DType dtype) const {
  const bool is_there = sort_functions(dtype).key_bytes != 0 && !is_complex(dtype);
  return is_there ? &argsort_in_memory : nullptr;
}

HostProduct CpuDriver::host_product(const MatmulProblem& problem) const {
  if (!is_small(problem) || !is_one_block(problem)) return nullptr;
  check_matmul();
  return &run_matmul;
}

LaunchStages CpuDriver::stages_of(const Kernel& kernel, const LaunchArguments& arguments) {
  const TileProgram& program = static_cast<const TileKernel&>(kernel).program;
  check_arguments(program, arguments);
  return cpu::stages_of(program, arguments);
}

void CpuDriver::launch_stage(const std::shared_ptr<Kernel>& kernel,
                             const LaunchArguments& arguments, int stage, WorkPart part,
                             void* scratch, StreamHandle stream) {
  const TileProgram& program = static_cast<const TileKernel&>(*kernel).program;
  check_arguments(program, arguments);
  const auto run = [stage, part, scratch](const TileProgram& of, const LaunchArguments& with) {
    Stages stages(stage, part, element_count(with.extents), scratch);
    run_plan(of, with, stages);
  };
  const std::int64_t elements = element_count(arguments.extents);
  if (part.first == part.end && elements > 0) return;
  const double share =
      elements > 0 ? static_cast<double>(part.end - part.first) / static_cast<double>(elements) : 1;
  const double cost = static_cast<double>(cost_of(program, arguments)) * share;
  if (cost <= static_cast<double>(kMostAtOnce) &&
      stream->queue->try_run_now([&] { run(program, arguments); })) {
    return;
  }
  enqueue_by_cost(*stream->queue, cost, [run, kernel, arguments] {
    run(static_cast<const TileKernel&>(*kernel).program, arguments);
  });
}

void CpuDriver::matmul(const MatmulProblem& problem, StreamHandle stream) {
  check_matmul();
  for (const MatmulProblem& block : matmul_blocks(problem)) {
    name_recorded(stream, [] { return "matmul"; });
    submit(stream, is_done_at_once(block), [block] { run_matmul(block); });
  }
}

void CpuDriver::fft(const FftProblem& problem, StreamHandle stream) {
  for (const FftProblem& block : fft_blocks(problem)) {
    name_recorded(stream, [] { return "fft"; });
    const bool small = block.rows * block.columns * block.length <= kSmallTransform;
    submit(stream, small, [block] { run_fft(block); });
  }
}

FftPlanCount CpuDriver::fft_plans(int) { return fft_plan_count(); }
void CpuDriver::keep_fft_plans(int, std::size_t most) { cpu::keep_fft_plans(most); }
bool CpuDriver::can_transform_columns(const FftProblem& problem) const {
  return is_for_columns(problem);
}

void CpuDriver::factor(const FactorProblem& problem, StreamHandle stream) {
  check_factor(problem);
  if (is_empty(problem)) return;
  name_recorded(stream, [&] { return std::string(name_of(problem.kind)); });
  const bool small = problem.count == 1 && cost_of_matrix(problem) <= kMostAtOnce;
  submit(stream, small, [problem] { run_factor(problem); });
}

std::int64_t CpuDriver::most_selected(DType dtype, std::int64_t length) const {
  if (is_complex(dtype) && length < shortest_complex_row(dtype)) return 0;
  return 32;  // to sort once takes no longer
}

bool CpuDriver::parts_rows(DType) const { return true; }

void CpuDriver::select(const SelectProblem& problem, StreamHandle stream) {
  const std::int64_t elements = element_count(problem.extents);
  if (elements == 0) return;
  const std::int64_t cost = elements * kStepsOfSelection;
  const auto work = [problem] { run_select(problem); };
  if (cost <= kMostAtOnce && stream->queue->try_run_now(work)) return;
  enqueue_by_cost(*stream->queue, static_cast<double>(cost), work);
}

}  // namespace cupola::cpu

namespace cupola {

Driver* create_cpu_driver() {
  const cpu::Settings settings = cpu::read_settings();
  if (settings.adversary) {
    auto* hostile = new cpu::adversary::AdversarialDriver(settings);
    hostile->survive_forks();
    return hostile;
  }
  return new cpu::CpuDriver(settings);
}

}  // namespace cupola
