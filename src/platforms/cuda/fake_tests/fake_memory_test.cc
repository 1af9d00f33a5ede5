// Pinned, managed, shared and scratch memory on the fake driver: what CUDA is asked for, what its
// errors become, and what is given back when a call fails.

#include <dirent.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>

#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FakeMemory : public OnFakeCuda {};

unsigned long long number(const void* pointer) {
  return reinterpret_cast<unsigned long long>(pointer);
}

std::size_t open_files() {
  std::size_t count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

TEST_F(FakeMemory, AdviceGoesToCudaWithItsPlace) {
  on_fake_cuda([this] {
    void* const block = driver_->allocate(1, 8192, MemoryKind::managed);
    constexpr std::array kAll{
        std::pair{MemoryAdvice::read_mostly, CU_MEM_ADVISE_SET_READ_MOSTLY},
        std::pair{MemoryAdvice::unset_read_mostly, CU_MEM_ADVISE_UNSET_READ_MOSTLY},
        std::pair{MemoryAdvice::preferred_location, CU_MEM_ADVISE_SET_PREFERRED_LOCATION},
        std::pair{MemoryAdvice::unset_preferred_location, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION},
        std::pair{MemoryAdvice::accessed_by, CU_MEM_ADVISE_SET_ACCESSED_BY},
        std::pair{MemoryAdvice::unset_accessed_by, CU_MEM_ADVISE_UNSET_ACCESSED_BY}};
    fake_.watch_calls();
    for (const auto& [advice, native] : kAll) {
      driver_->advise(block, 100, advice, 0);
      EXPECT_THAT(fake_.take_calls({"cuMemAdvise"}),
                  ElementsAre(fmt::format("cuMemAdvise {} 100 {} {} 0", number(block),
                                          static_cast<int>(native),
                                          static_cast<int>(CU_MEM_LOCATION_TYPE_DEVICE))));
    }
    driver_->advise(block, 100, MemoryAdvice::accessed_by, kHostLocation);
    EXPECT_THAT(fake_.take_calls({"cuMemAdvise"}),
                ElementsAre(fmt::format("cuMemAdvise {} 100 {} {} 0", number(block),
                                        static_cast<int>(CU_MEM_ADVISE_SET_ACCESSED_BY),
                                        static_cast<int>(CU_MEM_LOCATION_TYPE_HOST))));
    EXPECT_THAT(message_of<DeviceError>(
                    [&] { driver_->advise(block, 9000, MemoryAdvice::read_mostly, 0); }),
                HasSubstr("cuMemAdvise on cuda:0"));
    EXPECT_THROW(driver_->advise(block, 100, MemoryAdvice::read_mostly, 2), DeviceError);
    driver_->deallocate(1, block, 8192, MemoryKind::managed);
  });
}

TEST_F(FakeMemory, OnlyManagedMemoryIsAdvisedAndPrefetched) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const block = driver_->allocate(0, 100, MemoryKind::device);
    fake_.watch_calls();
    EXPECT_THAT(
        message_of<ValueError>([&] { driver_->advise(block, 100, MemoryAdvice::read_mostly, 0); }),
        HasSubstr("is not managed memory; only that takes advice"));
    EXPECT_THAT(message_of<ValueError>([&] { driver_->prefetch(block, 100, 0, stream); }),
                HasSubstr("is not managed memory; only that is prefetched"));
    EXPECT_THAT(fake_.take_calls({"cuMemAdvise", "cuMemPrefetchAsync"}), IsEmpty());
    driver_->deallocate(0, block, 100, MemoryKind::device);
  });
}

