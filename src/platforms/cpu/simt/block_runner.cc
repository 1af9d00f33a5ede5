#include "platforms/cpu/simt/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "cupola/error.h"

namespace cupola::cpu {

using cupola_simt::BlockOp;
using cupola_simt::Extents;
using cupola_simt::kWarp;
using cupola_simt::WarpOp;

namespace {

constexpr int kPatience = 4096;
constexpr std::uint32_t kTurns = 16;  // of each thread, until a block that waits is put aside
constexpr int kSuspicionUses = 1 << 20;
constexpr std::uint64_t kUsesOfTurn = 1 << 16;  // of memory, where they are checked

Extents index_in(const Extents& extents, std::uint64_t number) {
  return {static_cast<unsigned int>(number % extents.x),
          static_cast<unsigned int>(number / extents.x % extents.y),
          static_cast<unsigned int>(number / extents.x / extents.y)};
}
Extents extents_of(const std::array<unsigned int, 3>& values) {
  return {values[0], values[1], values[2]};
}
std::string text_of(const Extents& index) {
  return fmt::format("({}, {}, {})", index.x, index.y, index.z);
}

}  // namespace

const cupola_simt::Services BlockRunner::kServices = {
    .block = at_block_barrier,
    .warp = at_warp_operation,
    .grid = at_grid_barrier,
    .yield = yield,
    .fail = fail,
    .access = access,
};

BlockRunner::BlockRunner() = default;

void BlockRunner::begin(const KernelLaunch& launch, std::int64_t number) {
  launch_ = &launch;
  const auto& block = launch.geometry.block;
  block_ = index_in(extents_of(launch.geometry.grid), static_cast<std::uint64_t>(number));
  threads_.assign(std::size_t{block[0]} * block[1] * block[2], {});
  warps_.resize((threads_.size() + kWarp - 1) / kWarp);
  shared_.resize(launch.geometry.shared_bytes / sizeof(Line) + 1);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const std::size_t lanes = std::min<std::size_t>(kWarp, threads_.size() - i * kWarp);
    warps_[i].alive = static_cast<std::uint32_t>((std::uint64_t{1} << lanes) - 1);
    warps_[i].arrived = warps_[i].epoch = 0;
  }
  started_ = ended_ = at_grid_ = 0;
  arrived_ = votes_ = 0;
  epoch_ = 0;
  suspicion_ = {};
  if (!launch.is_checked) return;
  checker_.begin(launch.fixed_shared(), {shared_.data()->bytes, launch.geometry.shared_bytes},
                 launch.geometry.memory, launch.own);
}

bool BlockRunner::go_on() {
  is_spinning_ = false;
  turns_ = 0;
  while (ended_ < threads_.size() && error_.empty()) {
    if (is_spinning_) return false;
    if (void* const other = next()) {
      switch_stack(&scheduler_, other);
    } else if (!resolve_active_masks()) {
      if (waits_for_grid()) return false;
      error_ = deadlock();
    }
  }
  check_stacks();
  if (error_.empty()) error_ = std::move(suspicion_.error);
  if (error_.empty()) return true;
  // What the fibres were at is left behind.
  ready_.clear();
  free_.clear();
  fibres_begun_ = 0;
  throw LaunchError(fmt::format("{}: {}", launch_->name, std::exchange(error_, {})));
}

void BlockRunner::check_stacks() {
  for (std::size_t i = 0; i < fibres_begun_ && error_.empty(); ++i) {
    if (!stacks_.has_overflowed(i)) continue;
    error_ = fmt::format("a thread needs more than the {} KiB of stack that it has on the CPU",
                         cupola_simt::kStackBytes / 1024);
  }
}

// Where somebody can go on; null if nobody can.
void* BlockRunner::next() {
  if (started_ < threads_.size()) {
    if (free_.empty()) {
      stacks_.begin(fibres_begun_, fibre_main);
      Thread& thread = *stacks_[fibres_begun_].thread;
      thread.runner = this;
      thread.patience = static_cast<int>(fibres_begun_);  // read once, as its number
      free_.push_back(static_cast<std::uint32_t>(fibres_begun_++));
    }
    const std::uint32_t fibre = free_.back();
    free_.pop_back();
    return stacks_[fibre].at;
  }
  if (ready_.empty()) return nullptr;
  ThreadState& thread = threads_[ready_.front()];
  ready_.pop_front();
  thread.state = State::running;
  return stacks_[thread.fibre].at;
}

void BlockRunner::fibre_main(Fibre* fibre) {
  BlockRunner& runner = of(fibre->thread);
  const auto number = static_cast<std::uint32_t>(fibre->thread->patience);
  for (;;) {
    while (runner.started_ < runner.threads_.size()) {
      runner.begin_thread(*fibre->thread, number);
      runner.launch_->entry.run(runner.launch_->arguments);
      runner.end_thread(fibre->thread);
    }
    runner.free_.push_back(number);
    void* const other = runner.next();
    switch_stack(&fibre->at, other ? other : runner.scheduler_);
  }
}

