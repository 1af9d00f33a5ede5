// Generated kernels on the fake driver: launches that fail, graphs that are not to be had, kernels
// that cannot be loaded, and copies by the library's own kernel.

#include <dlfcn.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/counters.h"
#include "base/files/archive.h"
#include "base/testing/message_of.h"
#include "base/testing/temporary_folder.h"
#include "codegen/cuda/cuda_text.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "codegen/device/kernel_arguments.cuh"
#include "cupola/error.h"
#include "platforms/cuda/compile/compiler.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"
#include "platforms/cuda/memory/host_copies.h"

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using cupola::testing::TemporaryFolder;
using cupola::testing::write_text;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FakeLaunches : public OnFakeCuda {
 protected:
  static KernelPlan plan() {
    return plans::binary(UfuncId::add, DType::int64, plans::kContiguous, true);
  }
  void launch(StreamHandle stream) {
    if (!kernel_) kernel_ = driver_->build(plan(), 0);
    driver_->launch(
        kernel_,
        {{100}, {{memory_.data(), {1}}, {memory_.data(), {1}}}, {{memory_.data(), {1}}}, {}},
        stream);
  }
  void launch(StreamHandle stream, int times) {
    for (int i = 0; i < times; ++i) launch(stream);
  }
  std::shared_ptr<Kernel> kernel_;
  std::vector<std::int64_t> memory_ = std::vector<std::int64_t>(100);
};

TEST_F(FakeLaunches, ThatFailNameTheirPlan) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    fake_.fail_call("cuLaunchKernel", CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(
        message_of<LaunchError>([&] { launch(stream); }),
        AllOf(HasSubstr("with a grid of 1 x 1 blocks of"), HasSubstr("cuLaunchKernel on cuda:0"),
              HasSubstr("[plan " + plan_key(plan()) + "]")));
    launch(stream);
    fake_.fail_call("cuLaunchKernel", CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_THAT(message_of<DeviceError>([&] { launch(stream); }),
                HasSubstr("Work queued before this call failed"));
    EXPECT_NE(driver_->fault(0), nullptr);
  });
}

TEST_F(FakeLaunches, KernelsThatNeedTooManyRegistersAreRefused) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    fake_.set_attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 16);
    fake_.set_attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 255);
    fake_.set_attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 77);
    fake_.watch_calls();
    EXPECT_THAT(message_of<LaunchError>([&] { launch(stream); }),
                HasSubstr("threads per block on cuda:0: it takes 255 registers per thread and 77 "
                          "bytes of shared memory, so that 16 threads fit"));
    EXPECT_THAT(fake_.take_calls({"cuLaunchKernel"}), IsEmpty());
  });
}

TEST_F(FakeLaunches, TextThatDoesNotCompileIsShown) {
  on_fake_cuda(
      [this] {
        const FakeStream stream(driver_);
        EXPECT_THAT(
            message_of<CompileError>([&] { launch(stream); }),
            AllOf(HasSubstr("a CUDA kernel does not compile for sm_90:"), HasSubstr("    1 | ")));
      },
      {{"FAKE_NVRTC_BROKEN", "1"}});
}

TEST_F(FakeLaunches, AGraphThatIsNotMadeIsCleanedUp) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const std::uint64_t graphs = value_of(Counter::kernel_graphs);
    const Calls kGraphs{"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiate",
                        "cuGraphDestroy", "cuLaunchKernel"};
    launch(stream, 15);
    fake_.watch_calls();
    fake_.fail_call("cuGraphInstantiate", CUDA_ERROR_OUT_OF_MEMORY);
    launch(stream);
    EXPECT_THAT(fake_.take_calls(kGraphs),
                ElementsAre("cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiate",
                            "cuGraphDestroy", "cuLaunchKernel"));
    EXPECT_EQ(value_of(Counter::kernel_graphs), graphs);
    launch(stream, 40);  // it is tried again
    EXPECT_EQ(value_of(Counter::kernel_graphs), graphs + 1);
  });
}

TEST_F(FakeLaunches, ALaunchThatItsGraphDoesNotTakeGoesByItself) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const Calls kLaunches{"cuGraphExecKernelNodeSetParams", "cuGraphLaunch", "cuLaunchKernel"};
    launch(stream, 20);
    ASSERT_EQ(value_of(Counter::kernel_graphs), 1u);
    fake_.watch_calls();
    launch(stream);
    EXPECT_THAT(fake_.take_calls(kLaunches),
                ElementsAre("cuGraphExecKernelNodeSetParams", "cuGraphLaunch"));
    fake_.fail_call("cuGraphExecKernelNodeSetParams", CUDA_ERROR_INVALID_VALUE);
    launch(stream);
    EXPECT_THAT(fake_.take_calls(kLaunches),
                ElementsAre("cuGraphExecKernelNodeSetParams", "cuLaunchKernel"));
  });
}

