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
};
static_assert(sizeof(Arguments) == 160, "layout");
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
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_elements<Body, 4>(p);
}
#endif
