#pragma once
// A user's module: compiled once per architecture, loaded once per device, on first use.

#include <cuda.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "driver/module.h"
#include "platforms/cuda/device/context.h"

namespace cupola::cuda {

class CudaModule final : public Module, public std::enable_shared_from_this<CudaModule> {
 public:
  explicit CudaModule(ModuleSource source) : source_(std::move(source)) {}

  std::string compile(int device) override;
  std::shared_ptr<ModuleFunction> function(const std::string& name) override;
  ModuleGlobal global(int device, const std::string& name) override;

  // Loaded there; its context must be current. Throws ValueError for a name that does not exist.
  CUfunction find_function(const std::string& name, const DeviceContext& context);

 private:
  struct Compilation {
    Mutex mutex;  // held while compiling, so that one thread compiles and the others wait
    std::optional<CompiledModule> module;
    std::exception_ptr error;  // of a text that does not compile: it never will
  };

  const CompiledModule& compiled(int architecture);
  CompiledModule make(int architecture) const;
  CUmodule load(const DeviceContext& context);
  // The name in machine code of a name expression, or the name itself.
  std::string lowered(const std::string& name, int architecture);
  [[noreturn]] void throw_unknown(const char* what, const std::string& name, int architecture);

  const ModuleSource source_;
  Mutex mutex_;  // of loading and of the map
  std::map<int, Compilation> compilations_;
  DeviceTable<std::atomic<CUmodule>> modules_;
};

class CudaFunction final : public ModuleFunction {
 public:
  CudaFunction(std::shared_ptr<CudaModule> module, std::string name)
      : module_(std::move(module)), name_(std::move(name)), lasting_name_(lasting_name(name_)) {}

  FunctionAttributes attributes(int device) override;
  void set_attribute(int device, SettableAttribute attribute, int value) override;
  std::optional<std::vector<std::size_t>> parameter_sizes(int device) override;
  void launch(const LaunchGeometry& geometry, std::span<void* const> arguments,
              StreamHandle stream) override;

 private:
  // The context must be current.
  CUfunction find(const DeviceContext& context);

  const std::shared_ptr<CudaModule> module_;
  const std::string name_;
  const char* const lasting_name_;
  DeviceTable<std::atomic<CUfunction>> functions_;
};

// Throws LaunchError, with the numbers, for what cannot fit; lets the function have as much dynamic
// shared memory as is asked for. The context must be current.
void check_fits(const std::string& name, CUfunction function, const LaunchGeometry& geometry,
                const DeviceContext& context);

}  // namespace cupola::cuda