TEST_F(FakeLaunches, UnderNsightComputeThereAreNoGraphs) {
  on_fake_cuda([this] {
    const TemporaryFolder folder;
    const std::filesystem::path injected = folder.path() / "libcuda-injection.so";
    Dl_info here;
    ASSERT_TRUE(dladdr(dlsym(RTLD_DEFAULT, "cbrt"), &here));
    std::filesystem::copy_file(here.dli_fname, injected);  // whatever library it is
    void* const library = dlopen(injected.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(library) << dlerror();
    const FakeStream stream(driver_);
    launch(stream, 100);
    EXPECT_EQ(value_of(Counter::kernel_graphs), 0u);
    dlclose(library);
  });
}

TEST_F(FakeLaunches, NoGraphIsMadeWhileAStreamWaitsForAFunction) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const FakeStream other(driver_);
    launch(stream, 15);
    Driver::Done done;
    driver_->run_beside([&done](Driver::Done given) { done = std::move(given); }, other);
    fake_.watch_calls();
    std::thread waiting([&] { driver_->fill_bytes(memory_.data(), 0, 8, other); });
    while (fake_.take_calls({"cuStreamWaitValue32"}).empty()) std::this_thread::yield();
    launch(stream, 40);
    EXPECT_EQ(value_of(Counter::kernel_graphs), 0u);
    done();
    waiting.join();
    launch(stream, 40);
    EXPECT_EQ(value_of(Counter::kernel_graphs), 1u);
  });
}

TEST_F(FakeLaunches, ADeviceHasSoManyGraphs) {
  on_fake_cuda([this] {
    std::vector<std::unique_ptr<FakeStream>> streams;
    for (int i = 0; i < 130; ++i) {
      streams.push_back(std::make_unique<FakeStream>(driver_));
      launch(*streams.back(), 20);
    }
    EXPECT_EQ(value_of(Counter::kernel_graphs), 128u);
    fake_.watch_calls();
    launch(*streams[0]);
    launch(*streams[129]);
    EXPECT_THAT(fake_.take_calls({"cuGraphLaunch", "cuLaunchKernel"}),
                ElementsAre("cuGraphLaunch", "cuLaunchKernel"));
    streams[0].reset();  // its graph goes with it
    EXPECT_THAT(fake_.take_calls({"cuGraphExecDestroy", "cuGraphDestroy"}),
                ElementsAre("cuGraphExecDestroy", "cuGraphDestroy"));
    launch(*streams[129], 40);
    EXPECT_EQ(value_of(Counter::kernel_graphs), 129u);
  });
}

TEST_F(FakeLaunches, AKernelForJoinedLaunchesThatIsNotLoadedIsNotMissed) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const std::shared_ptr<Kernel> kernel = driver_->build(plan(), 0);
    const std::vector<LaunchArguments> all(
        4, {{100}, {{memory_.data(), {1}}, {memory_.data(), {1}}}, {{memory_.data(), {1}}}, {}});
    for (int i = 0; i < 1024; ++i) EXPECT_EQ(driver_->launch_joined(kernel, all, stream), 0u);
    ASSERT_TRUE(driver_->is_loading());
    fake_.fail_call("cuModuleLoadData", CUDA_ERROR_OUT_OF_MEMORY);
    fake_.watch_calls();
    driver_->load_joined();
    EXPECT_THAT(fake_.take_calls({"cuModuleLoadData"}), SizeIs(1));
    EXPECT_FALSE(driver_->is_loading());
    EXPECT_EQ(driver_->launch_joined(kernel, all, stream), 0u);
    launch(stream);
    EXPECT_EQ(driver_->fault(0), nullptr);
  });
}

// ---- Machine code that comes with the library

// A program whose library comes with the code of these kernels.
class ShippedKernels : public FakeLaunches {
 protected:
  void ship(const std::vector<ArchiveEntry>& entries) {
    std::filesystem::create_symlink(own_path(), program());
    write_text(folder_.path() / "cupola_kernels.bin", make_archive(entries));
  }
  std::filesystem::path program() const { return folder_.path() / "program"; }
  // So many streams in turn, of each a kernel and then a copy.
  void copy_by_turns(const std::vector<std::unique_ptr<FakeStream>>& streams, void* target,
                     const void* source, std::size_t bytes) {
    for (const auto& stream : streams) {
      launch(*stream);
      driver_->copy_from_pinned_async(target, source, bytes, *stream);
    }
  }

