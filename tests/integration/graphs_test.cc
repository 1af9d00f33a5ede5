// The C++ interface of captures and graphs.

#include <gtest/gtest.h>

#include <vector>

#include "cupola/cupola.h"

namespace cupola {
namespace {

TEST(Graphs, AreCapturedAndLaunchedOnAnyStream) {
  const Device device = current_device();
  const Stream one = Stream::create(device);
  const Stream two = Stream::create(device);
  const Array a = full(Dims{4}, Scalar(2.0), DType::float64, device);
  one.use();
  begin_capture(one);
  EXPECT_TRUE(is_capturing(one));
  const Array b = sqrt(add(a, a));
  const Graph graph = end_capture(one);
  Stream::of_thread(device).use();
  EXPECT_FALSE(is_capturing(one));
  EXPECT_EQ(graph.device(), device);
  graph.upload(two);
  graph.launch(two);
  EXPECT_EQ(b.to_vector<double>(), std::vector<double>(4, 2.0));
  EXPECT_NE(graph.to_dot().find("digraph"), std::string::npos);
  EXPECT_THROW(end_capture(one), CaptureError);
  // Nothing would keep the vector for the launches.
  one.use();
  begin_capture(one);
  EXPECT_THROW(from_vector(std::vector<double>{1.0}, device), CaptureError);
  end_capture(one);
  Stream::of_thread(device).use();
}

}  // namespace
}  // namespace cupola
