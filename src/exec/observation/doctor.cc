#include "exec/observation/doctor.h"

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "base/process/clock.h"
#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "driver/set/set_driver.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

constexpr std::size_t kMaxFindings = 4096;

using Kind = DoctorFinding::Kind;
using Key = std::tuple<Kind, std::string, const void*, std::int32_t>;

class Doctor final : public Observer {
 public:
  static Doctor& instance() {
    static constinit Lazy<Doctor> doctor;
    return *doctor;
  }
  Doctor() { lock_at_fork(ForkLayer::exec, mutex_); }

  void start() {
    const std::lock_guard lock(mutex_);
    if (!is_on_) add_observer(*this);
    is_on_ = true;
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    if (is_on_) remove_observer(*this);
    is_on_ = false;
  }
  bool is_on() {
    const std::lock_guard lock(mutex_);
    return is_on_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    findings_.clear();
  }
  std::vector<DoctorFinding> findings() {
    const std::lock_guard lock(mutex_);
    std::vector<DoctorFinding> result;
    for (const auto& [key, finding] : findings_) result.push_back(finding);
    return result;
  }

  void* work_begins(const Work& work) noexcept override {
    const std::int64_t bytes = work.bytes_read + work.bytes_written;
    if (work.kind == WorkKind::kernel) {
      kernel_begins(work, bytes);
    } else if (work.is_pageable && bytes >= kLeastCopiedBytes && !is_direct(work)) {
      count(Kind::host_copy, work.name, work.position, bytes, 0);
    }
    return nullptr;
  }
  void work_ends(const Work& work, void*) noexcept override {
    if (work.kind != WorkKind::kernel) return;
    if (SetDriver::gathered_by_thread() == gathered_before_) return;
    count(Kind::gathered, work.name, work.position, work.bytes_read + work.bytes_written, 0);
  }
  void array_spilled(const Spill& spill) noexcept override {
    const bool is_out = spill.direction == SpillDirection::out;
    count(Kind::spill, is_out ? "moved to the host" : "brought back", spill.position,
          static_cast<std::int64_t>(spill.bytes), 0);
  }
  void wait_begins(const Wait&) noexcept override { wait_start_ = steady_now(); }
  void wait_ends(const Wait& wait) noexcept override {
    if (!wait.asked_by) return;
    count(Kind::synchronisation, wait.asked_by, wait.position, 0, steady_now() - wait_start_);
  }
  void element_used(const CallPosition& position, bool is_written) noexcept override {
    if (is_written) {
      count(Kind::element_write, "a[i] = ...", position, 0, 0);
    } else {
      count(Kind::element_read, "a[i]", position, 0, 0);
    }
  }
  void array_sorted(const Sorted& sorted) noexcept override {
    const std::lock_guard lock(mutex_);
    sorted_[next_sorted_++ % sorted_.size()] = sorted;
  }
  void part_taken(const TakenPart& part) noexcept override {
    if (kLeastUnsorted * part.elements > part.of_elements) return;
    if (const auto sorted = find_sorted(part.storage)) {
      count(Kind::sorted_part, "sort", sorted->position, static_cast<std::int64_t>(sorted->bytes),
            0);
    }
  }
  void write_detached(const CallPosition& position, std::int64_t bytes) noexcept override {
    if (bytes < kSmallKernelBytes) return;
    count(Kind::detached, "a write over what it reads", position, bytes, 0);
  }
  void write_unfused(const CallPosition& position, std::int64_t bytes) noexcept override {
    if (bytes < kSmallKernelBytes) return;
    count(Kind::unfused, "a write of more than one kernel", position, bytes, 0);
  }

 private:
  // Of so many elements one is taken.
  static constexpr std::int64_t kLeastUnsorted = 4;

  static bool is_direct(const Work& work) {
    return work.stream.driver().traits().pageable_is_direct;
  }
  void kernel_begins(const Work& work, std::int64_t bytes) {
    gathered_before_ = SetDriver::gathered_by_thread();
    const bool is_again = work.updated && work.updated == updated_before_;
    updated_before_ = work.updated;
    if (work.is_matrix_vector) count(Kind::matrix_vector, work.name, work.position, bytes, 0);
    if (bytes < kSmallKernelBytes) {
      if (!work.is_matrix_vector) count(Kind::small_kernel, work.name, work.position, bytes, 0);
    } else if (is_again) {
      count(Kind::update, work.name, work.position, bytes, 0);
    }
  }
  // A part is told of once for each sort.
  std::optional<Sorted> find_sorted(const void* storage) {
    const std::lock_guard lock(mutex_);
    for (Sorted& each : sorted_) {
      if (each.storage.lock().get() == storage) return std::exchange(each, {});
    }
    return std::nullopt;
  }
  void count(Kind kind, std::string what, CallPosition position, std::int64_t bytes,
             std::int64_t nanoseconds) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      Key key{kind, what, position.code, position.instruction};
      if (findings_.size() >= kMaxFindings && !findings_.contains(key)) {
        position = {};
        key = {kind, "others", nullptr, 0};
        what = "others";
      }
      DoctorFinding& finding = findings_[key];
      finding.kind = kind;
      finding.what = std::move(what);
      finding.position = position;
      ++finding.count;
      finding.bytes += bytes;
      finding.nanoseconds += nanoseconds;
    } catch (...) {
      // Not counted.
    }
  }

  std::mutex mutex_;
  bool is_on_ = false;
  std::map<Key, DoctorFinding> findings_;
  inline static thread_local std::int64_t wait_start_ = 0;
  inline static thread_local std::uint64_t gathered_before_ = 0;
  inline static thread_local const void* updated_before_ = nullptr;
  std::array<Sorted, 32> sorted_{};  // the last ones
  std::size_t next_sorted_ = 0;
};

}  // namespace

void start_doctor() { Doctor::instance().start(); }
void stop_doctor() { Doctor::instance().stop(); }
bool doctor_is_on() { return Doctor::instance().is_on(); }
void forget_findings() { Doctor::instance().forget(); }
std::vector<DoctorFinding> doctor_findings() { return Doctor::instance().findings(); }

}  // namespace cupola
