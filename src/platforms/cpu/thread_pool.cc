#include "platforms/cpu/thread_pool.h"

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <utility>

#ifdef CUPOLA_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace cupola::cpu {
namespace {

// What happens before give() happens before what follows take(). oneTBB makes it so; this tells
// ThreadSanitizer, which sees neither into oneTBB nor (it is built without) into this file.
class HandOver {
 public:
#ifdef CUPOLA_THREAD_SANITIZER
  void give() { __tsan_release(this); }
  void take() { __tsan_acquire(this); }
#else
  void give() {}
  void take() {}
#endif
};

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

void enqueue(std::function<void()> function) {
  static HandOver queue;
  queue.give();
  pool().arena.enqueue([function = std::move(function)] {
    queue.take();
    function();
  });
}

void parallel_for(std::int64_t count, std::int64_t grain, RangeFunction function) {
  if (count <= grain || pool().size == 1) {
    if (count > 0) function(0, count);
    return;
  }
  const tbb::blocked_range<std::int64_t> range(0, count, static_cast<std::size_t>(grain));
  HandOver begin;
  HandOver end;
  begin.give();
  pool().arena.execute([&] {
    // Isolated: while this thread waits it must not begin another stream's work.
    tbb::this_task_arena::isolate([&] {
      tbb::parallel_for(range, [&](const tbb::blocked_range<std::int64_t>& part) {
        begin.take();
        function(part.begin(), part.end());
        end.give();
      });
    });
  });
  end.take();
}

}  // namespace cupola::cpu
