// Modules of users on the fake driver: names, variables, attributes, parameters, and what errors of
// loads and launches become.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>

#include "base/counters.h"
#include "base/testing/message_of.h"
#include "base/testing/temporary_folder.h"
#include "cupola/error.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using cupola::testing::message_of;
using cupola::testing::TemporaryFolder;
using cupola::testing::write_text;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class FakeModules : public OnFakeCuda {
 protected:
  std::shared_ptr<Module> a_module() { return driver_->build_module({.text = "a kernel"}); }
};

TEST_F(FakeModules, AreLoadedOnceOnEachDevice) {
  on_fake_cuda([this] {
    const auto module = a_module();
    const auto first = module->function("first"), second = module->function("second");
    const std::uint64_t compilations = value_of(Counter::compilations);
    fake_.watch_calls();
    first->attributes(0);
    second->attributes(0);
    first->attributes(0);
    EXPECT_THAT(fake_.take_calls({"cuModuleLoadDataEx", "cuModuleGetFunction"}),
                ElementsAre("cuModuleLoadDataEx", "cuModuleGetFunction first",
                            "cuModuleGetFunction second"));
    second->attributes(1);
    EXPECT_THAT(fake_.take_calls({"cuModuleLoadDataEx", "cuModuleGetFunction"}),
                ElementsAre("cuModuleLoadDataEx", "cuModuleGetFunction second"));
    EXPECT_EQ(value_of(Counter::compilations) - compilations, 1u);
  });
}

TEST_F(FakeModules, FilesAreLoadedAsTheyAre) {
  on_fake_cuda([this] {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "kernels.cubin";
    const auto module = driver_->build_module({.path = path});
    EXPECT_THAT(message_of<ValueError>([&] { module->function("k")->attributes(0); }),
                HasSubstr("the module file " + path + " cannot be read"));
    write_text(path, "machine code");  // a module that cannot be read may be there later
    fake_.watch_calls();
    EXPECT_EQ(module->function("k")->attributes(0).registers, 32);
    EXPECT_THAT(fake_.take_calls({"nvrtcCreateProgram", "cuModuleLoadDataEx"}),
                ElementsAre("cuModuleLoadDataEx"));
    EXPECT_EQ(module->compile(0), "");
    EXPECT_THAT(message_of<ValueError>([&] { module->function("missing")->attributes(0); }),
                AllOf(HasSubstr("the module has no kernel 'missing';"), Not(HasSubstr("kernels"))));
  });
}

TEST_F(FakeModules, UnknownNamesAreNamedWithTheKernels) {
  on_fake_cuda([this] {
    const auto module = a_module();
    EXPECT_THAT(message_of<ValueError>([&] { module->function("missing")->attributes(0); }),
                HasSubstr("the module has no kernel 'missing'; its kernels are kernel; functions "
                          "need extern \"C\""));
    EXPECT_THAT(message_of<ValueError>([&] { module->global(1, "missing one"); }),
                HasSubstr("the module has no variable 'missing one'; its kernels are kernel"));
    fake_.fail_call("cuModuleGetFunction", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] { module->function("k")->attributes(1); }),
                HasSubstr("cuModuleGetFunction on cuda:1"));
    fake_.fail_call("cuModuleGetGlobal", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] { module->global(0, "v"); }),
                HasSubstr("cuModuleGetGlobal on cuda:0"));
  });
}

TEST_F(FakeModules, VariablesAreOfEachDevice) {
  on_fake_cuda([this] {
    const auto module = a_module();
    const ModuleGlobal first = module->global(0, "counter"), second = module->global(1, "counter");
    EXPECT_EQ(first.bytes, 8u);
    EXPECT_NE(first.pointer, second.pointer);
    EXPECT_EQ(module->global(0, "counter").pointer, first.pointer);
    EXPECT_NE(module->global(0, "other").pointer, first.pointer);
  });
}

