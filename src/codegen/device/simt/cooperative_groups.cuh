// <cooperative_groups.h> for kernels on the host: groups of the block, its warps and the grid.
#ifndef CUPOLA_DEVICE_SIMT_COOPERATIVE_GROUPS
#define CUPOLA_DEVICE_SIMT_COOPERATIVE_GROUPS

#include "codegen/device/simt/threads.cuh"

namespace cooperative_groups {

class thread_block {
 public:
  CUPOLA_SIMT_FN static void sync() { __syncthreads(); }
  CUPOLA_SIMT_FN void barrier_arrive() const {}
  CUPOLA_SIMT_FN void barrier_wait() const { __syncthreads(); }
  CUPOLA_SIMT_FN static unsigned int thread_rank() { return cupola_simt::self()->number; }
  CUPOLA_SIMT_FN static unsigned int num_threads() {
    const cupola_simt::Extents& extent = cupola_simt::self()->block_extent;
    return extent.x * extent.y * extent.z;
  }
  CUPOLA_SIMT_FN static unsigned int size() { return num_threads(); }
  CUPOLA_SIMT_FN static dim3 group_index() { return dim3(blockIdx); }
  CUPOLA_SIMT_FN static dim3 thread_index() { return dim3(threadIdx); }
  CUPOLA_SIMT_FN static dim3 group_dim() { return blockDim; }
  CUPOLA_SIMT_FN static dim3 dim_threads() { return blockDim; }
};

class grid_group {
 public:
  CUPOLA_SIMT_FN static void sync() { cupola_simt::self()->services->grid(cupola_simt::self()); }
  CUPOLA_SIMT_FN static bool is_valid() { return cupola_simt::self()->is_cooperative != 0; }
  CUPOLA_SIMT_FN static unsigned long long block_rank() {
    const cupola_simt::Extents& at = cupola_simt::self()->block_index;
    const cupola_simt::Extents& extent = cupola_simt::self()->grid_extent;
    return (static_cast<unsigned long long>(at.z) * extent.y + at.y) * extent.x + at.x;
  }
  CUPOLA_SIMT_FN static unsigned long long num_blocks() {
    const cupola_simt::Extents& extent = cupola_simt::self()->grid_extent;
    return static_cast<unsigned long long>(extent.x) * extent.y * extent.z;
  }
  CUPOLA_SIMT_FN static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  CUPOLA_SIMT_FN static unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  CUPOLA_SIMT_FN static unsigned long long size() { return num_threads(); }
  CUPOLA_SIMT_FN static dim3 group_dim() { return gridDim; }
  CUPOLA_SIMT_FN static dim3 dim_blocks() { return gridDim; }
  CUPOLA_SIMT_FN static dim3 block_index() { return dim3(blockIdx); }
};

// Lanes of one warp; ranks count the lanes of the mask.
class lanes {
 public:
  lanes() = default;
  explicit lanes(unsigned int mask) : mask_(mask) {}
  CUPOLA_SIMT_FN void sync() const { __syncwarp(mask_); }
  CUPOLA_SIMT_FN unsigned int size() const { return __builtin_popcount(mask_); }
  CUPOLA_SIMT_FN unsigned int num_threads() const { return size(); }
  CUPOLA_SIMT_FN unsigned int thread_rank() const {
    return __builtin_popcount(mask_ & ((1u << cupola_simt::lane()) - 1));
  }
  template <typename T>
  CUPOLA_SIMT_FN T shfl(T value, unsigned int rank) const {
    return cupola_simt::shuffle(mask_, value, lane_of(rank % size()));
  }
  template <typename T>
  CUPOLA_SIMT_FN T shfl_up(T value, unsigned int distance) const {
    const unsigned int own = thread_rank();
    return cupola_simt::shuffle(mask_, value, lane_of(own >= distance ? own - distance : own));
  }
  template <typename T>
  CUPOLA_SIMT_FN T shfl_down(T value, unsigned int distance) const {
    const unsigned int own = thread_rank();
    return cupola_simt::shuffle(mask_, value,
                                lane_of(own + distance < size() ? own + distance : own));
  }
  template <typename T>
  CUPOLA_SIMT_FN T shfl_xor(T value, unsigned int bits) const {
    const unsigned int own = thread_rank(), other = own ^ bits;
    return cupola_simt::shuffle(mask_, value, lane_of(other < size() ? other : own));
  }
  CUPOLA_SIMT_FN int any(int vote) const { return __any_sync(mask_, vote); }
  CUPOLA_SIMT_FN int all(int vote) const { return __all_sync(mask_, vote); }
  CUPOLA_SIMT_FN unsigned int ballot(int vote) const { return by_rank(__ballot_sync(mask_, vote)); }
  template <typename T>
  CUPOLA_SIMT_FN unsigned int match_any(T value) const {
    return by_rank(__match_any_sync(mask_, value));
  }
  template <typename T>
  CUPOLA_SIMT_FN unsigned int match_all(T value, int& is_same) const {
    return by_rank(__match_all_sync(mask_, value, &is_same));
  }

