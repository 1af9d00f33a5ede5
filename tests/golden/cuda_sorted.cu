namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  int stride_in0_0;
  int stride_in0_1;
  float* out0;
  long long* out1;
  Divider32 extent1;
};
static_assert(sizeof(Arguments) == 120, "layout");
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
    return x;
  }
  using Key = float;
  static constexpr bool kStoresKeys = true;
  CUPOLA_KERNEL_FN float key(const Arguments& p, const Uniform& u, const Element& x,
                           Flat i) {
    const float v0 = x.in0;
    return v0;
  }
  struct Output0 {
    using Type = float;
    static constexpr bool kIsKey = true;
    CUPOLA_KERNEL_FN float value(const Arguments& p, const Uniform& u, const Element& x,
                             Flat i) {
      const float v0 = x.in0;
      return v0;
    }
    CUPOLA_KERNEL_FN Type* place(const Arguments& p) { return p.out0; }
  };
  struct Output1 {
    using Type = long long;
    static constexpr bool kIsKey = false;
    CUPOLA_KERNEL_FN long long value(const Arguments& p, const Uniform& u, const Element& x,
                             Flat i) {
      const long long v1 = static_cast<long long>(i);
      return v1;
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
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_1(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::sort_short_rows<Body, 1>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_4(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::sort_short_rows<Body, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_4(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::sort_rows<Body, 4>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 3
extern "C" __global__ void __launch_bounds__(256, 3)
cupola_kernel_rows(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::sort_rows<Body, 16>(p);
}
#endif
