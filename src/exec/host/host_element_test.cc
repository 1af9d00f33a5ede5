#include "exec/host/host_element.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/counters.h"
#include "cupola/cupola.h"
#include "exec/launch/use_order.h"
#include "exec/testing/deferring_test.h"
#include "runtime/observer.h"
#include "runtime/stream_gate.h"

namespace cupola {
namespace {

class HostElementTest : public ::testing::Test {
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
  const AllWaits all_waits;
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

TEST_F(HostElementTest, OperationsOfElementsAreNumbersAndNoLaunches) {
  const auto launches = value_of(Counter::launches);
  const Array third = get_index(array_, {3});
  const Array result = third * 2 + get_index(array_, {4});
  EXPECT_FALSE(is_stored(result));
  EXPECT_EQ(known_element(result)->get<double>(), 10);
  EXPECT_EQ(known_element(third > result)->get<bool>(), false);
  EXPECT_EQ(item(sqrt(third)).get<double>(), std::sqrt(3.0));
  EXPECT_EQ(value_of(Counter::launches), launches);
  EXPECT_EQ(item((array_ * result).sum()).get<double>(), 450);
}

TEST_F(HostElementTest, ANumberIsUpdatedUnlessItIsRead) {
  Array number = get_index(array_, {3}) * 1;
  number += 1;
  EXPECT_FALSE(is_stored(number));
  EXPECT_EQ(known_element(number)->get<double>(), 4);
  const Array scaled = [&] {
    const AllWaits all_waits;
    return array_ * number;
  }();
  EXPECT_FALSE(set_known_element(number, value_));
  number += 1;
  EXPECT_EQ(item(number).get<double>(), 5);
  EXPECT_EQ(item(scaled.sum()).get<double>(), 180);
}

TEST_F(HostElementTest, ObserversAreToldOfLaunches) {
  static Observer observer;
  add_observer(observer);
  EXPECT_FALSE(known_element(get_index(array_, {3})).has_value());
  EXPECT_EQ(item(get_index(array_, {3}) * 2).get<double>(), 6);
  remove_observer(observer);
}

TEST_F(HostElementTest, FewElementsAreCopiedAndPickedWithoutALaunch) {
  const Array places = from_vector(std::vector<std::int64_t>{2, -1, 2}, array_.device());
  const Array mask = from_vector(
      std::vector<bool>{true, false, false, true, false, false, false, false, false, true},
      array_.device());
  synchronize(array_.device());
  const auto launches = value_of(Counter::launches);
  EXPECT_EQ(get_index(array_, {places}).to_vector<double>(), (std::vector<double>{2, 9, 2}));
  EXPECT_EQ(get_index(array_, {mask}).to_vector<double>(), (std::vector<double>{0, 3, 9}));
  set_index(array_, {places}, -2);
  set_index(array_, {Slice{.stop = 2}}, get_index(array_, {Slice{.start = 8}}));
  EXPECT_EQ(array_.to_vector<double>(), (std::vector<double>{8, -2, -2, 3, 4, 5, 6, 7, 8, -2}));
  EXPECT_EQ(array_.copy().to_vector<double>(), array_.to_vector<double>());
  EXPECT_EQ(value_of(Counter::launches), launches);
}

}  // namespace
}  // namespace cupola
