// Modules on CPU devices: where NVRTC is found it says what is wrong with a text, as on a GPU; then
// the host's compiler makes code of it, which blocks of a launch run on the threads of the pool.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/counters.h"
#include "base/process/kernel_check.h"
#include "base/text/text.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "platforms/cpu/device/cpu_driver.h"
#include "platforms/cpu/modules/host_module.h"
#include "platforms/cpu/modules/user_loops.h"
#include "platforms/cpu/simt/block_runner.h"
#include "platforms/cpu/simt/grid_runner.h"
#include "platforms/cpu/simt/kernel_code.h"
#include "platforms/cpu/streams/handles.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr int kCheckedArchitecture = 90;                               // any will do to find errors
constexpr int kSharedBytes = 48 * 1024, kMaxSharedBytes = 227 * 1024;  // per block, as on that one
constexpr std::int64_t kMaxThreads = 128 * 2048;                       // of a cooperative launch

class CpuModule final : public Module, public std::enable_shared_from_this<CpuModule> {
 public:
  explicit CpuModule(ModuleSource source) : source_(std::move(source)) {}
  std::string compile(int device) override {
    code(device);
    const std::lock_guard lock(mutex_);
    return log_;
  }
  std::shared_ptr<ModuleFunction> function(const std::string& name) override;
  ModuleGlobal global(int device, const std::string& name) override {
    if (const std::optional<ModuleGlobal> found = code(device).variable(name)) return *found;
    throw ValueError(fmt::format("the module has no variable '{}'", name));
  }
  // Compiled once, and loaded once for each device; the others wait.
  const KernelCode& code(int device);
  const cupola_simt::KernelEntry& kernel(int device, const std::string& name);
  // Whether its code tells of each use of memory; once it is compiled.
  bool is_checked() const { return is_checked_; }

 private:
  void build();
  void check();

  const ModuleSource source_;
  Mutex mutex_;
  std::map<int, KernelCode> codes_;
  std::string image_, log_;
  bool is_checked_ = false;
  std::exception_ptr error_;  // of a text that does not compile: it never will
};

class CpuFunction final : public ModuleFunction {
 public:
  CpuFunction(std::shared_ptr<CpuModule> module, std::string name)
      : module_(std::move(module)), name_(std::move(name)) {}
  FunctionAttributes attributes(int device) override;
  void set_attribute(int device, SettableAttribute attribute, int value) override;
  std::optional<std::vector<std::size_t>> parameter_sizes(int device) override {
    const cupola_simt::KernelEntry& entry = module_->kernel(device, name_);
    return std::vector<std::size_t>(entry.sizes, entry.sizes + entry.parameters);
  }
  void launch(const LaunchGeometry&, std::span<void* const>, StreamHandle stream) override;

 private:
  void check_fits(const LaunchGeometry& geometry, int device);

  const std::shared_ptr<CpuModule> module_;
  const std::string name_;
  std::atomic<int> most_dynamic_bytes_{kSharedBytes}, carveout_{-1};
};

// What NVRTC says of the text, where it is found.
void CpuModule::check() {
  SourceCompiler* const compiler = find_source_compiler();
  if (compiler == nullptr) return count(Counter::compilations);
  try {
    log_ = compiler->compile(source_, kCheckedArchitecture).log;
  } catch (const LibraryError&) {
    if (source_.backend == ModuleSource::Backend::nvcc) throw;
    count(Counter::compilations);  // the compiler's own is the only one
  }
}

void CpuModule::build() {
  if (source_.text.empty()) {
    throw CompileError(fmt::format(
        "{} has code for GPUs; a CPU device needs the CUDA C++ that it was made of", source_.path));
  }
  check();
  is_checked_ = checks_kernels();
  image_ = compile_kernels(source_, is_checked_);
}

const KernelCode& CpuModule::code(int device) {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  if (const auto known = codes_.find(device); known != codes_.end()) return known->second;
  try {
    if (image_.empty()) build();
  } catch (const CompileError&) {
    error_ = std::current_exception();
    throw;
  }
  return codes_.try_emplace(device, image_).first->second;
}

const cupola_simt::KernelEntry& CpuModule::kernel(int device, const std::string& name) {
  const KernelCode& found = code(device);
  if (const cupola_simt::KernelEntry* entry = found.find(name)) return *entry;
  throw ValueError(fmt::format(
      "the module has no kernel '{}'; its kernels are {}; functions need extern \"C\" or must be "
      "named by name_expressions",
      name, found.kernel_names()));
}

std::shared_ptr<ModuleFunction> CpuModule::function(const std::string& name) {
  return std::make_shared<CpuFunction>(shared_from_this(), name);
}

