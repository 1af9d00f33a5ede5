#include "base/fork.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/mutant.h"
#include "base/mutex.h"
#include "cupola/error.h"

namespace cupola {

namespace internal {
std::atomic<std::uint64_t> fork_generation{0};
}

namespace {

constexpr std::size_t kLayers = static_cast<std::size_t>(ForkLayer::base) + 1;

struct Registry {
  std::mutex mutex;
  std::array<std::vector<ForkHandlers>, kLayers> layers;
};

struct Initialization {
  Mutex mutex;
  std::string text;
};

Initialization& initialization() {
  static auto* instance = new Initialization;
  return *instance;
}

Registry& registry() {
  static auto* instance = new Registry;
  return *instance;
}

// How many of the pthread_atfork handlers of this thread's fork have run: the first one prepares,
// the last one finishes.
thread_local int depth = 0;

void prepare() {
  if (depth++ > 0) return;
  Registry& all = registry();
  all.mutex.lock();  // one fork at a time
  for (auto& layer : all.layers) {
    for (auto& handlers : layer) {
      if (handlers.prepare) handlers.prepare();
    }
  }
}

void finish(std::function<void()> ForkHandlers::*step) {
  if (--depth > 0) return;
  Registry& all = registry();
  for (auto layer = all.layers.rbegin(); layer != all.layers.rend(); ++layer) {
    for (auto handlers = layer->rbegin(); handlers != layer->rend(); ++handlers) {
      if ((*handlers).*step) ((*handlers).*step)();
    }
  }
  all.mutex.unlock();
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
  all.layers[static_cast<std::size_t>(layer)].push_back(std::move(handlers));
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
