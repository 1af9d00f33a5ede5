#pragma once
// A platform's driver with a stream, for contract tests.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "codegen/cuda_text.h"
#include "driver/registry.h"

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

class DriverContract : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    std::string reason;
    driver_ = find_driver(GetParam(), &reason);
    if (driver_ != nullptr && driver_->device_count() == 0) {
      driver_ = nullptr;
      reason = "it has no devices";
    }
    if (driver_ == nullptr) GTEST_SKIP() << name_of(GetParam()) << " is not usable: " << reason;
    stream_ = driver_->create_stream(0);
  }
  void TearDown() override {
    if (driver_ == nullptr) return;
    driver_->synchronize(stream_);
    driver_->destroy_stream(stream_);
    for (const auto& [pointer, bytes] : blocks_) {
      driver_->deallocate(0, pointer, bytes, MemoryKind::device);
    }
  }

  Driver& driver() { return *driver_; }
  StreamHandle stream() { return stream_; }

  // Freed after the test.
  void* allocate(std::size_t bytes) {
    blocks_.emplace_back(driver_->allocate(0, bytes, MemoryKind::device), bytes);
    return blocks_.back().first;
  }
  template <typename T>
  T* upload(const std::vector<T>& values) {
    void* memory = allocate(values.size() * sizeof(T));
    driver_->copy_from_host(memory, values.data(), values.size() * sizeof(T), stream_);
    return static_cast<T*>(memory);
  }
  template <typename T>
  std::vector<T> read(const void* memory, std::size_t count) {
    std::vector<T> values(count);
    driver_->copy_to_host(values.data(), memory, count * sizeof(T), stream_);
    return values;
  }

  std::shared_ptr<Kernel> build(const KernelPlan& plan) {
    return driver_->build(driver_->needs_text() ? cuda_code(plan) : KernelCode{"", plan, "", ""}, 0);
  }

 private:
  Driver* driver_ = nullptr;
  StreamHandle stream_ = nullptr;
  std::vector<std::pair<void*, std::size_t>> blocks_;
};

}  // namespace cupola::contract