FunctionAttributes CpuFunction::attributes(int device) {
  module_->kernel(device, name_);
  return {.max_threads_per_block = 1024,
          .shared_bytes = static_cast<int>(module_->code(device).shared_bytes()),
          .max_dynamic_shared_bytes = most_dynamic_bytes_.load(),
          .preferred_shared_carveout = carveout_.load(),
          .binary_version = kCheckedArchitecture,
          .ptx_version = kCheckedArchitecture};
}

void CpuFunction::set_attribute(int device, SettableAttribute attribute, int value) {
  const int fixed = attributes(device).shared_bytes;
  if (attribute == SettableAttribute::preferred_shared_carveout) {
    carveout_.store(value);
    return;
  }
  if (value < 0 || value > kMaxSharedBytes - fixed) {
    throw ValueError(fmt::format(
        "max_dynamic_shared_size_bytes of {} cannot be {}: a block has {} bytes of shared memory, "
        "of which the kernel itself takes {}",
        name_, value, kMaxSharedBytes, fixed));
  }
  most_dynamic_bytes_.store(value);
}

void CpuFunction::check_fits(const LaunchGeometry& geometry, int device) {
  const std::size_t fixed = module_->code(device).shared_bytes();
  const std::int64_t threads =
      std::int64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
  const std::int64_t blocks = std::int64_t{geometry.grid[0]} * geometry.grid[1] * geometry.grid[2];
  if (geometry.cooperative && blocks > kMaxThreads / threads) {
    throw LaunchError(fmt::format(
        "{} cannot be launched with {} blocks of {} threads that wait for each other: {} such "
        "blocks are the most that run at the same time",
        name_, blocks, threads, kMaxThreads / threads));
  }
  // As on GPUs, a launch is granted what it asks for, up to what a block can have.
  const std::size_t left = kMaxSharedBytes - std::min<std::size_t>(fixed, kMaxSharedBytes);
  if (geometry.shared_bytes <= left) return;
  throw LaunchError(fmt::format(
      "{} cannot be launched with {} bytes of dynamic shared memory: it takes {} bytes itself and "
      "may have {} more",
      name_, geometry.shared_bytes, fixed, left));
}

// A launch with its own copy of the arguments.
struct QueuedLaunch {
  KernelLaunch launch;
  std::shared_ptr<CpuModule> module;
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  std::vector<Block> values;
  std::vector<void*> pointers;

  void copy(const cupola_simt::KernelEntry& entry, std::span<void* const> arguments) {
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) blocks += entry.sizes[i] / sizeof(Block) + 1;
    values.resize(blocks);
    Block* next = values.data();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::memcpy(next, arguments[i], entry.sizes[i]);
      pointers.push_back(next);
      next += entry.sizes[i] / sizeof(Block) + 1;
    }
    launch.arguments = pointers.data();
  }
};

void CpuFunction::launch(const LaunchGeometry& geometry, std::span<void* const> arguments,
                         StreamHandle stream) {
  const int device = stream->queue->device();
  const cupola_simt::KernelEntry& entry = module_->kernel(device, name_);
  check_fits(geometry, device);
  const KernelCode& code = module_->code(device);
  const auto queued = std::make_shared<QueuedLaunch>();
  queued->module = module_;
  queued->launch = {.name = name_,
                    .entry = entry,
                    .geometry = geometry,
                    .arguments = nullptr,
                    .line_of = [&code](const void* address) { return code.line_of(address); },
                    .fixed_shared = [&code] { return code.shared_memory(); },
                    .is_checked = module_->is_checked()};
  if (module_->is_checked()) queued->launch.own = code.memory();
  queued->copy(entry, arguments);
  const std::int64_t count = std::int64_t{geometry.grid[0]} * geometry.grid[1] * geometry.grid[2];
  // One block after the other, and at the call: the first mistake is reported there.
  if (module_->is_checked() && !geometry.cooperative) {
    BlockQueue blocks{count};
    return stream->queue->run_now([&] { run_blocks(queued->launch, blocks, count); });
  }
  const auto run = [queued, count] {
    if (queued->launch.geometry.cooperative) return run_cooperative(queued->launch);
    BlockQueue blocks{count};
    parallel_for(count, 1, [&](std::int64_t first, std::int64_t last) {
      run_blocks(queued->launch, blocks, last - first);
    });
  };
  if (count == 1 && stream->queue->try_run_now(run)) return;
  stream->queue->enqueue_long(run);
}

}  // namespace

std::shared_ptr<Module> CpuDriver::build_module(const ModuleSource& source) {
  if (source.backend == ModuleSource::Backend::host) return make_host_module(source);
  return std::make_shared<CpuModule>(source);
}

void CpuDriver::compile_functions(std::span<const UserFunction* const> functions, int) {
  load_user_loops(functions);
}

HostLoop CpuDriver::host_function(const UserFunction& function) const {
  return user_loops(function).one;
}

}  // namespace cupola::cpu
