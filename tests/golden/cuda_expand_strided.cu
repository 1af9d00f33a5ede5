namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const bool* in0;
  int stride_in0_0;
  int stride_in0_1;
  const int* in1;
  const long long* in2;
  complex64* out0;
  int stride_out0_0;
  int stride_out0_1;
  Divider32 extent1;
  alignas(16) long long scalar0;
};
static_assert(sizeof(Arguments) == 160, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
  };
  struct Element {
    bool in0;
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
    return x;
  }
  CUPOLA_KERNEL_FN bool holds(const Arguments& p, const Uniform& u, const Element& x,
                              Flat i) {
    const bool v0 = x.in0;
    return v0;
  }
  CUPOLA_KERNEL_FN const long long* ends(const Arguments& p) { return p.in2; }
  CUPOLA_KERNEL_FN void put_ranked(const Arguments& p, const Uniform& u, Flat i,
                                   const Element& x, long long rank) {
    const long long v1 = p.scalar0;
    const long long v2 = rank;
    long long v3;
    { const long long a = v2; const long long b = v1; v3 = cast<long long>(multiply(a, b)); }
    const int v4 = p.in1[v3];
    const complex64 v5 = cast<complex64>(v4);
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
    p.out0[offset_out0] = v5;
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::rank_elements<Body, 8>(p);
}
#endif
