// What every memory resource and adaptor must do, on every platform that is usable here and on sets
// of its devices.

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "cupola/error.h"
#include "memory/pool/pool.h"
#include "memory/pressure/reclaim.h"
#include "memory/resources/debug.h"
#include "memory/resources/leaves.h"
#include "runtime/stream_gate.h"
#include "tested.h"

namespace cupola {
namespace {

// The resource under test, around a leaf that can be told to fail.
using Wrap = std::function<ResourcePointer(ResourcePointer)>;
using Leaf = std::function<ResourcePointer(Driver&, const Device&)>;

struct Kind {
  const char* name;
  Leaf leaf;
  Wrap wrap;
  bool on_host = false;  // bytes are read and written without the driver
};

template <typename T>
ResourcePointer leaf_of(Driver& driver, const Device& device) {
  return std::make_shared<T>(driver, device);
}
ResourcePointer host_leaf(Driver&, const Device& device) {
  return std::make_shared<HostResource>(device);
}
ResourcePointer range_leaf(Driver& driver, const Device& device) {
  if (!device.is_set()) return std::make_shared<DeviceRange>(driver, device);
  return std::make_shared<StripedResource>(device, PlacementRule{});
}
ResourcePointer as_it_is(ResourcePointer upstream) { return upstream; }
template <typename T>
ResourcePointer wrapped(ResourcePointer upstream) {
  return std::make_shared<T>(std::move(upstream));
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"device", leaf_of<DeviceResource>, as_it_is},
      {"async", leaf_of<AsyncResource>, as_it_is},
      {"managed", leaf_of<ManagedResource>, as_it_is},
      {"pinned", leaf_of<PinnedResource>, as_it_is, true},
      {"host", host_leaf, as_it_is, true},
      {"range", range_leaf, as_it_is},
      {"limit", leaf_of<DeviceResource>,
       [](ResourcePointer up) { return std::make_shared<Limit>(up, std::size_t{1} << 40); }},
      {"statistics", leaf_of<DeviceResource>, wrapped<Statistics>},
      {"log", leaf_of<DeviceResource>,
       [](ResourcePointer up) { return std::make_shared<Log>(up, [](const Log::Entry&) {}); }},
      {"tracking", leaf_of<DeviceResource>,
       [](ResourcePointer up) {
         return std::make_shared<Tracking>(up, [] { return std::string("here"); });
       }},
      {"fault", leaf_of<DeviceResource>, wrapped<Fault>},
      {"poison", leaf_of<DeviceResource>, wrapped<Poison>},
      {"guard", leaf_of<DeviceResource>, wrapped<Guard>},
      {"reclaiming", leaf_of<DeviceResource>, wrapped<Reclaiming>},
      {"pool", leaf_of<DeviceResource>, wrapped<Pool>},
      {"async_pool", leaf_of<AsyncResource>, wrapped<Pool>},
      {"managed_pool", leaf_of<ManagedResource>, wrapped<Pool>},
      {"pinned_pool", leaf_of<PinnedResource>, wrapped<Pool>, true},
      {"poisoned_pool", leaf_of<DeviceResource>,
       [](ResourcePointer up) { return wrapped<Poison>(wrapped<Pool>(up)); }},
      {"guarded_pool", leaf_of<DeviceResource>,
       [](ResourcePointer up) { return wrapped<Guard>(wrapped<Pool>(up)); }},
  };
  return all;
}

struct Case {
  contract::Tested tested;
  std::size_t kind;
};

class ResourceContract : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    std::string reason;
    device_ = contract::find_device(GetParam().tested, reason);
    if (!device_) GTEST_SKIP() << GetParam().tested.to_string() << " is not usable: " << reason;
    fault_ = std::make_shared<Fault>(kind().leaf(driver(*device_), *device_));
    resource_ = kind().wrap(fault_);
    stream_ = new_stream();
  }
  const Kind& kind() const { return kinds()[GetParam().kind]; }
  Resource& resource() { return *resource_; }
  Fault& fault() { return *fault_; }
  StreamPointer new_stream() const { return Stream::create(*device_).state(); }

  void write(void* pointer, std::uint8_t value, std::size_t bytes, const StreamPointer& stream) {
    if (kind().on_host) {
      std::memset(pointer, value, bytes);
    } else {
      stream->driver().fill_bytes(pointer, value, bytes, stream->handle());
    }
  }
  std::vector<std::uint8_t> read(void* pointer, std::size_t bytes, const StreamPointer& stream) {
    std::vector<std::uint8_t> host(bytes);
    if (kind().on_host) {
      std::memcpy(host.data(), pointer, bytes);
    } else {
      stream->driver().copy_to_host(host.data(), pointer, bytes, stream->handle());
    }
    return host;
  }
  bool holds(void* pointer, std::uint8_t value, std::size_t bytes) {
    return read(pointer, bytes, stream_) == std::vector<std::uint8_t>(bytes, value);
  }

  std::optional<Device> device_;
  std::shared_ptr<Fault> fault_;
  ResourcePointer resource_;
  StreamPointer stream_;
};

TEST_P(ResourceContract, MemoryIsAlignedAndUsable) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{513}, std::size_t{40} << 10,
                                  std::size_t{3} << 20, (std::size_t{9} << 20) + 1}) {
    void* pointer = resource().allocate(bytes, stream_);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pointer) % 256, 0u);
    write(pointer, 0x5A, bytes, stream_);
    EXPECT_TRUE(holds(pointer, 0x5A, bytes));
    resource().deallocate(pointer, bytes, stream_);
  }
}

