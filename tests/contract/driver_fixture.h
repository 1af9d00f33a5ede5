#pragma once
// A driver with a stream of what a contract test is about.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tested.h"

namespace cupola::contract {

// Holds work back until it is opened.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

class DriverContract : public ::testing::TestWithParam<Tested> {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = find_device(GetParam(), reason);
    if (!device_) GTEST_SKIP() << GetParam().to_string() << " is not usable: " << reason;
    stream_ = driver().create_stream(device());
  }
  void TearDown() override {
    if (!device_) return;
    driver().synchronize(stream_);
    driver().destroy_stream(stream_);
    for (const auto& [pointer, bytes] : blocks_) {
      driver().deallocate(device(), pointer, bytes, MemoryKind::device);
    }
  }

  static bool is_cpu() { return GetParam().platform == PlatformKind::cpu; }
  static bool is_set() { return GetParam().is_set; }
  // What the driver knows the device, or the set, by.
  int device() const { return device_->index(); }
  std::span<const int> members() const { return device_->members(); }
  // Numbers that no device has; where the devices are sets, none that is there.
  std::vector<int> unknown_devices() {
    const int count = driver().device_count();
    if (!is_set()) return {-1, count};
    const Device absent[] = {{device_->platform(), count}, {device_->platform(), count + 1}};
    return {Device::of_members(absent).index(), Device::kEndOfIndices - 1};
  }

  Driver& driver() { return cupola::driver(*device_); }
  StreamHandle stream() { return stream_; }

  // Freed after the test.
  void* allocate(std::size_t bytes) {
    blocks_.emplace_back(driver().allocate(device(), bytes, MemoryKind::device), bytes);
    return blocks_.back().first;
  }
  template <typename T>
  T* upload(const std::vector<T>& values) {
    void* memory = allocate(values.size() * sizeof(T));
    driver().copy_from_host(memory, values.data(), values.size() * sizeof(T), stream_);
    return static_cast<T*>(memory);
  }
  template <typename T>
  std::vector<T> read(const void* memory, std::size_t count) {
    std::vector<T> values(count);
    driver().copy_to_host(values.data(), memory, count * sizeof(T), stream_);
    return values;
  }

  std::shared_ptr<Kernel> build(const KernelPlan& plan) { return driver().build(plan, device()); }

  // Emulated devices do little work at the call: what `bring` brings waits until all of it is
  // there.
  template <typename Bring>
  void queued(const Bring& bring) {
    if (!is_cpu()) return bring();
    const auto gate = std::make_shared<Gate>();
    driver().run_on_host([gate] { gate->wait(); }, stream_);
    try {
      bring();
    } catch (...) {
      gate->open();
      throw;
    }
    gate->open();
  }

 private:
  std::optional<Device> device_;
  StreamHandle stream_ = nullptr;
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

}  // namespace cupola::contract