TEST_F(FakeModules, CodeThatIsNotLoadedShowsTheLog) {
  on_fake_cuda([this] {
    const auto module = a_module();
    const auto use = [&] { module->function("k")->attributes(0); };
    fake_.fail_call("cuModuleLoadDataEx", CUDA_ERROR_INVALID_PTX);
    EXPECT_THAT(message_of<CompileError>(use),
                AllOf(HasSubstr("the kernel source's machine code cannot be loaded: "
                                "cuModuleLoadDataEx on cuda:0"),
                      HasSubstr("\nas the fake linker says")));
    fake_.fail_call("cuModuleLoadDataEx", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THAT(message_of<OutOfMemoryError>(use),
                AllOf(HasSubstr("cuModuleLoadDataEx on cuda:0"), Not(HasSubstr("linker"))));
    use();  // the next time it is loaded
    EXPECT_FALSE(driver_->is_loading());
  });
}

TEST_F(FakeModules, AttributesAreSetAndRead) {
  on_fake_cuda([this] {
    const auto function = a_module()->function("kernel");
    fake_.watch_calls();
    function->set_attribute(0, SettableAttribute::max_dynamic_shared_bytes, 70000);
    function->set_attribute(0, SettableAttribute::preferred_shared_carveout, 30);
    EXPECT_THAT(
        fake_.take_calls({"cuFuncSetAttribute"}),
        ElementsAre(
            fmt::format("cuFuncSetAttribute {} 70000",
                        static_cast<int>(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)),
            fmt::format("cuFuncSetAttribute {} 30",
                        static_cast<int>(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT))));
    EXPECT_EQ(function->attributes(0).max_dynamic_shared_bytes, 70000);
    EXPECT_EQ(function->attributes(0).preferred_shared_carveout, 30);
    EXPECT_EQ(function->attributes(1).max_dynamic_shared_bytes, 0) << "of another device";
    const auto refusal = [&](SettableAttribute attribute) {
      return message_of<ValueError>([&] { function->set_attribute(1, attribute, -2); });
    };
    EXPECT_EQ(refusal(SettableAttribute::max_dynamic_shared_bytes),
              "max_dynamic_shared_size_bytes of kernel cannot be -2 on cuda:1");
    EXPECT_EQ(refusal(SettableAttribute::preferred_shared_carveout),
              "preferred_shared_memory_carveout of kernel cannot be -2 on cuda:1");
    fake_.fail_call("cuFuncSetAttribute", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] {
                  function->set_attribute(0, SettableAttribute::max_dynamic_shared_bytes, 1);
                }),
                HasSubstr("cuFuncSetAttribute on cuda:0"));
  });
}

TEST_F(FakeModules, ParametersAreKnownWhereTheDriverTells) {
  on_fake_cuda([this] {
    const auto module = a_module();
    const auto sizes = [&](const char* name) { return module->function(name)->parameter_sizes(0); };
    EXPECT_EQ(sizes("k_takes_8_4_16"), (std::vector<std::size_t>{8, 4, 16}));
    EXPECT_EQ(sizes("k_takes_"), std::vector<std::size_t>{});
    EXPECT_EQ(sizes("another"), std::nullopt);
    fake_.fail_call("cuFuncGetParamInfo", CUDA_ERROR_NOT_PERMITTED);
    EXPECT_THAT(message_of<DeviceError>([&] { sizes("k_takes_8"); }),
                HasSubstr("cuFuncGetParamInfo on cuda:0"));
  });
}

TEST_F(FakeModules, LaunchesThatFailSayWithWhat) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    const auto function = a_module()->function("kernel");
    const LaunchGeometry geometry{.grid = {3, 2, 1}, .block = {32, 4, 1}};
    fake_.fail_call("cuLaunchKernel", CUDA_ERROR_INVALID_VALUE);
    EXPECT_THAT(message_of<LaunchError>([&] { function->launch(geometry, {}, stream); }),
                HasSubstr("kernel with a grid of 3 x 2 x 1 and blocks of 32 x 4 x 1: "
                          "cuLaunchKernel on cuda:0"));
    function->launch(geometry, {}, stream);
    EXPECT_EQ(driver_->fault(0), nullptr);
    fake_.fail_call("cuLaunchKernel", CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_THAT(message_of<DeviceError>([&] { function->launch(geometry, {}, stream); }),
                AllOf(HasSubstr("kernel on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS"),
                      HasSubstr("Work queued before this call failed"), HasSubstr("kernel")));
    EXPECT_NE(driver_->fault(0), nullptr);
    EXPECT_EQ(driver_->fault(1), nullptr);
  });
}

