namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const double* in0;
  int stride_in0_0;
  int stride_in0_1;
  int stride_in0_2;
  const double* in1;
  int stride_in1_0;
  int stride_in1_1;
  int stride_in1_2;
  double* out0;
  int stride_out0_0;
  int stride_out0_1;
  int stride_out0_2;
  Divider32 extent1;
  Divider32 extent2;
  Tiling tiling;
};
static_assert(sizeof(Arguments) == 216, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
  };
  struct Element {
    double in0;
    double in1;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    Index offset_in0 = 0;
    Index offset_in1 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent2);
      const Index at = static_cast<Index>(rest - next * p.extent2.divisor);
      offset_in0 += at * p.stride_in0_2;
      offset_in1 += at * p.stride_in1_2;
      rest = next;
      }
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in0 += at * p.stride_in0_1;
      offset_in1 += at * p.stride_in1_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
      offset_in1 += at * p.stride_in1_0;
    }
    x.in0 = p.in0[offset_in0];
    x.in1 = p.in1[offset_in1];
    return x;
  }
  struct Result {
    double out0;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const double v0 = x.in0;
    const double v1 = x.in1;
    double v2;
    { const double a = v0; const double b = v1; v2 = cast<double>(add(a, b)); }
    Result y;
    y.out0 = v2;
    return y;
  }
  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {
    Index offset_out0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent2);
      const Index at = static_cast<Index>(rest - next * p.extent2.divisor);
      offset_out0 += at * p.stride_out0_2;
      rest = next;
      }
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_out0 += at * p.stride_out0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_out0 += at * p.stride_out0_0;
    }
    p.out0[offset_out0] = y.out0;
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,
                            const Element& x) {
    store_others(p, i, compute(p, u, x, i));
  }
  struct Strip {
    Flat left;
    Index in0;
    Index in1;
    Index out0;
  };
  CUPOLA_KERNEL_FN Strip strip(const Arguments& p, Flat i) {
    Index offset_in0 = 0;
    Index offset_in1 = 0;
    Index offset_out0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent2);
      const Index at = static_cast<Index>(rest - next * p.extent2.divisor);
      offset_in0 += at * p.stride_in0_2;
      offset_in1 += at * p.stride_in1_2;
      offset_out0 += at * p.stride_out0_2;
      rest = next;
      }
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in0 += at * p.stride_in0_1;
      offset_in1 += at * p.stride_in1_1;
      offset_out0 += at * p.stride_out0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
      offset_in1 += at * p.stride_in1_0;
      offset_out0 += at * p.stride_out0_0;
    }
    const Flat left = p.extent2.divisor -
                      (i - quotient(i, p.extent2) * p.extent2.divisor);
    return {left, offset_in0, offset_in1, offset_out0};
  }
  template <int N>
  struct StripPack {
    Vector<double, N> in0;
    Vector<double, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_strip(const Arguments& p, Flat i, const Strip& s,
                                   StripPack<N>& x) {
    x.in0 = load_along<N>(p.in0 + s.in0, p.stride_in0_2);
    x.in1 = load_along<N>(p.in1 + s.in1, p.stride_in1_2);
  }
  template <int N>
  CUPOLA_KERNEL_FN void put_strip(const Arguments& p, const Uniform& u, Flat i,
                                  const Strip& s, const StripPack<N>& x) {
    Vector<double, N> out0;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Element one;
      one.in0 = x.in0.at[e];
      one.in1 = x.in1.at[e];
      const Result y = compute(p, u, one, i + e);
      out0.at[e] = y.out0;
    }
    store_vector<N>(p.out0 + s.out0, 0, out0);
  }
  static constexpr int kRows = 64, kColumns = 32;
  struct Corner {
    Index in0;
    Index in1;
    Index out0;
  };
  CUPOLA_KERNEL_FN Corner corner(const Arguments& p, Flat batch, Index row, Index column) {
    Index offset_in0 = row * p.stride_in0_1 + column * p.stride_in0_2;
    Index offset_in1 = row * p.stride_in1_1 + column * p.stride_in1_2;
    Index offset_out0 = row * p.stride_out0_1 + column * p.stride_out0_2;
    {
      Flat rest = batch;
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
      offset_in1 += at * p.stride_in1_0;
      offset_out0 += at * p.stride_out0_0;
    }
    return {offset_in0, offset_in1, offset_out0, };
  }
  struct Fetched {
    typename Staging<double, kRows, kColumns>::Fetched in0;
    typename Staging<double, kRows, kColumns>::Fetched in1;
  };
  struct Shared {
    typename Staging<double, kRows, kColumns>::Shared in0;
    typename Staging<double, kRows, kColumns>::Shared in1;
  };
  CUPOLA_KERNEL_FN void fetch(const Arguments& p, const Corner& corner, int rows,
                              int columns, Fetched& x) {
    if (p.tiling.staged >> 0 & 1) {
      Staging<double, kRows, kColumns>::fetch(x.in0, p.in0 + corner.in0, p.stride_in0_2, rows, columns);
    }
    if (p.tiling.staged >> 1 & 1) {
      Staging<double, kRows, kColumns>::fetch(x.in1, p.in1 + corner.in1, p.stride_in1_2, rows, columns);
    }
  }
  CUPOLA_KERNEL_FN void spread(const Arguments& p, const Fetched& x, Shared& shared) {
    if (p.tiling.staged >> 0 & 1) Staging<double, kRows, kColumns>::spread(x.in0, shared.in0);
    if (p.tiling.staged >> 1 & 1) Staging<double, kRows, kColumns>::spread(x.in1, shared.in1);
  }
  CUPOLA_KERNEL_FN void stage(const Arguments& p, const Corner& corner, int rows,
                              int columns, Shared& shared) {
    if (p.tiling.staged >> 0 & 1) {
      Staging<double, kRows, kColumns>::stage(shared.in0, p.in0 + corner.in0, p.stride_in0_1, p.stride_in0_2,
          rows, columns, p.tiling.runs >> 0 & 1);
    }
    if (p.tiling.staged >> 1 & 1) {
      Staging<double, kRows, kColumns>::stage(shared.in1, p.in1 + corner.in1, p.stride_in1_1, p.stride_in1_2,
          rows, columns, p.tiling.runs >> 1 & 1);
    }
  }
  template <int N>
  struct TilePack {
    Vector<double, N> in0;
    Vector<double, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_direct(const Arguments& p, const Corner& corner, Index row,
                                    Index column, TilePack<N>& x) {
  }
  template <bool Vectors, int N>
  CUPOLA_KERNEL_FN void put_tile(const Arguments& p, const Uniform& u, const Corner& corner,
                                 const Shared& shared, Index row, Index column,
                                 TilePack<N>& x) {
    if (p.tiling.staged >> 0 & 1) {
      x.in0 = Staging<double, kRows, kColumns>::template read<Vectors, N>(shared.in0, row,
          column);
    } else {
      x.in0 = load_along<N>(p.in0 + (corner.in0 + row * p.stride_in0_1 + column * p.stride_in0_2), p.stride_in0_2);
    }
    if (p.tiling.staged >> 1 & 1) {
      x.in1 = Staging<double, kRows, kColumns>::template read<Vectors, N>(shared.in1, row,
          column);
    } else {
      x.in1 = load_along<N>(p.in1 + (corner.in1 + row * p.stride_in1_1 + column * p.stride_in1_2), p.stride_in1_2);
    }
    Vector<double, N> out0;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Element one;
      one.in0 = x.in0.at[e];
      one.in1 = x.in1.at[e];
      const Result y = compute(p, u, one, Flat{});
      out0.at[e] = y.out0;
    }
    store_along<Vectors, N>(p.out0 + (corner.out0 + row * p.stride_out0_1 + column * p.stride_out0_2), p.stride_out0_2, out0);
  }
  template <int N>
  CUPOLA_KERNEL_FN int lead(const Arguments& p, const Corner& corner, Index row) {
    return elements_past<N>(p.out0 + (corner.out0 + row * p.stride_out0_1));
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
  cupola_device::map_strips<Body, 2, 2>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_interleaved(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_interleaved<Body, 1, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 3
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_tiles<Body, 2, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 4
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_skewed_tiles(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_skewed_tiles<Body, 2, 4>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 5
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 6
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 2, 2>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 7
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_interleaved_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_interleaved<Body, 1, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 8
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_tiles<Body, 2, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 9
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_skewed_tiles_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_skewed_tiles<Body, 2, 4>(all.each[blockIdx.z]);
}
#endif
