// Memory of several devices, on every platform that is usable here: of as many devices as there
// are, up to three, and of the set of these. What needs two is skipped with one.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/environment_variables.h"
#include "cupola/error.h"
#include "driver/set/set_driver.h"
#include "driver/testing/launch_builder.h"
#include "tested.h"

namespace cupola {
namespace {

using testing::LaunchBuilder;

// A CPU platform of its own, with three devices of unequal memory.
Driver& make_cpu_driver() {
  const testing::EnvironmentVariables variables{{"CUPOLA_CPU_DEVICES", "3"},
                                                {"CUPOLA_CPU_DEVICE_MEMORY", "64M,32M,96M"},
                                                {"CUPOLA_CPU_STRIPE_BYTES", "4096"}};
  return *create_cpu_driver();
}

struct Drivers {
  Driver* devices = nullptr;  // null: not usable
  Driver* sets = nullptr;
};

Drivers drivers_of(PlatformKind platform, std::string& reason) {
  if (platform == PlatformKind::cpu) {
    static Driver& cpu = make_cpu_driver();
    static SetDriver sets(cpu);
    return {&cpu, &sets};
  }
  Driver* const found = find_driver(platform, &reason);
  if (found == nullptr || found->device_count() == 0) return {};
  return {found, &set_driver(platform)};
}

// Parts lie on devices, and tell of them; each device works on them, or all of them as a set do.
class DriverStriped : public ::testing::TestWithParam<contract::Tested> {
 protected:
  void SetUp() override {
    std::string reason = "it has no devices";
    const Drivers drivers = drivers_of(GetParam().platform, reason);
    if (drivers.devices == nullptr) {
      GTEST_SKIP() << GetParam().to_string() << " is not usable: " << reason;
    }
    platform_ = drivers.devices;
    driver_ = GetParam().is_set ? drivers.sets : drivers.devices;
    const int count = std::min(platform_->device_count(), contract::kMaxMembers);
    if (GetParam().is_set && count < 2) GTEST_SKIP() << "there is one device only";
    devices_.resize(static_cast<std::size_t>(count));
    std::iota(devices_.begin(), devices_.end(), 0);
    driver_->connect(devices_);
    workers_ = GetParam().is_set ? std::vector<int>{set()} : devices_;
    for (const int worker : workers_) streams_.push_back(driver_->create_stream(worker));
  }
  void TearDown() override {
    for (StreamHandle stream : streams_) {
      driver_->synchronize(stream);
      driver_->destroy_stream(stream);
    }
  }

  Driver& driver() { return *driver_; }
  bool is_cpu() const { return GetParam().platform == PlatformKind::cpu; }
  int set() const {
    std::vector<Device> members;
    for (const int device : devices_) members.emplace_back(GetParam().platform, device);
    return Device::of_members(members).index();
  }
  std::size_t granularity(int device) { return platform_->stripe_granularity(device); }
  // One part on each device, of `units` granularities and more for later ones.
  std::vector<StripedPart> parts(std::size_t units) {
    std::vector<StripedPart> parts;
    for (const int device : devices_) parts.push_back({device, units++ * granularity(device)});
    return parts;
  }
  std::vector<std::size_t> free_bytes() {
    std::vector<std::size_t> free;
    for (const int device : devices_) free.push_back(platform_->memory_info(device).free);
    return free;
  }

  std::vector<int> devices_;
  std::vector<int> workers_;           // as the driver numbers them
  std::vector<StreamHandle> streams_;  // of the workers

