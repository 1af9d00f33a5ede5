#include "exec/launch/kernel_cache.h"

#include <chrono>
#include <future>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <unordered_map>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"

namespace cupola {

namespace {

using KernelFuture = std::shared_future<std::shared_ptr<Kernel>>;

bool is_ready(const KernelFuture& future) {
  return future.valid() && future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

struct Key {
  PlatformKind platform;
  int architecture;
  KernelPlan plan;
};
// As what is looked for, of a plan that others own.
struct KeyView {
  PlatformKind platform;
  int architecture;
  const KernelPlan& plan;
  friend bool operator==(const KeyView& a, const KeyView& b) {
    return a.platform == b.platform && a.architecture == b.architecture && a.plan == b.plan;
  }
};
KeyView view(const Key& key) { return {key.platform, key.architecture, key.plan}; }
const KeyView& view(const KeyView& key) { return key; }

struct KeyHash {
  using is_transparent = void;
  template <typename AnyKey>
  std::size_t operator()(const AnyKey& key) const {
    return hash_of(view(key).plan) + static_cast<std::size_t>(view(key).architecture);
  }
};
struct KeyEqual {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return view(a) == view(b);
  }
};
using Kernels = std::unordered_map<Key, KernelFuture, KeyHash, KeyEqual>;

struct Cache {
  Cache() {
    at_fork(ForkLayer::exec,
            {[this] { writing.lock(); }, [this] { writing.unlock(); }, [this] { in_child(); }});
  }
  // What a thread of the parent was building nobody builds in the child.
  void in_child() {
    std::erase_if(kernels, [](const auto& entry) { return !is_ready(entry.second); });
    new (&mutex) std::shared_mutex;  // threads of the parent may have been reading
    writing.unlock();
  }

  std::mutex writing;  // taken before `mutex` to write, and by a fork, which is in no reader's way
  std::shared_mutex mutex;
  Kernels kernels;
  std::unordered_map<const Kernel*, const KernelPlan*> plans;  // of `kernels`
};

struct WriteLock {
  explicit WriteLock(Cache& cache) : first(cache.writing), second(cache.mutex) {}
  const std::lock_guard<std::mutex> first;
  const std::lock_guard<std::shared_mutex> second;
};

Cache& cache() {
  static constinit Lazy<Cache> instance;
  return *instance;
}

KeyView key_of(Driver& driver, int device, const KernelPlan& plan) {
  return {driver.platform(), driver.kernel_architecture(device), plan};
}

// Not valid where there is none. Whoever waits for it has no lock: others are built meanwhile.
KernelFuture find_known(const KeyView& key) {
  const std::shared_lock lock(cache().mutex);
  const auto found = cache().kernels.find(key);
  return found == cache().kernels.end() ? KernelFuture() : found->second;
}

void forget(const KeyView& key) {
  const WriteLock lock(cache());
  const auto found = cache().kernels.find(key);
  if (found != cache().kernels.end()) cache().kernels.erase(found);
}

void remember_plan(const KeyView& key, const Kernel& kernel) {
  const WriteLock lock(cache());
  const auto found = cache().kernels.find(key);
  if (found != cache().kernels.end()) cache().plans[&kernel] = &found->first.plan;
}

thread_local std::vector<KernelPlan>* recorded = nullptr;

}  // namespace

bool is_built(Driver& driver, int device, const KernelPlan& plan) {
  return is_ready(find_known(key_of(driver, device, plan)));
}

const KernelPlan* plan_of(const Kernel& kernel) {
  const std::shared_lock lock(cache().mutex);
  const auto found = cache().plans.find(&kernel);
  return found == cache().plans.end() ? nullptr : found->second;
}

PlanRecorder::PlanRecorder(std::vector<KernelPlan>& plans) { recorded = &plans; }
PlanRecorder::~PlanRecorder() { recorded = nullptr; }
bool PlanRecorder::is_at_work() { return recorded != nullptr; }

std::shared_ptr<Kernel> find_kernel(Driver& driver, int device, const KernelPlan& plan) {
  if (recorded != nullptr) [[unlikely]]
    recorded->push_back(plan);
  const KeyView key = key_of(driver, device, plan);
  KernelFuture future = find_known(key);
  if (future.valid()) return future.get();
  std::promise<std::shared_ptr<Kernel>> promise;
  future = promise.get_future().share();
  if (CUPOLA_MUTANT(no_single_flight)) {
    future = {};
  } else {
    Key own{key.platform, key.architecture, plan};  // before others have to wait
    const WriteLock lock(cache());
    const auto [entry, is_new] = cache().kernels.try_emplace(std::move(own), future);
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
    cache().kernels[{key.platform, key.architecture, plan}] = unfinished.get_future().share();
  }
  try {
    std::shared_ptr<Kernel> kernel = driver.build(plan, device);
    promise.set_value(kernel);
    remember_plan(key, *kernel);
    return kernel;
  } catch (...) {
    promise.set_exception(std::current_exception());
    forget(key);
    throw;
  }
}

}  // namespace cupola
