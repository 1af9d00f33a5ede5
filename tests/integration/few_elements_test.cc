// Few elements on CPU devices need no plan: the calling thread computes them.

#include <thread>

#include <gtest/gtest.h>

#include "cupola/cupola.h"
#include "exec/host/host_access.h"
#include "exec/launch/known_launch.h"
#include "exec/testing/deferring_test.h"
#include "runtime/observer.h"

namespace cupola {
namespace {

const Device kDevice(PlatformKind::cpu, 0);

Array sum_of(std::int64_t count) {
  const Array a = full({count}, Scalar(1.5), DType::float64, kDevice);
  return a + a * 2.0;
}

// Whether this thread has planned a launch that computes such a sum.
bool is_planned(std::int64_t count) {
  const Array sum = sum_of(count);
  const Array like = empty({count}, DType::float64, kDevice);
  return find_known(LaunchKey(sum, pointer_of(like))) != nullptr;
}

// On a thread of its own, which has planned nothing yet.
template <typename Work>
void on_new_thread(const Work& work) {
  const AllWaits all_waits;
  std::thread(work).join();
}

TEST(FewElements, AreComputedWithoutAPlan) {
  on_new_thread([] {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{7}, kMaxOnHost}) {
      const Array sum = sum_of(count);
      evaluate(sum);
      EXPECT_EQ(item(get_index(sum, {count - 1})).get<double>(), 4.5);
      EXPECT_FALSE(is_planned(count)) << count;
    }
    evaluate(sum_of(kMaxOnHost + 1));
    EXPECT_TRUE(is_planned(kMaxOnHost + 1)) << "more are launched";
  });
}

TEST(FewElements, AreLaunchedWhileSomebodyLooksOn) {
  static Observer onlooker;
  on_new_thread([] {
    add_observer(onlooker);
    evaluate(sum_of(3));
    remove_observer(onlooker);
    EXPECT_TRUE(is_planned(3));
  });
}

}  // namespace
}  // namespace cupola
