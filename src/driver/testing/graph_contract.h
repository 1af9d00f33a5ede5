#pragma once
// For tests: what captures and graphs of any platform do, with copies and fills as the work.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cupola/error.h"
#include "driver/driver.h"

namespace cupola::testing {

// Streams, events and memory of one device for the life of this object.
class GraphContract {
 public:
  using Bytes = std::vector<std::uint8_t>;
  static constexpr std::size_t kBytes = 64;

  GraphContract(Driver& driver, int device) : driver_(driver), device_(device) {}
  ~GraphContract() {
    for (StreamHandle each : streams_) driver_.synchronize(each);
    graphs_.clear();
    for (EventHandle each : events_) driver_.destroy_event(each);
    for (StreamHandle each : streams_) driver_.destroy_stream(each);
    for (void* each : blocks_) driver_.deallocate(device_, each, kBytes, MemoryKind::device);
  }
  GraphContract(const GraphContract&) = delete;
  GraphContract& operator=(const GraphContract&) = delete;

  StreamHandle stream() { return kept(streams_, driver_.create_stream(device_)); }
  EventHandle event() { return kept(events_, driver_.create_event(device_)); }
  void* memory() { return kept(blocks_, driver_.allocate(device_, kBytes, MemoryKind::device)); }
  WorkGraph& end(StreamHandle on) { return *kept(graphs_, driver_.end_capture(on)); }

