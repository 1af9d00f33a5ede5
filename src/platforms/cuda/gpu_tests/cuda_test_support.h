#pragma once
// What tests on a GPU share: a device's memory as vectors, and launches of plans.

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "driver/registry.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {

// Null where there is no GPU.
inline Driver* gpu() {
  static Driver* const driver = cupola_create_driver(nullptr);
  return driver && driver->device_count() > 0 ? driver : nullptr;
}

// The one kernel of the process for a plan on device 0.
inline std::shared_ptr<Kernel> built(const KernelPlan& plan) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<Kernel>> kernels;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<Kernel>& kernel = kernels[plan_key(plan)];
  if (!kernel) kernel = gpu()->build(plan, 0);
  return kernel;
}

class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes ? bytes : 1) {
    data_ = gpu()->allocate(0, bytes_, MemoryKind::device);
  }
  ~Memory() { gpu()->deallocate(0, data_, bytes_, MemoryKind::device); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  char* data() const { return static_cast<char*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu()) GTEST_SKIP() << "no CUDA device";
    stream_ = gpu()->create_stream(0);
  }
  void TearDown() override {
    if (stream_) gpu()->destroy_stream(stream_);
  }

  // A copy of `values` on the device that lives as long as the test. `shift` elements are left
  // free in front, so that the copy is not aligned.
  template <class T>
  void* upload(const std::vector<T>& values, std::size_t shift = 0) {
    char* data = static_cast<char*>(poisoned((values.size() + shift) * sizeof(T)));
    data += shift * sizeof(T);
    gpu()->copy_from_host(data, values.data(), values.size() * sizeof(T), stream_);
    return data;
  }
  // Memory whose bytes are all 0xCD, those of its last 16 bytes as well: kernels read whole words.
  void* poisoned(std::size_t bytes) {
    const std::size_t whole = (bytes + 15) / 16 * 16;
    memory_.push_back(std::make_unique<Memory>(whole));
    gpu()->fill_bytes(memory_.back()->data(), 0xCD, whole, stream_);
    return memory_.back()->data();
  }
  template <class T>
  std::vector<T> download(const void* data, std::size_t count) {
    std::vector<T> values(count);
    gpu()->copy_to_host(values.data(), data, count * sizeof(T), stream_);
    return values;
  }
  void launch(const KernelPlan& plan, const LaunchArguments& arguments) {
    gpu()->launch(built(plan), arguments, stream_);
  }
  void release() {
    gpu()->synchronize(stream_);
    memory_.clear();
  }

  StreamHandle stream_ = nullptr;
  std::vector<std::unique_ptr<Memory>> memory_;
};

// Row-major strides.
inline Dims strides_of(const Dims& extents) {
  Dims strides(extents.size(), 1);
  for (std::size_t d = extents.size(); d-- > 1;) strides[d - 1] = strides[d] * extents[d];
  return strides;
}

// Numbers whose sums and products of few are exact in every type.
template <class T>
std::vector<Stored<T>> small_numbers(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<Stored<T>> values(count);
  for (auto& value : values) {
    value =
        static_cast<Stored<T>>(static_cast<float>(random() % (std::is_same_v<T, bool> ? 2 : 4)));
  }
  return values;
}

template <class T>
std::vector<T> random_numbers(std::size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> values(count);
  for (auto& value : values) value = static_cast<T>(normal(random));
  return values;
}

}  // namespace cupola::cuda
