#include "runtime/observer.h"

#include <deque>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cupola/runtime.h"
#include "driver/registry.h"

namespace cupola {
namespace {

class Notes final : public Observer {
 public:
  void* work_begins(const Work& work) noexcept override {
    texts.push_back("begin " + work.name);
    return this;
  }
  void work_ends(const Work& work, void* token) noexcept override {
    texts.push_back("end " + work.name + (token == this ? "" : " of others"));
  }
  void wait_begins(const Wait& wait) noexcept override {
    texts.push_back(std::string("wait ") + (wait.asked_by ? wait.asked_by : "-"));
  }
  void wait_ends(const Wait&) noexcept override { texts.push_back("waited"); }
  std::vector<std::string> texts;
};

// Observers live for ever.
Notes& new_notes() {
  static auto* const all = new std::deque<Notes>;
  return all->emplace_back();
}

class ObserverTest : public ::testing::Test {
 protected:
  Work work(const char* name) {
    ++descriptions;
    return {.kind = WorkKind::kernel, .name = name, .stream = *stream_};
  }
  void TearDown() override {
    remove_observer(first);
    remove_observer(second);
  }
  int descriptions = 0;
  Notes& first = new_notes();
  Notes& second = new_notes();

 private:
  const std::shared_ptr<StreamState> stream_ = current_stream(Device(PlatformKind::cpu, 0));
};

TEST_F(ObserverTest, NothingIsDescribedForNobody) {
  EXPECT_FALSE(is_observed());
  const ObservedWork unseen([&] { return work("a"); });
  const ObservedWait wait;
  EXPECT_EQ(descriptions, 0);
}

TEST_F(ObserverTest, EachIsToldOfBothEnds) {
  add_observer(first);
  {
    const ObservedWork seen([&] { return work("a"); });
    add_observer(second);  // too late for the beginning, and for the end
    const ObservedWork nested([&] { return work("b"); });
  }
  EXPECT_EQ(first.texts, (std::vector<std::string>{"begin a", "begin b", "end b", "end a"}));
  EXPECT_EQ(second.texts, (std::vector<std::string>{"begin b", "end b"}));
  remove_observer(first);
  remove_observer(first);
  EXPECT_TRUE(is_observed());
  remove_observer(second);
  EXPECT_FALSE(is_observed());
}

TEST_F(ObserverTest, WhoComesDuringAWaitIsNotToldOfItsEnd) {
  add_observer(first);
  {
    const ObservedWait wait;
    add_observer(second);
  }
  EXPECT_EQ(first.texts, (std::vector<std::string>{"wait -", "waited"}));
  EXPECT_TRUE(second.texts.empty());
}

TEST_F(ObserverTest, OnlyTheOutermostWaitAndReasonCount) {
  add_observer(first);
  {
    const AskedBy outer("print(a)");
    const AskedBy inner("asnumpy(a)");
    const ObservedWait wait;
    const ObservedWait within;
  }
  { const ObservedWait wait; }
  EXPECT_EQ(first.texts, (std::vector<std::string>{"wait print(a)", "waited", "wait -", "waited"}));
}

}  // namespace
}  // namespace cupola
