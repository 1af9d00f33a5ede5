#include "memory/pressure/reclaim.h"

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "memory/buffer.h"
#include "memory/hooks.h"
#include "memory/testing.h"
#include "runtime/completion.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

using testing::CountedPool;
using testing::cpu_device;
using testing::kMiB;
using testing::new_stream;
using testing::OnePool;

// Two pools over one limited upstream, as two pools of one device are.
struct TwoPools {
  explicit TwoPools(std::size_t limit)
      : first(limit), second(std::make_shared<Pool>(first.counts)) {}
  CountedPool first;
  std::shared_ptr<Pool> second;
};

TEST(Reclaim, OtherPoolsOfTheDeviceGiveWhatTheyCache) {
  TwoPools pools(40 * kMiB);
  const StreamPointer stream = new_stream();
  void* block = pools.second->allocate(30 * kMiB, stream);
  pools.second->deallocate(block, 30 * kMiB, stream);
  block = pools.first.pool->allocate(30 * kMiB, stream);
  EXPECT_EQ(pools.second->statistics().cached, 0u);
  pools.first.pool->deallocate(block, 30 * kMiB, stream);
}

// The same memory, as that of another device.
class Elsewhere final : public Adaptor {
 public:
  using Adaptor::Adaptor;
  ResourceProperties properties() const override {
    ResourceProperties properties = Adaptor::properties();
    properties.device = Device(PlatformKind::cpu, 1);
    return properties;
  }
};

TEST(Reclaim, PoolsOfOtherDevicesKeepWhatTheyCache) {
  CountedPool full(40 * kMiB);
  const CountedPool lender;
  Pool other(std::make_shared<Elsewhere>(lender.counts));
  const StreamPointer stream = new_stream();
  other.deallocate(other.allocate(30 * kMiB, stream), 30 * kMiB, stream);
  const std::size_t cached = other.statistics().cached;
  EXPECT_GE(cached, 30 * kMiB);
  EXPECT_THROW(full.pool->allocate(50 * kMiB, stream), OutOfMemoryError);
  EXPECT_EQ(other.statistics().cached, cached);
}

TEST(Reclaim, WhatIsInFlightIsWaitedFor) {
  CountedPool counted(40 * kMiB);
  Pool& pool = *counted.pool;
  const StreamPointer home = new_stream();
  const Stream reader = Stream::create(cpu_device());
  void* block = pool.allocate(30 * kMiB, home);
  StreamGate gate(reader);
  const ResourcePointer kept = counted.pool;
  retire(reader.state(), {[=] { kept->deallocate(block, 30 * kMiB, home); }, 30 * kMiB});
  std::thread opener([&] { gate.open(); });
  void* again = pool.allocate(30 * kMiB, home);
  opener.join();
  pool.deallocate(again, 30 * kMiB, home);
}

TEST(Reclaim, RegisteredCachesAreAsked) {
  CountedPool counted(40 * kMiB);
  Pool& pool = *counted.pool;
  const StreamPointer stream = new_stream();
  void* cached = pool.allocate(30 * kMiB, stream);
  int asked = 0;
  auto registration = register_cache([&](const Device& device) -> std::size_t {
    ++asked;
    EXPECT_EQ(device, cpu_device());
    if (!cached) return 0;
    pool.deallocate(std::exchange(cached, nullptr), 30 * kMiB, stream);
    return 30 * kMiB;
  });
  void* block = pool.allocate(30 * kMiB, stream);
  EXPECT_EQ(asked, 1);
  pool.deallocate(block, 30 * kMiB, stream);
  registration.reset();
  EXPECT_THROW(pool.allocate(50 * kMiB, stream), OutOfMemoryError);
  EXPECT_EQ(asked, 1);
}

void* garbage = nullptr;
CountedPool* garbage_pool = nullptr;
int collections = 0;

struct Collector {
  explicit Collector(CountedPool& pool) {
    garbage_pool = &pool;
    collections = 0;
    set_collector([] {
      ++collections;
      if (garbage) {
        garbage_pool->pool->deallocate(std::exchange(garbage, nullptr), 30 * kMiB, nullptr);
      }
    });
  }
  ~Collector() { set_collector(nullptr); }
};

