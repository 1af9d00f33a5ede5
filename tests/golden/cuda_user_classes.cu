namespace cupola_user_74af22dbe3cfb9da86b321bec85b23e4 {
static __device__ __forceinline__ void call(::float16, ::complex<float>, bool, long long, long long&, ::complex<double>&, ::bfloat16&, bool&);
}
namespace cupola_device {
struct Of_user_74af22dbe3cfb9da86b321bec85b23e4 {
  long long r0;
  complex128 r1;
  bfloat16 r2;
  bool r3;
};
static __device__ __forceinline__ Of_user_74af22dbe3cfb9da86b321bec85b23e4 user_74af22dbe3cfb9da86b321bec85b23e4(float16 a0, complex64 a1, bool a2, long long a3) {
  long long r0{};
  ::complex<double> r1{};
  ::bfloat16 r2{};
  bool r3{};
  ::cupola_user_74af22dbe3cfb9da86b321bec85b23e4::call(__builtin_bit_cast(::float16, a0), __builtin_bit_cast(::complex<float>, a1), a2, a3, r0, r1, r2, r3);
  return {r0, __builtin_bit_cast(complex128, r1), __builtin_bit_cast(bfloat16, r2), r3};
}
}  // namespace cupola_device
namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float16* in0;
  const complex64* in1;
  const bool* in2;
  long long* out0;
  complex128* out1;
  bfloat16* out2;
  bool* out3;
  alignas(16) long long scalar0;
};
static_assert(sizeof(Arguments) == 144, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
    bool in2;
  };
  struct Element {
    float16 in0;
    complex64 in1;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    u.in2 = *p.in2;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    x.in0 = p.in0[i];
    x.in1 = p.in1[i];
    return x;
  }
  struct Result {
    long long out0;
    complex128 out1;
    bfloat16 out2;
    bool out3;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const float16 v0 = x.in0;
    const complex64 v1 = x.in1;
    const bool v2 = u.in2;
    const long long v3 = p.scalar0;
    const long long v4 = user_74af22dbe3cfb9da86b321bec85b23e4(v0, v1, v2, v3).r0;
    const complex128 v5 = user_74af22dbe3cfb9da86b321bec85b23e4(v0, v1, v2, v3).r1;
    const bfloat16 v6 = user_74af22dbe3cfb9da86b321bec85b23e4(v0, v1, v2, v3).r2;
    const bool v7 = user_74af22dbe3cfb9da86b321bec85b23e4(v0, v1, v2, v3).r3;
    Result y;
    y.out0 = v4;
    y.out1 = v5;
    y.out2 = v6;
    y.out3 = v7;
    return y;
  }
  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {
    p.out0[i] = y.out0;
    p.out1[i] = y.out1;
    p.out2[i] = y.out2;
    p.out3[i] = y.out3;
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,
                            const Element& x) {
    store_others(p, i, compute(p, u, x, i));
  }
  struct Strip {
    Flat left;
  };
  CUPOLA_KERNEL_FN Strip strip(const Arguments& p, Flat i) {
    const Flat left = ~Flat{};
    return {left};
  }
  template <int N>
  struct StripPack {
    Vector<float16, N> in0;
    Vector<complex64, N> in1;
  };
  template <int N>
  CUPOLA_KERNEL_FN void load_strip(const Arguments& p, Flat i, const Strip& s,
                                   StripPack<N>& x) {
    x.in0 = load_along<N>(p.in0 + i, 1);
    x.in1 = load_along<N>(p.in1 + i, 1);
  }
  template <int N>
  CUPOLA_KERNEL_FN void put_strip(const Arguments& p, const Uniform& u, Flat i,
                                  const Strip& s, const StripPack<N>& x) {
    Vector<long long, N> out0;
    Vector<complex128, N> out1;
    Vector<bfloat16, N> out2;
    Vector<bool, N> out3;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      Element one;
      one.in0 = x.in0.at[e];
      one.in1 = x.in1.at[e];
      const Result y = compute(p, u, one, i + e);
      out0.at[e] = y.out0;
      out1.at[e] = y.out1;
      out2.at[e] = y.out2;
      out3.at[e] = y.out3;
    }
    store_vector<N>(p.out0 + i, 0, out0);
    store_vector<N>(p.out1 + i, 0, out1);
    store_vector<N>(p.out2 + i, 0, out2);
    store_vector<N>(p.out3 + i, 0, out3);
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 2>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 1, 1>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 2
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 2>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 3
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_strips_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_strips<Body, 1, 1>(all.each[blockIdx.z]);
}
#endif
namespace cupola_user_74af22dbe3cfb9da86b321bec85b23e4_names {
typedef long long T;

}
namespace cupola_user_74af22dbe3cfb9da86b321bec85b23e4 {
using namespace cupola_user_74af22dbe3cfb9da86b321bec85b23e4_names;
static __device__ __forceinline__ void call(const float16 h, const complex<float> z, const bool b, const T t, T& sum, complex<double>& w, bfloat16& g, bool& none) {
sum = b ? T(float(h) + z.real()) : t; w = complex<double>(z) * complex<double>(t, 1);
g = h * h; none = !b && isnan(h);
;
}
}
