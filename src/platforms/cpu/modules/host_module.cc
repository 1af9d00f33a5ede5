#include "platforms/cpu/modules/host_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "base/threads/mutex.h"
#include "cupola/error.h"
#include "platforms/cpu/modules/host_compiler.h"
#include "platforms/cpu/streams/handles.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

using Blocks = void (*)(const void* argument, std::ptrdiff_t first, std::ptrdiff_t last);

class HostModule final : public Module, public std::enable_shared_from_this<HostModule> {
 public:
  explicit HostModule(ModuleSource source) : source_(std::move(source)) {}
  std::string compile(int) override {
    code();
    return "";
  }
  std::shared_ptr<ModuleFunction> function(const std::string& name) override;
  ModuleGlobal global(int, const std::string& name) override {
    throw ValueError(fmt::format("the module has no variable '{}'", name));
  }
  void* symbol(const std::string& name) {
    if (void* const found = dlsym(code(), name.c_str())) return found;
    throw ValueError(fmt::format("the module has no function '{}'", name));
  }

 private:
  // Compiled and loaded once; the others wait.
  void* code() {
    if (void* const known = code_.load(std::memory_order_acquire)) return known;
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    if (void* const known = code_.load(std::memory_order_relaxed)) return known;
    try {
      code_.store(load_host_code(source_), std::memory_order_release);
    } catch (const CompileError&) {
      error_ = std::current_exception();
      throw;
    }
    return code_.load(std::memory_order_relaxed);
  }

  const ModuleSource source_;
  Mutex mutex_;
  std::atomic<void*> code_{nullptr};
  std::exception_ptr error_;  // of a text that does not compile: it never will
};

class HostFunction final : public ModuleFunction {
 public:
  HostFunction(std::shared_ptr<HostModule> module, std::string name)
      : module_(std::move(module)), name_(std::move(name)) {}
  FunctionAttributes attributes(int) override { return {}; }
  void set_attribute(int, SettableAttribute, int) override {}
  std::optional<std::vector<std::size_t>> parameter_sizes(int) override {
    return std::vector<std::size_t>{bytes()};
  }
  void launch(const LaunchGeometry& geometry, std::span<void* const> arguments,
              StreamHandle stream) override;

 private:
  std::size_t bytes() const {
    return *static_cast<const unsigned long long*>(module_->symbol(name_ + "_bytes"));
  }
  Blocks blocks() {
    if (Blocks known = blocks_.load(std::memory_order_acquire)) return known;
    bytes_ = bytes();
    blocks_.store(reinterpret_cast<Blocks>(module_->symbol(name_)), std::memory_order_release);
    return blocks_.load(std::memory_order_relaxed);
  }

  const std::shared_ptr<HostModule> module_;
  const std::string name_;
  std::atomic<std::size_t> bytes_{0};  // published by blocks_
  std::atomic<Blocks> blocks_{nullptr};
};

std::shared_ptr<ModuleFunction> HostModule::function(const std::string& name) {
  return std::make_shared<HostFunction>(shared_from_this(), name);
}

void HostFunction::launch(const LaunchGeometry& geometry, std::span<void* const> arguments,
                          StreamHandle stream) {
  const Blocks run = blocks();
  const void* const argument = arguments.front();
  const auto count = static_cast<std::int64_t>(geometry.grid[0]);
  if (count == 1 && stream->queue->try_run_now([&] { run(argument, 0, 1); })) return;
  // Its first address is aligned as any value may need.
  const auto* first = static_cast<const std::byte*>(argument);
  stream->queue->enqueue_long(
      [run, count, copy = std::vector<std::byte>(first, first + bytes_.load())] {
        parallel_for(count, 1,
                     [&](std::int64_t begin, std::int64_t end) { run(copy.data(), begin, end); });
      });
}

}  // namespace

std::shared_ptr<Module> make_host_module(const ModuleSource& source) {
  return std::make_shared<HostModule>(source);
}

}  // namespace cupola::cpu
