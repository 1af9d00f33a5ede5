namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  const long long* in1;
  const bool* in2;
  float* out0;
};
static_assert(sizeof(Arguments) == 104, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
  };
  struct Element {
    float in0;
    long long in1;
    bool in2;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    x.in0 = p.in0[i];
    x.in1 = p.in1[i];
    x.in2 = p.in2[i];
    return x;
  }
  struct Result {
    float out0;
    long long offset0;
    bool wanted0;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const float v0 = x.in0;
    const long long v1 = x.in1;
    const bool v2 = x.in2;
    Result y;
    y.out0 = v0;
    y.offset0 = v1;
    y.wanted0 = v2;
    return y;
  }
  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,
                            const Element& x) {
    store_others(p, i, compute(p, u, x, i));
  }
  static constexpr int kScatters = 1;
  static constexpr unsigned int kLockBytes = 0;
  CUPOLA_KERNEL_FN ScatterTarget target(const Result& y, int s) {
    if (s == 0) return {y.offset0, y.wanted0};
    return {0, false};
  }
  CUPOLA_KERNEL_FN void store_scattered(const Arguments& p, const Result& y, int s) {
    if (s == 0) p.out0[y.offset0] = y.out0;
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_small(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::scatter_small<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_claim(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::scatter_claim<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_store(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::scatter_store<Body>(p);
}
#endif