  void fill(void* target, int value, StreamHandle on) {
    driver_.fill_bytes(target, static_cast<std::uint8_t>(value), kBytes, on);
  }
  void copy(void* target, const void* source, StreamHandle on) {
    driver_.copy(target, device_, source, device_, kBytes, on);
  }
  int first(const void* memory, StreamHandle on) {
    std::uint8_t value = 0;
    driver_.copy_to_host(&value, memory, 1, on);
    return value;
  }
  // Later work on `later` comes after that on `earlier`.
  void order(StreamHandle later, StreamHandle earlier) {
    EventHandle mark = event();
    driver_.record(mark, earlier);
    driver_.wait(later, mark);
  }
  static int status_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const CaptureError& error) {
      return error.status();
    }
    return 0;
  }

  void work_is_recorded_and_launched_with_what_is_there_then() {
    StreamHandle one = stream(), other = stream();
    void *a = memory(), *b = memory();
    fill(a, 1, one);
    fill(b, 2, one);
    driver_.begin_capture(one);
    EXPECT_TRUE(driver_.is_capturing(one));
    EXPECT_FALSE(driver_.is_capturing(other));
    copy(b, a, one);
    WorkGraph& graph = end(one);
    EXPECT_FALSE(driver_.is_capturing(one));
    EXPECT_EQ(first(b, one), 2);
    graph.launch(one);
    EXPECT_EQ(first(b, one), 1);
    fill(a, 7, one);
    order(other, one);
    graph.upload(other);
    graph.launch(other);
    graph.launch(other);
    EXPECT_EQ(first(b, other), 7);
    EXPECT_NE(graph.to_dot(false).find("digraph"), std::string::npos);
    EXPECT_NE(graph.to_dot(false), graph.to_dot(true));
  }

  void streams_fork_and_join() {
    StreamHandle one = stream(), two = stream(), three = stream();
    void *a = memory(), *b = memory(), *c = memory();
    driver_.begin_capture(one);
    fill(a, 3, one);
    order(two, one);
    EXPECT_TRUE(driver_.is_capturing(two));
    copy(b, a, two);
    order(three, two);
    copy(c, b, three);
    order(two, three);
    order(one, two);
    WorkGraph& graph = end(one);
    EXPECT_FALSE(driver_.is_capturing(two) || driver_.is_capturing(three));
    for (StreamHandle on : {one, two, three}) {
      fill(c, 0, on);
      graph.launch(on);
      EXPECT_EQ(first(c, on), 3);
    }
  }

  void host_functions_run_at_every_launch() {
    StreamHandle one = stream();
    std::atomic<int> calls{0};
    driver_.begin_capture(one);
    driver_.run_on_host([&calls] { ++calls; }, one);
    WorkGraph& graph = end(one);
    EXPECT_EQ(calls, 0);
    for (int i = 0; i < 3; ++i) graph.launch(one);
    driver_.synchronize(one);
    EXPECT_EQ(calls, 3);
  }

  void graphs_are_parts_of_graphs() {
    StreamHandle one = stream();
    void *a = memory(), *b = memory();
    driver_.begin_capture(one);
    copy(b, a, one);
    WorkGraph& inner = end(one);
    driver_.begin_capture(one);
    fill(a, 5, one);
    inner.launch(one);
    WorkGraph& outer = end(one);
    fill(b, 0, one);
    outer.launch(one);
    EXPECT_EQ(first(b, one), 5);
  }

  // The capture goes on after each.
  void what_reads_on_the_host_is_refused() {
    StreamHandle one = stream();
    void* a = memory();
    Bytes host(kBytes, 4);
    driver_.begin_capture(one);
    const std::vector<std::function<void()>> calls{
        [&] { driver_.copy_from_host(a, host.data(), kBytes, one); },
        [&] { driver_.copy_to_host(host.data(), a, kBytes, one); },
        [&] { driver_.copy_to_caller(host.data(), a, kBytes, one); },
        [&] { driver_.run_beside([](const Driver::Done& done) { done(); }, one); },
        [&] { driver_.begin_capture(one); }};
    const std::vector<int> expected{900, 900, 900, 900, 401};
    for (std::size_t i = 0; i < calls.size(); ++i) {
      EXPECT_EQ(status_of(calls[i]), expected[i]) << "call " << i;
    }
    fill(a, 6, one);
    end(one).launch(one);
    EXPECT_EQ(first(a, one), 6);
    EXPECT_EQ(status_of([&] { driver_.end_capture(one); }), 401);
  }

  void what_waits_spoils_the_capture() {
    StreamHandle one = stream(), two = stream();
    EventHandle outside = event();
    driver_.record(outside, two);
    const std::vector<std::function<void()>> calls{
        [&] { driver_.synchronize(one); },
        [&] { EXPECT_FALSE(driver_.is_idle(one)); },
        [&] { driver_.wait(one, outside); },
    };
    const std::vector<int> expected{900, 0, 905};
    for (std::size_t i = 0; i < calls.size(); ++i) {
      driver_.begin_capture(one);
      EXPECT_EQ(status_of(calls[i]), expected[i]) << "call " << i;
      EXPECT_EQ(status_of([&] { driver_.end_capture(one); }), 901) << "call " << i;
      EXPECT_FALSE(driver_.is_capturing(one));
      driver_.synchronize(one);
    }
  }

  void streams_that_joined_must_be_waited_for() {
    StreamHandle one = stream(), two = stream();
    void* a = memory();
    driver_.begin_capture(one);
    order(two, one);
    fill(a, 1, two);
    EXPECT_EQ(status_of([&] { driver_.end_capture(one); }), 904);
    EXPECT_FALSE(driver_.is_capturing(two));
    driver_.begin_capture(one);
    order(two, one);
    EXPECT_EQ(status_of([&] { driver_.end_capture(two); }), 903);
    EXPECT_EQ(status_of([&] { driver_.end_capture(one); }), 901);
    driver_.synchronize(two);
  }

  void two_captures_do_not_meet() {
    StreamHandle one = stream(), two = stream();
    EventHandle mark = event();
    driver_.begin_capture(one);
    driver_.begin_capture(two);
    driver_.record(mark, one);
    EXPECT_EQ(status_of([&] { driver_.wait(two, mark); }), 902);
    EXPECT_EQ(status_of([&] { driver_.end_capture(one); }), 901);
    EXPECT_EQ(status_of([&] { driver_.end_capture(two); }), 901);
  }

  void events_of_a_capture_have_no_time() {
    StreamHandle one = stream(), two = stream();
    EventHandle mark = event();
    driver_.begin_capture(one);
    driver_.record(mark, one);
    EXPECT_EQ(status_of([&] { driver_.synchronize(mark); }), 907);
    end(one);
    EXPECT_EQ(status_of([&] { driver_.is_complete(mark); }), 907);
    EXPECT_EQ(status_of([&] { driver_.wait(two, mark); }), 907);
    driver_.record(mark, one);
    driver_.wait(two, mark);
    driver_.synchronize(mark);
    EXPECT_TRUE(driver_.is_complete(mark));
  }

  // In the order of a stream that is being captured: no part of the graph.
  void memory_comes_and_goes_meanwhile() {
    StreamHandle one = stream();
    void* before = driver_.allocate_async(kBytes, one);
    driver_.begin_capture(one);
    void* within = driver_.allocate_async(kBytes, one);
    fill(within, 9, one);
    driver_.deallocate_async(before, kBytes, one);
    WorkGraph& graph = end(one);
    for (int i = 0; i < 2; ++i) {
      graph.launch(one);
      EXPECT_EQ(first(within, one), 9);
    }
    graphs_.clear();
    driver_.deallocate_async(within, kBytes, one);
  }

  void a_stream_may_go_while_it_is_captured() {
    StreamHandle gone = driver_.create_stream(device_);
    StreamHandle joined = stream();
    driver_.begin_capture(gone);
    order(joined, gone);
    driver_.destroy_stream(gone);
    EXPECT_FALSE(driver_.is_capturing(joined));
    driver_.synchronize(joined);
  }

 private:
  template <typename T>
  static T& kept(std::vector<T>& all, T one) {
    all.push_back(std::move(one));
    return all.back();
  }

  Driver& driver_;
  const int device_;
  std::vector<StreamHandle> streams_;
  std::vector<EventHandle> events_;
  std::vector<void*> blocks_;
  std::vector<std::shared_ptr<WorkGraph>> graphs_;
};

// Every contract, for a suite that calls it by name.
// clang-format off
#define CUPOLA_FOR_EACH_GRAPH_CONTRACT(X)                    \
  X(work_is_recorded_and_launched_with_what_is_there_then)   \
  X(streams_fork_and_join)                                   \
  X(host_functions_run_at_every_launch)                      \
  X(graphs_are_parts_of_graphs)                              \
  X(what_reads_on_the_host_is_refused)                       \
  X(what_waits_spoils_the_capture)                           \
  X(streams_that_joined_must_be_waited_for)                  \
  X(two_captures_do_not_meet)                                \
  X(events_of_a_capture_have_no_time)                        \
  X(memory_comes_and_goes_meanwhile)                         \
  X(a_stream_may_go_while_it_is_captured)
// clang-format on

}  // namespace cupola::testing
