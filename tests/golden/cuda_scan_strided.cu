namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  int stride_in0_0;
  int stride_in0_1;
  int stride_in0_2;
  double* out0;
  int stride_out0_0;
  int stride_out0_1;
  int stride_out0_2;
  Divider32 extent1;
  Divider32 extent2;
};
static_assert(sizeof(Arguments) == 144, "layout");
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
  struct Row {
    Index in0;
    Index out0;
  };
  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {
    Row row;
    row.in0 = 0;
    row.out0 = 0;
    {
      Flat rest = kept;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      row.in0 += at * p.stride_in0_1;
      row.out0 += at * p.stride_out0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      row.in0 += at * p.stride_in0_0;
      row.out0 += at * p.stride_out0_0;
    }
    return row;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, const Row& row, Flat flat, Flat r) {
    Element x;
    Index offset_in0 = row.in0;
    {
      Flat rest = r;
      const Index at = static_cast<Index>(rest);
      offset_in0 += at * p.stride_in0_2;
    }
    x.in0 = p.in0[offset_in0];
    return x;
  }
  using State = float;
  static constexpr int kUnroll = 4;
  CUPOLA_KERNEL_FN State combine(State first, State second) {
    State result;
    { const float a = first; const float b = second; result = cast<float>(multiply(a, b)); }
    return result;
  }
  CUPOLA_KERNEL_FN State append(State first, State second) {
    return combine(first, second);
  }
  CUPOLA_KERNEL_FN State state(const Arguments& p, const Uniform& u, const Element& x,
                              Flat i, Flat r) {
    const float v0 = x.in0;
    return cast<State>(v0);
  }
  CUPOLA_KERNEL_FN State at(const Arguments& p, const Uniform& u, const Row& row,
                           Flat kept, Flat r) {
    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;
    return state(p, u, load(p, row, flat, r), flat, r);
  }
  template <bool Packed>
  CUPOLA_KERNEL_FN void quad(const Arguments& p, const Uniform& u, const Row& row,
                             Flat kept, Flat r, State (&states)[4]) {
    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;
    Element x[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) x[j] = load(p, row, flat + j, r + j);
#pragma unroll
    for (int j = 0; j < 4; ++j) states[j] = state(p, u, x[j], flat + j, r + j);
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Row& row, Flat kept, Flat r,
                            const State& state) {
    p.out0[row.out0 + static_cast<Index>(r) * p.stride_out0_2] = cast<double>(state);
  }
  template <bool Packed>
  CUPOLA_KERNEL_FN void put_quad(const Arguments& p, const Row& row, Flat kept, Flat r,
                                 const State (&states)[4]) {
#pragma unroll
    for (int j = 0; j < 4; ++j) put(p, row, kept, r + j, states[j]);
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_in_order(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::scan_in_order<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::scan_tiles<Body, false>(p);
}
#endif
