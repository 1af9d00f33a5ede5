// Captures and graphs on the fake driver: the contract of all platforms, and what the CUDA platform
// keeps for a graph.

#include <vector>

#include <gmock/gmock.h>

#include "cupola/error.h"
#include "driver/testing/graph_contract.h"
#include "platforms/cuda/device/context.h"
#include "platforms/cuda/device/cuda_api.h"
#include "platforms/cuda/fake_tests/fake_cuda_fixture.h"

namespace cupola::cuda {
namespace {

using ::testing::ElementsAre;
using testing::GraphContract;

class FakeGraphs : public OnFakeCuda {};

#define CUPOLA_GRAPH_TEST(NAME)                                  \
  TEST_F(FakeGraphs, NAME) {                                     \
    on_fake_cuda([this] { GraphContract(*driver_, 0).NAME(); }); \
  }
CUPOLA_FOR_EACH_GRAPH_CONTRACT(CUPOLA_GRAPH_TEST)
#undef CUPOLA_GRAPH_TEST

TEST_F(FakeGraphs, ScratchMemoryIsTheGraphs) {
  on_fake_cuda([this] {
    GraphContract contract(*driver_, 0);
    StreamHandle stream = contract.stream();
    const std::size_t before = fake_.used();
    driver_->begin_capture(stream);
    {
      const ContextGuard guard(*from_handle(stream).context);
      const Scratch scratch(from_handle(stream), 1024);
      driver_->fill_bytes(scratch.data(), 1, 1024, stream);
    }
    EXPECT_EQ(fake_.used(), before + 1024);
    auto graph = driver_->end_capture(stream);
    graph->launch(stream);
    driver_->synchronize(stream);
    EXPECT_EQ(fake_.used(), before + 1024);
    graph = nullptr;
    EXPECT_EQ(fake_.used(), before);
  });
}

// They would be asked before all others, in vain.
TEST_F(FakeGraphs, EventsOfCapturesServeNobodyElse) {
  on_fake_cuda([this] {
    GraphContract contract(*driver_, 0);
    StreamHandle stream = contract.stream();
    std::vector<EventHandle> captured;
    for (int i = 0; i < 100; ++i) captured.push_back(driver_->create_event(0));
    driver_->begin_capture(stream);
    for (EventHandle each : captured) driver_->record(each, stream);
    driver_->end_capture(stream);
    for (EventHandle each : captured) driver_->destroy_event(each);
    fake_.watch_calls();
    for (int i = 0; i < 3; ++i) driver_->destroy_event(driver_->create_event(0));
    EXPECT_THAT(fake_.take_calls({"cuEventCreate"}), ElementsAre("cuEventCreate"));
  });
}

TEST_F(FakeGraphs, RefusalsOfCudaAreCaptureErrors) {
  on_fake_cuda([this] {
    GraphContract contract(*driver_, 0);
    StreamHandle stream = contract.stream();
    StreamHandle legacy = driver_->adopt_stream(0, reinterpret_cast<void*>(1));
    EXPECT_EQ(GraphContract::status_of([&] { driver_->begin_capture(legacy); }), 900);
    driver_->destroy_stream(legacy);
    driver_->begin_capture(stream);
    fake_.fail_call("cuStreamEndCapture", CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(GraphContract::status_of([&] { driver_->end_capture(stream); }), 901);
    EXPECT_FALSE(driver_->is_capturing(stream));
    // Of the fake driver, which still records.
    CUgraph graph = nullptr;
    cuda_api().cuStreamEndCapture(from_handle(stream).handle, &graph);
    cuda_api().cuGraphDestroy(graph);
    driver_->begin_capture(stream);
    fake_.fail_call("cuGraphInstantiate", CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_THROW(driver_->end_capture(stream), OutOfMemoryError);
  });
}

}  // namespace
}  // namespace cupola::cuda
