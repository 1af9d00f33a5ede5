// Modules of users: compiled once, errors with the numbered text, refused launches. Where the
// platform cannot run them, everything else holds all the same. Those of a set are its first
// member's, whose kernels reach the memory of all.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/counters.h"
#include "base/testing/message_of.h"
#include "cupola/error.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using testing::message_of;

constexpr const char* kTwice = R"(
extern "C" __global__ void twice(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 2;
}
template <typename T> __global__ void fill(T* values, T value) { values[threadIdx.x] = value; }
__device__ int counter = 7;
)";

class WithModules : public contract::DriverContract {
 protected:
  // Modules are the platform's, also where the driver is not.
  int first() const { return members().front(); }
  StreamHandle lead() { return driver().of_platform(stream()); }
};

class ModuleContract : public WithModules {
 protected:
  void SetUp() override {
    DriverContract::SetUp();
    if (IsSkipped()) return;
    if (find_source_compiler() == nullptr) GTEST_SKIP() << "the CUDA plugin is not built";
    try {
      find_source_compiler()->compile({.text = "__device__ int a;"}, 90);
    } catch (const LibraryError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_P(ModuleContract, ErrorsShowTheLogAndTheNumberedText) {
  const auto module =
      driver().build_module({.text = "extern \"C\" __global__ void k() {\n  nope();\n}"});
  for (int i = 0; i < 2; ++i) {
    const std::string message = message_of<CompileError>([&] { module->compile(first()); });
    EXPECT_NE(message.find("nope"), std::string::npos) << message;
    EXPECT_NE(message.find("    2 |   nope();"), std::string::npos) << message;
  }
}

TEST_P(ModuleContract, NothingIsCompiledBeforeItIsAskedFor) {
  const auto module = driver().build_module({.text = "this is no C++"});
  EXPECT_NE(module->function("anything"), nullptr);
}

TEST_P(ModuleContract, OneThreadCompilesForAll) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string unique = "// " + std::to_string(getpid()) + " " + std::to_string(now);
  const auto module = driver().build_module({.text = kTwice + unique});
  const std::uint64_t before = value_of(Counter::compilations);
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 64; ++i) {
    threads.emplace_back([&] {
      ++ready;
      while (ready < 64) std::this_thread::yield();
      module->compile(first());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value_of(Counter::compilations) - before, 1u);
}

TEST_P(ModuleContract, NamesThatDoNotExistAreNamedWithThoseThatDo) {
  const auto module = driver().build_module({.text = kTwice});
  const auto function = module->function("thrice");
  const std::string message = message_of<ValueError>([&] { function->attributes(first()); });
  EXPECT_NE(message.find("thrice"), std::string::npos) << message;
  EXPECT_NE(message.find("twice"), std::string::npos) << message;
}

TEST_P(ModuleContract, UnknownOptionsAreErrors) {
  const auto module = driver().build_module({.text = kTwice, .options = {"--no-such-option"}});
  EXPECT_NE(message_of<CompileError>([&] { module->compile(first()); }).find("--no-such-option"),
            std::string::npos);
}

TEST_P(ModuleContract, LaunchesRun) {
  const auto module = driver().build_module({.text = kTwice, .name_expressions = {"fill<double>"}});
  const auto twice = module->function("twice");
  const LaunchGeometry geometry{.grid = {2, 1, 1}, .block = {64, 1, 1}};
  auto* values = upload(std::vector<float>(100, 1.5F));
  int count = 100;
  void* arguments[] = {&values, &count};
  twice->launch(geometry, arguments, lead());
  EXPECT_EQ(read<float>(values, 100), std::vector<float>(100, 3.0F));
  auto* doubles = upload(std::vector<double>(8, 0.0));
  double value = 2.5;
  void* fill_arguments[] = {&doubles, &value};
  module->function("fill<double>")->launch({.block = {8, 1, 1}}, fill_arguments, lead());
  EXPECT_EQ(read<double>(doubles, 8), std::vector<double>(8, 2.5));
  const ModuleGlobal counter = module->global(first(), "counter");
  EXPECT_EQ(counter.bytes, sizeof(int));
  EXPECT_EQ(read<int>(counter.pointer, 1), std::vector<int>{7});
}

// ---- C++ for the CPU's own compiler

ModuleSource host_source(const std::string& body) {
  ModuleSource source;
  source.prelude =
      "#include <cstddef>\nusing std::ptrdiff_t;\nstruct Sum { long* to; long step; };";
  source.text =
      "extern \"C\" const unsigned long long k_bytes = sizeof(Sum);\n"
      "extern \"C\" void k(const void* argument, ptrdiff_t first, ptrdiff_t last) {\n"
      "  const Sum& sum = *static_cast<const Sum*>(argument);\n" +
      body + "\n}\n";
  source.backend = ModuleSource::Backend::host;
  return source;
}

struct Sum {
  long* to;
  long step;
};

// Null where there is no compiler.
std::shared_ptr<ModuleFunction> host_function(Driver& cpu, const std::string& body) {
  const auto module = cpu.build_module(host_source(body));
  try {
    module->compile(0);
  } catch (const LibraryError&) {
    return nullptr;
  }
  return module->function("k");
}

class HostModules : public WithModules {};

TEST_P(HostModules, DoEveryBlockOnceInTheOrderOfTheStream) {
  const auto function =
      host_function(driver(), "  for (ptrdiff_t i = first; i < last; ++i) sum.to[i] += sum.step;");
  if (!function) GTEST_SKIP() << "no C++ compiler is installed";
  EXPECT_EQ(function->parameter_sizes(first()), std::vector<std::size_t>{sizeof(Sum)});
  constexpr std::size_t kBlocks = 1000;
  auto* values = upload(std::vector<long>(kBlocks, 0));
  for (long step = 1; step <= 20; ++step) {
    Sum sum{values, step};
    void* argument = &sum;
    function->launch({.grid = {kBlocks, 1, 1}}, {&argument, 1}, lead());
    sum = {nullptr, 0};  // it was read before launch() returned
  }
  EXPECT_EQ(read<long>(values, kBlocks), std::vector<long>(kBlocks, 210));
}

TEST_P(HostModules, ErrorsShowTheLogAndTheNumberedText) {
  const auto module = driver().build_module(host_source("  nope();"));
  std::string message;
  try {
    message = message_of<CompileError>([&] { module->compile(first()); });
  } catch (const LibraryError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_NE(message.find("nope"), std::string::npos) << message;
  EXPECT_NE(message.find("    4 |   nope();"), std::string::npos) << message;
  EXPECT_NE(message.find(":4:"), std::string::npos) << message;
  EXPECT_EQ(message_of<CompileError>([&] { module->compile(first()); }), message);
}

TEST_P(HostModules, NamesThatDoNotExistAreNamed) {
  const auto module = driver().build_module(host_source(""));
  if (!host_function(driver(), "")) GTEST_SKIP() << "no C++ compiler is installed";
  const std::string message =
      message_of<ValueError>([&] { module->function("other")->parameter_sizes(first()); });
  EXPECT_NE(message.find("other"), std::string::npos) << message;
}

constexpr contract::Tested kCpu[] = {{PlatformKind::cpu}, {PlatformKind::cpu, true}};
INSTANTIATE_TEST_SUITE_P(Platforms, HostModules, ::testing::ValuesIn(kCpu), contract::kName);

TEST_P(ModuleContract, WhatCannotFitIsRefusedWithTheNumbers) {
  if (is_cpu()) GTEST_SKIP() << "kernels of CPU devices take no registers";
  const auto module = driver().build_module(
      {.text = "extern \"C\" __global__ void __launch_bounds__(128) bounded(int* p) { *p = 1; }"});
  const auto bounded = module->function("bounded");
  int* pointer = nullptr;
  void* arguments[] = {&pointer};
  const std::string threads = message_of<LaunchError>([&] {
    bounded->launch({.block = {256, 1, 1}}, arguments, lead());
  });
  EXPECT_NE(threads.find("256 threads"), std::string::npos) << threads;
  EXPECT_NE(threads.find("registers per thread"), std::string::npos) << threads;
  EXPECT_NE(threads.find("has 128 threads"), std::string::npos) << threads;
  const std::string shared = message_of<LaunchError>([&] {
    bounded->launch({.block = {32, 1, 1}, .shared_bytes = 1 << 30}, arguments, lead());
  });
  EXPECT_NE(shared.find(std::to_string(1 << 30)), std::string::npos) << shared;
  EXPECT_GT(bounded->attributes(first()).registers, 0);
  EXPECT_LE(bounded->attributes(first()).max_threads_per_block, 128);
  driver().synchronize(stream());
}

TEST_P(ModuleContract, MoreSharedMemoryThanTheDefaultIsGranted) {
  const auto module = driver().build_module(
      {.text = "extern \"C\" __global__ void far(int* p) { extern __shared__ int s[];"
               " s[15999] = 3; *p = s[15999]; }"});
  auto* target = upload(std::vector<int>{0});
  void* arguments[] = {&target};
  module->function("far")->launch({.block = {1, 1, 1}, .shared_bytes = 64000}, arguments, lead());
  EXPECT_EQ(read<int>(target, 1), std::vector<int>{3});
}

INSTANTIATE_TEST_SUITE_P(Platforms, ModuleContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