 private:
  Driver* platform_ = nullptr;
  Driver* driver_ = nullptr;
};

std::size_t bytes_of(const std::vector<StripedPart>& parts) {
  std::size_t bytes = 0;
  for (const StripedPart& part : parts) bytes += part.bytes;
  return bytes;
}

#define NEED_TWO_DEVICES() \
  if (devices_.size() < 2) GTEST_SKIP() << "there is one device only"

TEST_P(DriverStriped, PartsAreOneRangeForEveryDevice) {
  const auto parts = this->parts(2);
  const std::size_t bytes = bytes_of(parts);
  auto* memory = static_cast<char*>(driver().allocate_striped(parts, devices_));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
  std::vector<std::uint32_t> source(bytes / 4), target(bytes / 4);
  for (std::size_t writer = 0; writer < streams_.size(); ++writer) {
    std::iota(source.begin(), source.end(), static_cast<std::uint32_t>(writer) << 24);
    driver().copy_from_host(memory, source.data(), bytes, streams_[writer]);
    driver().synchronize(streams_[writer]);
    for (StreamHandle reader : streams_) {
      std::fill(target.begin(), target.end(), 0);
      driver().copy_to_host(target.data(), memory, bytes, reader);
      EXPECT_EQ(source, target);
    }
  }
  driver().deallocate_striped(memory, parts);
}

TEST_P(DriverStriped, FillsAndCopiesOfOneDeviceCrossTheCuts) {
  NEED_TWO_DEVICES();
  const auto parts = this->parts(1);
  const std::size_t bytes = bytes_of(parts);
  auto* memory = static_cast<char*>(driver().allocate_striped(parts, devices_));
  auto* other = static_cast<char*>(driver().allocate_striped(parts, devices_));
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const auto value = static_cast<std::uint8_t>(7 + i);
    driver().fill_bytes(memory, 1, bytes, streams_[i]);
    driver().fill_bytes(memory + 5, value, bytes - 10, streams_[i]);
    driver().copy(other, workers_[i], memory, workers_[i], bytes, streams_[i]);
    std::vector<std::uint8_t> expected(bytes, value), seen(bytes);
    std::fill_n(expected.begin(), 5, std::uint8_t{1});
    std::fill_n(expected.rbegin(), 5, std::uint8_t{1});
    driver().copy_to_host(seen.data(), other, bytes, streams_[i]);
    EXPECT_EQ(seen, expected);
  }
  driver().deallocate_striped(memory, parts);
  driver().deallocate_striped(other, parts);
}

TEST_P(DriverStriped, KernelsOfEachDeviceReachAllParts) {
  if (!is_cpu() && std::getenv("FAKE_CUDA_DEVICES"))
    GTEST_SKIP() << "the fake driver's kernels do nothing";
  const auto parts = this->parts(3);
  const std::size_t bytes = bytes_of(parts);
  const auto count = static_cast<std::int64_t>(bytes / 4);
  auto* memory = static_cast<float*>(driver().allocate_striped(parts, devices_));
  std::vector<float> values(bytes / 4), seen(bytes / 4);
  std::iota(values.begin(), values.end(), 0.0F);
  driver().copy_from_host(memory, values.data(), bytes, streams_[0]);
  driver().synchronize(streams_[0]);
  LaunchBuilder builder({count});
  const int x = builder.load(DType::float32, memory);
  builder.store(builder.ufunc(UfuncId::add, {x, builder.scalar(Scalar(1.0F))}), memory);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const auto kernel = driver().build(builder.plan, workers_[i]);
    driver().launch(kernel, builder.arguments, streams_[i]);
    driver().synchronize(streams_[i]);
    for (float& value : values) value += 1;
  }
  driver().copy_to_host(seen.data(), memory, bytes, streams_.back());
  EXPECT_EQ(seen, values);
  driver().deallocate_striped(memory, parts);
}

TEST_P(DriverStriped, AddressesAreDescribedByTheirPart) {
  const auto parts = this->parts(1);
  auto* memory = static_cast<char*>(driver().allocate_striped(parts, devices_));
  const char* first = memory;
  for (const auto& [device, bytes] : parts) {
    for (const std::size_t offset : {std::size_t{0}, bytes / 2, bytes - 1}) {
      const PointerInfo info = driver().describe(first + offset);
      EXPECT_EQ(info.kind, PointerKind::device);
      EXPECT_EQ(info.device, GetParam().is_set ? set() : device) << offset;
    }
    first += bytes;
  }
  driver().deallocate_striped(memory, parts);
  EXPECT_EQ(driver().describe(memory).kind, PointerKind::unknown);
}

TEST_P(DriverStriped, EachPartIsTakenFromItsDevice) {
  auto parts = this->parts(1);
  for (auto& part : parts) part.bytes *= is_cpu() ? 64 : 256;
  driver().deallocate_striped(driver().allocate_striped(parts, devices_), parts);  // made once
  const auto before = free_bytes();
  void* memory = driver().allocate_striped(parts, devices_);
  const auto during = free_bytes();
  driver().deallocate_striped(memory, parts);
  const auto after = free_bytes();
  // Others may use the GPU meanwhile, but not for so much.
  const std::size_t tolerance = is_cpu() ? 0 : std::size_t{256} << 20;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LE(during[i] + parts[i].bytes, before[i] + tolerance);
    EXPECT_GE(after[i] + tolerance, before[i]);
  }
}

