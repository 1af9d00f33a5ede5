// Memory of several devices on the fake driver of tests/fake_cuda: each step that can fail, pairs
// of GPUs that do not reach each other, and what the next process knows. tests/contract has the
// rest.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cuda.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/testing/child.h"
#include "base/testing/temporary_folder.h"
#include "cupola/error.h"
#include "driver/driver.h"
#include "platforms/cuda/fake_tests/fake_process.h"
#include "platforms/cuda/memory/peer_proof.h"

extern "C" cupola::Driver* cupola_create_driver(const char** reason);

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;
using Parts = std::vector<StripedPart>;
using testing::TemporaryFolder;
const std::vector<int> kThree{0, 1, 2};
constexpr std::size_t kUnit = std::size_t{2} << 20;

class FakeStripes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
  int run(const std::string& test, const std::map<std::string, std::string>& changes = {}) {
    std::map<std::string, std::string> settings = changes;
    settings.insert({{"FAKE_CUDA_DEVICES", "3"},
                     {"CUPOLA_DISK_CACHE", "1"},
                     {"CUPOLA_CACHE_DIR", folder_.path() / "cache"}});
    return status_of_fake_process("StripesProcess." + test, {settings.begin(), settings.end()});
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    std::error_code missing;
    for (const auto& each : fs::directory_iterator(folder_.path() / "cache" / "kernels", missing)) {
      paths.push_back(each.path());
    }
    return paths;
  }

  const TemporaryFolder folder_;
};

TEST_F(FakeStripes, WhateverStepFailsNothingChanges) { EXPECT_EQ(run("Rollback"), 0); }
TEST_F(FakeStripes, MemoryThatCannotComeBackLeavesTheAddresses) {
  EXPECT_EQ(run("RollbackOfMemoryThatComesBack"), 0);
}
TEST_F(FakeStripes, MembersThatAreShortAreNamed) { EXPECT_EQ(run("Short"), 0); }
TEST_F(FakeStripes, OnlyDevicesThatReachTheMemoryHaveContexts) { EXPECT_EQ(run("Contexts"), 0); }
TEST_F(FakeStripes, AForkedChildIsRefused) { EXPECT_EQ(run("Fork"), 0); }
TEST_F(FakeStripes, AFailedProofLeavesNothing) { EXPECT_EQ(run("FailedProof"), 0); }
TEST_F(FakeStripes, AProofThatNeverEndsIsGivenUp) {
  EXPECT_EQ(run("Stuck", {{"FAKE_CUDA_PEERS", "0-1:stuck"}}), 0);
}

TEST_F(FakeStripes, PairsWithoutAccessAreNamed) {
  EXPECT_EQ(run("Unreached", {{"FAKE_CUDA_PEERS", "0-2:none"}}), 0);
  EXPECT_TRUE(entries().empty());
}

TEST_F(FakeStripes, PairsThatLieAreFoundEachTime) {
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run("Unreached", {{"FAKE_CUDA_PEERS", "0-2:lies"}}), 0);
  EXPECT_LE(entries().size(), 1u);  // from 0 to 1
}

TEST_F(FakeStripes, TheNextProcessKnowsThePairsThatReach) {
  EXPECT_NE(run("Remembered"), 0);
  EXPECT_EQ(run("Connected"), 0);
  EXPECT_EQ(entries().size(), 6u);
  EXPECT_EQ(run("Remembered"), 0);
  EXPECT_NE(run("Remembered", {{"FAKE_CUDA_VERSION", "1.2.4"}}), 0) << "another driver";
  EXPECT_NE(run("Remembered", {{"CUPOLA_DISK_CACHE", "0"}}), 0);
}

TEST_F(FakeStripes, BrokenAndForeignFilesAreNoProof) {
  for (const bool is_foreign : {false, true}) {
    EXPECT_EQ(run("Connected"), 0);
    const auto files = entries();
    ASSERT_EQ(files.size(), 6u);
    if (is_foreign) {
      // A whole entry, of another pair.
      const std::string other = testing::read_text(files[1]);
      testing::write_text(files[0], other);
    } else {
      testing::write_text(files[0], testing::read_text(files[0]).substr(1));
    }
    EXPECT_NE(run("Remembered"), 0);
  }
}

class StripesProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_fake_process()) GTEST_SKIP() << "run by the tests of FakeStripes";
    driver_ = cupola_create_driver(nullptr);
    ASSERT_NE(driver_, nullptr);
    ASSERT_EQ(driver_->device_count(), 3);
    fake_ = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(fake_, nullptr);
  }

  void fail_call(const char* name, int skipped, int code) {
    reinterpret_cast<void (*)(const char*, int, int)>(dlsym(fake_, "fake_cuda_fail_call"))(
        name, skipped, code);
  }
  // Handles, reservations and mappings; and the bytes of each GPU.
  std::vector<std::size_t> state() {
    std::vector<std::size_t> all{
        reinterpret_cast<std::size_t (*)()>(dlsym(fake_, "fake_cuda_mappings"))()};
    for (const int device : kThree) {
      all.push_back(reinterpret_cast<std::size_t (*)(int)>(dlsym(fake_, "fake_cuda_used"))(device));
    }
    return all;
  }

  Driver* driver_ = nullptr;
  void* fake_ = nullptr;
  const Parts parts_{{0, kUnit}, {2, 3 * kUnit}, {1, 2 * kUnit}};
};

TEST_F(StripesProcess, Rollback) {
  driver_->deallocate_striped(driver_->allocate_striped(parts_, kThree), parts_);
  const auto before = state();
  ASSERT_EQ(before[0], 0u);
  const std::vector<std::pair<const char*, int>> steps{
      {"cuMemCreate", 3}, {"cuMemAddressReserve", 1}, {"cuMemMap", 3}, {"cuMemSetAccess", 1}};
  for (const auto& [call, times] : steps) {
    for (int skipped = 0; skipped < times; ++skipped) {
      fail_call(call, skipped, CUDA_ERROR_NOT_PERMITTED);
      EXPECT_THROW(driver_->allocate_striped(parts_, kThree), DeviceError) << call << skipped;
      EXPECT_EQ(state(), before) << call << skipped;
      fail_call(call, skipped, CUDA_ERROR_OUT_OF_MEMORY);
      EXPECT_THROW(driver_->allocate_striped(parts_, kThree), OutOfMemoryError) << call << skipped;
      EXPECT_EQ(state(), before) << call << skipped;
    }
    fail_call(call, times, CUDA_ERROR_NOT_PERMITTED);  // one more than there are
    driver_->deallocate_striped(driver_->allocate_striped(parts_, kThree), parts_);
    EXPECT_EQ(state(), before) << call;
  }
  fail_call(nullptr, 0, 0);
}

TEST_F(StripesProcess, RollbackOfMemoryThatComesBack) {
  driver_->deallocate_striped(driver_->allocate_striped(parts_, kThree), parts_);  // made once
  const auto nothing = state();
  void* const memory = driver_->allocate_striped(parts_, kThree);
  const auto whole = state();
  driver_->unmap_striped(memory, parts_);
  const auto away = state();
  auto expected = nothing;
  expected[0] = 1;  // the addresses
  EXPECT_EQ(away, expected);
  for (const auto& [call, times] : std::vector<std::pair<const char*, int>>{
           {"cuMemCreate", 3}, {"cuMemMap", 3}, {"cuMemSetAccess", 1}}) {
    for (int skipped = 0; skipped < times; ++skipped) {
      fail_call(call, skipped, CUDA_ERROR_OUT_OF_MEMORY);
      EXPECT_THROW(driver_->map_striped(memory, parts_, kThree), OutOfMemoryError)
          << call << skipped;
      EXPECT_EQ(state(), away) << call << skipped;
    }
    fail_call(nullptr, 0, 0);
    driver_->map_striped(memory, parts_, kThree);
    EXPECT_EQ(state(), whole);
    driver_->unmap_striped(memory, parts_);
    EXPECT_EQ(state(), away);
  }
  driver_->release_striped(memory, 6 * kUnit);
  EXPECT_EQ(state(), nothing);
}

