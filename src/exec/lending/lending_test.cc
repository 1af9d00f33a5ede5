#include "exec/lending/lending.h"

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "exec/evaluation/evaluator.h"
#include "exec/launch/use_order.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

class Lending : public ::testing::TestWithParam<PlatformKind> {
 protected:
  void SetUp() override {
    if (device_count(GetParam()) == 0) GTEST_SKIP() << "platform is not usable here";
    array_ = allocate_array(DType::float32, Dims{16}, {GetParam(), 0});
  }
  Stream make_stream() { return Stream::create({GetParam(), 0}); }
  // Work on the array, as operations of the library have it.
  void use(const Stream& stream, bool is_write) {
    const std::span<const Array> one(&array_, 1);
    const std::span<const Array> none;
    OrderedUse use(stream.state(), is_write ? none : one, is_write ? one : none);
    work_on(stream);
    use.record();
  }
  // Work of which the library does not know what it touches.
  static void work_on(const Stream& stream) {
    stream.state()->driver().run_on_host([] {}, stream.state()->handle());
  }

  Array array_;
};

TEST_P(Lending, AConsumerComesAfterWhatWritesAndReads) {
  for (const bool is_write : {true, false}) {
    const Stream producer = make_stream();
    const Stream consumer = make_stream();
    StreamGate gate(producer);
    use(producer, is_write);
    order_after_uses(array_, *consumer.state());
    work_on(consumer);
    EXPECT_TRUE(is_held(consumer));
    gate.open();
    EXPECT_TRUE(eventually([&] { return consumer.is_idle(); }));
  }
}

TEST_P(Lending, AWriteComesAfterTheConsumerThatGaveTheArrayBack) {
  const Stream consumer = make_stream();
  const Stream writer = make_stream();
  order_after_uses(array_, *consumer.state());
  StreamGate gate(consumer);
  work_on(consumer);
  note_return(array_, consumer.state());
  use(writer, true);
  EXPECT_TRUE(is_held(writer));
}

TEST_P(Lending, UsesComeAfterTheProducerOfForeignMemory) {
  const Stream producer = make_stream();
  const Stream reader = make_stream();
  StreamGate gate(producer);
  work_on(producer);
  note_ready(array_, producer.state());
  use(reader, false);
  EXPECT_TRUE(is_held(reader));
}

INSTANTIATE_TEST_SUITE_P(Platforms, Lending,
                         ::testing::Values(PlatformKind::cpu, PlatformKind::cuda),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace cupola
