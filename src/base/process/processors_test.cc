#include "base/process/processors.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace cupola {
namespace {

TEST(Processors, AThreadThatIsTiedToOneHasOne) {
  int found = 0;
  std::thread([&found] {
    cpu_set_t all;
    cpu_set_t one;
    CPU_ZERO(&one);
    ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    found = usable_processors();
  }).join();
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace cupola