TEST_F(FakeModules, SharedMemoryIsAllowedAsFarAsItIsNeeded) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    fake_.set_attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 1000);
    fake_.set_attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 100);
    const auto function = a_module()->function("kernel");
    fake_.watch_calls();
    for (const std::size_t bytes : {600, 500, 900}) {
      function->launch({.shared_bytes = bytes}, {}, stream);
    }
    constexpr int kAllowed = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    EXPECT_THAT(fake_.take_calls({"cuFuncSetAttribute", "cuLaunchKernel"}),
                ElementsAre(fmt::format("cuFuncSetAttribute {} 600", kAllowed), "cuLaunchKernel",
                            "cuLaunchKernel", fmt::format("cuFuncSetAttribute {} 900", kAllowed),
                            "cuLaunchKernel"));
    EXPECT_THAT(
        message_of<LaunchError>([&] { function->launch({.shared_bytes = 901}, {}, stream); }),
        HasSubstr("at most 1000 bytes, of which the kernel itself takes 100, so that 900 "
                  "are left"));
    EXPECT_THAT(fake_.take_calls({"cuFuncSetAttribute", "cuLaunchKernel"}), IsEmpty());
  });
}

TEST_F(FakeModules, DevicesWithoutCooperativeLaunchesSaySo) {
  on_fake_cuda([this] {
    const FakeStream stream(driver_);
    fake_.set_attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0);
    fake_.watch_calls();
    EXPECT_EQ(message_of<LaunchError>([&] {
                a_module()->function("kernel")->launch({.cooperative = true}, {}, stream);
              }),
              "cuda:0 has no cooperative launches");
    EXPECT_THAT(fake_.take_calls({"cuLaunchCooperativeKernel"}), IsEmpty());
  });
}

TEST_F(FakeModules, ErrorsOfTheCompilerBesidesThoseOfTheText) {
  on_fake_cuda([this] {
    fake_.fail_call("nvrtcCreateProgram", 1);
    EXPECT_EQ(message_of<CompileError>([&] { a_module()->compile(0); }),
              "nvrtcCreateProgram: as the fake compiler says");
    fake_.fail_call("nvrtcCompileProgram", 11);  // an internal error
    EXPECT_EQ(message_of<CompileError>([&] { a_module()->compile(0); }),
              "nvrtcCompileProgram: as the fake compiler says");
    a_module()->compile(0);
  });
}

TEST_F(FakeModules, DevicesThatTheCompilerDoesNotKnowGetPtx) {
  on_fake_cuda(
      [this] {
        fake_.watch_calls();
        a_module()->compile(0);
        EXPECT_THAT(
            fake_.take_calls({"nvrtcCompileProgram", "nvrtcGetPTX"}),
            ElementsAre("nvrtcCompileProgram --gpu-architecture=compute_100", "nvrtcGetPTX"));
      },
      {{"FAKE_CUDA_CAPABILITY", "12.1"}});
}

TEST_F(FakeModules, NvccIsNamedWhereItIsMissing) {
  if (std::filesystem::exists("/usr/local/cuda/bin/nvcc")) GTEST_SKIP() << "nvcc is installed";
  on_fake_cuda(
      [this] {
        const ModuleSource source{.text = "a kernel", .backend = ModuleSource::Backend::nvcc};
        EXPECT_THAT(message_of<LibraryError>([&] { driver_->build_module(source)->compile(0); }),
                    HasSubstr("neither named by NVCC nor found in CUDA_HOME, CUDA_PATH, PATH"));
      },
      {{"PATH", "/nowhere"}, {"NVCC", ""}, {"CUDA_HOME", "/nowhere"}, {"CUDA_PATH", "/nowhere"}});
}

TEST_F(FakeModules, NvccTakesNoNameExpressions) {
  on_fake_cuda([this] {
    const ModuleSource source{
        .text = "a kernel", .name_expressions = {"f<int>"}, .backend = ModuleSource::Backend::nvcc};
    EXPECT_THAT(message_of<ValueError>([&] { driver_->build_module(source)->compile(0); }),
                HasSubstr("name_expressions need backend='nvrtc'"));
  });
}

}  // namespace
}  // namespace cupola::cuda