TEST(Reclaim, TheCollectorRunsOnceAndLast) {
  CountedPool counted(40 * kMiB);
  const Collector collector(counted);
  const StreamPointer stream = new_stream();
  garbage = counted.pool->allocate(30 * kMiB, stream);
  void* block = counted.pool->allocate(30 * kMiB, stream);
  EXPECT_EQ(collections, 1);
  EXPECT_THROW(counted.pool->allocate(30 * kMiB, stream), OutOfMemoryError);
  EXPECT_EQ(collections, 2);
  counted.pool->deallocate(block, 30 * kMiB, stream);
}

TEST(Reclaim, TheCollectorDoesNotRunWhileLocksAreHeld) {
  CountedPool counted(40 * kMiB);
  const Collector collector(counted);
  const StreamPointer stream = new_stream();
  void* block = counted.pool->allocate(30 * kMiB, stream);
  {
    const InterpreterBarrier barrier;
    EXPECT_THROW(counted.pool->allocate(30 * kMiB, stream), OutOfMemoryError);
    EXPECT_FALSE(run_collector());
  }
  EXPECT_EQ(collections, 0);
  EXPECT_TRUE(run_collector());
  counted.pool->deallocate(block, 30 * kMiB, stream);
}

// P4.6
TEST(Reclaim, TheErrorHasTheDevicesAccount) {
  CountedPool counted(40 * kMiB);
  const StreamPointer stream = new_stream();
  void* live = counted.pool->allocate(20 * kMiB, stream);
  void* cached = counted.pool->allocate(9 * kMiB, stream);
  counted.pool->deallocate(cached, 9 * kMiB, stream);
  const MemoryAccount account = account_of(cpu_device());
  EXPECT_GE(account.live, 20 * kMiB);
  EXPECT_GE(account.cached, 9 * kMiB);
  EXPECT_EQ(account.total, driver(PlatformKind::cpu).memory_info(0).total);
  try {
    counted.pool->allocate(30 * kMiB, stream);
    FAIL();
  } catch (const OutOfMemoryError& error) {
    const std::string text = error.what();
    for (const char* part :
         {"out of memory on cpu:0", "31457280 bytes asked for", "free of", "held by live arrays",
          "cached", "used by others", "20971520 of the 41943040 bytes that the limit allows"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
    }
  }
  counted.pool->deallocate(live, 20 * kMiB, stream);
}

TEST(MemoryLimit, IsReadInBytesOrAsAPart) {
  EXPECT_EQ(parse_memory_limit("1000", 4000), 1000u);
  EXPECT_EQ(parse_memory_limit("50%", 4000), 2000u);
  EXPECT_EQ(parse_memory_limit("12.5%", 4000), 500u);
  EXPECT_EQ(parse_memory_limit("0", 4000), 0u);
  for (const char* text : {"", "%", "-1", "101%", "-5%", "5 %", "half", "10G", "1e3"}) {
    EXPECT_THROW(parse_memory_limit(text, 4000), ValueError) << text;
  }
}

TEST(Allocators, TheThreadsScopeComesBeforeTheProcess) {
  const CountedPool of_process, of_thread;
  const auto global = std::make_shared<OnePool>(of_process.pool);
  const auto local = std::make_shared<OnePool>(of_thread.pool);
  const StreamPointer stream = new_stream();
  const auto used = [](const CountedPool& counted) { return counted.pool->statistics().used; };
  set_allocator(global);
  auto one = allocate_storage(cpu_device(), 1024, stream);
  EXPECT_EQ(used(of_process), 1024u);
  {
    const AllocatorScope scope(local);
    auto two = allocate_storage(cpu_device(), 1024, stream);
    EXPECT_EQ(used(of_thread), 1024u);
    std::thread([&] { EXPECT_EQ(get_allocator(), global); }).join();
    const AllocatorScope none(nullptr);
    allocate_storage(cpu_device(), 1024, stream);
    EXPECT_EQ(used(of_thread), 1024u);
  }
  EXPECT_EQ(used(of_thread), 0u);
  set_allocator(nullptr);
  one.reset();  // goes back to where it came from
  EXPECT_EQ(used(of_process), 0u);
}

}  // namespace
}  // namespace cupola
