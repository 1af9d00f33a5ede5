#include "base/process/process_end.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/lazy.h"
#include "base/threads/mutex.h"

namespace cupola {

namespace {

struct Ending {
  Mutex mutex;
  std::vector<std::function<void()>> functions;
  std::atomic<bool> begun{false};
};

Ending& ending() {
  static constinit Lazy<Ending> instance;
  return *instance;
}

[[maybe_unused]] const int registered = (ending(), std::atexit(note_process_end));

}  // namespace

void note_process_end() noexcept {
  std::vector<std::function<void()>> functions;
  {
    const std::lock_guard lock(ending().mutex);
    if (ending().begun.exchange(true)) return;
    functions.swap(ending().functions);
  }
  for (const auto& function : functions) function();
}

bool process_is_ending() noexcept { return ending().begun.load(std::memory_order_acquire); }

void at_process_end(std::function<void()> function) {
  {
    const std::lock_guard lock(ending().mutex);
    if (!ending().begun.load()) {
      ending().functions.push_back(std::move(function));
      return;
    }
  }
  function();
}

}  // namespace cupola
