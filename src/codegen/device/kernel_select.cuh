#pragma once
// Elements of long rows by their rank: a radix selection. Keys (sort_digits.cuh) are counted by
// their upper bits, then those with the upper bits of a rank's element by the next ones, until all
// bits are known. Several ranks of a row are looked for at once. Of equal elements whose bits
// differ (zeros of both signs, NaNs) the one of a rank is found by counting them along the row.
#include "kernel_support.cuh"
#include "sort_digits.cuh"

namespace cupola_device {

template <class T>
using SelectKey = decltype(ordered_bits(T()));

template <class T>
struct Select {
  using Key = SelectKey<T>;
  using Row = SelectRow;
  using Word = typename WordOf<sizeof(T)>::type;
  static constexpr int kBits = 8 * static_cast<int>(sizeof(Key));
  static constexpr Key kTop = static_cast<Key>(Key(1) << (kBits - 1));
  static constexpr bool kIsFloating = !BoolOrInteger<T>;
  static constexpr unsigned int kNone = ~0u;
  static constexpr int kPack = 16 / static_cast<int>(sizeof(T));
  static constexpr int kPacks = sizeof(T) < 4 ? 2 : 4;  // loads under way at one time
  static constexpr unsigned int kTile = kSelectThreads * kPack * kPacks;

  static __device__ Row& row_of(const SelectArguments& p, unsigned int number) {
    return reinterpret_cast<Row*>(p.scratch)[number];
  }
  static __device__ const T* elements_of(const SelectArguments& p, unsigned int number) {
    unsigned long long left = p.first_row + number;
    long long offset = 0;
    for (unsigned int d = p.rank; d-- > 0;) {
      const unsigned long long extent = p.extents[d];
      offset += static_cast<long long>(left % extent) * p.strides[d];
      left /= extent;
    }
    return static_cast<const T*>(p.in) + offset;
  }
  static __device__ bool is_ambiguous(Key key) {
    return kIsFloating && (key == kTop || key == static_cast<Key>(~Key(0)));
  }
  // Of a key that one element alone has.
  static __device__ T element_of(Key key) {
    if constexpr (kIsFloating) {
      const bool is_positive = (key & kTop) != 0;
      return bits_as<T>(static_cast<Word>(is_positive ? key ^ kTop : ~key));
    } else if constexpr (SignedInteger<T>) {
      return bits_as<T>(static_cast<Word>(key ^ kTop));
    } else {
      return static_cast<T>(key);
    }
  }

  // The ranks' upper bits, in registers.
  struct Prefixes {
    Key of[kSelectRanks];
    __device__ Prefixes(const SelectArguments& p, const Row& row) {
#pragma unroll
      for (unsigned int r = 0; r < kSelectRanks; ++r) {
        of[r] = static_cast<Key>(row.prefix[r < p.rank_count ? r : 0]);
      }
    }
    // The first rank with these upper bits.
    __device__ unsigned int slot(const SelectArguments& p, Key upper) const {
#pragma unroll
      for (unsigned int r = 0; r < kSelectRanks; ++r) {
        if (r == p.rank_count) break;
        if (of[r] == upper) return r;
      }
      return kNone;
    }
  };
};

// What a pass counts: for each element a place, or kNone. First, the upper bits of all keys.
template <class S>
struct SelectFirst {
  static __device__ unsigned int place(const SelectArguments& p, const typename S::Prefixes&,
                                       typename S::Key key, unsigned long long) {
    return static_cast<unsigned int>(key >> (S::kBits - p.width));
  }
};
// Then the next bits of keys whose upper bits are known.
template <class S>
struct SelectNext {
  static __device__ unsigned int place(const SelectArguments& p,
                                       const typename S::Prefixes& prefixes, typename S::Key key,
                                       unsigned long long) {
    const auto upper = static_cast<typename S::Key>(key >> (S::kBits - p.known));
    const unsigned int slot = prefixes.slot(p, upper);
    const unsigned int bits = static_cast<unsigned int>(key >> (S::kBits - p.known - p.width));
    return slot == S::kNone ? S::kNone : slot << p.width | (bits & ((1u << p.width) - 1));
  }
};
// At last parts of the row, for keys that several elements have.
template <class S>
struct SelectPart {
  static __device__ unsigned int place(const SelectArguments& p,
                                       const typename S::Prefixes& prefixes, typename S::Key key,
                                       unsigned long long number) {
    const unsigned int slot = prefixes.slot(p, key);
    const unsigned int part = static_cast<unsigned int>(number >> p.part_log);
    return slot == S::kNone ? S::kNone : slot << p.width | part;
  }
};

// Neighbours that have one place are added once.
struct SelectRun {
  unsigned int* counts;
  unsigned int place = ~0u;
  unsigned int length = 0;

