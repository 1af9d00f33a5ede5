// Launches in parts, on streams of several devices where there are several: the bits of launch().

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/sanitized.h"
#include "codegen/cuda/cuda_text_plans.h"
#include "core/layout.h"
#include "driver/testing/sample_launch.h"
#include "driver/testing/sample_plans.h"
#include "driver_fixture.h"

namespace cupola {
namespace {

using contract::DriverContract;
using testing::SampleLaunch;

// Host memory is memory of the CPU platform.
void run_on_host(const KernelPlan& plan, const LaunchArguments& arguments) {
  Driver* const cpu = find_driver(PlatformKind::cpu, nullptr);
  StreamHandle stream = cpu->create_stream(0);
  cpu->launch(cpu->build(plan, 0), arguments, stream);
  cpu->synchronize(stream);
  cpu->destroy_stream(stream);
}

class PartsContract : public DriverContract {
 protected:
  static constexpr std::size_t kStreams = 3;

  void SetUp() override {
    DriverContract::SetUp();
    if (IsSkipped()) return;
    for (std::size_t i = 0; i < kStreams; ++i) streams_.push_back(driver().create_stream(device()));
  }
  void TearDown() override {
    for (StreamHandle stream : streams_) {
      driver().synchronize(stream);
      driver().destroy_stream(stream);
    }
    DriverContract::TearDown();
  }

  // `behind` goes on after what `before` has now.
  void wait(StreamHandle behind, StreamHandle before) {
    EventHandle event = driver().create_event(device());
    driver().record(event, before);
    driver().wait(behind, event);
    driver().destroy_event(event);
  }

  void launch_in_parts(const std::shared_ptr<Kernel>& kernel, const LaunchArguments& arguments) {
    const LaunchStages stages = driver().stages_of(*kernel, arguments);
    char* const scratch =
        stages.scratch_bytes ? static_cast<char*>(allocate(stages.scratch_bytes)) : nullptr;
    if (scratch) driver().fill_bytes(scratch, 0x5A, stages.scratch_bytes, stream());
    if (stages.zeroed_bytes) driver().fill_bytes(scratch, 0, stages.zeroed_bytes, stream());
    if (stages.set_bytes) {
      driver().fill_bytes(scratch + stages.zeroed_bytes, 0xFF, stages.set_bytes, stream());
    }
    const std::int64_t elements = element_count(arguments.extents);
    for (int stage = 0; stage < stages.count; ++stage) {
      if (!stages.divides[static_cast<std::size_t>(stage)]) {
        driver().launch_stage(kernel, arguments, stage, {0, elements}, scratch, stream());
        continue;
      }
      for (StreamHandle member : streams_) wait(member, stream());
      for (const WorkPart& part : testing::random_parts(elements, random_)) {
        StreamHandle member = streams_[random_() % kStreams];
        driver().launch_stage(kernel, arguments, stage, part, scratch, member);
      }
      for (StreamHandle member : streams_) wait(stream(), member);
    }
  }

  using Image = std::vector<std::vector<std::byte>>;
  // All blocks of memory of the launch, on the device.
  struct Copies {
    std::vector<std::pair<void*, std::vector<std::byte>>> blocks;
    LaunchArguments arguments;
  };
  Copies upload(SampleLaunch& launch) {
    Copies copies;
    copies.arguments = launch.placed([&](const std::byte* front, std::size_t bytes) {
      std::vector<std::byte> image(front, front + bytes);
      void* const memory = DriverContract::upload(image);
      copies.blocks.emplace_back(memory, std::move(image));
      return memory;
    });
    return copies;
  }
  Image read_all(const Copies& copies) {
    Image image;
    for (const auto& [memory, before] : copies.blocks) {
      image.push_back(read<std::byte>(memory, before.size()));
    }
    return image;
  }

  void check(const NamedPlan& named) {
    const std::shared_ptr<Kernel> kernel = build(named.plan);
    EXPECT_EQ(kernel->plan(), named.plan);
    for (const Dims& extents : testing::sample_extents(named.plan, random_, !kIsSanitized)) {
      SampleLaunch launch(named.plan, extents, static_cast<unsigned>(random_()), run_on_host);
      const Copies whole = upload(launch), parts = upload(launch);
      driver().launch(kernel, whole.arguments, stream());
      const Image expected = read_all(whole);
      launch_in_parts(kernel, parts.arguments);
      EXPECT_TRUE(read_all(parts) == expected) << named.name << " " << to_string(extents);
    }
  }

  std::mt19937 random_{11};
  std::vector<StreamHandle> streams_;
};

TEST_P(PartsContract, HaveTheBitsOfTheWhole) {
  for (const char* name : {"add_packs",
                           "add_strided",
                           "transposed_uint16",
                           "add_transposed",
                           "mixed",
                           "gather",
                           "scatter_plain",
                           "scatter_add",
                           "scatter_power",
                           "count_greater",
                           "compress_greater",
                           "expand_strided",
                           "sum_all",
                           "sum_strided",
                           "subtract_rows",
                           "fused_reduce",
                           "max_float64",
                           "argmax",
                           "argmin_float32",
                           "cumsum_int32",
                           "scan_strided",
                           "scan_divide",
                           "segments",
                           "segments_subtract",
                           "softmax",
                           "softmax_strided",
                           "variance",
                           "standardise",
                           "moments_rows",
                           "moments_columns",
                           "mixed_rows",
                           "tally_int64",
                           "tally_values_int64"}) {
    check({name, plan_of(name)});
  }
}

TEST_P(PartsContract, NothingIsNothing) {
  PartsContract::check({"add_packs", plan_of("add_packs")});
  SampleLaunch launch(plan_of("add_packs"), {0}, 1, run_on_host);
  const Copies copies = upload(launch);
  EXPECT_EQ(driver().stages_of(*build(launch.plan), copies.arguments).count, 0);
}

INSTANTIATE_TEST_SUITE_P(Platforms, PartsContract, ::testing::ValuesIn(contract::kDevicesAndSets),
                         contract::kName);

}  // namespace
}  // namespace cupola
