namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  int stride_in0_0;
  int stride_in0_1;
  const float* in1;
  float* out0;
  Divider32 extent1;
  Tiling tiling;
  int stride_flat_0;
  int stride_flat_1;
};
static_assert(sizeof(Arguments) == 176, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
  };
  struct Element {
    float in0;
    float in1;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    Index offset_in0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in0 += at * p.stride_in0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
    }
    x.in0 = p.in0[offset_in0];
    x.in1 = p.in1[i];
    return x;
  }
  struct Result {
    float out0;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const float v0 = x.in0;
    const float v1 = x.in1;
    float v2;
    { const float a = v0; const float b = v1; v2 = cast<float>(add(a, b)); }
    Result y;
    y.out0 = v2;
    return y;
  }
  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {
    p.out0[i] = y.out0;
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,
                            const Element& x) {
    store_others(p, i, compute(p, u, x, i));
  }
  struct Strip {
    Flat left;
    Index in0;
  };
  CUPOLA_KERNEL_FN Strip strip(const Arguments& p, Flat i) {
    Index offset_in0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in0 += at * p.stride_in0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
    }
    const Flat left = p.extent1.divisor -
                      (i - quotient(i, p.extent1) * p.extent1.divisor);
    return {left, offset_in0};
  }
  template <int N>
  struct StripPack {
    Vector<float, N> in0;
    Vector<float, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_strip(const Arguments& p, Flat i, const Strip& s,
                                   StripPack<N>& x) {
    x.in0 = load_along<N>(p.in0 + s.in0, p.stride_in0_1);
    x.in1 = load_along<N>(p.in1 + i, 1);
  }
  template <int N>
  CUPOLA_KERNEL_FN void put_strip(const Arguments& p, const Uniform& u, Flat i,
                                  const Strip& s, const StripPack<N>& x) {
    Vector<float, N> out0;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Element one;
      one.in0 = x.in0.at[e];
      one.in1 = x.in1.at[e];
      const Result y = compute(p, u, one, i + e);
      out0.at[e] = y.out0;
    }
    store_vector<N>(p.out0 + i, 0, out0);
  }
  struct Walk {
    Flat left, above;
    Index in0;
  };
  CUPOLA_KERNEL_FN Walk walk(const Arguments& p, Flat i) {
    Index offset_in0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in0 += at * p.stride_in0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
    }
    const Flat row = quotient(i, p.extent1), left = p.extent1.divisor * (row + 1) - i;
    const Flat above = ~Flat{};
    return {left, above, offset_in0};
  }
  CUPOLA_KERNEL_FN void advance(const Arguments& p, Flat to, Walk& w) {
    const Index row = static_cast<Index>(p.extent1.divisor);
    const bool ends = --w.left == 0;
    w.in0 += ends ? p.stride_in0_0 - (row - 1) * p.stride_in0_1 : p.stride_in0_1;
    if (ends) w.left = p.extent1.divisor;
    if (ends && --w.above == 0) w = walk(p, to);
  }
  template <int N>
  CUPOLA_KERNEL_FN void load_across(const Arguments& p, Flat i, StripPack<N>& x) {
    x.in1 = load_along<N>(p.in1 + i, 1);
    Walk w = walk(p, i);
#pragma unroll
    for (int e = 0; e < N; ++e) {
      if (e > 0) advance(p, i + e, w);
      x.in0.at[e] = p.in0[w.in0];
    }
  }
  static constexpr int kRows = 64, kColumns = 64;
  struct Corner {
    Index in0;
    Index flat;
  };
  CUPOLA_KERNEL_FN Corner corner(const Arguments& p, Flat batch, Index row, Index column) {
    Index offset_in0 = row * p.stride_in0_0 + column * p.stride_in0_1;
    Index offset_flat = row * p.stride_flat_0 + column * p.stride_flat_1;
    return {offset_in0, offset_flat, };
  }
  struct Fetched {
    typename Staging<float, kRows, kColumns>::Fetched in0;
  };
  struct Shared {
    typename Staging<float, kRows, kColumns>::Shared in0;
  };
  CUPOLA_KERNEL_FN void fetch(const Arguments& p, const Corner& corner, int rows,
                              int columns, Fetched& x) {
    if (true) {
      Staging<float, kRows, kColumns>::fetch(x.in0, p.in0 + corner.in0, p.stride_in0_1, rows, columns);
    }
  }
  CUPOLA_KERNEL_FN void spread(const Arguments& p, const Fetched& x, Shared& shared) {
    if (true) Staging<float, kRows, kColumns>::spread(x.in0, shared.in0);
  }
  CUPOLA_KERNEL_FN void stage(const Arguments& p, const Corner& corner, int rows,
                              int columns, Shared& shared) {
    if (true) {
      Staging<float, kRows, kColumns>::stage(shared.in0, p.in0 + corner.in0, p.stride_in0_0, p.stride_in0_1,
          rows, columns, p.tiling.runs >> 0 & 1);
    }
  }
  template <int N>
  struct TilePack {
    Vector<float, N> in0;
    Vector<float, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_direct(const Arguments& p, const Corner& corner, Index row,
                                    Index column, TilePack<N>& x) {
    x.in1 = load_along<N>(p.in1 + (corner.flat + row * p.stride_flat_0 + column * p.stride_flat_1), 1);
  }
  template <bool Vectors, int N>
  CUPOLA_KERNEL_FN void put_tile(const Arguments& p, const Uniform& u, const Corner& corner,
                                 const Shared& shared, Index row, Index column,
                                 TilePack<N>& x) {
    if (true) {
      x.in0 = Staging<float, kRows, kColumns>::template read<Vectors, N>(shared.in0, row,
          column);
    } else {
      x.in0 = load_along<N>(p.in0 + (corner.in0 + row * p.stride_in0_0 + column * p.stride_in0_1), p.stride_in0_1);
    }
    Vector<float, N> out0;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Element one;
      one.in0 = x.in0.at[e];
      one.in1 = x.in1.at[e];
      const Result y = compute(p, u, one, Flat{});
      out0.at[e] = y.out0;
    }
    store_along<Vectors, N>(p.out0 + (corner.flat + row * p.stride_flat_0 + column * p.stride_flat_1), p.stride_flat_1, out0);
  }
  template <int N>
  CUPOLA_KERNEL_FN int lead(const Arguments& p, const Corner& corner, Index row) {
    return elements_past<N>(p.out0 + (corner.flat + row * p.stride_flat_0));
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 4, 2>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_across(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 4, 2, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 3
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_interleaved(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_interleaved<Body, 1, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 4
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_tiles<Body, 4, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 5
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_skewed_tiles(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_skewed_tiles<Body, 4, 4>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 6
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 7
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 4, 2>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 8
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_across_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 4, 2, true>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 9
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_interleaved_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_interleaved<Body, 1, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 10
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_tiles<Body, 4, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 11
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_skewed_tiles_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_skewed_tiles<Body, 4, 4>(all.each[blockIdx.z]);
}
#endif