  __device__ void add(unsigned int next) {
    if (next != place) {
      end();
      place = next;
      length = 0;
    }
    ++length;
  }
  __device__ void end() const {
    if (place != ~0u) atomicAdd(counts + place, length);
  }
};

template <class T>
CUPOLA_KERNEL_FN void select_begin(const SelectArguments& p) {
  SelectRow& row = Select<T>::row_of(p, blockIdx.y);
  for (unsigned int i = threadIdx.x; i < kSelectPlaces; i += kSelectThreads) row.counts[i] = 0;
  const unsigned int r = threadIdx.x;
  if (r >= p.rank_count) return;
  const unsigned long long number = p.first_row + blockIdx.y;
  const long long rank = p.ranks[p.ranks_of_all ? r : r * p.rows + number];
  const long long last = static_cast<long long>(p.length) - 1;
  row.rest[r] = static_cast<unsigned long long>(rank < 0 ? 0 : smaller(rank, last));
  row.prefix[r] = 0;
  row.slot[r] = 0;
  row.part[r] = 0;
}

template <class T, class Pass>
CUPOLA_KERNEL_FN void count_tiles(const SelectArguments& p,
                                  const typename Select<T>::Prefixes& prefixes, const T* in,
                                  SelectRun run) {
  using S = Select<T>;
  const bool is_aligned = reinterpret_cast<unsigned long long>(in) % 16 == 0;
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * S::kTile;
  for (unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * S::kTile;
       first < p.length; first += step) {
    const unsigned long long own = first + threadIdx.x * S::kPack;
    constexpr unsigned int kApart = kSelectThreads * S::kPack;  // a thread's packs
    if (is_aligned && first + S::kTile <= p.length) {
      Vector<T, S::kPack> x[S::kPacks];
#pragma unroll
      for (int k = 0; k < S::kPacks; ++k) x[k] = load_vector<S::kPack>(in + own + k * kApart, 0);
#pragma unroll
      for (int k = 0; k < S::kPacks * S::kPack; ++k) {
        const T each = x[k / S::kPack].at[k % S::kPack];
        const unsigned long long number = own + k / S::kPack * kApart + k % S::kPack;
        run.add(Pass::place(p, prefixes, ordered_bits(each), number));
      }
    } else {
#pragma unroll 1
      for (int k = 0; k < S::kPacks * S::kPack; ++k) {
        const unsigned long long number = first + k * kSelectThreads + threadIdx.x;
        if (number >= p.length) break;
        run.add(Pass::place(p, prefixes, ordered_bits(in[number]), number));
      }
    }
  }
  run.end();
}

// Counts of the elements of a row, by blocks of kSelectThreads.
template <class T>
CUPOLA_KERNEL_FN void select_count(const SelectArguments& p) {
  using S = Select<T>;
  __shared__ unsigned int counts[kSelectPlaces];
  SelectRow& row = S::row_of(p, blockIdx.y);
  const typename S::Prefixes prefixes(p, row);
  if (p.by_part) {
    bool any = false;
    for (unsigned int r = 0; r < kSelectRanks; ++r) any = any || S::is_ambiguous(prefixes.of[r]);
    if (!any) return;
  }
  for (unsigned int i = threadIdx.x; i < kSelectPlaces; i += kSelectThreads) counts[i] = 0;
  __syncthreads();
  const T* const in = S::elements_of(p, blockIdx.y);
  if (p.by_part) {
    count_tiles<T, SelectPart<S>>(p, prefixes, in, {counts});
  } else if (p.known == 0) {
    count_tiles<T, SelectFirst<S>>(p, prefixes, in, {counts});
  } else {
    count_tiles<T, SelectNext<S>>(p, prefixes, in, {counts});
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < kSelectPlaces; i += kSelectThreads) {
    if (counts[i] != 0) atomicAdd(row.counts + i, static_cast<unsigned long long>(counts[i]));
  }
}

// In which bin of its slot each rank's element is, by one block for each row; counts are 0 again.
template <class T>
CUPOLA_KERNEL_FN void select_step(const SelectArguments& p) {
  using S = Select<T>;
  __shared__ unsigned long long of_warps[kSelectThreads / 32];
  __shared__ unsigned int bins[kSelectRanks];
  __shared__ unsigned long long rests[kSelectRanks];
  SelectRow& row = S::row_of(p, blockIdx.y);
  const unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned int bin_count = 1u << p.width;
  const unsigned int own = (bin_count + kSelectThreads - 1) / kSelectThreads;  // of a thread
  const unsigned int first = threadIdx.x * own;
  for (unsigned int r = 0; r < p.rank_count; ++r) {
    const unsigned long long* const counts = row.counts + (row.slot[r] << p.width);
    const unsigned long long rest = row.rest[r];
    if (threadIdx.x == 0) {
      bins[r] = 0;
      rests[r] = rest;
    }
    unsigned long long sum = 0;
    for (unsigned int i = 0; i < own && first + i < bin_count; ++i) sum += counts[first + i];
    unsigned long long until = sum;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const unsigned long long other = shuffle_up(until, distance, 32);
      if (lane >= static_cast<unsigned int>(distance)) until += other;
    }
    if (lane == 31) of_warps[warp] = until;
    __syncthreads();
    for (unsigned int w = 0; w < warp; ++w) until += of_warps[w];
    unsigned long long before = until - sum;
    if (before <= rest && rest < until) {
      unsigned int bin = first;
      while (before + counts[bin] <= rest) before += counts[bin++];
      bins[r] = bin;
      rests[r] = rest - before;
    }
    __syncthreads();
  }
  for (unsigned int i = threadIdx.x; i < kSelectPlaces; i += kSelectThreads) row.counts[i] = 0;
  if (threadIdx.x != 0) return;
  for (unsigned int r = 0; r < p.rank_count; ++r) {
    row.rest[r] = rests[r];
    if (p.by_part) {
      row.part[r] = bins[r];
      continue;
    }
    row.prefix[r] = (p.known == 0 ? 0 : row.prefix[r] << p.width) | bins[r];
    unsigned int slot = 0;
    while (row.prefix[slot] != row.prefix[r]) ++slot;
    row.slot[r] = slot;
  }
}

