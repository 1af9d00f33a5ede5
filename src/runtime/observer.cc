#include "runtime/observer.h"

#include <mutex>
#include <utility>

#include "cupola/error.h"

namespace cupola {

namespace internal {
std::atomic<int> observers{0};
std::array<std::atomic<Observer*>, kMaxObservers> observer_slots{};
thread_local constinit int waits = 0;
thread_local constinit const char* asked_by = nullptr;
}  // namespace internal

using internal::for_each_observer;
using internal::observer_slots;

void add_observer(Observer& observer) {
  for (std::atomic<Observer*>& slot : observer_slots) {
    Observer* nobody = nullptr;
    if (!slot.compare_exchange_strong(nobody, &observer)) continue;
    ++internal::observers;
    return;
  }
  throw Error("too many observers");
}

void remove_observer(Observer& observer) {
  for (std::atomic<Observer*>& slot : observer_slots) {
    Observer* found = &observer;
    if (slot.compare_exchange_strong(found, nullptr)) --internal::observers;
  }
}

void ObservedWork::begin(Work* work) noexcept {
  work_ = work;
  for_each_observer([&](Observer& observer, std::size_t i) {
    told_[i] = &observer;
    tokens_[i] = observer.work_begins(*work_);
  });
}

void ObservedWork::end() noexcept {
  for (std::size_t i = kMaxObservers; i-- > 0;) {
    if (told_[i]) told_[i]->work_ends(*work_, tokens_[i]);
  }
  delete work_;
}

void ObservedWait::begin() noexcept {
  counted_ = true;
  if (internal::waits++ > 0) return;
  wait_ = {internal::asked_by, noted_position};
  for_each_observer([&](Observer& observer, std::size_t i) {
    told_[i] = &observer;
    observer.wait_begins(wait_);
  });
}

void ObservedWait::end() noexcept {
  --internal::waits;
  for (std::size_t i = kMaxObservers; i-- > 0;) {
    if (told_[i]) told_[i]->wait_ends(wait_);
  }
}

void tell_memory_use(const MemoryUse& use) noexcept {
  for_each_observer([&](Observer& observer, std::size_t) { observer.memory_used(use); });
}

void tell_spill(const Spill& spill) noexcept {
  for_each_observer([&](Observer& observer, std::size_t) { observer.array_spilled(spill); });
}

void tell_element_use(bool is_written) noexcept {
  for_each_observer(
      [&](Observer& observer, std::size_t) { observer.element_used(noted_position, is_written); });
}

void tell_sorted(std::weak_ptr<const void> storage, std::size_t bytes) noexcept {
  const Sorted sorted{std::move(storage), bytes, noted_position};
  for_each_observer([&](Observer& observer, std::size_t) { observer.array_sorted(sorted); });
}

void tell_taken_part(const void* storage, std::int64_t elements,
                     std::int64_t of_elements) noexcept {
  const TakenPart part{storage, elements, of_elements, noted_position};
  for_each_observer([&](Observer& observer, std::size_t) { observer.part_taken(part); });
}

void tell_unfused_write(std::int64_t bytes) noexcept {
  for_each_observer(
      [&](Observer& observer, std::size_t) { observer.write_unfused(noted_position, bytes); });
}

void tell_detached_write(std::int64_t bytes) noexcept {
  for_each_observer(
      [&](Observer& observer, std::size_t) { observer.write_detached(noted_position, bytes); });
}

}  // namespace cupola
