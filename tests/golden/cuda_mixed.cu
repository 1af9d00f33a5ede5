namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  const float16* in1;
  int stride_in1_0;
  int stride_in1_1;
  const double* in2;
  double* out0;
  int stride_out0_0;
  int stride_out0_1;
  bool* out1;
  Divider32 extent1;
  alignas(16) float scalar0;
};
static_assert(sizeof(Arguments) == 160, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
    double in2;
  };
  struct Element {
    float in0;
    float16 in1;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    u.in2 = *p.in2;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    Index offset_in1 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in1 += at * p.stride_in1_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in1 += at * p.stride_in1_0;
    }
    x.in0 = p.in0[i];
    x.in1 = p.in1[offset_in1];
    return x;
  }
  struct Result {
    double out0;
    bool out1;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const float v0 = x.in0;
    const float16 v1 = x.in1;
    const double v2 = u.in2;
    const float v3 = p.scalar0;
    bool v4;
    { const float a = v0; const float b = v3; v4 = cast<bool>(less(a, b)); }
    const float v5 = cast<float>(v1);
    float v6;
    { const float a = v5; const float b = v3; v6 = cast<float>(multiply(a, b)); }
    const long long v7 = static_cast<long long>(i);
    const float v8 = cast<float>(v7);
    const float v9 = v4 ? v6 : v8;
    const double v10 = cast<double>(v9);
    double v11;
    { const double a = v10; const double b = v2; v11 = cast<double>(add(a, b)); }
    Result y;
    y.out0 = v11;
    y.out1 = v4;
    return y;
  }
  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {
    Index offset_out0 = 0;
    {
      Flat rest = i;
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
    p.out1[i] = y.out1;
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,
                            const Element& x) {
    store_others(p, i, compute(p, u, x, i));
  }
  struct Strip {
    Flat left;
    Index in1;
    Index out0;
  };
  CUPOLA_KERNEL_FN Strip strip(const Arguments& p, Flat i) {
    Index offset_in1 = 0;
    Index offset_out0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in1 += at * p.stride_in1_1;
      offset_out0 += at * p.stride_out0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in1 += at * p.stride_in1_0;
      offset_out0 += at * p.stride_out0_0;
    }
    const Flat left = p.extent1.divisor -
                      (i - quotient(i, p.extent1) * p.extent1.divisor);
    return {left, offset_in1, offset_out0};
  }
  template <int N>
  struct StripPack {
    Vector<float, N> in0;
    Vector<float16, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_strip(const Arguments& p, Flat i, const Strip& s,
                                   StripPack<N>& x) {
    x.in0 = load_along<N>(p.in0 + i, 1);
    x.in1 = load_along<N>(p.in1 + s.in1, p.stride_in1_1);
  }
  template <int N>
  CUPOLA_KERNEL_FN void put_strip(const Arguments& p, const Uniform& u, Flat i,
                                  const Strip& s, const StripPack<N>& x) {
    Vector<double, N> out0;
    Vector<bool, N> out1;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Element one;
      one.in0 = x.in0.at[e];
      one.in1 = x.in1.at[e];
      const Result y = compute(p, u, one, i + e);
      out0.at[e] = y.out0;
      out1.at[e] = y.out1;
    }
    store_vector<N>(p.out0 + s.out0, 0, out0);
    store_vector<N>(p.out1 + i, 0, out1);
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
  cupola_device::map_strips<Body, 2, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_interleaved(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_interleaved<Body, 2, 4>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 3
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 4
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 2, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 5
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_interleaved_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_interleaved<Body, 2, 4>(all.each[blockIdx.z]);
}
#endif
