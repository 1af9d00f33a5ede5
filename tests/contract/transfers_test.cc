// What every driver's asynchronous copies between host and device must do.

#include <vector>

#include <gtest/gtest.h>

#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::Gate;

class TransferContract : public contract::DriverContract {
 protected:
  void TearDown() override {
    for (const auto& [pointer, bytes] : pinned_) {
      driver().synchronize(stream());
      driver().deallocate(device(), pointer, bytes, MemoryKind::pinned);
    }
    DriverContract::TearDown();
  }
  char* pin(std::size_t bytes, char value) {
    auto* memory = static_cast<char*>(driver().allocate(device(), bytes, MemoryKind::pinned));
    pinned_.emplace_back(memory, bytes);
    std::fill_n(memory, bytes, value);
    return memory;
  }
  // What the stream copies after this call waits for the gate. It has copied the same before: CUDA
  // gives a stream no channel that it needs for the first time while a stream waits.
  void hold_back(Gate& gate, void* memory, std::size_t bytes) {
    char* const anything = pin(bytes, 'h');
    driver().copy_from_host_async(memory, anything, bytes, stream());
    driver().copy_to_host_async(anything, memory, bytes, stream());
    driver().synchronize(stream());
    driver().run_on_host([&gate] { gate.wait(); }, stream());
  }

 private:
  std::vector<std::pair<char*, std::size_t>> pinned_;
};

constexpr std::size_t kSizes[] = {1, 4096, std::size_t{1} << 20, std::size_t{5} << 20};

TEST_P(TransferContract, PinnedCopiesDoNotWaitForTheirStream) {
  for (const std::size_t bytes : kSizes) {
    char* source = pin(bytes, 'a');
    char* target = pin(bytes, 'x');
    void* memory = allocate(bytes);
    Gate gate;
    hold_back(gate, memory, bytes);
    driver().copy_from_host_async(memory, source, bytes, stream());
    driver().copy_to_host_async(target, memory, bytes, stream());
    EXPECT_FALSE(driver().is_idle(stream()));
    EXPECT_EQ(target[bytes - 1], 'x');
    gate.open();
    driver().synchronize(stream());
    EXPECT_EQ(std::vector<char>(target, target + bytes), std::vector<char>(bytes, 'a'));
  }
}

TEST_P(TransferContract, PageableCopiesArriveToo) {
  for (const std::size_t bytes : kSizes) {
    const std::vector<char> source(bytes, 'b');
    std::vector<char> target(bytes, 'x');
    void* memory = allocate(bytes);
    driver().copy_from_host_async(memory, source.data(), bytes, stream());
    driver().copy_to_host_async(target.data(), memory, bytes, stream());
    driver().synchronize(stream());
    EXPECT_EQ(target, source);
  }
}

TEST_P(TransferContract, ACallerFindsItsCopyOnceTheStreamIsDone) {
  for (const std::size_t bytes : kSizes) {
    const std::vector<char> source(bytes, 'b');
    std::vector<char> target(bytes, 'x');
    void* memory = allocate(bytes);
    driver().copy_from_host(memory, source.data(), bytes, stream());
    driver().copy_to_caller(target.data(), memory, bytes, stream());
    driver().synchronize(stream());
    EXPECT_EQ(target, source);
  }
}

TEST_P(TransferContract, DirectPageableCopiesDoNotWaitForTheirStream) {
  if (!driver().traits().pageable_is_direct) GTEST_SKIP() << "they are staged";
  std::vector<char> source(1 << 20, 'b');
  void* memory = allocate(source.size());
  Gate gate;
  hold_back(gate, memory, source.size());
  driver().copy_from_host_async(memory, source.data(), source.size(), stream());
  EXPECT_FALSE(driver().is_idle(stream()));
  gate.open();
  EXPECT_EQ(read<char>(memory, source.size()), source);
}

TEST_P(TransferContract, SmallValuesAreTakenAtOnceAlsoFromPinnedMemory) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{65536}}) {
    char* source = pin(bytes, 'a');
    void* memory = allocate(bytes);
    Gate gate;
    hold_back(gate, memory, bytes);
    driver().copy_from_host(memory, source, bytes, stream());
    std::fill_n(source, bytes, 'z');
    EXPECT_FALSE(driver().is_idle(stream()));
    gate.open();
    EXPECT_EQ(read<char>(memory, bytes), std::vector<char>(bytes, 'a'));
  }
}

TEST_P(TransferContract, NothingIsCopiedForNoBytes) {
  driver().copy_from_host_async(nullptr, nullptr, 0, stream());
  driver().copy_to_host_async(nullptr, nullptr, 0, stream());
  driver().copy_to_caller(nullptr, nullptr, 0, stream());
  driver().synchronize(stream());
}

INSTANTIATE_TEST_SUITE_P(Platforms, TransferContract,
                         ::testing::ValuesIn(contract::kDevicesAndSets), contract::kName);

}  // namespace
}  // namespace cupola