void BlockRunner::begin_thread(Thread& thread, std::uint32_t fibre) {
  const std::uint32_t number = started_++;
  threads_[number] = {.state = State::running, .fibre = fibre};
  thread.block_extent = extents_of(launch_->geometry.block);
  thread.grid_extent = extents_of(launch_->geometry.grid);
  thread.thread_index = index_in(thread.block_extent, number);
  thread.block_index = block_;
  thread.number = number;
  thread.patience = kPatience;
  thread.is_cooperative = launch_->geometry.cooperative;
  thread.services = &kServices;
  thread.shared = shared_.data();
  thread.shared_bytes = launch_->geometry.shared_bytes;
}

void BlockRunner::end_thread(Thread* thread) {
  if (launch_->is_checked) check_end(thread);
  turns_ = 0;
  threads_[thread->number].state = State::ended;
  ++ended_;
  WarpState& warp = warps_[thread->number / kWarp];
  warp.alive &= ~(std::uint32_t{1} << thread->number % kWarp);
  // Nobody waits for those that have ended.
  if (arrived_ != 0 && static_cast<std::size_t>(arrived_) + ended_ == threads_.size()) {
    release_block();
  }
  for (std::uint32_t waiting = warp.arrived; waiting != 0;
       waiting &= (waiting - 1) & warp.arrived) {
    const auto lane = static_cast<unsigned int>(std::countr_zero(waiting));
    release_lanes(thread->number / kWarp, warp.complete(lane));
  }
}

void BlockRunner::make_ready(std::size_t thread) {
  threads_[thread].state = State::ready;
  ready_.push_back(static_cast<std::uint32_t>(thread));
}

void BlockRunner::release_lanes(std::size_t warp, std::uint32_t lanes) {
  turns_ = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    make_ready(warp * kWarp + static_cast<std::size_t>(std::countr_zero(lanes)));
  }
}

void BlockRunner::suspend(Thread* self) {
  Fibre& fibre = stacks_[threads_[self->number].fibre];
  void* const other = next();
  switch_stack(&fibre.at, other ? other : scheduler_);
}

// ---- what a thread waits at

int BlockRunner::at_block_barrier(Thread* self, BlockOp op, int value) {
  BlockRunner& runner = of(self);
  ThreadState& own = runner.threads_[self->number];
  own.place = __builtin_return_address(0);
  if (runner.launch_->is_checked) runner.check_barrier(self, own.place);
  own.state = State::at_block;
  own.op = op;
  runner.votes_ += value != 0;
  if (static_cast<std::size_t>(++runner.arrived_) + runner.ended_ < runner.threads_.size()) {
    runner.suspend(self);
  } else {
    own.state = State::running;
    own.result = runner.votes_;
    runner.release_block();
  }
  const int voted = own.result;
  if (op == BlockOp::any) return voted != 0;
  return op == BlockOp::all ? voted == own.voters : voted;
}

// All that wait; the one that came last, if it does not, goes on by itself.
void BlockRunner::release_block() {
  turns_ = 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    ThreadState& thread = threads_[i];
    thread.result = votes_;
    thread.voters = arrived_;
    if (thread.state == State::at_block) make_ready(i);
  }
  arrived_ = votes_ = 0;
  ++epoch_;
}

unsigned long long BlockRunner::at_warp_operation(Thread* self, WarpOp op, unsigned int mask,
                                                  unsigned long long value, unsigned int source) {
  BlockRunner& runner = of(self);
  const unsigned int lane = self->number % kWarp;
  WarpState& warp = runner.warps_[self->number / kWarp];
  ThreadState& own = runner.threads_[self->number];
  own.place = __builtin_return_address(0);
  warp.lanes[lane] = {op, mask | std::uint32_t{1} << lane, value, source % kWarp, own.place};
  warp.arrived |= std::uint32_t{1} << lane;
  const std::uint32_t others = warp.complete(lane) & ~(std::uint32_t{1} << lane);
  if ((warp.arrived >> lane & 1) == 0) {
    runner.release_lanes(self->number / kWarp, others);
  } else {
    own.state = State::at_warp;
    runner.suspend(self);
  }
  return warp.lanes[lane].value;
}

// Those that ask who is active with them get their answer when no other can come.
bool BlockRunner::resolve_active_masks() {
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if (const std::uint32_t lanes = warps_[i].complete_active()) {
      release_lanes(i, lanes);
      return true;
    }
  }
  return false;
}

void BlockRunner::at_grid_barrier(Thread* self) {
  BlockRunner& runner = of(self);
  if (!runner.launch_->geometry.cooperative) {
    runner.stop(self, "a barrier of the grid needs a cooperative launch",
                __builtin_return_address(0));
  }
  ThreadState& own = runner.threads_[self->number];
  own.place = __builtin_return_address(0);
  own.state = State::at_grid;
  ++runner.at_grid_;
  runner.suspend(self);
}

void BlockRunner::release_grid() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].state == State::at_grid) make_ready(i);
  }
  at_grid_ = 0;
  ++epoch_;
}