// The element of each rank, by a block: by its key, or by looking through its part of the row.
template <class T>
CUPOLA_KERNEL_FN void select_find(const SelectArguments& p) {
  using S = Select<T>;
  __shared__ unsigned int of_warps[kSelectThreads / 32];
  const SelectRow& row = S::row_of(p, blockIdx.y);
  const unsigned int r = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  T* const out = static_cast<T*>(p.out) + (r * p.rows + p.first_row + blockIdx.y);
  const typename S::Key key = static_cast<typename S::Key>(row.prefix[r]);
  if (!S::is_ambiguous(key)) {
    if (threadIdx.x == 0) *out = S::element_of(key);
    return;
  }
  const T* const in = S::elements_of(p, blockIdx.y);
  unsigned long long first = static_cast<unsigned long long>(row.part[r]) << p.part_log;
  const unsigned long long end = smaller(first + (1ull << p.part_log), p.length);
  unsigned long long rest = row.rest[r];
  for (; first < end; first += kSelectThreads) {
    const unsigned long long i = first + threadIdx.x;
    const T x = in[smaller(i, end - 1)];
    const bool matches = i < end && ordered_bits(x) == key;
    const unsigned int votes = __ballot_sync(0xFFFFFFFFu, matches);
    if (lane == 0) of_warps[warp] = static_cast<unsigned int>(__popc(votes));
    __syncthreads();
    unsigned long long before = static_cast<unsigned int>(__popc(votes & ((1u << lane) - 1)));
    unsigned long long all = 0;
    for (unsigned int w = 0; w < kSelectThreads / 32; ++w) {
      if (w < warp) before += of_warps[w];
      all += of_warps[w];
    }
    if (matches && before == rest) *out = x;
    if (rest < all) return;
    rest -= all;
    __syncthreads();
  }
}

}  // namespace cupola_device