TEST_F(StripesProcess, Short) {
  void* taken = driver_->allocate(2, std::size_t{15} << 30, MemoryKind::device);
  driver_->deallocate_striped(driver_->allocate_striped(parts_, kThree), parts_);
  const auto before = state();
  const std::size_t wanted = std::size_t{2} << 30;
  try {
    driver_->allocate_striped(Parts{{0, kUnit}, {2, wanted}, {1, kUnit}}, kThree);
    ADD_FAILURE() << "was allocated";
  } catch (const OutOfMemoryError& error) {
    const std::string message = error.what();
    const MemoryInfo info = driver_->memory_info(2);
    for (const std::string& part :
         {std::string("cuda:2"), std::to_string(wanted), std::to_string(wanted + 2 * kUnit),
          std::to_string(info.free) + " of " + std::to_string(info.total)}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
  EXPECT_EQ(state(), before);
  driver_->deallocate(2, taken, std::size_t{15} << 30, MemoryKind::device);
}

TEST_F(StripesProcess, Contexts) {
  EXPECT_EQ(driver_->stripe_granularity(0), kUnit);
  EXPECT_FALSE(driver_->has_context(0));
  // The device 1 lends memory only.
  const std::vector<int> reaching{0, 2};
  void* memory = driver_->allocate_striped(parts_, reaching);
  EXPECT_TRUE(driver_->has_context(0));
  EXPECT_TRUE(driver_->has_context(2));
  EXPECT_FALSE(driver_->has_context(1));
  StreamHandle stream = driver_->create_stream(2);
  driver_->fill_bytes(memory, 1, 6 * kUnit, stream);
  driver_->synchronize(stream);
  driver_->destroy_stream(stream);
  driver_->deallocate_striped(memory, parts_);
  EXPECT_FALSE(driver_->has_context(1));
  EXPECT_EQ(state()[0], 0u);
}

TEST_F(StripesProcess, Fork) {
  void* memory = driver_->allocate_striped(parts_, kThree);
  const int status = status_of_child([&] {
    int refused = 0;
    const auto expect_refusal = [&](const auto& use) {
      try {
        use();
      } catch (const ForkedProcessError&) {
        ++refused;
      }
    };
    expect_refusal([&] { driver_->allocate_striped(parts_, kThree); });
    expect_refusal([&] { driver_->connect(kThree); });
    expect_refusal([&] { driver_->stripe_granularity(0); });
    driver_->deallocate_striped(memory, parts_);
    return refused == 3;
  });
  EXPECT_EQ(status, 0);
  driver_->deallocate_striped(memory, parts_);
  EXPECT_EQ(state()[0], 0u);
}

TEST_F(StripesProcess, FailedProof) {
  const std::vector<int> pair{0, 1};
  for (const int device : pair) driver_->destroy_stream(driver_->create_stream(device));
  const auto before = state();
  for (const char* call : {"cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess",
                           "cuMemAllocFromPoolAsync", "cuMemcpyDtoHAsync"}) {
    fail_call(call, 0, CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THROW(driver_->connect(pair), DeviceError) << call;
    EXPECT_EQ(state(), before) << call;
  }
  // What may still be written to stays.
  fail_call("cuMemsetD8Async", 5, CUDA_ERROR_NOT_PERMITTED);
  EXPECT_THROW(driver_->connect(pair), DeviceError);
  EXPECT_EQ(state()[0], 2u);
  driver_->connect(pair);
}

TEST_F(StripesProcess, Stuck) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(data_arrives(*driver_, 0, 1, std::chrono::milliseconds(20)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(data_arrives(*driver_, 0, 2, std::chrono::seconds(10)));
}

TEST_F(StripesProcess, Unreached) {
  const auto nothing = state()[0];
  try {
    driver_->connect(kThree);
    ADD_FAILURE() << "was connected";
  } catch (const PeerAccessError& error) {
    const std::string message = error.what();
    for (const char* part : {"cuda:0", "cuda:2", "fewer devices", "cp.split_over"}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
  EXPECT_EQ(state()[0], nothing);
  driver_->connect(std::vector<int>{1});
}

TEST_F(StripesProcess, Connected) {
  driver_->connect(kThree);
  EXPECT_EQ(state()[0], 0u);
  // Once for each pair.
  fail_call("cuMemCreate", 0, CUDA_ERROR_NOT_PERMITTED);
  driver_->connect(kThree);
}

TEST_F(StripesProcess, Remembered) {
  driver_->device_count();
  fail_call("cuMemCreate", 0, CUDA_ERROR_NOT_PERMITTED);
  driver_->connect(kThree);
  for (const int device : kThree) EXPECT_FALSE(driver_->has_context(device));
}

}  // namespace
}  // namespace cupola::cuda