 protected:
  CUPOLA_SIMT_FN unsigned int lane_of(unsigned int rank) const {
    unsigned int rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    return __builtin_ctz(rest);
  }
  CUPOLA_SIMT_FN unsigned int by_rank(unsigned int bits) const {
    unsigned int result = 0, rank = 0;
    for (unsigned int rest = mask_; rest != 0; rest &= rest - 1) {
      result |= (bits >> __builtin_ctz(rest) & 1u) << rank++;
    }
    return result;
  }
  unsigned int mask_ = 0;
};

class coalesced_group : public lanes {
 public:
  using lanes::lanes;
};

template <unsigned int Size, typename Parent = void>
class thread_block_tile : public lanes {
 public:
  thread_block_tile() : thread_block_tile(cupola_simt::lane() / Size) {}
  explicit thread_block_tile(unsigned int tile)
      : lanes((Size == 32 ? 0xFFFFFFFFu : (1u << Size % 32) - 1) << tile * Size % 32) {}
  // A tile whose parent nothing names any more, as in thread_block_tile<32> tile = ...
  template <typename Known>
  thread_block_tile(const thread_block_tile<Size, Known>& tile) : lanes(tile) {}
  CUPOLA_SIMT_FN static constexpr unsigned int size() { return Size; }
  CUPOLA_SIMT_FN static constexpr unsigned int num_threads() { return Size; }
  CUPOLA_SIMT_FN unsigned int thread_rank() const { return cupola_simt::lane() % Size; }
  CUPOLA_SIMT_FN unsigned int meta_group_rank() const { return cupola_simt::self()->number / Size; }
  CUPOLA_SIMT_FN unsigned int meta_group_size() const {
    return (thread_block::num_threads() + Size - 1) / Size;
  }
};

// A tile whose size is known at run time.
class thread_group : public lanes {
 public:
  thread_group() = default;
  thread_group(const lanes& tile) : lanes(tile) {}
  thread_group(const thread_block&) : is_block_(true) {}
  CUPOLA_SIMT_FN void sync() const { is_block_ ? __syncthreads() : __syncwarp(mask_); }
  CUPOLA_SIMT_FN unsigned int size() const {
    return is_block_ ? thread_block::size() : lanes::size();
  }
  CUPOLA_SIMT_FN unsigned int num_threads() const { return size(); }
  CUPOLA_SIMT_FN unsigned int thread_rank() const {
    return is_block_ ? thread_block::thread_rank() : lanes::thread_rank();
  }

 private:
  bool is_block_ = false;
};

CUPOLA_SIMT_FN thread_block this_thread_block() { return {}; }
CUPOLA_SIMT_FN grid_group this_grid() { return {}; }
CUPOLA_SIMT_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <unsigned int Size, typename Parent>
CUPOLA_SIMT_FN thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  static_assert(Size <= 32 && (Size & (Size - 1)) == 0, "tiles have 1, 2, 4, 8, 16 or 32 threads");
  return {};
}
CUPOLA_SIMT_FN thread_group tiled_partition(const thread_group&, unsigned int size) {
  const unsigned int first = cupola_simt::lane() / size * size;
  return lanes((size == 32 ? 0xFFFFFFFFu : (1u << size) - 1) << first);
}
template <typename Group>
CUPOLA_SIMT_FN coalesced_group binary_partition(const Group& group, bool side) {
  const unsigned int active = __activemask(), ones = __ballot_sync(active, side);
  return coalesced_group(side ? ones : active & ~ones);
}
template <typename Group>
CUPOLA_SIMT_FN void sync(const Group& group) {
  group.sync();
}
template <typename Group>
CUPOLA_SIMT_FN unsigned int thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
CUPOLA_SIMT_FN unsigned int group_size(const Group& group) {
  return group.size();
}

#define CUPOLA_SIMT_FUNCTOR(NAME, EXPRESSION)                   \
  template <typename T = void>                                  \
  struct NAME {                                                 \
    template <typename A>                                       \
    CUPOLA_SIMT_FN A operator()(const A& a, const A& b) const { \
      return static_cast<A>(EXPRESSION);                        \
    }                                                           \
  };
CUPOLA_SIMT_FUNCTOR(plus, a + b)
CUPOLA_SIMT_FUNCTOR(less, b < a ? b : a)
CUPOLA_SIMT_FUNCTOR(greater, a < b ? b : a)
CUPOLA_SIMT_FUNCTOR(bit_and, a& b)
CUPOLA_SIMT_FUNCTOR(bit_or, a | b)
CUPOLA_SIMT_FUNCTOR(bit_xor, a ^ b)
#undef CUPOLA_SIMT_FUNCTOR

// <cooperative_groups/reduce.h> and scan.h, for groups of one warp.
template <typename Group, typename T, typename Function>
CUPOLA_SIMT_FN T reduce(const Group& group, T value, Function function) {
  const unsigned int size = group.size();
  if ((size & (size - 1)) == 0) {
    for (unsigned int bit = 1; bit < size; bit *= 2) {
      value = function(value, group.shfl_xor(value, bit));
    }
    return value;
  }
  T result = group.shfl(value, 0);
  for (unsigned int i = 1; i < size; ++i) result = function(result, group.shfl(value, i));
  return result;
}
template <typename Group, typename T, typename Function = plus<T>>
CUPOLA_SIMT_FN T inclusive_scan(const Group& group, T value, Function function = {}) {
  T result = value;
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(result, distance);
    if (group.thread_rank() >= distance) result = function(before, result);
  }
  return result;
}
template <typename Group, typename T, typename Function = plus<T>>
CUPOLA_SIMT_FN T exclusive_scan(const Group& group, T value, Function function = {}) {
  const T before = group.shfl_up(inclusive_scan(group, value, function), 1);
  return group.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups

#endif
