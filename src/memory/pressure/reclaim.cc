#include "memory/pressure/reclaim.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "core/device_sets.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "driver/registry.h"
#include "memory/hooks.h"
#include "runtime/completion.h"

namespace cupola {

namespace {

struct Pools {
  Pools();
  std::mutex mutex;
  std::vector<std::weak_ptr<PoolCore>> pools;
  std::vector<std::shared_ptr<PoolCore>> held;  // whose locks a fork holds
};
Pools& known_pools() {
  static constinit Lazy<Pools> pools;  // threads may end after static destructors ran
  return *pools;
}

// A forked child finds every pool whole and its lock open.
Pools::Pools() {
  const auto take = [this] {
    mutex.lock();
    for (const auto& weak : pools) {
      if (auto core = weak.lock()) held.push_back(std::move(core));
    }
    for (const auto& core : held) core->mutex().lock();
  };
  const auto give = [this] {
    for (const auto& core : held) core->mutex().unlock();
    std::vector<std::shared_ptr<PoolCore>> released;
    released.swap(held);
    mutex.unlock();
  };
  at_fork(ForkLayer::memory, {take, give, give});
}

struct Caches {
  Caches() { lock_at_fork(ForkLayer::memory, mutex); }
  std::mutex mutex;
  std::map<std::uint64_t, std::function<std::size_t(const Device&)>> functions;
  std::uint64_t next = 0;
};
Caches& known_caches() {
  static constinit Lazy<Caches> caches;
  return *caches;
}

void trim_pools(const Device& device) {
  for (const auto& core : all_pools()) {
    const bool is_asked = overlap(core->device(), device) || CUPOLA_MUTANT(trim_every_device);
    if (!is_asked && core->properties().counts_on_device) continue;
    core->gather();
    core->trim(std::nullopt);
  }
  driver(device).trim_async(device.index());
}

void wait_for_device(const Device& device) {
  try {
    settle(device);
  } catch (const Error&) {
    // A stream's failure is reported to whoever uses it; here only time matters.
  }
}

void ask_caches(const Device& device) {
  std::vector<std::function<std::size_t(const Device&)>> functions;
  {
    const std::lock_guard lock(known_caches().mutex);
    for (const auto& [id, function] : known_caches().functions) functions.push_back(function);
  }
  for (const auto& function : functions) function(device);
}

}  // namespace

void register_pool(const std::shared_ptr<PoolCore>& core) {
  const std::lock_guard lock(known_pools().mutex);
  known_pools().pools.push_back(core);
}

void unregister_pool(const PoolCore& core) {
  const std::lock_guard lock(known_pools().mutex);
  std::erase_if(known_pools().pools, [&](const auto& weak) {
    const auto known = weak.lock();
    return !known || known.get() == &core;
  });
}

std::vector<std::shared_ptr<PoolCore>> all_pools() {
  std::vector<std::shared_ptr<PoolCore>> result;
  const std::lock_guard lock(known_pools().mutex);
  for (const auto& weak : known_pools().pools) {
    if (auto core = weak.lock()) result.push_back(std::move(core));
  }
  return result;
}

std::vector<std::shared_ptr<PoolCore>> pools_of(const Device& device) {
  auto result = all_pools();
  std::erase_if(result, [&](const auto& core) {
    return core->device() != device || !core->properties().counts_on_device;
  });
  return result;
}

bool Reclaimer::spill() {
  if (!turn_) {
    turn_ = std::make_unique<SpillTurn>();
    return true;  // whose turn it was may have made room
  }
  if (make_room(*turn_, *spilling_)) return true;
  turn_.reset();
  return false;
}

bool Reclaimer::next() {
  if (step_ == 0 && bytes_ > driver(device_).memory_info(device_.index()).total) {
    return false;
  }
  const Passage::Pause pause;
  switch (step_++) {
    case 0:
      drain();
      return true;
    case 1:
      trim_pools(device_);
      return true;
    case 2:
      wait_for_device(device_);
      drain();
      trim_pools(device_);
      return true;
    case 3:
    case 6:
      if (spilling_ && spill()) {
        --step_;
        return true;
      }
      return step_ <= 6 && next();
    case 4:
      ask_caches(device_);
      drain();
      trim_pools(device_);
      return true;
    case 5:
      if (!run_collector()) return next();
      wait_for_device(device_);
      drain();
      trim_pools(device_);
      return true;
    default:
      return false;
  }
}

std::shared_ptr<void> register_cache(std::function<std::size_t(const Device&)> give_up) {
  const std::lock_guard lock(known_caches().mutex);
  const std::uint64_t id = ++known_caches().next;
  known_caches().functions.emplace(id, std::move(give_up));
  return {nullptr, [id](void*) {
            const std::lock_guard inner(known_caches().mutex);
            known_caches().functions.erase(id);
          }};
}

void* Reclaiming::allocate(std::size_t bytes, const StreamPointer& stream) {
  const Device device = upstream_->properties().device;
  Reclaimer reclaimer(device, bytes);
  for (;;) {
    try {
      return upstream_->allocate(bytes, stream);
    } catch (const OutOfMemoryError& error) {
      if (!reclaimer.next()) throw_out_of_memory(device, bytes, error.what());
    }
  }
}

}  // namespace cupola
