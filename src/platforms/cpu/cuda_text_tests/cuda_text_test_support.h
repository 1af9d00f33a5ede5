#pragma once
// Generated CUDA text as host code: each block's threads are contexts of their own that take turns
// at barriers; blocks follow each other.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/process/child_process.h"
#include "codegen/cuda/cuda_arguments.h"
#include "codegen/cuda/cuda_launch.h"
#include "codegen/cuda/cuda_text.h"
#include "core/layout.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/modules/host_compiler.h"

namespace cupola::cpu {

inline constexpr std::string_view kDeviceAsHost = R"host(
#pragma GCC optimize("O1")
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS  // <cmath> takes as long to compile as all else
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#define __CUDACC_RTC__  // integer types as the kernels name them
#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __shared__ static
#define __align__(BYTES) __attribute__((aligned(BYTES)))
struct Place {
  unsigned int x, y, z;
};
static Place threadIdx, blockIdx, blockDim{1, 1, 1}, gridDim{1, 1, 1};
static unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
static unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >>
                                   (shift & 31));
}
static unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int at = selector >> (4 * i) & 7;
    result |= static_cast<unsigned int>(bytes >> (8 * at) & 255) << (8 * i);
  }
  return result;
}

namespace threads {
constexpr int kMax = 1024;
constexpr size_t kStack = 256 * 1024;
bool done[kMax];
int count, current;
void (*kernel)(const void*);
const void* argument;

// Where a thread goes on. The compiler's own jumps change no signal masks, which would be a system
// call for every turn. Those that jump and those that are come back to are different functions.
struct Point {
  void* words[5];
};
Point scheduler, points[kMax];
__attribute__((noinline)) void go_to(Point* to) { __builtin_longjmp(to->words, 1); }
__attribute__((noinline)) void change(Point* from, Point* to) {
  if (!__builtin_setjmp(from->words)) go_to(to);
}
__attribute__((noinline)) void begin(Point* from, const ucontext_t* to) {
  if (!__builtin_setjmp(from->words)) setcontext(to);
}

// Where threads wait until all that are still there have come.
struct Barrier {
  int live, arrived;
  unsigned int generation;
  void wait() {
    const unsigned int mine = generation;
    ++arrived;
    while (generation == mine) {
      if (arrived == live) {
        arrived = 0;
        ++generation;
        return;
      }
      change(&points[current], &scheduler);
    }
  }
};
Barrier block, warps[kMax / 32];

// A thread runs one block after the other, each when its turn comes.
void run() {
  for (;;) {
    change(&points[current], &scheduler);
    kernel(argument);
    done[current] = true;
    --block.live;
    --warps[current / 32].live;
  }
}
// <memory> would take as long to compile as all else.
struct Stacks {
  explicit Stacks(size_t count) : data(new char[count * kStack]) {}  // none is touched
  ~Stacks() { delete[] data; }
  char* const data;
};
void start(char* stacks) {
  for (current = 0; current < count; ++current) {
    ucontext_t first;
    getcontext(&first);
    first.uc_stack.ss_sp = stacks + static_cast<size_t>(current) * kStack;
    first.uc_stack.ss_size = kStack;
    makecontext(&first, run, 0);
    begin(&scheduler, &first);
  }
}
void run_block() {
  block = {count, 0, 0};
  for (Barrier& warp : warps) warp = {32, 0, 0};
  for (int i = 0; i < count; ++i) done[i] = false;
  for (bool left = true; left;) {
    left = false;
    for (int i = count; i-- > 0;) {  // not in the order in which they would be right by chance
      if (done[i]) continue;
      current = i;
      threadIdx = {static_cast<unsigned int>(i), 0, 0};
      change(&scheduler, &points[i]);
      left = left || !done[i];
    }
  }
}
// What the lanes of this thread's warp bring. Two places, so that none is overwritten unread.
const unsigned int* exchange(unsigned int value) {
  static unsigned int values[2][kMax];
  Barrier& warp = warps[current / 32];
  unsigned int* const place = values[warp.generation % 2];
  place[current] = value;
  warp.wait();
  return place + current / 32 * 32;
}
}  // namespace threads
static void __syncwarp() { threads::warps[threads::current / 32].wait(); }
template <class Word>
static Word atomicAdd(Word* place, Word value) {
  const Word before = *place;
  *place += value;
  return before;
}
template <class Word>
static Word atomicAdd_system(Word* place, Word value) {
  return atomicAdd(place, value);
}
// Named by headers that come with functions of users; nothing here calls them.
unsigned long long atomicExch(unsigned long long*, unsigned long long);
unsigned long long atomicCAS(unsigned long long*, unsigned long long, unsigned long long);
static void __syncthreads() { threads::block.wait(); }
static int __popc(unsigned int bits) { return __builtin_popcount(bits); }
static unsigned int __ballot_sync(unsigned int, bool vote) {
  const unsigned int* const votes = threads::exchange(vote);
  unsigned int all = 0;
  for (int lane = 0; lane < 32; ++lane) all |= votes[lane] << lane;
  return all;
}
static unsigned int __reduce_or_sync(unsigned int, unsigned int value) {
  const unsigned int* const values = threads::exchange(value);
  unsigned int all = 0;
  for (int lane = 0; lane < 32; ++lane) all |= values[lane];
  return all;
}
static unsigned int __reduce_and_sync(unsigned int, unsigned int value) {
  const unsigned int* const values = threads::exchange(value);
  unsigned int all = ~0u;
  for (int lane = 0; lane < 32; ++lane) all &= values[lane];
  return all;
}
static unsigned int __shfl_sync(unsigned int, unsigned int value, int lane, int width) {
  return threads::exchange(value)[threads::current % 32 / width * width + lane];
}
static unsigned int __shfl_up_sync(unsigned int, unsigned int value, int distance, int width) {
  const int lane = threads::current % 32;
  const unsigned int* const values = threads::exchange(value);
  return values[lane % width >= distance ? lane - distance : lane];
}
static unsigned int __shfl_down_sync(unsigned int, unsigned int value, int distance, int width) {
  const int lane = threads::current % 32;
  const unsigned int* const values = threads::exchange(value);
  return values[lane % width + distance < width ? lane + distance : lane];
}
static unsigned int atomicAdd(unsigned int* place, unsigned int value) {
  const unsigned int old = *place;
  *place += value;
  return old;
}
)host";

