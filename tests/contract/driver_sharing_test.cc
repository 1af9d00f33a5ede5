// Memory that several processes map, on every platform that is usable here. One process stands for
// both: what maps a descriptor does not know where it comes from.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

class DriverSharing : public contract::DriverContract {
 protected:
  bool is_open(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }
};

constexpr std::size_t kShared = std::size_t{5} << 20;

TEST_P(DriverSharing, WhatOneMappingWritesAnotherReads) {
  const SharedMemory first = driver().create_shared(device(), kShared);
  ASSERT_GE(first.bytes, kShared);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.pointer) % 256, 0u);
  const SharedMemory second = driver().map_shared(device(), dup(first.descriptor), first.bytes);
  EXPECT_NE(first.pointer, second.pointer);
  driver().fill_bytes(first.pointer, 7, kShared, stream());
  EXPECT_EQ(read<std::uint8_t>(second.pointer, kShared), std::vector<std::uint8_t>(kShared, 7));
  driver().fill_bytes(second.pointer, 8, kShared, stream());
  EXPECT_EQ(read<std::uint8_t>(first.pointer, kShared), std::vector<std::uint8_t>(kShared, 8));
  driver().unmap_shared(device(), first);
  driver().unmap_shared(device(), second);
}

TEST_P(DriverSharing, TheMemoryOutlivesItsCreatorsMapping) {
  const SharedMemory first = driver().create_shared(device(), kShared);
  driver().fill_bytes(first.pointer, 9, kShared, stream());
  driver().synchronize(stream());
  const int descriptor = dup(first.descriptor);
  const std::size_t bytes = first.bytes;
  driver().unmap_shared(device(), first);
  EXPECT_FALSE(is_open(first.descriptor));
  const SharedMemory second = driver().map_shared(device(), descriptor, bytes);
  EXPECT_EQ(read<std::uint8_t>(second.pointer, kShared), std::vector<std::uint8_t>(kShared, 9));
  driver().unmap_shared(device(), second);
  EXPECT_FALSE(is_open(descriptor));
}

TEST_P(DriverSharing, NothingIsLeftAfterTheLastUnmapping) {
  driver().unmap_shared(device(),
                        driver().create_shared(device(), kShared));  // what the platform makes once
  // Others may use the GPU meanwhile, but hardly each time take what this would leave.
  const std::size_t tolerance = is_cpu() ? 0 : std::size_t{256} << 20;
  const int attempts = is_cpu() ? 1 : 10;
  const auto is_left = [&] {
    const std::size_t before = driver().memory_info(device()).free;
    for (int i = 0; i < 20; ++i) {
      const SharedMemory first = driver().create_shared(device(), std::size_t{64} << 20);
      const SharedMemory second = driver().map_shared(device(), dup(first.descriptor), first.bytes);
      driver().unmap_shared(device(), second);
      driver().unmap_shared(device(), first);
    }
    return driver().memory_info(device()).free + tolerance < before;
  };
  bool left = is_left();
  for (int attempt = 1; left && attempt < attempts; ++attempt) left = is_left();
  EXPECT_FALSE(left);
}

TEST_P(DriverSharing, DescriptorsOfOtherThingsAreRefusedAndLeftOpen) {
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  const std::size_t before = driver().memory_info(device()).free;
  EXPECT_THROW(driver().map_shared(device(), ends[0], kShared), ValueError);
  EXPECT_TRUE(is_open(ends[0]));
  if (is_cpu()) {
    EXPECT_EQ(driver().memory_info(device()).free, before);
    const SharedMemory memory = driver().create_shared(device(), kShared);
    EXPECT_THROW(driver().map_shared(device(), memory.descriptor, memory.bytes + 4096), ValueError);
    EXPECT_NE(ftruncate(memory.descriptor, 0), 0);  // no process takes pages from another
    driver().unmap_shared(device(), memory);
  }
  close(ends[0]);
  close(ends[1]);
}

TEST_P(DriverSharing, TooMuchIsAnErrorThatChangesNothing) {
  const MemoryInfo before = driver().memory_info(device());
  EXPECT_THROW(driver().create_shared(device(), before.total + (std::size_t{1} << 40)),
               OutOfMemoryError);
  for (const int unknown : unknown_devices()) {
    EXPECT_THROW(driver().create_shared(unknown, kShared), DeviceError);
  }
  driver().unmap_shared(device(), driver().create_shared(device(), kShared));
}

TEST_P(DriverSharing, ProgramsThatAreStartedDoNotInheritDescriptors) {
  const SharedMemory memory = driver().create_shared(device(), kShared);
  EXPECT_NE(fcntl(memory.descriptor, F_GETFD) & FD_CLOEXEC, 0);
  driver().unmap_shared(device(), memory);
}

INSTANTIATE_TEST_SUITE_P(Platforms, DriverSharing, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
