#include "exec/doctor.h"

#include <map>
#include <mutex>
#include <tuple>

#include "base/clock.h"
#include "base/fork.h"
#include "base/lazy.h"
#include "driver/set/set_driver.h"
#include "runtime/observer.h"

namespace cupola {

namespace {

constexpr std::size_t kMostFindings = 4096;

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
      gathered_before_ = SetDriver::gathered_by_thread();
      if (bytes < kSmallKernelBytes) count(Kind::small_kernel, work.name, work.position, bytes, 0);
    } else if (work.is_pageable && bytes >= kLeastCopiedBytes) {
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
  void element_used(const CallPosition& position) noexcept override {
    count(Kind::element, "a[i]", position, 0, 0);
  }

 private:
  void count(Kind kind, std::string what, CallPosition position, std::int64_t bytes,
             std::int64_t nanoseconds) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      Key key{kind, what, position.code, position.instruction};
      if (findings_.size() >= kMostFindings && !findings_.contains(key)) {
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
};

}  // namespace

void start_doctor() { Doctor::instance().start(); }
void stop_doctor() { Doctor::instance().stop(); }
bool doctor_is_on() { return Doctor::instance().is_on(); }
void forget_findings() { Doctor::instance().forget(); }
std::vector<DoctorFinding> doctor_findings() { return Doctor::instance().findings(); }

}  // namespace cupola
