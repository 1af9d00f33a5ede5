#include "base/process/fork.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/mutant.h"
#include "base/threads/lazy.h"
#include "base/threads/mutex.h"
#include "cupola/error.h"

namespace cupola {

namespace internal {
std::atomic<std::uint64_t> fork_generation{0};
}

namespace {

constexpr std::size_t kLayers = static_cast<std::size_t>(ForkLayer::base) + 1;

// Nobody waits for a fork to register handlers, since a lock that the fork waits for may be held.
struct Registry {
  std::mutex forking;  // one fork at a time
  std::mutex mutex;    // the last lock that a fork takes, and the first that it gives back
  std::array<std::vector<std::shared_ptr<const ForkHandlers>>, kLayers> layers;
  std::size_t count = 0;
  // Those of the fork that is under way, in the order in which they prepared.
  std::vector<std::shared_ptr<const ForkHandlers>> under_way;
};

struct Initialization {
  Mutex mutex;
  std::string text;
};

Initialization& initialization() {
  static constinit Lazy<Initialization> instance;
  return *instance;
}

Registry& registry() {
  static constinit Lazy<Registry> instance;
  return *instance;
}

// How many of the pthread_atfork handlers of this thread's fork have run: the first one prepares,
// the last one finishes.
thread_local int depth = 0;

void find_handlers(Registry& all) {
  const std::lock_guard lock(all.mutex);
  all.under_way.clear();
  for (const auto& layer : all.layers) {
    all.under_way.insert(all.under_way.end(), layer.begin(), layer.end());
  }
}

void run_backwards(const Registry& all, std::function<void()> ForkHandlers::*step) {
  for (auto handlers = all.under_way.rbegin(); handlers != all.under_way.rend(); ++handlers) {
    if ((**handlers).*step) ((**handlers).*step)();
  }
}

void prepare() {
  if (depth++ > 0) return;
  Registry& all = registry();
  all.forking.lock();
  for (;;) {
    find_handlers(all);
    for (const auto& handlers : all.under_way) {
      if (handlers->prepare) handlers->prepare();
    }
    all.mutex.lock();
    if (all.count == all.under_way.size()) return;
    all.mutex.unlock();  // there are more by now: once again, in their order
    run_backwards(all, &ForkHandlers::parent);
  }
}

void finish(std::function<void()> ForkHandlers::*step) {
  if (--depth > 0) return;
  Registry& all = registry();
  all.mutex.unlock();
  run_backwards(all, step);
  all.forking.unlock();
}

void after_in_parent() { finish(&ForkHandlers::parent); }

void after_in_child() {
  if (depth == 1) internal::fork_generation.fetch_add(1, std::memory_order_relaxed);
  finish(&ForkHandlers::child);
}

void install() { pthread_atfork(prepare, after_in_parent, after_in_child); }

// With the library itself: a fork before any handler is registered counts as well.
const bool installed = (registry(), initialization(), install(), true);

}  // namespace

void at_fork(ForkLayer layer, ForkHandlers handlers) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.layers[static_cast<std::size_t>(layer)].push_back(
      std::make_shared<const ForkHandlers>(std::move(handlers)));
  ++all.count;
}

void lock_at_fork(ForkLayer layer, std::mutex& mutex) {
  const auto unlock = [&mutex] { mutex.unlock(); };
  at_fork(layer, {[&mutex] { mutex.lock(); }, unlock, unlock});
}

void come_first_at_fork() { install(); }

void note_device_initialization(const std::string& what, const std::string& where) {
  const std::lock_guard lock(initialization().mutex);
  initialization().text = where.empty() ? what : fmt::format("{}, called first at {}", what, where);
}

std::string device_initialization() {
  const std::lock_guard lock(initialization().mutex);
  return initialization().text;
}

void throw_forked() {
  const std::string what = device_initialization();
  throw ForkedProcessError(fmt::format(
      "CUDA cannot be used in this process: it was forked from one that had initialised CUDA{}, "
      "and CUDA does not work across a fork. Start the process with the method 'spawn' or "
      "'forkserver' (multiprocessing.get_context('spawn')), or fork before the parent first uses "
      "a CUDA device. CPU devices work here.",
      what.empty() ? "" : fmt::format(" ({})", what)));
}

void check_not_forked(std::uint64_t generation) {
  if (is_inherited(generation) && !CUPOLA_MUTANT(allocate_in_child)) throw_forked();
}

}  // namespace cupola