TEST_F(FakeMemory, PrefetchesGoToTheirPlaceInStreamOrder) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    void* const block = driver_->allocate(0, 4096, MemoryKind::managed);
    fake_.watch_calls();
    driver_->fill_bytes(block, 7, 4096, stream);
    driver_->prefetch(block, 4096, 1, stream);
    driver_->prefetch(block, 1000, kHostLocation, stream);
    EXPECT_THAT(fake_.take_calls({"cuMemPrefetchAsync", "cuMemsetD8Async"}),
                ElementsAre("cuMemsetD8Async",
                            fmt::format("cuMemPrefetchAsync {} 4096 {} 1", number(block),
                                        static_cast<int>(CU_MEM_LOCATION_TYPE_DEVICE)),
                            fmt::format("cuMemPrefetchAsync {} 1000 {} 0", number(block),
                                        static_cast<int>(CU_MEM_LOCATION_TYPE_HOST))));
    fake_.fail_call("cuMemPrefetchAsync", CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->prefetch(block, 4096, 0, stream); }),
                HasSubstr("cuMemPrefetchAsync on cuda:0"));
    driver_->deallocate(0, block, 4096, MemoryKind::managed);
  });
}

TEST_F(FakeMemory, PinnedTwiceIsRefusedAndUnpinnedOnce) {
  on_fake_cuda([this] {
    std::vector<char> memory(10000);
    driver_->pin_host(0, memory.data() + 1000, 4000);
    EXPECT_EQ(driver_->describe(memory.data() + 4999).kind, PointerKind::pinned);
    EXPECT_EQ(driver_->describe(memory.data() + 5000).kind, PointerKind::unknown);
    EXPECT_THAT(message_of<ValueError>([&] { driver_->pin_host(1, memory.data() + 4000, 4000); }),
                AllOf(HasSubstr("a part of the 4000 bytes"), HasSubstr("is pinned already")));
    fake_.fail_call("cuMemHostRegister", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->pin_host(1, memory.data() + 5000, 4000); }),
                HasSubstr("cuMemHostRegister on cuda:1"));
    fake_.watch_calls();
    driver_->unpin_host(memory.data() + 5000);  // which was not pinned
    EXPECT_THAT(fake_.take_calls({"cuMemHostUnregister"}), IsEmpty());
    driver_->unpin_host(memory.data() + 1000);
    driver_->unpin_host(memory.data() + 1000);
    EXPECT_THAT(fake_.take_calls({"cuMemHostUnregister"}), ElementsAre("cuMemHostUnregister"));
    EXPECT_EQ(driver_->describe(memory.data() + 1000).kind, PointerKind::unknown);
    driver_->pin_host(1, memory.data() + 4000, 4000);
    driver_->unpin_host(memory.data() + 4000);
  });
}

TEST_F(FakeMemory, EveryKindIsFreedByItsOwnCall) {
  on_fake_cuda([this] {
    fake_.watch_calls();
    for (const MemoryKind kind : {MemoryKind::device, MemoryKind::pinned, MemoryKind::managed}) {
      driver_->deallocate(0, driver_->allocate(0, 100, kind), 100, kind);
    }
    EXPECT_THAT(fake_.take_calls({"cuMemAlloc", "cuMemHostAlloc", "cuMemAllocManaged", "cuMemFree",
                                  "cuMemFreeHost"}),
                ElementsAre("cuMemAlloc", "cuMemFree", "cuMemHostAlloc", "cuMemFreeHost",
                            "cuMemAllocManaged", "cuMemFree"));
  });
}

TEST_F(FakeMemory, ErrorsOfAllocationsSayWhatWasAskedFor) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const std::size_t used = fake_.used();
    const auto refusal = [&](MemoryKind kind) {
      return message_of<OutOfMemoryError>([&] { driver_->allocate(0, 5000, kind); });
    };
    fake_.fail_call("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(refusal(MemoryKind::pinned), HasSubstr("5000 bytes of pinned host memory"));
    fake_.fail_call("cuMemAllocManaged", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(refusal(MemoryKind::managed), HasSubstr("5000 bytes of managed memory"));
    fake_.fail_call("cuMemAllocFromPoolAsync", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(message_of<OutOfMemoryError>([&] { driver_->allocate_async(5000, stream); }),
                HasSubstr("5000 bytes of stream-ordered device memory"));
    fake_.fail_call("cuMemAlloc", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] { driver_->allocate(0, 5000, MemoryKind::device); }),
                HasSubstr("memory allocation on cuda:0"));
    EXPECT_EQ(fake_.used(), used);
  });
}