void BlockRunner::yield(Thread* self) {
  BlockRunner& runner = of(self);
  self->patience = kPatience;
  if (++runner.turns_ > kTurns * (runner.started_ - runner.ended_ + 1)) {
    // Others of the block have had their turn: what it waits for comes from another block.
    runner.is_spinning_ = true;
    runner.make_ready(self->number);
    switch_stack(&runner.stacks_[runner.threads_[self->number].fibre].at, runner.scheduler_);
    return;
  }
  if (runner.ready_.empty() && runner.started_ == runner.threads_.size()) return;
  runner.make_ready(self->number);
  runner.suspend(self);
}

void BlockRunner::fail(Thread* self, const char* what) {
  of(self).stop(self, what, __builtin_return_address(0));
}

std::string BlockRunner::with_place(const Thread& self, const std::string& what) const {
  return fmt::format("{}, by thread {} of block {}", what, text_of(self.thread_index),
                     text_of(self.block_index));
}

// Does not return.
void BlockRunner::stop(Thread* self, const std::string& what, const void* place) {
  leave(with_place(*self, what) + (place ? launch_->line_of(place) : ""));
}

// The thread is left where it is.
void BlockRunner::leave(std::string error) {
  error_ = std::move(error);
  void* abandoned = nullptr;
  switch_stack(&abandoned, scheduler_);
  __builtin_unreachable();
}

// ---- checks

void BlockRunner::access(Thread* self, const void* place, unsigned long bytes,
                         cupola_simt::Access access, const void* caller) {
  constexpr auto kInStack = ~(std::uintptr_t{cupola_simt::kStackBytes} - 1);
  const auto stack = reinterpret_cast<std::uintptr_t>(self) & kInStack;
  if ((reinterpret_cast<std::uintptr_t>(place) & kInStack) == stack) return;
  if (reinterpret_cast<const std::byte*>(place) - reinterpret_cast<const std::byte*>(&kServices) <
          static_cast<std::ptrdiff_t>(sizeof(kServices)) &&
      place >= &kServices) {
    return;
  }
  BlockRunner& runner = of(self);
  if (++runner.uses_ % kUsesOfTurn == 0) yield(self);  // it may wait for what another one writes
  if (runner.is_suspicion_due()) runner.leave(std::move(runner.suspicion_.error));
  const MemoryChecker::Finding found =
      runner.checker_.check({place, bytes, access, caller, self->number, runner.epoch_,
                             runner.warps_[self->number / kWarp].epoch},
                            runner.launch_->line_of);
  if (found.text.empty()) return;
  if (!found.may_be_a_race) runner.stop(self, found.text, nullptr);
  runner.suspect(*self, found.text);
}

void BlockRunner::suspect(const Thread& self, const std::string& what) {
  if (suspicion_.error.empty()) suspicion_ = {with_place(self, what), epoch_, kSuspicionUses};
}

bool BlockRunner::is_suspicion_due() {
  return !suspicion_.error.empty() && (suspicion_.epoch != epoch_ || --suspicion_.uses == 0);
}

// All threads of the block come to the same barrier. What the compiler copied has the same line.
void BlockRunner::check_barrier(Thread* self, const void* place) {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const ThreadState& other = threads_[i];
    const bool has_left = other.state == State::ended;
    if (!has_left && (other.state != State::at_block || other.place == place)) continue;
    const std::string line = launch_->line_of(place);
    if (!has_left && launch_->line_of(other.place) == line) continue;
    const std::string index = text_of(index_in(extents_of(launch_->geometry.block), i));
    stop(self,
         fmt::format("a barrier{} that not all threads of the block reach: {}", line,
                     has_left ? fmt::format("thread {} has ended", index) : description(i)),
         nullptr);
  }
}

void BlockRunner::check_end(Thread* self) {
  for (const ThreadState& other : threads_) {
    if (other.state != State::at_block) continue;
    stop(self,
         fmt::format("a barrier{} that not all threads of the block reach: a thread has ended",
                     launch_->line_of(other.place)),
         nullptr);
  }
}

// ---- errors

std::string BlockRunner::description(std::size_t thread) const {
  const ThreadState& state = threads_[thread];
  return fmt::format("thread {} waits at {}{}",
                     text_of(index_in(extents_of(launch_->geometry.block), thread)),
                     state.state == State::at_block  ? "a barrier of the block"
                     : state.state == State::at_grid ? "a barrier of the grid"
                                                     : "an operation of its warp",
                     launch_->line_of(state.place));
}

std::string BlockRunner::deadlock() const {
  std::string text =
      fmt::format("the threads of block {} wait for each other for ever: ", text_of(block_));
  const void* place = nullptr;
  int described = 0;
  for (std::size_t i = 0; i < threads_.size() && described < 4; ++i) {
    if (threads_[i].state == State::ended || threads_[i].place == place) continue;
    place = threads_[i].place;
    text += (described++ == 0 ? "" : "; ") + description(i);
  }
  return text + fmt::format("; {} of {} threads have ended", ended_, threads_.size());
}

std::string BlockRunner::index_text() const { return text_of(block_); }

std::string BlockRunner::grid_barrier() const {
  for (const ThreadState& thread : threads_) {
    if (thread.state == State::at_grid) return launch_->line_of(thread.place);
  }
  return "";
}

}  // namespace cupola::cpu