TEST_P(ResourceContract, LiveBlocksNeverOverlap) {
  struct Live {
    char* data;
    std::size_t bytes;
    std::uint8_t value;
  };
  std::vector<Live> live;
  std::uint32_t random = 1;
  for (int i = 0; i < 300; ++i) {
    random = random * 1664525 + 1013904223;
    if (random >> 30 == 0 && !live.empty()) {
      const Live victim = live[random % live.size()];
      ASSERT_TRUE(holds(victim.data, victim.value, victim.bytes));
      resource().deallocate(victim.data, victim.bytes, stream_);
      std::erase_if(live, [&](const Live& each) { return each.data == victim.data; });
      continue;
    }
    const std::size_t bytes = 1 + (random >> 8) % (i % 20 == 0 ? 2'500'000 : 20'000);
    const Live added{static_cast<char*>(resource().allocate(bytes, stream_)), bytes,
                     static_cast<std::uint8_t>(i)};
    write(added.data, added.value, bytes, stream_);
    for (const Live& each : live) {
      ASSERT_TRUE(added.data + bytes <= each.data || each.data + each.bytes <= added.data);
    }
    live.push_back(added);
  }
  for (const Live& each : live) {
    EXPECT_TRUE(holds(each.data, each.value, each.bytes));
    resource().deallocate(each.data, each.bytes, stream_);
  }
}

TEST_P(ResourceContract, MoreThanThereIsThrowsAndLeavesTheRestUsable) {
  void* held = resource().allocate(1000, stream_);
  write(held, 7, 1000, stream_);
  for (const std::size_t bytes : {std::size_t{1} << 60, SIZE_MAX - 1000, SIZE_MAX}) {
    EXPECT_THROW(resource().allocate(bytes, stream_), OutOfMemoryError);
  }
  void* pointer = resource().allocate(64, stream_);
  write(pointer, 8, 64, stream_);
  EXPECT_TRUE(holds(pointer, 8, 64));
  EXPECT_TRUE(holds(held, 7, 1000));
  resource().deallocate(pointer, 64, stream_);
  resource().deallocate(held, 1000, stream_);
}

// Whichever call of the platform fails, the request throws or is served, and nothing else changes.
TEST_P(ResourceContract, TheKthRequestOfThePlatformMayFail) {
  constexpr std::size_t kUnit = kIsSanitized ? 1 : 10;
  for (std::int64_t k = 1; k <= 6; ++k) {
    std::vector<std::pair<void*, std::size_t>> live;
    fault().fail_after(k);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t bytes = (i + 1) * (i % 2 ? 30'000 : 100'000) * kUnit;
      try {
        live.emplace_back(resource().allocate(bytes, stream_), bytes);
        write(live.back().first, static_cast<std::uint8_t>(i), bytes, stream_);
      } catch (const OutOfMemoryError&) {
        live.emplace_back(nullptr, bytes);
      }
    }
    fault().fail_after(0);
    for (std::size_t i = 0; i < live.size(); ++i) {
      const auto [pointer, bytes] = live[i];
      if (!pointer) continue;
      EXPECT_TRUE(holds(pointer, static_cast<std::uint8_t>(i), bytes)) << k << " " << i;
      resource().deallocate(pointer, bytes, stream_);
    }
    resource().trim();
  }
}

TEST_P(ResourceContract, DeallocationIsAfterTheStreamsWork) {
  if (kind().on_host) GTEST_SKIP() << "the host writes at once";
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  constexpr int kRounds = kIsSanitized ? 4 : 20;
  for (int round = 0; round < kRounds; ++round) {
    void* first = resource().allocate(kBytes, stream_);
    write(first, 1, kBytes, stream_);
    resource().deallocate(first, kBytes, stream_);  // the write may still run
    void* second = resource().allocate(kBytes, stream_);
    write(second, 2, kBytes, stream_);
    ASSERT_TRUE(holds(second, 2, kBytes));
    resource().deallocate(second, kBytes, stream_);
  }
}

TEST_P(ResourceContract, ThreadsMayAllocateAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const StreamPointer stream = new_stream();
      const auto value = static_cast<std::uint8_t>(t + 1);
      for (std::size_t i = 1; i <= 60; ++i) {
        const std::size_t bytes = i * 370;
        void* pointer = resource().allocate(bytes, stream);
        write(pointer, value, bytes, stream);
        wrong += read(pointer, bytes, stream) != std::vector<std::uint8_t>(bytes, value);
        resource().deallocate(pointer, bytes, stream);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ResourceContract, BlocksMayBeFreedByAnotherThread) {
  std::vector<void*> blocks;
  for (int i = 0; i < 32; ++i) blocks.push_back(resource().allocate(5000, stream_));
  std::thread([&] {
    for (void* block : blocks) resource().deallocate(block, 5000, stream_);
  }).join();
  void* pointer = resource().allocate(5000, stream_);
  write(pointer, 3, 5000, stream_);
  EXPECT_TRUE(holds(pointer, 3, 5000));
  resource().deallocate(pointer, 5000, stream_);
}

TEST_P(ResourceContract, PropertiesSayWhoMayUseIt) {
  const ResourceProperties properties = resource().properties();
  EXPECT_EQ(properties.device, *device_);
  if (kind().on_host) {
    EXPECT_TRUE(properties.host_accessible);
  } else {
    EXPECT_TRUE(properties.device_accessible);
  }
}

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const contract::Tested& tested : contract::kDevicesAndSets) {
    for (std::size_t kind = 0; kind < kinds().size(); ++kind) result.push_back({tested, kind});
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(All, ResourceContract, ::testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.tested.to_string() + "_" + kinds()[test.param.kind].name;
});

}  // namespace
}  // namespace cupola
