#include "memory/pressure/spill_turn.h"

#include <atomic>
#include <thread>
#include <utility>

#include "base/mutant.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"

namespace cupola {

namespace {

constinit std::atomic<int> under_way{0};  // passages and departures
constinit std::atomic<bool> is_taken{false};
constinit std::atomic<std::uint64_t> departures{0};  // of threads without the turn, that ended

constinit thread_local bool has_turn = false;
constinit thread_local Passage* passage = nullptr;

// Who has the turn may take any lock below, those of observers as well: it comes before them all.
// What other threads had under way is not under way in a forked child.
struct Turn {
  Turn() {
    at_fork(ForkLayer::python, {[this] { mutex.lock(); }, [this] { mutex.unlock(); },
                                [this] {
                                  under_way = 0;
                                  mutex.unlock();
                                }});
  }
  std::mutex mutex;
};
std::mutex& turn_mutex() {
  static constinit Lazy<Turn> turn;
  return (*turn).mutex;
}

void wait_for_others() {
  while (under_way.load() > 0) std::this_thread::yield();
}

}  // namespace

Passage::Passage(bool is_to_movable) {
  if (!is_to_movable || passage || has_turn || CUPOLA_MUTANT(take_during_turns)) return;
  passage = this;
  is_outermost_ = true;
  enter();
}

Passage::~Passage() {
  if (!is_outermost_) return;
  leave();
  passage = nullptr;
}

void Passage::enter() {
  for (;;) {
    under_way.fetch_add(1);
    if (!is_taken.load()) break;
    under_way.fetch_sub(1);
    const InterpreterBarrier barrier;
    const std::lock_guard wait(turn_mutex());
  }
  is_counted_ = true;
}

void Passage::leave() {
  if (std::exchange(is_counted_, false)) under_way.fetch_sub(1);
}

void Passage::keep(std::unique_ptr<SpillTurn> turn) {
  if (passage && turn) passage->turn_ = std::move(turn);
}

Passage::Pause::Pause() : paused_(passage && passage->is_counted_ ? passage : nullptr) {
  if (paused_) paused_->leave();
}

Passage::Pause::~Pause() {
  if (paused_ && !has_turn) paused_->enter();
}

SpillTurn::SpillTurn() : lock_(turn_mutex()) {
  has_turn = true;
  is_taken = true;
  wait_for_others();
  seen_ = departures.load();
}

SpillTurn::~SpillTurn() {
  is_taken = false;
  has_turn = false;
}

bool SpillTurn::wait_for_departures() const {
  wait_for_others();
  const std::uint64_t now = departures.load();
  return std::exchange(seen_, now) != now;
}

Departure::Departure() noexcept { under_way.fetch_add(1); }
Departure::~Departure() {
  if (!has_turn) departures.fetch_add(1);
  under_way.fetch_sub(1);
}

}  // namespace cupola
