#include "cupola/raw_kernel.h"

#include <fmt/format.h>

#include <atomic>
#include <mutex>

#include "base/process/kernel_check.h"
#include "base/text/text.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "exec/evaluation/deferral.h"
#include "exec/evaluation/evaluator.h"
#include "exec/launch/use_order.h"
#include "exec/observation/observed_launch.h"
#include "exec/user_kernels/raw_arguments.h"

namespace cupola {

namespace {

// What all CUDA devices have in common; what a kernel can have less is asked of the device.
constexpr std::array<std::int64_t, 3> kMaxGrid{2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kMaxBlock{1024, 1024, 64};

ModuleSource source_of(const RawSource& source) {
  return {.text = source.code,
          .path = source.path,
          .options = source.options,
          .name_expressions = source.name_expressions,
          .backend = source.backend == RawBackend::nvcc ? ModuleSource::Backend::nvcc
                                                        : ModuleSource::Backend::nvrtc};
}

std::array<unsigned int, 3> checked_extents(const std::string& name, const char* what,
                                            const std::array<std::int64_t, 3>& extents,
                                            const std::array<std::int64_t, 3>& most) {
  std::array<unsigned int, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (extents[i] < 1 || extents[i] > most[i]) {
      throw LaunchError(fmt::format(
          "{} cannot be launched with a {} of {}: each must be at least 1 and at most {}", name,
          what, joined(extents, " x "), joined(most, " x ")));
    }
    result[i] = static_cast<unsigned int>(extents[i]);
  }
  return result;
}

LaunchGeometry geometry_of(const std::string& name, const RawLaunch& launch, bool cooperative) {
  LaunchGeometry geometry;
  geometry.grid = checked_extents(name, "grid", launch.grid, kMaxGrid);
  geometry.block = checked_extents(name, "block", launch.block, kMaxBlock);
  const std::int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > kMaxBlockSize) {
    throw LaunchError(
        fmt::format("{} cannot be launched with a block of {} = {} threads: {} is "
                    "the most that any device has",
                    name, joined(launch.block, " x "), threads, kMaxBlockSize));
  }
  if (launch.shared_bytes < 0) {
    throw LaunchError(fmt::format("{} cannot be launched with {} bytes of shared memory", name,
                                  launch.shared_bytes));
  }
  geometry.shared_bytes = static_cast<std::size_t>(launch.shared_bytes);
  geometry.cooperative = cooperative;
  return geometry;
}

}  // namespace

// One driver module for each platform that the module was used on.
class RawModuleState : public std::enable_shared_from_this<RawModuleState> {
 public:
  explicit RawModuleState(RawSource source) : source_(std::move(source)) {
    if (source_.code.empty() == source_.path.empty()) {
      throw ValueError("a module has either code or the path of a file, not both");
    }
  }
  const RawSource& source() const { return source_; }
  Module& on(const Device& device) {
    check_device(device);
    const std::lock_guard lock(mutex_);
    auto& module = modules_[static_cast<std::size_t>(device.platform())];
    if (!module) module = driver(device.platform()).build_module(source_of(source_));
    return *module;
  }

 private:
  const RawSource source_;
  Mutex mutex_;
  std::array<std::shared_ptr<Module>, 2> modules_;
};

class RawKernelState {
 public:
  RawKernelState(std::shared_ptr<RawModuleState> module, std::string name)
      : module_(std::move(module)),
        name_(std::move(name)),
        signature_(find_kernel_signature(module_->source().code, name_)) {}
  const std::string& name() const { return name_; }
  bool is_cooperative() const { return module_->source().cooperative; }

  ModuleFunction& on(const Device& device) {
    auto& slot = known_[static_cast<std::size_t>(device.platform())];
    if (ModuleFunction* known = slot.load(std::memory_order_acquire)) return *known;
    std::shared_ptr<ModuleFunction> made = module_->on(device).function(name_);
    const std::lock_guard lock(mutex_);
    auto& kept = functions_[static_cast<std::size_t>(device.platform())];
    if (!kept) kept = std::move(made);
    slot.store(kept.get(), std::memory_order_release);
    return *kept;
  }

