// Memory of several emulated devices: budgets, pairs that tests forbid, and the hostile platform.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/child.h"
#include "base/testing/environment_variables.h"
#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "platforms/cpu/adversary/adversarial_driver.h"
#include "platforms/cpu/device/cpu_driver.h"

namespace cupola::cpu {
namespace {

using testing::EnvironmentVariables;
using testing::message_of;
using Parts = std::vector<StripedPart>;

Settings three_devices() {
  Settings settings{3, Budgets(std::vector<std::size_t>{1024, 512, 2048})};
  settings.stripe_bytes = 64;
  return settings;
}
const std::vector<int> kThree{0, 1, 2};

std::vector<std::size_t> free_bytes(Driver& driver) {
  std::vector<std::size_t> free;
  for (const int device : kThree) free.push_back(driver.memory_info(device).free);
  return free;
}

TEST(StripedSettings, BudgetsAreAList) {
  const EnvironmentVariables variables{{"CUPOLA_CPU_DEVICES", "4"},
                                       {"CUPOLA_CPU_DEVICE_MEMORY", "64M,32K,1000"}};
  CpuDriver driver(read_settings());
  EXPECT_EQ(driver.memory_info(0).total, std::size_t{64} << 20);
  EXPECT_EQ(driver.properties(1).total_memory, std::size_t{32} << 10);
  EXPECT_EQ(driver.memory_info(2).total, 1000u);
  EXPECT_EQ(driver.memory_info(3).total, 1000u);
}

TEST(StripedSettings, BadValuesAreNamed) {
  const std::vector<std::pair<const char*, std::vector<const char*>>> bad{
      {"CUPOLA_CPU_DEVICE_MEMORY", {"64M,", ",1", "64M;1", "1,0", "-1", "1e9", "9999999999G"}},
      {"CUPOLA_CPU_STRIPE_BYTES", {"8", "0", "48", "4K", "-64", "x", "2199023255552"}},
      {"CUPOLA_CPU_PEERS", {"0-1", "0:none", "1-1:none", "0-1:maybe", "0-1:none,", "a-b:lies"}}};
  for (const auto& [name, values] : bad) {
    for (const char* value : values) {
      const EnvironmentVariables variable{{name, value}};
      const std::string message = message_of<ValueError>([] { read_settings(); });
      EXPECT_NE(message.find(name), std::string::npos) << message << value;
    }
  }
}

TEST(StripedSettings, Granularity) {
  EXPECT_EQ(CpuDriver(read_settings()).stripe_granularity(0), 4096u);
  const EnvironmentVariables bytes{{"CUPOLA_CPU_STRIPE_BYTES", "16"}};
  EXPECT_EQ(CpuDriver(read_settings()).stripe_granularity(0), 16u);
}

TEST(Striped, EachPartIsChargedToItsDevice) {
  CpuDriver driver(three_devices());
  const Parts parts{{0, 128}, {2, 1024}, {1, 64}};
  void* memory = driver.allocate_striped(parts, kThree);
  EXPECT_EQ(free_bytes(driver), (std::vector<std::size_t>{896, 448, 1024}));
  driver.deallocate_striped(memory, parts);
  EXPECT_EQ(free_bytes(driver), (std::vector<std::size_t>{1024, 512, 2048}));
}

TEST(Striped, WhoIsShortIsNamedAndNothingIsCharged) {
  CpuDriver driver(three_devices());
  void* plain = driver.allocate(1, 500, MemoryKind::device);
  const std::string message = message_of<OutOfMemoryError>([&] {
    driver.allocate_striped(Parts{{0, 128}, {2, 1024}, {1, 64}}, kThree);
  });
  for (const char* part : {"cpu:1", "64 bytes", "its share of 1216", "12 are free"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_EQ(free_bytes(driver), (std::vector<std::size_t>{1024, 12, 2048}));
  driver.deallocate(1, plain, 500, MemoryKind::device);
  EXPECT_THROW(driver.allocate_striped(Parts{{0, 128}, {1, std::size_t{1} << 62}}, kThree),
               OutOfMemoryError);
  EXPECT_EQ(free_bytes(driver), (std::vector<std::size_t>{1024, 512, 2048}));
}

TEST(Striped, OnlyOneOfTwoThatWantAllGetsIt) {
  CpuDriver driver(three_devices());
  std::atomic<int> inside{0};
  std::atomic<int> got{0};
  const auto take = [&](const Parts& parts) {
    for (int i = 0; i < 500; ++i) {
      try {
        void* memory = driver.allocate_striped(parts, kThree);
        EXPECT_EQ(++inside, 1);
        ++got;
        --inside;
        driver.deallocate_striped(memory, parts);
      } catch (const OutOfMemoryError&) {
      }
    }
  };
  std::thread other(take, Parts{{0, 1024}, {1, 512}, {2, 2048}});
  take(Parts{{2, 2048}, {1, 512}, {0, 1024}});
  other.join();
  EXPECT_GT(got, 0);
  EXPECT_EQ(free_bytes(driver), (std::vector<std::size_t>{1024, 512, 2048}));
}

TEST(Striped, AChildGoesOn) {
  CpuDriver driver(three_devices());
  const Parts parts{{0, 64}, {1, 64}};
  void* memory = driver.allocate_striped(parts, kThree);
  EXPECT_EQ(status_of_child([&] {
              driver.connect(kThree);
              void* own = driver.allocate_striped(parts, kThree);
              driver.deallocate_striped(own, parts);
              driver.deallocate_striped(memory, parts);
              return free_bytes(driver) == std::vector<std::size_t>{1024, 512, 2048};
            }),
            0);
  driver.deallocate_striped(memory, parts);
}

TEST(Peers, AllReachAllUnlessToldOtherwise) {
  const EnvironmentVariables variables{{"CUPOLA_CPU_PEERS", "0-1:none,2-1:lies"},
                                       {"CUPOLA_CPU_DEVICES", "4"}};
  CpuDriver driver(read_settings());
  EXPECT_FALSE(driver.can_access_peer(0, 1));
  EXPECT_FALSE(driver.can_access_peer(1, 0));
  EXPECT_TRUE(driver.can_access_peer(1, 2));
  EXPECT_TRUE(driver.can_access_peer(0, 2));
  EXPECT_FALSE(driver.can_access_peer(0, 0));
  driver.connect(std::vector<int>{0, 2, 3});
  driver.connect(std::vector<int>{1, 3});
  driver.connect(std::vector<int>{1});
}

TEST(Peers, APairThatDoesNotReachIsNamedWithTheWaysOut) {
  Settings settings = three_devices();
  settings.bad_pairs = {{0, 1, false}, {2, 1, true}};
  CpuDriver driver(settings);
  const std::string none = message_of<PeerAccessError>([&] {
    driver.connect(std::vector<int>{2, 0, 1});
  });
  for (const char* part : {"cpu:0", "cpu:1", "fewer devices", "cp.split_over"}) {
    EXPECT_NE(none.find(part), std::string::npos) << none;
  }
  for (int i = 0; i < 2; ++i) {  // never remembered
    const std::string lies = message_of<PeerAccessError>([&] {
      driver.connect(std::vector<int>{1, 2});
    });
    for (const char* part : {"cpu:1", "cpu:2", "did not arrive", "cp.split_over"}) {
      EXPECT_NE(lies.find(part), std::string::npos) << lies;
    }
  }
}

class HostileStripes : public ::testing::Test {
 protected:
  static Settings hostile() {
    Settings settings = three_devices();
    settings.adversary = 3;
    return settings;
  }
  void SetUp() override { stream_ = driver_.create_stream(0); }
  void TearDown() override {
    driver_.synchronize(stream_);
    driver_.destroy_stream(stream_);
  }

  std::vector<std::string> found_;
  adversary::AdversarialDriver driver_{hostile(),
                                       [this](const std::string& text) { found_.push_back(text); }};
  StreamHandle stream_ = nullptr;
  const Parts parts_{{0, 128}, {1, 64}, {2, 64}};
};

TEST_F(HostileStripes, MemoryIsPoisonedAndEndsWhereItEnds) {
  auto* memory = static_cast<unsigned char*>(driver_.allocate_striped(parts_, kThree));
  for (int i = 0; i < 256; ++i) ASSERT_EQ(memory[i], adversary::Arena::kNew);
  driver_.fill_bytes(memory, 1, 256, stream_);
  EXPECT_TRUE(found_.empty());
  driver_.fill_bytes(memory + 200, 1, 57, stream_);
  EXPECT_EQ(found_.size(), 1u);
  driver_.synchronize(stream_);
  driver_.deallocate_striped(memory, parts_);
  for (int i = 0; i < 256; ++i) ASSERT_EQ(memory[i], adversary::Arena::kFreed);
  driver_.fill_bytes(memory + 128, 1, 64, stream_);
  EXPECT_EQ(found_.size(), 2u);
}

TEST_F(HostileStripes, MemoryThatIsAwayIsPoisonedAndNotToBeUsed) {
  auto* memory = static_cast<unsigned char*>(driver_.allocate_striped(parts_, kThree));
  driver_.fill_bytes(memory, 1, 256, stream_);
  driver_.synchronize(stream_);
  driver_.unmap_striped(memory, parts_);
  for (int i = 0; i < 256; ++i) ASSERT_EQ(memory[i], adversary::Arena::kFreed);
  EXPECT_TRUE(found_.empty());
  driver_.fill_bytes(memory + 128, 1, 64, stream_);
  EXPECT_EQ(found_.size(), 1u);
  driver_.synchronize(stream_);
  driver_.map_striped(memory, parts_, kThree);
  for (int i = 0; i < 256; ++i) ASSERT_EQ(memory[i], adversary::Arena::kNew);
  driver_.fill_bytes(memory, 1, 256, stream_);
  EXPECT_EQ(found_.size(), 1u);
  driver_.unmap_striped(memory, parts_);  // the work may still be at it
  EXPECT_EQ(found_.size(), 2u);
  driver_.synchronize(stream_);
  driver_.release_striped(memory, 256);
}

TEST(Stripes, MemoryThatIsAwayCannotBeRead) {
  Settings settings{1, Budgets(std::size_t{1} << 20)};
  CpuDriver driver(settings);
  const Parts parts{{0, 1 << 16}};
  auto* memory = static_cast<volatile char*>(driver.allocate_striped(parts, std::vector<int>{0}));
  auto* const start = const_cast<char*>(memory);
  memory[1 << 15] = 1;
  driver.unmap_striped(start, parts);
  EXPECT_DEATH({ memory[1 << 15] = 2; }, "");
  driver.map_striped(start, parts, std::vector<int>{0});
  memory[1 << 15] = 3;
  driver.deallocate_striped(start, parts);
}

TEST_F(HostileStripes, MemoryInUseIsNotToBeFreed) {
  auto* memory = static_cast<char*>(driver_.allocate_striped(parts_, kThree));
  driver_.fill_bytes(memory + 192, 1, 64, stream_);
  driver_.deallocate_striped(memory, parts_);
  ASSERT_EQ(found_.size(), 1u);
  EXPECT_NE(found_[0].find("deallocate_striped"), std::string::npos) << found_[0];
}

TEST_F(HostileStripes, CallsFail) {
  driver_.restart(1, "1");
  EXPECT_THROW(driver_.allocate_striped(parts_, kThree), OutOfMemoryError);
  driver_.restart(1, "1");
  EXPECT_THROW(driver_.connect(kThree), DeviceError);
  driver_.connect(kThree);
  EXPECT_EQ(free_bytes(driver_), (std::vector<std::size_t>{1024, 512, 2048}));
}

}  // namespace
}  // namespace cupola::cpu
