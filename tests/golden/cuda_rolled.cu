namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  int stride_in0_0;
  int stride_in0_1;
  int turn_in0_0;
  int jump_in0_0;
  int turn_in0_1;
  int jump_in0_1;
  const float* in1;
  float* out0;
  Divider32 extent1;
};
static_assert(sizeof(Arguments) == 136, "layout");
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
      if (at >= p.turn_in0_1) offset_in0 += p.jump_in0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
      if (at >= p.turn_in0_0) offset_in0 += p.jump_in0_0;
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
    Index before_in0;
  };
  CUPOLA_KERNEL_FN Strip strip(const Arguments& p, Flat i) {
    Index offset_in0 = 0;
    {
      Flat rest = i;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in0 += at * p.stride_in0_1;
      if (at >= p.turn_in0_1) offset_in0 += p.jump_in0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_0;
      if (at >= p.turn_in0_0) offset_in0 += p.jump_in0_0;
    }
    const Flat left = p.extent1.divisor -
                      (i - quotient(i, p.extent1) * p.extent1.divisor);
    const Index column = static_cast<Index>(p.extent1.divisor - left);
    const Index before_in0 = p.turn_in0_1 - column;
    return {left, offset_in0, before_in0};
  }
  template <int N>
  struct StripPack {
    Vector<float, N> in0;
    Vector<float, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_strip(const Arguments& p, Flat i, const Strip& s,
                                   StripPack<N>& x) {
    x.in0 = load_turned<N>(p.in0 + s.in0, p.stride_in0_1, s.before_in0, p.jump_in0_1);
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
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 2
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 4>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 3
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 4, 2>(all.each[blockIdx.z]);
}
#endif