inline constexpr std::string_view kHostRunner = R"host(
template <void (*Kernel)(cupola_device::Arguments)>
static void call(const void* argument) {
  Kernel(*static_cast<const cupola_device::Arguments*>(argument));
}
extern "C" void run_{0}(const void* argument, unsigned int threads, unsigned int blocks,
                        unsigned int rows) {{
  threads::count = static_cast<int>(threads);
  blockDim.x = threads;
  const threads::Stacks stacks(threads);
  threads::start(stacks.data);
  threads::kernel = call<cupola_kernel{1}>;
  threads::argument = argument;
  gridDim = {{blocks, rows, 1}};
  for (unsigned int row = 0; row < rows; ++row) {{
    for (unsigned int block = 0; block < blocks; ++block) {{
      blockIdx = {{block, row, 0}};
      threads::run_block();
    }}
  }}
}}
)host";

// The host's, as HostText needs it.
inline bool has_compiler() {
  for (const char* name : {"c++", "g++", "clang++"}) {
    if (!find_program(name).empty()) return true;
  }
  return false;
}

inline void run_on_host(const KernelPlan& plan, const LaunchArguments& arguments) {
  run_plan(TileProgram(plan), arguments);
}

// The kernels of a plan's text.
class HostText {
 public:
  explicit HostText(const KernelPlan& plan)
      : plan_(plan), family_(cuda_family(plan_)), layout_(cuda_arguments(*family_)) {
    ModuleSource source;
    source.prelude = kDeviceAsHost;
    source.text = cuda_code(plan).text;
    const std::string_view runner = kHostRunner;
    const std::size_t body = runner.find("extern \"C\"");
    source.text += runner.substr(0, body);
    for (std::size_t i = 0; i < family_->kernels().size(); ++i) {
      source.text += fmt::format(fmt::runtime(runner.substr(body)), i, family_->kernels()[i]);
    }
    code_ = load_host_code(source);
  }

  CudaLaunch launch_of(const LaunchArguments& arguments) const {
    return cuda_launch(*family_, arguments);
  }
  std::string_view kernel_of(const LaunchArguments& arguments) const {
    return family_->kernels()[static_cast<std::size_t>(launch_of(arguments).stages[0].kernel)];
  }
  void run(const LaunchArguments& arguments) const { run(arguments, launch_of(arguments)); }
  void run(const LaunchArguments& arguments, const CudaLaunch& launch) const {
    const Blocks scratch = scratch_of(launch);
    for (int i = 0; i < launch.stage_count; ++i) {
      run_stage(arguments, launch, launch.stages[static_cast<std::size_t>(i)], launch.header,
                scratch.get());
    }
  }
  // Each stage as the parts that `deal` gives for it; parts that are done later come first. After
  // each, `look` is told whether results may be there.
  template <typename Deal>
  void run_in_parts(const LaunchArguments& arguments, const Deal& deal) const {
    run_in_parts(arguments, deal, [](bool) {});
  }
  template <typename Deal, typename Look>
  void run_in_parts(const LaunchArguments& arguments, const Deal& deal, const Look& look) const {
    const CudaLaunch launch = launch_of(arguments);
    const LaunchStages stages = stages_of(launch);
    const Blocks shared = scratch_of(launch);
    const std::int64_t elements = element_count(arguments.extents);
    for (std::size_t i = 0; i < static_cast<std::size_t>(stages.count); ++i) {
      std::vector<WorkPart> parts{{0, elements}};
      if (stages.divides[i]) parts = deal(elements);
      while (!parts.empty()) {
        CudaStage stage = launch.stages[i];
        cupola_device::KernelHeader header = launch.header;
        const Blocks own = launch.scratch_of_part ? scratch_of(launch) : nullptr;
        if (keep_part(stage, header, parts.back(), elements)) {
          run_stage(arguments, launch, stage, header, own ? own.get() : shared.get());
        }
        parts.pop_back();
      }
      look(stores_results(plan_, stages, static_cast<int>(i)));
    }
  }

 private:
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  using Blocks = std::unique_ptr<Block[]>;
  static Blocks scratch_of(const CudaLaunch& launch) {
    return std::make_unique<Block[]>(launch.scratch_bytes / sizeof(Block) + 1);
  }
  void run_stage(const LaunchArguments& arguments, const CudaLaunch& launch, const CudaStage& stage,
                 cupola_device::KernelHeader header, void* scratch) const {
    const auto packed = std::make_unique<Block[]>(layout_.bytes / sizeof(Block) + 1);
    header.scratch = scratch;
    pack_cuda_arguments(layout_, arguments, header, launch.view, packed[0].bytes);
    const std::string name = fmt::format("run_{}", stage.kernel);
    using Kernel = void(const void*, unsigned int, unsigned int, unsigned int);
    const auto kernel = reinterpret_cast<Kernel*>(dlsym(code_, name.c_str()));
    kernel(packed.get(), stage.threads, stage.grid_x, stage.grid_y);
  }

  KernelPlan plan_;
  std::unique_ptr<const CudaFamily> family_;
  CudaArguments layout_;
  void* code_ = nullptr;
};

}  // namespace cupola::cpu
