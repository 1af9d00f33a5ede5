#include "exec/observation/launch_log.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/process/fork.h"
#include "base/threads/lazy.h"
#include "core/storage.h"
#include "cupola/error.h"
#include "runtime/observer.h"

namespace cupola {

std::atomic<bool> internal::logs_launches{false};

namespace {

constexpr std::size_t kMaxLaunches = 10'000;
// Where no process has memory, and as far apart as no storage is long.
constexpr std::uintptr_t kNowhere = std::uintptr_t{1} << 62;
constexpr std::uintptr_t kApart = std::uintptr_t{1} << 40;

// Is an observer so that launches are told of.
class LaunchLog final : public Observer {
 public:
  static LaunchLog& instance() {
    static constinit Lazy<LaunchLog> log;
    return *log;
  }
  LaunchLog() { lock_at_fork(ForkLayer::exec, mutex_); }

  void start() {
    const std::lock_guard lock(mutex_);
    if (is_logging_launches()) throw ValueError("launches are being recorded already");
    launches_.clear();
    places_.clear();
    add_observer(*this);
    internal::logs_launches = true;
  }
  std::vector<LoggedLaunch> stop() {
    const std::lock_guard lock(mutex_);
    if (internal::logs_launches.exchange(false)) remove_observer(*this);
    places_.clear();
    return std::exchange(launches_, {});
  }
  // `fill` adds what a launch reads and writes.
  template <typename Fill>
  void add(const Fill& fill) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      if (!is_logging_launches() || launches_.size() >= kMaxLaunches) return;
      LoggedLaunch launch;
      launch.position = noted_position;
      fill(launch);
      if (!launch.writes.empty()) launches_.push_back(std::move(launch));
    } catch (...) {
      // Not recorded.
    }
  }

  // The array, which keeps no memory alive.
  Array copy_of(const Array& array) {
    const std::shared_ptr<Storage>& storage = array.state().storage;
    const auto next = kNowhere + kApart * places_.size();
    const std::uintptr_t place = places_.try_emplace(storage, next).first->second;
    return make_stored(array.dtype(), array.shape(), storage_at(array.device(), place),
                       array.state().layout);
  }
  // What an operand reaches, where no array is known that it is.
  static Array array_of(const OperandSpec& spec, const OperandArgument& argument,
                        const Dims& extents, const Device& device) {
    const auto place = reinterpret_cast<std::uintptr_t>(argument.pointer);
    const bool has_strides = argument.strides.rank() == extents.rank();
    Layout layout{has_strides ? argument.strides : Dims{1}, 0};
    return make_stored(spec.dtype, has_strides ? extents : Dims{1}, storage_at(device, place),
                       std::move(layout));
  }

 private:
  static std::shared_ptr<Storage> storage_at(const Device& device, std::uintptr_t place) {
    return std::make_shared<Storage>(device, reinterpret_cast<void*>(place), 0);
  }

  std::mutex mutex_;
  std::vector<LoggedLaunch> launches_;
  std::map<std::weak_ptr<Storage>, std::uintptr_t, std::owner_less<>> places_;
};

// Null: none of them starts there.
const Array* find_at(const void* pointer, DType dtype, ArrayPointers reads) {
  for (const Array* array : reads.all) {
    if (is_stored(*array) && array->dtype() == dtype && pointer_of(*array) == pointer) return array;
  }
  return nullptr;
}

}  // namespace

void start_launch_log() { LaunchLog::instance().start(); }
std::vector<LoggedLaunch> stop_launch_log() { return LaunchLog::instance().stop(); }

void log_launch(const KernelPlan& plan, const LaunchArguments& arguments, ArrayPointers reads,
                std::span<const Array> writes) noexcept {
  if (writes.empty()) return;
  LaunchLog& log = LaunchLog::instance();
  log.add([&](LoggedLaunch& launch) {
    const Device& device = writes.front().device();
    launch.plan = plan;
    launch.arguments = arguments;
    for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
      const OperandArgument& input = arguments.inputs[i];
      const Array* found = find_at(input.pointer, plan.inputs[i].dtype, reads);
      launch.reads.push_back(
          found ? log.copy_of(*found)
                : LaunchLog::array_of(plan.inputs[i], input, arguments.extents, device));
    }
    for (std::size_t i = 0; i < arguments.outputs.size(); ++i) {
      launch.writes.push_back(log.copy_of(writes[std::min(i, writes.size() - 1)]));
    }
  });
}

void log_launch(const std::string& name, std::span<const Array> reads,
                std::span<const Array> writes) noexcept {
  LaunchLog& log = LaunchLog::instance();
  log.add([&](LoggedLaunch& launch) {
    launch.name = name;
    for (const Array& array : reads) launch.reads.push_back(log.copy_of(array));
    for (const Array& array : writes) launch.writes.push_back(log.copy_of(array));
  });
}

}  // namespace cupola
