// Machines of the fake driver: parts of GPUs, too many of them, no NVML, and libraries that are
// missing or too old.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/testing/message_of.h"
#include "base/testing/temporary_folder.h"
#include "cupola/error.h"
#include "platforms/cuda/device/shared_library.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

namespace fs = std::filesystem;
using cupola::testing::message_of;
using cupola::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

class FakeMachine : public OnFakeCuda {
 protected:
  // A folder that has some of the fake's libraries, where the system's would be.
  std::pair<std::string, std::string> only(std::initializer_list<const char*> libraries) {
    for (const char* name : libraries) {
      fs::create_symlink(fs::canonical(fake_folder() / name), folder_.path() / name);
    }
    return {"LD_LIBRARY_PATH", folder_.path()};
  }
  const TemporaryFolder folder_;
};

TEST_F(FakeMachine, PartsAreDevicesWithNumbersOfTheirOwn) {
  on_fake_cuda(
      [this] {
        ASSERT_EQ(driver_->device_count(), 2);
        const DeviceProperties part = driver_->properties(0);
        EXPECT_EQ(part.uuid, "MIG-00000002-0001-0000-0000-000000000000");
        EXPECT_EQ(part.multiprocessors, 16);
        EXPECT_EQ(part.total_memory, std::size_t{2} << 30);
        EXPECT_EQ(driver_->properties(1).uuid, "MIG-00000001-0002-0000-0000-000000000000");
        EXPECT_EQ(driver_->memory_info(0).free, std::size_t{2} << 30);
        // CUDA knows a part by another name than NVML: by its place in the list.
        void* const block = driver_->allocate(1, 100, MemoryKind::managed);
        EXPECT_EQ(driver_->describe(block).kind, PointerKind::managed);
        driver_->deallocate(1, block, 100, MemoryKind::managed);
      },
      {{"FAKE_CUDA_PARTS", "2"},
       {"CUDA_VISIBLE_DEVICES",
        "MIG-00000002-0001-0000-0000-000000000000,MIG-00000001-0002-0000-0000-000000000000"}});
}

// Tests that make the driver themselves.
class FakeDiscovery : public FakeMachine {
 protected:
  void SetUp() override {
    if (!has_fake_cuda()) GTEST_SKIP() << "tests/fake_cuda is not built";
  }
  // Why there is no driver.
  static std::string reason() {
    const char* reason = "";
    return cupola_create_driver(&reason) ? "there is one" : reason;
  }
};

TEST_F(FakeDiscovery, MoreDevicesThanThereIsRoomForAreRefused) {
  on_fake_cuda(
      [] {
        EXPECT_EQ(reason(),
                  "4097 CUDA devices are more than 4096; select some with CUDA_VISIBLE_DEVICES");
        setenv("CUDA_VISIBLE_DEVICES", "4096,7", 1);
        EXPECT_EQ(cupola_create_driver(nullptr)->device_count(), 2);
      },
      {{"FAKE_CUDA_DEVICES", "4097"}});
}

TEST_F(FakeMachine, WithoutNvmlTheDriverIsAsked) {
  on_fake_cuda(
      [this] {
        EXPECT_EQ(driver_->device_count(), 2);
        EXPECT_TRUE(driver_->is_initialized()) << "there is no other way to know";
        EXPECT_EQ(driver_->properties(1).name, "Fake GPU 1");
        EXPECT_EQ(driver_->properties(1).pci_bus_id, "00000000:02:00.0");
        EXPECT_EQ(driver_->properties(1).multiprocessors, 132);
        EXPECT_EQ(driver_->memory_info(0).free, 0u);
        EXPECT_EQ(driver_->memory_info(0).total, std::size_t{16} << 30);
        EXPECT_EQ(driver_->driver_version(), CUDA_VERSION);
        fake_.fail_call("cuDriverGetVersion", CUDA_ERROR_NOT_PERMITTED);
        EXPECT_THAT(message_of<DeviceError>([&] { driver_->driver_version(); }),
                    HasSubstr("cuDriverGetVersion: "));
      },
      {only({"libcuda.so.1"})});
}

TEST_F(FakeDiscovery, ADeviceThatTheDriverDoesNotDescribeIsNoDevice) {
  on_fake_cuda(
      [this] {
        for (const char* call : {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
                                 "cuDeviceGetUuid", "cuDeviceGetPCIBusId", "cuDeviceTotalMem"}) {
          fake_.fail_call(call, CUDA_ERROR_NOT_PERMITTED);
          EXPECT_THAT(reason(), ::testing::StartsWith(call));
        }
        EXPECT_EQ(cupola_create_driver(nullptr)->device_count(), 2);
      },
      {{"FAKE_CUDA_NO_NVML", "1"}});
}

