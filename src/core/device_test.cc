#include "cupola/device.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "cupola/error.h"

namespace cupola {
namespace {

std::vector<int> members_of(const std::string& text) {
  const std::span<const int> members = Device::parse(text).members();
  return {members.begin(), members.end()};
}

TEST(DeviceSet, TextNamesTheMembersInOrder) {
  EXPECT_EQ(members_of("cuda:0-3"), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(members_of("cuda:2,0"), (std::vector<int>{2, 0}));
  EXPECT_EQ(members_of("cpu:0-1,3"), (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(members_of("cpu:3"), (std::vector<int>{3}));
}

TEST(DeviceSet, IsAValue) {
  const Device set = Device::parse("cuda:0-3");
  EXPECT_TRUE(set.is_set());
  EXPECT_EQ(set, Device::parse("cuda:0,1,2-3"));
  EXPECT_EQ(std::hash<Device>()(set), std::hash<Device>()(Device::parse("cuda:0-3")));
  EXPECT_NE(set, Device::parse("cuda:3,0-2"));
  EXPECT_NE(set, Device::parse("cpu:0-3"));
  EXPECT_EQ(set.member(2), Device(PlatformKind::cuda, 2));
}

TEST(DeviceSet, TextIsCanonical) {
  EXPECT_EQ(Device::parse("cuda:0,1,2,3").to_string(), "cuda:0-3");
  EXPECT_EQ(Device::parse("cuda:0,2").to_string(), "cuda:0,2");
  EXPECT_EQ(Device::parse("cpu:3,0-1").to_string(), "cpu:3,0-1");
  EXPECT_EQ(Device::parse("cpu:1,0").to_string(), "cpu:1,0");
  EXPECT_EQ(Device::parse("cpu:7").to_string(), "cpu:7");
}

TEST(DeviceSet, OfOneMemberIsTheDevice) {
  EXPECT_EQ(Device::parse("cuda:5-5"), Device(PlatformKind::cuda, 5));
  const Device one(PlatformKind::cpu, 1);
  EXPECT_EQ(Device::of_members({&one, 1}), one);
  EXPECT_EQ(one.member_count(), 1u);
}

TEST(DeviceSet, ContainsItsMembersAndSmallerSets) {
  const Device set = Device::parse("cpu:0-2");
  EXPECT_TRUE(set.contains(set));
  EXPECT_TRUE(set.contains(Device::parse("cpu:2")));
  EXPECT_TRUE(set.contains(Device::parse("cpu:2,0")));
  EXPECT_FALSE(set.contains(Device::parse("cpu:2-3")));
  EXPECT_FALSE(set.contains(Device::parse("cuda:1")));
  EXPECT_FALSE(Device::parse("cpu:1").contains(set));
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    Device::parse(text);
    FAIL() << text;
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(DeviceSet, MistakesAreNamed) {
  expect_refused("cpu:0,1,0", "cpu:0 is named twice");
  expect_refused("cpu:0-3,2", "cpu:2 is named twice");
  expect_refused("cpu:3-1", "3-1 runs backwards");
  for (const char* text :
       {"cpu:0-", "cpu:-1", "cpu:,", "cpu:0,", "cpu:0--2", "cpu:0-1-2", "cpu: 0"}) {
    expect_refused(text, "does not name a device");
  }
  EXPECT_THROW(Device::parse("cpu:512"), DeviceError);
  EXPECT_THROW(Device::parse("cuda:0-4000000"), DeviceError);
  const std::vector<Device> mixed{{PlatformKind::cpu, 0}, {PlatformKind::cuda, 0}};
  EXPECT_THROW(Device::of_members(mixed), ValueError);
  const std::vector<Device> nested{Device::parse("cpu:0-1"), {PlatformKind::cpu, 3}};
  EXPECT_THROW(Device::of_members(nested), ValueError);
  EXPECT_THROW(Device::of_members({}), ValueError);
  EXPECT_THROW(Device(PlatformKind::cuda, 4000).members(), DeviceError);
  EXPECT_THROW(Device(PlatformKind::cuda, -1).members(), DeviceError);
}

TEST(DeviceSet, ThreadsAgreeOnNumbers) {
  constexpr std::size_t kThreads = 8;
  std::vector<std::vector<Device>> found(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&mine = found[t]] {
      for (int last = 20; last < 60; ++last) {
        mine.push_back(Device::parse("cuda:10-" + std::to_string(last)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
}

}  // namespace
}  // namespace cupola