TEST_P(DriverStriped, NothingIsLeft) {
  auto parts = this->parts(1);
  for (auto& part : parts) part.bytes *= is_cpu() ? 64 : 256;
  driver().deallocate_striped(driver().allocate_striped(parts, devices_), parts);
  const auto before = free_bytes();
  for (int i = 0; i < 20; ++i) {
    driver().deallocate_striped(driver().allocate_striped(parts, devices_), parts);
  }
  const auto after = free_bytes();
  const std::size_t tolerance = is_cpu() ? 0 : std::size_t{1} << 30;
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_GE(after[i] + tolerance, before[i]);
}

TEST_P(DriverStriped, TheDeviceThatIsShortIsNamedAndNothingChanges) {
  for (std::size_t member = 0; member < devices_.size(); ++member) {
    auto parts = this->parts(1);
    const std::size_t unit = granularity(devices_[member]);
    parts[member].bytes =
        (driver().memory_info(devices_[member]).total / unit + (std::size_t{1} << 20)) * unit;
    const auto before = free_bytes();
    try {
      driver().allocate_striped(parts, devices_);
      FAIL() << "was allocated";
    } catch (const OutOfMemoryError& error) {
      const std::string message = error.what();
      const std::string name = Device(GetParam().platform, devices_[member]).to_string();
      EXPECT_NE(message.find(name), std::string::npos) << message;
      EXPECT_NE(message.find(std::to_string(parts[member].bytes)), std::string::npos) << message;
      EXPECT_NE(message.find("free"), std::string::npos) << message;
    }
    const auto after = free_bytes();
    const std::size_t tolerance = is_cpu() ? 0 : std::size_t{256} << 20;
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_GE(after[i] + tolerance, before[i]);
  }
}

TEST_P(DriverStriped, MemoryThatIsAwayIsTheDevices) {
  auto parts = this->parts(1);
  for (auto& part : parts) part.bytes *= is_cpu() ? 64 : 256;
  driver().deallocate_striped(driver().allocate_striped(parts, devices_), parts);  // made once
  const auto before = free_bytes();
  void* const memory = driver().allocate_striped(parts, devices_);
  const auto during = free_bytes();
  driver().unmap_striped(memory, parts);
  const auto away = free_bytes();
  driver().map_striped(memory, parts, devices_);
  const auto again = free_bytes();
  driver().deallocate_striped(memory, parts);
  const std::size_t tolerance = is_cpu() ? 0 : std::size_t{256} << 20;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_GE(away[i] + tolerance, during[i] + parts[i].bytes);
    EXPECT_GE(away[i] + tolerance, before[i]);
    EXPECT_LE(again[i] + parts[i].bytes, before[i] + tolerance);
  }
}

TEST_P(DriverStriped, ARangeStaysWhileItsMemoryIsAway) {
  const auto parts = this->parts(2);
  const std::size_t bytes = bytes_of(parts);
  void* const memory = driver().allocate_striped(parts, devices_);
  driver().unmap_striped(memory, parts);
  void* const other = driver().allocate_striped(parts, devices_);
  EXPECT_NE(other, memory);
  driver().deallocate_striped(other, parts);
  // The parts may be others.
  std::vector<StripedPart> anew(parts.rbegin(), parts.rend());
  driver().map_striped(memory, anew, devices_);
  std::vector<std::uint8_t> source(bytes), seen(bytes);
  std::iota(source.begin(), source.end(), std::uint8_t{3});
  driver().copy_from_host(memory, source.data(), bytes, streams_[0]);
  driver().synchronize(streams_[0]);
  driver().copy_to_host(seen.data(), memory, bytes, streams_.back());
  EXPECT_EQ(seen, source);
  const int first = GetParam().is_set ? set() : anew[0].device;
  EXPECT_EQ(driver().describe(memory).device, first);
  driver().deallocate_striped(memory, anew);
}

