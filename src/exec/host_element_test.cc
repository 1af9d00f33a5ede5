#include "exec/host_element.h"

#include <gtest/gtest.h>

#include "base/counters.h"
#include "cupola/cupola.h"
#include "exec/use_order.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

class HostElementTest : public testing::Test {
 protected:
  HostElementTest() {
    evaluate(array_);
    synchronize(array_.device());
  }
  double at(std::int64_t i) const { return item(get_index(array_, {i})).get<double>(); }
  void use(const Stream& stream, bool is_write) {
    const std::span<const Array> one(&array_, 1);
    const std::span<const Array> none;
    OrderedUse use(stream.state(), is_write ? none : one, is_write ? one : none);
    stream.state()->driver().run_on_host([] {}, stream.state()->handle());
    use.record();
  }

  const Array array_ =
      arange(Scalar(0.0), Scalar(10.0), Scalar(1.0), DType::float64, Device(PlatformKind::cpu, 0));
  const Scalar value_{-1.5};
};

TEST_F(HostElementTest, IsReadAndWrittenWithoutALaunch) {
  const auto launches = value_of(Counter::launches);
  EXPECT_TRUE(write_host_element(array_, 3, value_));
  EXPECT_EQ(read_host_element(get_index(array_, {3}))->get<double>(), -1.5);
  EXPECT_EQ(at(2), 2);
  EXPECT_EQ(at(3), -1.5);
  EXPECT_EQ(at(4), 4);
  EXPECT_EQ(value_of(Counter::launches), launches);
}

TEST_F(HostElementTest, PendingReadersComeFirst) {
  const Array doubled = multiply(array_, 2.0);
  EXPECT_FALSE(write_host_element(array_, 3, value_));
  EXPECT_EQ(item(get_index(doubled, {3})).get<double>(), 6);
  EXPECT_TRUE(write_host_element(array_, 3, value_));
}

TEST_F(HostElementTest, ReadersOnStreamsComeBeforeAWrite) {
  const Stream stream = Stream::create(array_.device());
  {
    StreamGate gate(stream);
    use(stream, false);
    EXPECT_FALSE(write_host_element(array_, 3, value_));
    EXPECT_TRUE(read_host_element(array_).has_value());
  }
  stream.synchronize();
  EXPECT_TRUE(write_host_element(array_, 3, value_));
}

TEST_F(HostElementTest, AWriteOnAStreamComesFirst) {
  const Stream stream = Stream::create(array_.device());
  {
    StreamGate gate(stream);
    use(stream, true);
    EXPECT_FALSE(read_host_element(array_).has_value());
    EXPECT_FALSE(write_host_element(array_, 3, value_));
  }
  stream.synchronize();
  EXPECT_TRUE(read_host_element(array_).has_value());
}

}  // namespace
}  // namespace cupola