  // Compiled and asked once; the same for all devices of a platform.
  const RawParameters& parameters(const Device& device) {
    auto& slot = parameters_[static_cast<std::size_t>(device.platform())];
    if (const RawParameters* known = slot.load(std::memory_order_acquire)) return *known;
    module_->on(device).compile(device.members().front());
    auto found = std::make_unique<const RawParameters>(
        RawParameters{name_, signature_, on(device).parameter_sizes(device.members().front())});
    const std::lock_guard lock(mutex_);
    if (const RawParameters* known = slot.load(std::memory_order_acquire)) return *known;
    kept_.push_back(std::move(found));
    slot.store(kept_.back().get(), std::memory_order_release);
    return *kept_.back();
  }

 private:
  const std::shared_ptr<RawModuleState> module_;
  const std::string name_;
  const std::optional<KernelSignature> signature_;
  Mutex mutex_;
  std::array<std::shared_ptr<ModuleFunction>, 2> functions_;
  std::array<std::atomic<ModuleFunction*>, 2> known_{};
  std::vector<std::unique_ptr<const RawParameters>> kept_;
  std::array<std::atomic<const RawParameters*>, 2> parameters_{};
};

RawKernel::RawKernel(const RawSource& source, const std::string& name)
    : RawKernel(RawModule(source).function(name)) {}

const std::string& RawKernel::name() const { return state_->name(); }

Device RawKernel::device_of(std::span<const RawArgument> arguments, const Device& otherwise) {
  for (const RawArgument& argument : arguments) {
    if (const Array* array = array_of(argument)) return array->device();
  }
  return otherwise;
}

void RawKernel::launch(const RawLaunch& launch, std::span<const RawArgument> arguments,
                       const Stream& stream) const {
  LaunchGeometry geometry = geometry_of(name(), launch, state_->is_cooperative());
  std::vector<Array> arrays;
  for (const RawArgument& argument : arguments) {
    const Array* array = array_of(argument);
    if (!array) continue;
    // A member reaches all memory of its set.
    if (!array->device().contains(stream.device())) {
      check_same_device(*stream.state(), array->device(),
                        arrays.empty() ? "an array" : "one of the arrays");
    }
    arrays.push_back(*array);
  }
  const Device& device = stream.device();
  const RawParameters& parameters = state_->parameters(device);
  evaluate(arrays);
  const PackedArguments packed(parameters, arguments, launch.allow_strided);
  if (stream.state()->driver().traits().checks_memory_of_kernels && checks_kernels()) {
    geometry.memory = packed.memory(parameters, arguments);
  }
  for (const Array& written : packed.writes()) compute_readers(written);
  OrderedUse use(stream.state(), packed.reads(), packed.writes());
  const ObservedWork observed(
      [&] { return named_work(*stream.state(), name(), packed.reads(), packed.writes()); });
  state_->on(device).launch(geometry, packed.pointers(),
                            stream.state()->driver().of_platform(stream.state()->handle()));
  use.record();
}

RawAttributes RawKernel::attributes(const Device& device) const {
  const FunctionAttributes found = state_->on(device).attributes(device.members().front());
  return {.registers = found.registers,
          .max_threads_per_block = found.max_threads_per_block,
          .shared_bytes = found.shared_bytes,
          .local_bytes = found.local_bytes,
          .const_bytes = found.const_bytes,
          .max_dynamic_shared_bytes = found.max_dynamic_shared_bytes,
          .preferred_shared_carveout = found.preferred_shared_carveout,
          .binary_version = found.binary_version,
          .ptx_version = found.ptx_version,
          .cache_mode_ca = found.cache_mode_ca};
}

void RawKernel::set_max_dynamic_shared_bytes(const Device& device, int bytes) const {
  state_->on(device).set_attribute(device.members().front(),
                                   SettableAttribute::max_dynamic_shared_bytes, bytes);
}

void RawKernel::set_preferred_shared_carveout(const Device& device, int percent) const {
  state_->on(device).set_attribute(device.members().front(),
                                   SettableAttribute::preferred_shared_carveout, percent);
}

RawModule::RawModule(const RawSource& source) : state_(std::make_shared<RawModuleState>(source)) {}

std::string RawModule::compile(const Device& device) const {
  return state_->on(device).compile(device.members().front());
}

RawKernel RawModule::function(const std::string& name) const {
  return RawKernel(std::make_shared<RawKernelState>(state_, name));
}

RawModule::Global RawModule::global(const Device& device, const std::string& name) const {
  const ModuleGlobal found = state_->on(device).global(device.members().front(), name);
  return {found.pointer, found.bytes};
}

}  // namespace cupola
