#pragma once
// For tests: a fixture whose tests run on the fake driver of tests/fake_cuda, each in a process of
// its own, and what they see and change of it.

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "driver/driver.h"
#include "platforms/cuda/fake_tests/fake_process.h"
#include "platforms/cuda/fake_tests/recorded_launch.h"
#include "platforms/cuda/streams/cuda_stream.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {

// The functions of tests/fake_cuda/fake_cuda.h.
class FakeDriver {
 public:
  FakeDriver() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {}

  void fail_device(int device, int code) const {
    get<void(int, int)>("fake_cuda_fail")(device, code);
  }
  void fail_call(const char* name, int code, int skipped = 0) const {
    get<void(const char*, int, int)>("fake_cuda_fail_call")(name, skipped, code);
  }
  std::size_t used(int device = 0) const { return get<std::size_t(int)>("fake_cuda_used")(device); }
  std::size_t mappings() const { return get<std::size_t()>("fake_cuda_mappings")(); }
  void set_attribute(CUdevice_attribute attribute, int value) const {
    get<void(int, int)>("fake_cuda_set_device_attribute")(attribute, value);
  }
  void set_attribute(CUfunction_attribute attribute, int value) const {
    get<void(int, int)>("fake_cuda_set_function_attribute")(attribute, value);
  }
  void hold(void* stream) const { get<void(void*)>("fake_cuda_hold")(stream); }
  void release(void* stream) const { get<void(void*)>("fake_cuda_release")(stream); }
  void watch_launches(std::size_t bytes) const {
    get<void(std::size_t)>("fake_cuda_watch_launches")(bytes);
  }
  std::vector<fake_cuda::Launch> take_launches() const {
    std::vector<fake_cuda::Launch> all(1000);
    all.resize(get<std::size_t(fake_cuda::Launch*, std::size_t)>("fake_cuda_take_launches")(
        all.data(), all.size()));
    return all;
  }
  void watch_calls() const { get<void()>("fake_cuda_watch_calls")(); }
  // Those of `wanted`, with their arguments.
  std::vector<std::string> take_calls(const std::vector<std::string>& wanted) const {
    std::string text(std::size_t{1} << 20, '\0');
    text.resize(
        get<std::size_t(char*, std::size_t)>("fake_cuda_take_calls")(text.data(), text.size()));
    std::vector<std::string> calls;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string call = text.substr(begin, end - begin);
      const std::string name = call.substr(0, call.find(' '));
      if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) calls.push_back(call);
      begin = end + 1;
    }
    return calls;
  }

 private:
  template <typename Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  void* library_;
};

using Calls = std::vector<std::string>;

// A test is one call of on_fake_cuda().
class OnFakeCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
    if (is_fake_process()) driver_ = cupola_create_driver(nullptr);
  }

  // Runs `body` in a process that has the fake driver. `program`: see fake_process.h.
  static void on_fake_cuda(const std::function<void()>& body, Environment environment = {},
                           const std::filesystem::path& program = own_path()) {
    if (is_fake_process()) {
      alarm(60);  // a wait that never ends is a failure of this test
      return body();
    }
    environment.emplace_back("CUPOLA_DISK_CACHE", "0");
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    EXPECT_EQ(status_of_fake_process(name, environment, program), 0) << "see its output";
  }

  const FakeDriver fake_;
  Driver* driver_ = nullptr;
};

// A stream of device 0 for the life of this object.
class FakeStream {
 public:
  explicit FakeStream(Driver* driver, int device = 0)
      : driver_(driver), handle_(driver->create_stream(device)) {}
  ~FakeStream() { driver_->destroy_stream(handle_); }
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;
  operator StreamHandle() const { return handle_; }
  CudaStream& own() const { return from_handle(handle_); }

 private:
  Driver* driver_;
  StreamHandle handle_;
};

}  // namespace cupola::cuda
