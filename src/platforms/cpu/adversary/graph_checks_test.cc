// What the hostile platform finds in captures: their work is checked at every launch.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platforms/cpu/adversary/adversarial_driver.h"

namespace cupola::cpu::adversary {
namespace {

Settings hostile() {
  Settings settings{1, std::size_t{1} << 24};
  settings.adversary = 5;
  return settings;
}

class GraphChecks : public ::testing::Test {
 protected:
  static constexpr std::size_t kBytes = 256;

  void TearDown() override {
    for (StreamHandle each : {a_, b_}) driver_.synchronize(each);
    graph_ = nullptr;
    for (StreamHandle each : {a_, b_}) driver_.destroy_stream(each);
    driver_.destroy_event(event_);
    driver_.deallocate(0, memory_, kBytes, MemoryKind::device);
  }
  void fill(int value, StreamHandle on) {
    driver_.fill_bytes(memory_, static_cast<std::uint8_t>(value), kBytes, on);
  }

  std::vector<std::string> found_;
  AdversarialDriver driver_{hostile(), [this](const std::string& text) { found_.push_back(text); }};
  StreamHandle a_ = driver_.create_stream(0);
  StreamHandle b_ = driver_.create_stream(0);
  EventHandle event_ = driver_.create_event(0);
  void* memory_ = driver_.allocate(0, kBytes, MemoryKind::device);
  std::shared_ptr<WorkGraph> graph_;
};

TEST_F(GraphChecks, WhatIsRecordedTouchesNothing) {
  driver_.begin_capture(a_);
  fill(1, a_);
  fill(2, b_);
  graph_ = driver_.end_capture(a_);
  EXPECT_TRUE(found_.empty());
}

TEST_F(GraphChecks, ALaunchWithoutAWaitIsARace) {
  driver_.begin_capture(a_);
  fill(1, a_);
  graph_ = driver_.end_capture(a_);
  fill(2, b_);
  driver_.record(event_, b_);
  driver_.wait(a_, event_);
  graph_->launch(a_);
  EXPECT_TRUE(found_.empty());
  fill(3, b_);
  ASSERT_EQ(found_.size(), 1u);
  EXPECT_NE(found_[0].find("fill_bytes"), std::string::npos) << found_[0];
}

TEST_F(GraphChecks, StreamsOfACaptureMustBeOrdered) {
  driver_.begin_capture(a_);
  driver_.record(event_, a_);
  driver_.wait(b_, event_);
  fill(1, a_);
  fill(2, b_);
  driver_.record(event_, b_);
  driver_.wait(a_, event_);
  graph_ = driver_.end_capture(a_);
  graph_->launch(a_);
  EXPECT_EQ(found_.size(), 1u);
}

}  // namespace
}  // namespace cupola::cpu::adversary
