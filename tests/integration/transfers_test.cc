// Copies between host and arrays: what is taken when, and what is kept until when.

#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/cupola.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

constexpr std::int64_t kCounts[] = {10, 300000, 3000000};

class Transfers : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    stream_ = std::make_unique<Stream>(Stream::create(device()));
    before_ = std::make_unique<Stream>(Stream::current(device()));
    stream_->use();
  }
  void TearDown() override {
    if (before_) before_->use();
  }
  Device device() const { return {GetParam(), 0}; }
  static std::vector<float> values(std::int64_t count) {
    std::vector<float> result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), 1.0F);
    return result;
  }
  Array upload(const std::vector<float>& host, const TransferOptions& options) {
    return from_host(host.data(), DType::float32, {static_cast<std::int64_t>(host.size())}, {4},
                     device(), 'C', options);
  }
  static std::vector<float> read(const Array& array) {
    std::vector<float> result(static_cast<std::size_t>(array.size()));
    to_host(array, result.data(), {4});
    return result;
  }

  std::unique_ptr<Stream> stream_, before_;
};

TEST_P(Transfers, ASnapshotWaitsForNothingAndIsOfTheTimeOfTheCall) {
  for (const std::int64_t count : kCounts) {
    std::vector<float> host = values(count);
    const std::vector<float> expected = host;
    Array array;
    {
      StreamGate gate(*stream_);
      array = upload(host, {.blocking = false});
      std::fill(host.begin(), host.end(), -1.0F);
      EXPECT_FALSE(stream_->is_idle());
    }
    EXPECT_EQ(read(array), expected);
  }
}

TEST_P(Transfers, AnOwnerIsKeptUntilTheCopyIsDone) {
  for (const std::int64_t count : kCounts) {
    std::atomic<bool> released{false};
    const std::vector<float> expected = values(count);
    Array array;
    {
      StreamGate gate(*stream_);
      auto* host = new std::vector<float>(expected);
      std::shared_ptr<void> owner(host, [&released](std::vector<float>* dropped) {
        std::fill(dropped->begin(), dropped->end(), -1.0F);
        delete dropped;
        released = true;
      });
      array = upload(*host, {SourceMode::keepalive, false, std::move(owner)});
      EXPECT_FALSE(released);
    }
    EXPECT_EQ(read(array), expected);
    EXPECT_TRUE(eventually([&] { return released.load(); }));
  }
}

TEST_P(Transfers, ATargetIsFilledInTheStreamsTurnAndKeptUntilThen) {
  for (const std::int64_t count : kCounts) {
    const std::vector<float> expected = values(count);
    const Array array = upload(expected, {.blocking = true});
    std::atomic<bool> released{false};
    std::vector<float> target(expected.size(), -1.0F);
    {
      StreamGate gate(*stream_);
      const std::shared_ptr<void> owner(target.data(), [&released](void*) { released = true; });
      to_host(array, target.data(), {4}, {SourceMode::snapshot, false, owner});
      EXPECT_EQ(target.front(), -1.0F);
      EXPECT_FALSE(released);
    }
    EXPECT_EQ(target, expected);
    EXPECT_TRUE(eventually([&] { return released.load(); }));
  }
}

TEST_P(Transfers, LayoutsOfBothSidesMayDiffer) {
  const std::vector<float> host = values(24);
  const Array array = from_host(host.data(), DType::float32, {4, 6}, {24, 4}, device(), 'F');
  std::vector<float> columns(24);
  to_host(array, columns.data(), {4, 16});
  EXPECT_EQ(columns[1], 7.0F);
  const Array part = get_index(array, {Slice{0, 4, 2}});
  set_from_host(part, host.data(), {24, 4}, {.blocking = false});
  std::vector<float> rows(24);
  to_host(array, rows.data(), {24, 4}, {.blocking = false});
  stream_->synchronize();
  EXPECT_EQ(rows[0], 1.0F);
  EXPECT_EQ(rows[12], 7.0F);
  EXPECT_EQ(rows[6], 7.0F);
}

TEST(ForeignMemory, WhatNoMemoryHoldsIsRefused) {
  const Device cpu(PlatformKind::cpu, 0);
  std::vector<double> memory(8);
  const auto refuses = [&](void* data, const Dims& shape, const Dims& strides) {
    EXPECT_THROW(from_foreign(data, DType::float64, shape, strides, cpu, nullptr, true), ValueError)
        << to_string(shape) << to_string(strides);
  };
  refuses(memory.data(), {4}, {});
  refuses(memory.data(), {4}, {1, 1});
  refuses(memory.data(), {-1}, {1});
  refuses(memory.data(), {2, 2}, {std::int64_t{1} << 62, 1});
  refuses(memory.data(), {std::int64_t{1} << 60}, {1});
  refuses(nullptr, {1}, {1});
  EXPECT_EQ(from_foreign(nullptr, DType::float64, {0}, {1}, cpu, nullptr, true).size(), 0);
  EXPECT_EQ(from_foreign(&memory[7], DType::float64, {8}, {-1}, cpu, nullptr, true).size(), 8);
}

INSTANTIATE_TEST_SUITE_P(Platforms, Transfers,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
