#include "exec/kernel_cache.h"

#include <chrono>
#include <future>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "base/fork.h"
#include "base/mutant.h"
#include "codegen/cuda_text.h"

namespace cupola {

namespace {

using KernelFuture = std::shared_future<std::shared_ptr<Kernel>>;

struct Cache {
  Cache() {
    at_fork(ForkLayer::exec,
            {[this] { writing.lock(); }, [this] { writing.unlock(); }, [this] { in_child(); }});
  }
  // What a thread of the parent was building nobody builds in the child.
  void in_child() {
    std::erase_if(kernels, [](const auto& entry) {
      return entry.second.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    });
    new (&mutex) std::shared_mutex;  // threads of the parent may have been reading
    writing.unlock();
  }

  std::mutex writing;  // taken before `mutex` to write, and by a fork, which is in no reader's way
  std::shared_mutex mutex;
  std::unordered_map<std::string, KernelFuture> kernels;
};

struct WriteLock {
  explicit WriteLock(Cache& cache) : first(cache.writing), second(cache.mutex) {}
  const std::lock_guard<std::mutex> first;
  const std::lock_guard<std::shared_mutex> second;
};

Cache& cache() {
  static auto* instance = new Cache;
  return *instance;
}
// With the library, so that no thread is making it during a fork.
[[maybe_unused]] const Cache& made = cache();

// Kernels of one architecture serve all its devices.
std::string architecture(Driver& driver, int device) {
  if (!driver.needs_text()) return std::string(name_of(driver.platform()));
  const DeviceProperties properties = driver.properties(device);
  return fmt::format("sm_{}{}", properties.compute_major, properties.compute_minor);
}

const std::string& cached_architecture(Driver& driver, int device) {
  thread_local std::unordered_map<Device, std::string> known;
  std::string& text = known[Device(driver.platform(), device)];
  if (text.empty()) text = architecture(driver, device);
  return text;
}

// Not valid where there is none. Whoever waits for it has no lock: others are built meanwhile.
KernelFuture find_known(const std::string& key) {
  const std::shared_lock lock(cache().mutex);
  const auto found = cache().kernels.find(key);
  return found == cache().kernels.end() ? KernelFuture() : found->second;
}

KernelCode code_of(const Driver& driver, const KernelPlan& plan, const std::string& key) {
  if (driver.needs_text()) return cuda_code(plan);
  return {key, plan, {}, {}};
}

}  // namespace

std::shared_ptr<Kernel> find_kernel(Driver& driver, int device, const KernelPlan& plan) {
  const std::string plan_text = plan_key(plan);
  const std::string key = cached_architecture(driver, device) + plan_text;
  KernelFuture future = find_known(key);
  if (future.valid()) return future.get();
  std::promise<std::shared_ptr<Kernel>> promise;
  future = promise.get_future().share();
  if (CUPOLA_MUTANT(no_single_flight)) {
    future = {};
  } else {
    const WriteLock lock(cache());
    const auto [entry, is_new] = cache().kernels.try_emplace(key, future);
    if (!is_new)
      future = entry->second;
    else
      future = {};
  }
  if (future.valid()) return future.get();
  if (CUPOLA_MUTANT(publish_early)) {
    std::promise<std::shared_ptr<Kernel>> unfinished;
    unfinished.set_value(nullptr);
    const WriteLock lock(cache());
    cache().kernels[key] = unfinished.get_future().share();
  }
  try {
    std::shared_ptr<Kernel> kernel = driver.build(code_of(driver, plan, plan_text), device);
    promise.set_value(kernel);
    return kernel;
  } catch (...) {
    promise.set_exception(std::current_exception());
    const WriteLock lock(cache());
    cache().kernels.erase(key);
    throw;
  }
}

}  // namespace cupola
