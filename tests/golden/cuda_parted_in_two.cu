namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  float* out0;
  int* out1;
  alignas(16) float scalar0;
};
static_assert(sizeof(Arguments) == 112, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
  };
  struct Element {
    float in0;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat first, unsigned int far = 0) {
    const Flat i = first + far;
    Element x;
    x.in0 = (p.in0 + first)[far];
    return x;
  }
  static constexpr int kItems = 16;
  static constexpr unsigned int kBinCount = 2;
  static constexpr unsigned int kLargest = 4;  // bytes of an output
  CUPOLA_KERNEL_FN unsigned char bin(const Arguments& p, const Uniform& u, const Element& x,
                           Flat i) {
    const float v0 = x.in0;
    const float v1 = p.scalar0;
    bool v2;
    { const float a = v0; const float b = v1; v2 = cast<bool>(greater(a, b)); }
    const unsigned char v3 = cast<unsigned char>(v2);
    return v3;
  }
  struct Output0 {
    using Type = float;
    CUPOLA_KERNEL_FN float value(const Arguments& p, const Uniform& u, const Element& x,
                             Flat i) {
      const float v0 = x.in0;
      return v0;
    }
    CUPOLA_KERNEL_FN Type* place(const Arguments& p) { return p.out0; }
  };
  struct Output1 {
    using Type = int;
    CUPOLA_KERNEL_FN int value(const Arguments& p, const Uniform& u, const Element& x,
                             Flat i) {
      const long long v4 = static_cast<long long>(i);
      const int v5 = cast<int>(v4);
      return v5;
    }
    CUPOLA_KERNEL_FN Type* place(const Arguments& p) { return p.out1; }
  };
  template <class Tile>
  CUPOLA_KERNEL_FN void store_outputs(const Tile& tile) {
    tile.template store<Output0>();
    tile.template store<Output1>();
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(512)
cupola_kernel_counts(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::count_bins<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(512)
cupola_kernel_sums(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::sum_bins<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(512, 2)
cupola_kernel_places(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::part_rows<Body>(p);
}
#endif
