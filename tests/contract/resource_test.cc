// What every memory resource must do, on every platform that is usable here.

#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver/registry.h"
#include "memory/pool.h"

namespace cupola {
namespace {

enum class Kind { device, pool };

struct Case {
  PlatformKind platform;
  Kind kind;
};

class ResourceContract : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (device_count(GetParam().platform) == 0) GTEST_SKIP() << "platform is not usable here";
    leaf_ = std::make_unique<DeviceResource>(driver(device_.platform()), device_);
    pool_ = std::make_unique<Pool>(*leaf_);
    stream_ = Stream::create(device_).state();
  }
  Resource& resource() {
    return GetParam().kind == Kind::pool ? static_cast<Resource&>(*pool_) : *leaf_;
  }

  Device device_{GetParam().platform, 0};
  std::unique_ptr<DeviceResource> leaf_;
  std::unique_ptr<Pool> pool_;
  StreamPointer stream_;
};

TEST_P(ResourceContract, MemoryIsAlignedAndUsable) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{513}, std::size_t{3} << 20}) {
    void* pointer = resource().allocate(bytes, stream_);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 256, 0u);
    stream_->driver().fill_bytes(pointer, 0x5A, bytes, stream_->handle());
    std::vector<unsigned char> host(bytes);
    stream_->driver().copy_to_host(host.data(), pointer, bytes, stream_->handle());
    EXPECT_EQ(host.front(), 0x5A);
    EXPECT_EQ(host.back(), 0x5A);
    resource().deallocate(pointer, bytes, stream_);
  }
}

TEST_P(ResourceContract, LiveBlocksNeverOverlap) {
  constexpr std::size_t kBytes = 4096;
  std::set<char*> blocks;
  for (int i = 0; i < 64; ++i) {
    blocks.insert(static_cast<char*>(resource().allocate(kBytes, stream_)));
  }
  ASSERT_EQ(blocks.size(), 64u);
  char* previous = nullptr;
  for (char* block : blocks) {
    if (previous) {
      EXPECT_GE(block - previous, static_cast<std::ptrdiff_t>(kBytes));
    }
    previous = block;
  }
  for (char* block : blocks) resource().deallocate(block, kBytes, stream_);
}

TEST_P(ResourceContract, MoreThanThereIsThrowsAndLeavesTheRestUsable) {
  EXPECT_THROW(resource().allocate(std::size_t{1} << 60, stream_), OutOfMemoryError);
  void* pointer = resource().allocate(64, stream_);
  EXPECT_NE(pointer, nullptr);
  resource().deallocate(pointer, 64, stream_);
}

TEST_P(ResourceContract, ThreadsMayAllocateAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this] {
      const StreamPointer stream = Stream::create(device_).state();
      for (std::size_t i = 1; i <= 200; ++i) {
        void* pointer = resource().allocate(i * 37, stream);
        resource().deallocate(pointer, i * 37, stream);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::string(name_of(info.param.platform)) +
         (info.param.kind == Kind::pool ? "_pool" : "_device");
}

INSTANTIATE_TEST_SUITE_P(All, ResourceContract,
                         testing::Values(Case{PlatformKind::cpu, Kind::device},
                                         Case{PlatformKind::cpu, Kind::pool},
                                         Case{PlatformKind::cuda, Kind::device},
                                         Case{PlatformKind::cuda, Kind::pool}),
                         case_name);

TEST(Pool, ABlockServesItsOwnStreamAgain) {
  const Device device(PlatformKind::cpu, 0);
  DeviceResource leaf(driver(PlatformKind::cpu), device);
  Pool pool(leaf);
  const StreamPointer stream = Stream::create(device).state();
  void* first = pool.allocate(1000, stream);
  pool.deallocate(first, 1000, stream);
  EXPECT_EQ(pool.statistics().used, 0u);
  EXPECT_GE(pool.statistics().cached, 1000u);
  EXPECT_EQ(pool.allocate(900, stream), first);
  pool.deallocate(first, 900, stream);
  EXPECT_GE(pool.trim(), 1000u);
  EXPECT_EQ(pool.statistics().cached, 0u);
}

// The other stream still writes to the block: what the new owner wrote must come last.
TEST(Pool, ABlockOfAnotherStreamWaitsForItsWork) {
  const Device device(PlatformKind::cpu, 0);
  Driver& cpu = driver(PlatformKind::cpu);
  DeviceResource leaf(cpu, device);
  Pool pool(leaf);
  const StreamPointer slow = Stream::create(device).state();
  const StreamPointer fast = Stream::create(device).state();
  constexpr std::size_t kBytes = 1 << 16;
  void* block = pool.allocate(kBytes, slow);
  std::atomic<bool> released{false};
  cpu.run_on_host(
      [&] {
        while (!released.load()) std::this_thread::yield();
      },
      slow->handle());
  cpu.fill_bytes(block, 1, kBytes, slow->handle());
  pool.deallocate(block, kBytes, slow);
  ASSERT_EQ(pool.allocate(kBytes, fast), block);
  cpu.fill_bytes(block, 2, kBytes, fast->handle());
  released = true;
  std::vector<unsigned char> host(kBytes);
  cpu.copy_to_host(host.data(), block, kBytes, fast->handle());
  cpu.synchronize(slow->handle());
  EXPECT_EQ(std::count(host.begin(), host.end(), 2), static_cast<std::ptrdiff_t>(kBytes));
  pool.deallocate(block, kBytes, fast);
}

}  // namespace
}  // namespace cupola