TEST_F(FakeMemory, AddressesOfDevicesThatCudaDoesNotNameHaveNone) {
  on_fake_cuda([this] {
    void* const block = driver_->allocate(1, 100, MemoryKind::device);
    EXPECT_EQ(driver_->describe(block).device, 1);
    fake_.fail_call("cuDeviceGet", CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(driver_->describe(block).device, -1);
    fake_.fail_call("cuPointerGetAttributes", CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(driver_->describe(block).kind, PointerKind::unknown);
    driver_->deallocate(1, block, 100, MemoryKind::device);
  });
}

TEST_F(FakeMemory, LargeScratchMemoryIsGivenBackAndSmallIsKept) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const ContextGuard guard(*stream.own().context);
    const std::size_t before = fake_.used();
    constexpr std::size_t kLarge = (std::size_t{4} << 20) + 1;
    {
      const Scratch scratch(stream.own(), kLarge);
      EXPECT_EQ(fake_.used() - before, kLarge);
      std::memset(scratch.data(), 1, kLarge);
    }
    EXPECT_EQ(fake_.used(), before);
    fake_.fail_call("cuMemAllocFromPoolAsync", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THROW(Scratch(stream.own(), kLarge), OutOfMemoryError);
    EXPECT_EQ(fake_.used(), before);

    const void* const first = Scratch(stream.own(), 1000).data();
    EXPECT_EQ(fake_.used() - before, std::size_t{64} << 10);
    EXPECT_EQ(Scratch(stream.own(), 64 << 10).data(), first);
    // What a stream keeps is given back before it gets more: also where it gets none.
    fake_.fail_call("cuMemAllocFromPoolAsync", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THROW(Scratch(stream.own(), 100 << 10), OutOfMemoryError);
    EXPECT_EQ(fake_.used(), before);
    const Scratch again(stream.own(), 100 << 10);
    EXPECT_EQ(fake_.used() - before, std::size_t{128} << 10);
  });
}

TEST_F(FakeMemory, SharingThatFailsLeavesNothing) {
  on_fake_cuda([this] {
    constexpr std::size_t kBytes = 1000;
    driver_->unmap_shared(0, driver_->create_shared(0, kBytes));
    const std::size_t used = fake_.used(), mappings = fake_.mappings(), files = open_files();
    for (const char* call : {"cuMemCreate", "cuMemExportToShareableHandle", "cuMemAddressReserve",
                             "cuMemMap", "cuMemSetAccess"}) {
      fake_.fail_call(call, CUDA_ERROR_NOT_PERMITTED);
      EXPECT_THAT(message_of<DeviceError>([&] { driver_->create_shared(0, kBytes); }),
                  HasSubstr(std::string(call) + " on cuda:0"));
      EXPECT_EQ(fake_.used(), used) << call;
      EXPECT_EQ(fake_.mappings(), mappings) << call;
      EXPECT_EQ(open_files(), files) << call;
    }
    const SharedMemory memory = driver_->create_shared(0, kBytes);
    const std::size_t shared = fake_.mappings();
    for (const char* call : {"cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"}) {
      fake_.fail_call(call, CUDA_ERROR_NOT_PERMITTED);
      EXPECT_THROW(driver_->map_shared(0, memory.descriptor, memory.bytes), DeviceError) << call;
      EXPECT_EQ(fake_.mappings(), shared) << call;
    }
    driver_->unmap_shared(0, memory);
    EXPECT_EQ(fake_.mappings(), mappings);
    EXPECT_EQ(open_files(), files);
  });
}

TEST_F(FakeMemory, DevicesThatCannotShareSaySo) {
  on_fake_cuda([this] {
    fake_.set_attribute(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0);
    fake_.watch_calls();
    EXPECT_THAT(message_of<LibraryError>([&] { driver_->create_shared(1, 100); }),
                HasSubstr("cuda:1 cannot share memory with other processes by file descriptors"));
    EXPECT_THAT(fake_.take_calls({"cuMemCreate"}), IsEmpty());
  });
}

}  // namespace
}  // namespace cupola::cuda