TEST_F(FakeMachine, MissingLibrariesAreNamedWithTheirPlaces) {
  on_fake_cuda(
      [] {
        EXPECT_THAT(
            message_of<LibraryError>([] {
              const SharedLibrary library({"libnobody_has.so.2", "libnobody_has.so.1"}, "a test");
            }),
            AllOf(HasSubstr("a test needs libnobody_has.so.2, which was found neither by the "
                            "system's loader nor in /some/wheels /some/toolkit/lib64 "
                            "/some/toolkit/lib "),
                  HasSubstr("set CUPOLA_CUDA_LIBRARY_PATH to the folder that holds it")));
        EXPECT_EQ(find_library_file({"libnobody_has.so.2"}), "");
      },
      {{"CUPOLA_CUDA_LIBRARY_PATH", ":/some/wheels:"}, {"CUDA_HOME", "/some/toolkit"}});
}

TEST_F(FakeMachine, ADriverForCuda12TakesItsLibraries) {
  fs::create_symlink(fs::canonical(fake_folder() / "libcuda.so.1"), folder_.path() / "libx.so.2");
  fs::create_symlink(fs::canonical(fake_folder() / "libcuda.so.1"), folder_.path() / "libx.so.1");
  for (const auto& [version, expected] :
       {std::pair("13000", "libx.so.2"), std::pair("12040", "libx.so.1")}) {
    on_fake_cuda(
        [] {
          const SharedLibrary library({"libx.so.2", "libx.so.1"}, "a test");
          EXPECT_THAT(find_library_file({"libx.so.2", "libx.so.1"}),
                      ::testing::EndsWith(std::getenv("EXPECTED")));
          EXPECT_EQ(driver_major(), std::atoi(std::getenv("FAKE_CUDA_API_VERSION")) / 1000);
        },
        {{"FAKE_CUDA_API_VERSION", version},
         {"EXPECTED", expected},
         {"CUPOLA_CUDA_LIBRARY_PATH", folder_.path()}});
  }
}

TEST_F(FakeMachine, WhatOnlyALaterDriverTakesIsSaid) {
  std::ofstream(folder_.path() / "liby.so.2") << "a library";
  on_fake_cuda(
      [] {
        EXPECT_THAT(message_of<LibraryError>([] {
                      const SharedLibrary library({"liby.so.2", "liby.so.1"}, "a test");
                    }),
                    AllOf(HasSubstr("a test needs liby.so.1, "),
                          HasSubstr("is of CUDA 13, the driver is for CUDA 12"),
                          HasSubstr("pip install 'cupola[cuda12]'")));
      },
      {{"FAKE_CUDA_API_VERSION", "12020"}, {"CUPOLA_CUDA_LIBRARY_PATH", folder_.path()}});
}

TEST_F(FakeMachine, LibrariesThatCannotBeOpenedAreBroken) {
  std::ofstream(folder_.path() / "libz_of_ours.so.2") << "a download that ended early";
  on_fake_cuda(
      [] {
        EXPECT_THAT(message_of<LibraryError>([] {
                      const SharedLibrary library({"libz_of_ours.so.2", "libz.so.0"}, "a test");
                    }),
                    AllOf(HasSubstr("What is there is broken or incomplete:"),
                          HasSubstr("libz_of_ours.so.2: "),
                          HasSubstr("pip install --force-reinstall 'cupola[cuda13]'")));
      },
      {{"CUPOLA_CUDA_LIBRARY_PATH", folder_.path()}});
}

TEST_F(FakeMachine, ADriverThatIsTooOldIsNamed) {
  Dl_info other{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::strtol), &other), 0);
  fs::create_symlink(fs::canonical(other.dli_fname), folder_.path() / "libold.so.1");
  on_fake_cuda(
      [] {
        EXPECT_THAT(message_of<LibraryError>([] {
                      void (*function)() = nullptr;
                      SharedLibrary("libold.so.1").load(function, "cuMemAdvise_v2");
                    }),
                    AllOf(HasSubstr("libold.so.1 has no function cuMemAdvise_v2: it is too old; "),
                          HasSubstr("driver 535 (CUDA 12.2) or a later one")));
      },
      {{"LD_LIBRARY_PATH", folder_.path().string() + ":" + fake_folder().string()}});
}

TEST_F(FakeMachine, LibrariesWithoutAFunctionAreTooOld) {
  const auto environment = only({"libcuda.so.1", "libnvidia-ml.so.1"});
  Dl_info other{};  // a library that has none of the functions
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::strtol), &other), 0);
  fs::create_symlink(fs::canonical(other.dli_fname), folder_.path() / "libcublas.so.13");
  on_fake_cuda(
      [this] {
        const FakeStream stream(driver_);
        double value = 2;
        const MatmulProblem product{
            DType::float64, 1, 1, 1, &value, &value, &value, 1, 1, 1, 1, 1, {}, {}, {}, {}};
        for (int i = 0; i < 2; ++i) {
          EXPECT_EQ(message_of<LibraryError>([&] { driver_->matmul(product, stream); }),
                    "libcublas.so.13 has no function cublasGetStatusName: it is too old");
        }
      },
      {environment, {"CUPOLA_CUDA_LIBRARY_PATH", ""}});
}

}  // namespace
}  // namespace cupola::cuda