TEST_P(DriverStriped, ARangeGoesWithoutItsMemory) {
  const auto parts = this->parts(2);
  const auto before = free_bytes();
  for (int i = 0; i < 3; ++i) {
    void* const memory = driver().allocate_striped(parts, devices_);
    driver().unmap_striped(memory, parts);
    driver().release_striped(memory, bytes_of(parts));
    EXPECT_EQ(driver().describe(memory).kind, PointerKind::unknown);
  }
  if (is_cpu()) {
    EXPECT_EQ(free_bytes(), before);
  }
}

TEST_P(DriverStriped, ARangeWithoutMemoryStaysSoWhereThereIsNone) {
  for (std::size_t member = 0; member < devices_.size(); ++member) {
    const auto parts = this->parts(1);
    void* const memory = driver().allocate_striped(parts, devices_);
    driver().unmap_striped(memory, parts);
    auto too_many = parts;
    const std::size_t unit = granularity(devices_[member]);
    too_many[member].bytes =
        (driver().memory_info(devices_[member]).total / unit + (std::size_t{1} << 20)) * unit;
    const auto before = free_bytes();
    EXPECT_THROW(driver().map_striped(memory, too_many, devices_), OutOfMemoryError);
    if (is_cpu()) {
      EXPECT_EQ(free_bytes(), before);
    }
    driver().map_striped(memory, parts, devices_);
    driver().fill_bytes(memory, 1, bytes_of(parts), streams_[0]);
    driver().synchronize(streams_[0]);
    driver().deallocate_striped(memory, parts);
  }
}

TEST_P(DriverStriped, BadPartsAreRefused) {
  const std::size_t unit = granularity(0);
  using Parts = std::vector<StripedPart>;
  for (const Parts& parts :
       {Parts{}, Parts{{0, 0}}, Parts{{0, unit + 1}}, Parts{{0, unit}, {0, unit / 2}}}) {
    EXPECT_THROW(driver().allocate_striped(parts, devices_), ValueError);
  }
  EXPECT_THROW(driver().allocate_striped(Parts{{0, unit}}, {}), ValueError);
  const std::vector<int> none{driver().device_count()};
  EXPECT_THROW(driver().allocate_striped(Parts{{none[0], unit}}, devices_), DeviceError);
  EXPECT_THROW(driver().allocate_striped(Parts{{0, unit}}, none), DeviceError);
  EXPECT_THROW(driver().connect(none), DeviceError);
  EXPECT_THROW(driver().connect(std::vector<int>{0, -1}), DeviceError);
  const int unknown = GetParam().is_set ? Device::kEndOfIndices - 1 : none[0];
  EXPECT_THROW(driver().stripe_granularity(unknown), DeviceError);
}

TEST_P(DriverStriped, SeveralPartsOfOneDevice) {
  const std::size_t unit = granularity(0);
  const int last = devices_.back();
  const std::vector<StripedPart> parts{{0, unit}, {last, 2 * unit}, {0, 3 * unit}};
  void* memory = driver().allocate_striped(parts, devices_);
  driver().fill_bytes(memory, 9, 6 * unit, streams_[0]);
  std::vector<std::uint8_t> seen(6 * unit);
  driver().copy_to_host(seen.data(), memory, seen.size(), streams_[0]);
  EXPECT_EQ(seen, std::vector<std::uint8_t>(seen.size(), 9));
  driver().deallocate_striped(memory, parts);
}

TEST_P(DriverStriped, ManyThreadsAtOnce) {
  const auto before = free_bytes();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      StreamHandle stream = driver().create_stream(workers_[t % workers_.size()]);
      for (int i = 0; i < 10; ++i) {
        driver().connect(devices_);
        const auto parts = this->parts(1 + t);
        const std::size_t bytes = bytes_of(parts);
        void* memory = driver().allocate_striped(parts, devices_);
        const auto value = static_cast<std::uint8_t>(10 * t + static_cast<std::size_t>(i));
        driver().fill_bytes(memory, value, bytes, stream);
        std::vector<std::uint8_t> seen(bytes);
        driver().copy_to_host(seen.data(), memory, bytes, stream);
        wrong += seen != std::vector<std::uint8_t>(bytes, value);
        driver().deallocate_striped(memory, parts);
      }
      driver().destroy_stream(stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  if (is_cpu()) {
    EXPECT_EQ(free_bytes(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Platforms, DriverStriped, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