 private:
  const TemporaryFolder folder_;
};

TEST_F(ShippedKernels, CopiesFromManyStreamsGoByAKernel) {
  ship({{KernelTask(copy_kernel_text(), 90, 0).key(), "the kernel that copies"}});
  on_fake_cuda(
      [this] {
        std::vector<std::unique_ptr<FakeStream>> streams;
        for (int i = 0; i < 20; ++i) streams.push_back(std::make_unique<FakeStream>(driver_));
        constexpr std::size_t kBytes = std::size_t{1} << 20;
        void* const target = driver_->allocate(0, 4 * kBytes, MemoryKind::device);
        char* const source =
            static_cast<char*>(driver_->allocate(0, 4 * kBytes, MemoryKind::pinned));
        copy_by_turns(streams, target, source, kBytes);
        EXPECT_GT(value_of(Counter::kernel_copies), 0u);

        const std::uint64_t before = value_of(Counter::kernel_copies);
        fake_.watch_launches(sizeof(cupola_device::CopyArguments));
        launch(*streams[0]);
        driver_->copy_from_pinned_async(target, source, kBytes, *streams[0]);
        EXPECT_EQ(value_of(Counter::kernel_copies), before + 1);
        const auto launches = fake_.take_launches();
        ASSERT_THAT(launches, SizeIs(2));
        EXPECT_EQ(launches[1].grid_x, cupola_device::kCopyBlocks);
        cupola_device::CopyArguments arguments;
        std::memcpy(&arguments, launches[1].argument, sizeof arguments);
        EXPECT_EQ(arguments.target, target);
        EXPECT_EQ(static_cast<const void*>(arguments.source), source);
        EXPECT_EQ(arguments.bytes, kBytes);

        // By the copy engine: what is small, large, or not aligned, and without a kernel before.
        const auto goes_by_engine = [&](const void* from, std::size_t bytes) {
          launch(*streams[1]);
          fake_.watch_calls();
          driver_->copy_from_pinned_async(target, from, bytes, *streams[1]);
          launch(*streams[2]);
          driver_->copy_from_pinned_async(target, from, bytes, *streams[2]);
          return fake_.take_calls({"cuMemcpyHtoDAsync"}).size() == 2;
        };
        EXPECT_TRUE(goes_by_engine(source, (64 << 10) - 16));
        EXPECT_TRUE(goes_by_engine(source, 2 * kBytes + 16));
        EXPECT_TRUE(goes_by_engine(source + 8, kBytes));
        EXPECT_FALSE(goes_by_engine(source, kBytes));
        fake_.watch_calls();
        driver_->copy_from_pinned_async(target, source, kBytes, *streams[3]);
        driver_->copy_from_pinned_async(target, source, kBytes, *streams[3]);
        EXPECT_THAT(fake_.take_calls({"cuMemcpyHtoDAsync"}), SizeIs(::testing::Ge(1)));
        driver_->deallocate(0, source, 4 * kBytes, MemoryKind::pinned);
        driver_->deallocate(0, target, 4 * kBytes, MemoryKind::device);
      },
      {}, program());
}

TEST_F(ShippedKernels, CodeOfAGenerationServesItsLaterDevices) {
  ship({{KernelTask(cuda_code(plan()).text, 80, 0).key(), "code for 8.0"}});
  on_fake_cuda(
      [this] {
        const FakeStream stream(driver_);
        fake_.watch_calls();
        launch(stream);
        EXPECT_THAT(fake_.take_calls({"nvrtcCreateProgram", "cuModuleLoadData", "cuLaunchKernel"}),
                    ElementsAre("cuModuleLoadData", "cuLaunchKernel"));
        EXPECT_EQ(value_of(Counter::compiled_found), 1u);
        EXPECT_EQ(value_of(Counter::compilations), 0u);
      },
      {{"FAKE_CUDA_CAPABILITY", "8.6"}}, program());
}

TEST_F(ShippedKernels, CodeOfAnotherGenerationServesNone) {
  ship({{KernelTask(cuda_code(plan()).text, 80, 0).key(), "code for 8.0"}});
  on_fake_cuda(
      [this] {
        const FakeStream stream(driver_);
        launch(stream);
        EXPECT_EQ(value_of(Counter::compiled_found), 0u);
        EXPECT_EQ(value_of(Counter::compilations), 1u);
      },
      {{"FAKE_CUDA_CAPABILITY", "9.0"}}, program());
}

}  // namespace
}  // namespace cupola::cuda
