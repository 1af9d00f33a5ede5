#include "platforms/cpu/thread_pool.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <utility>

namespace cupola::cpu {
namespace {

struct Pool {
  int size = tbb::info::default_concurrency();
  // One worker more than the default, so that the pool fills the machine while the caller waits.
  tbb::global_control limit{tbb::global_control::max_allowed_parallelism,
                            static_cast<std::size_t>(size) + 1};
  tbb::task_arena arena{size, 0};
};

// Never destroyed: workers may outlive static objects.
Pool& pool() {
  static Pool& instance = *new Pool;
  return instance;
}

}  // namespace

int pool_size() { return pool().size; }

void enqueue(std::function<void()> function) { pool().arena.enqueue(std::move(function)); }

void parallel_for(std::int64_t count, std::int64_t grain, RangeFunction function) {
  if (count <= grain || pool().size == 1) {
    if (count > 0) function(0, count);
    return;
  }
  const tbb::blocked_range<std::int64_t> range(0, count, static_cast<std::size_t>(grain));
  pool().arena.execute([&] {
    // Isolated: while this thread waits it must not begin another stream's work.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(range, [&](const tbb::blocked_range<std::int64_t>& part) {
        function(part.begin(), part.end());
      });
    });
  });
}

}  // namespace cupola::cpu
