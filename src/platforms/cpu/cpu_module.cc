// Modules on CPU devices: the source is compiled, where a compiler is found, so that its errors are
// seen without a GPU; nothing can be launched.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "base/text.h"
#include "cupola/error.h"
#include "driver/registry.h"
#include "platforms/cpu/cpu_driver.h"
#include "platforms/cpu/handles.h"
#include "platforms/cpu/host_module.h"

namespace cupola::cpu {
namespace {

constexpr int kCheckedArchitecture = 90;  // any will do to find errors

class CpuModule final : public Module, public std::enable_shared_from_this<CpuModule> {
 public:
  explicit CpuModule(ModuleSource source) : source_(std::move(source)) {}
  std::string compile(int device) override;
  std::shared_ptr<ModuleFunction> function(const std::string& name) override;
  ModuleGlobal global(int device, const std::string& name) override {
    compile(device);
    refuse(device, fmt::format("the variable {} is", name));
  }
  // Throws ValueError for a kernel that the compiled source has not.
  void check_kernel(const std::string& name);
  [[noreturn]] static void refuse(int device, const std::string& what) {
    throw DeviceError(
        fmt::format("{} written in CUDA, which runs on CUDA devices only, not on cpu:{}; use a "
                    "device 'cuda:...' or the functions of cupola",
                    what, device));
  }

 private:
  const ModuleSource source_;
  Mutex mutex_;
  std::optional<CompiledModule> compiled_;
  std::exception_ptr error_;  // of a text that does not compile: it never will
};

class CpuFunction final : public ModuleFunction {
 public:
  CpuFunction(std::shared_ptr<CpuModule> module, std::string name)
      : module_(std::move(module)), name_(std::move(name)) {}
  FunctionAttributes attributes(int device) override { refuse(device); }
  void set_attribute(int device, SettableAttribute, int) override { refuse(device); }
  std::optional<std::vector<std::size_t>> parameter_sizes(int) override { return std::nullopt; }
  void launch(const LaunchGeometry&, std::span<void* const>, StreamHandle stream) override;

 private:
  [[noreturn]] void refuse(int device) {
    module_->compile(device);
    module_->check_kernel(name_);
    CpuModule::refuse(device, fmt::format("the kernel {} is", name_));
  }
  const std::shared_ptr<CpuModule> module_;
  const std::string name_;
};

std::string CpuModule::compile(int) {
  SourceCompiler* const compiler = find_source_compiler();
  if (compiler == nullptr || source_.text.empty()) return "";
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
  if (compiled_) return compiled_->log;
  try {
    compiled_ = compiler->compile(source_, kCheckedArchitecture);
    compiled_->image.clear();
  } catch (const CompileError&) {
    error_ = std::current_exception();
    throw;
  } catch (const LibraryError&) {
    if (source_.backend == ModuleSource::Backend::nvcc) throw;
    compiled_ = CompiledModule{};  // without NVRTC nothing is checked
  }
  return compiled_->log;
}

void CpuModule::check_kernel(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (!compiled_ || compiled_->kernels.empty() || compiled_->lowered_names.contains(name)) return;
  const std::vector<std::string>& kernels = compiled_->kernels;
  if (std::find(kernels.begin(), kernels.end(), name) != kernels.end()) return;
  throw ValueError(fmt::format(
      "the module has no kernel '{}'; its kernels are {}; functions need extern \"C\" or must be "
      "named by name_expressions",
      name, joined(kernels, ", ")));
}

std::shared_ptr<ModuleFunction> CpuModule::function(const std::string& name) {
  return std::make_shared<CpuFunction>(shared_from_this(), name);
}

void CpuFunction::launch(const LaunchGeometry&, std::span<void* const>, StreamHandle stream) {
  refuse(stream->queue->device());
}

}  // namespace

std::shared_ptr<Module> CpuDriver::build_module(const ModuleSource& source) {
  if (source.backend == ModuleSource::Backend::host) return make_host_module(source);
  return std::make_shared<CpuModule>(source);
}

}  // namespace cupola::cpu
