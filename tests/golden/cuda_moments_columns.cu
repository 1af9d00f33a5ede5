namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  int stride_in0_0;
  int stride_in0_1;
  const float* in1;
  int stride_in1_0;
  int stride_in1_1;
  float* out0;
  int stride_out0_0;
  int stride_out0_1;
  double* out1;
  int stride_out1_0;
  int stride_out1_1;
  double* out2;
  int stride_out2_0;
  int stride_out2_1;
  Divider32 extent1;
  alignas(16) float scalar0;
};
static_assert(sizeof(Arguments) == 192, "layout");
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
  struct Values {
    float v1;
    double v2;
    float v5;
    double v6;
    double v8;
    float v10;
  };
  struct Held {
  };
  struct Out {
  };
  struct Row {
    Values values;
    Index in0;
  };
  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {
    Row row;
    row.in0 = 0;
    start(p, uniform(p), kept, row.values);
    {
      Flat rest = kept;
      const Index at = static_cast<Index>(rest);
      row.in0 += at * p.stride_in0_0;
    }
    return row;
  }
  CUPOLA_KERNEL_FN void start(const Arguments& p, const Uniform& u, Flat kept,
                              Values& values) {
    Element x;
    Index offset_in1 = 0;
    {
      Flat rest = kept;
      const Index at = static_cast<Index>(rest);
      offset_in1 += at * p.stride_in1_0;
    }
    x.in1 = p.in1[offset_in1];
    const float v1 = x.in1;
    const double v2 = cast<double>(v1);
    values.v1 = v1;
    values.v2 = v2;
  }
  struct Stage0 {
    struct State {
      float v5;
      double v6;
      double v8;
    };
    CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {
      State result;
      { const float a = first.v5; const float b = second.v5; result.v5 = cast<float>(add(a, b)); }
      { const double a = first.v6; const double b = second.v6; result.v6 = cast<double>(add(a, b)); }
      { const double a = first.v8; const double b = second.v8; result.v8 = cast<double>(add(a, b)); }
      return result;
    }
    static constexpr bool kLoads = true;
    struct Loads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      Index offset_in0 = row.in0;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_in0 += at * p.stride_in0_1;
      }
      x.in0 = p.in0[offset_in0];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
    }
    };
    struct AllLoads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      Index offset_in0 = row.in0;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_in0 += at * p.stride_in0_1;
      }
      x.in0 = p.in0[offset_in0];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
    }
    };
    CUPOLA_KERNEL_FN State state(const Arguments& p, const Uniform& u, const Values& values,
                            const Element& x, Held& held) {
    const double v2 = values.v2;
    const float v0 = x.in0;
    const double v3 = cast<double>(v0);
    double v4;
    { const double a = v3; const double b = v2; v4 = cast<double>(subtract(a, b)); }
    double v7;
    { const double a = v4; v7 = cast<double>(square(a)); }
    State state;
    state.v5 = v0;
    state.v6 = v4;
    state.v8 = v7;
    return state;
    }
    CUPOLA_KERNEL_FN State state_again(const Arguments& p, const Uniform& u,
                            const Values& values, const Element& x) {
    const double v2 = values.v2;
    const float v0 = x.in0;
    const double v3 = cast<double>(v0);
    double v4;
    { const double a = v3; const double b = v2; v4 = cast<double>(subtract(a, b)); }
    double v7;
    { const double a = v4; v7 = cast<double>(square(a)); }
    State state;
    state.v5 = v0;
    state.v6 = v4;
    state.v8 = v7;
    return state;
    }
    CUPOLA_KERNEL_FN void finish(const Arguments& p, const Uniform& u,
                                 const State& state, Values& values) {
    { const float a = float{}; const float b = state.v5; values.v5 = cast<float>(add(a, b)); }
    { const double a = double{}; const double b = state.v6; values.v6 = cast<double>(add(a, b)); }
    { const double a = double{}; const double b = state.v8; values.v8 = cast<double>(add(a, b)); }
    const float v5 = values.v5;
    const float v9 = p.scalar0;
    float v10;
    { const float a = v5; const float b = v9; v10 = cast<float>(multiply(a, b)); }
    values.v10 = v10;
    }
  };
  CUPOLA_KERNEL_FN void put_row(const Arguments& p, const Uniform& u,
                                const Values& values, Flat kept) {
    const double v6 = values.v6;
    const double v8 = values.v8;
    const float v10 = values.v10;
    Index offset_out0 = 0;
    {
      Flat rest = kept;
      const Index at = static_cast<Index>(rest);
      offset_out0 += at * p.stride_out0_0;
    }
    p.out0[offset_out0] = v10;
    Index offset_out1 = 0;
    {
      Flat rest = kept;
      const Index at = static_cast<Index>(rest);
      offset_out1 += at * p.stride_out1_0;
    }
    p.out1[offset_out1] = v6;
    Index offset_out2 = 0;
    {
      Flat rest = kept;
      const Index at = static_cast<Index>(rest);
      offset_out2 += at * p.stride_out2_0;
    }
    p.out2[offset_out2] = v8;
  }
  using State = Stage0::State;
  static constexpr int kUnroll = 2;
  CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {
    return Stage0::combine(first, second);
  }
  CUPOLA_KERNEL_FN State append(const State& first, const State& second) {
    return combine(first, second);
  }
  CUPOLA_KERNEL_FN State at(const Arguments& p, const Uniform& u, const Row& row,
                            Flat kept, Flat r) {
    Element x;
    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;
    Stage0::AllLoads::one(p, row, flat, r, x);
    return Stage0::state_again(p, u, row.values, x);
  }
  template <bool Packed>
  CUPOLA_KERNEL_FN void quad(const Arguments& p, const Uniform& u, const Row& row,
                             Flat kept, Flat r, State (&states)[4]) {
    Element x[4];
    const Flat flat = kept * static_cast<Flat>(p.header.length) + r;
    if constexpr (Packed) Stage0::AllLoads::quad(p, row, flat, r, x);
#pragma unroll
    for (int j = 0; j < 4 && !Packed; ++j) {
      Stage0::AllLoads::one(p, row, flat + j, r + j, x[j]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      states[j] = Stage0::state_again(p, u, row.values, x[j]);
    }
  }
  CUPOLA_KERNEL_FN void finish(const Arguments& p, Flat number, const State& state) {
    const Uniform u = uniform(p);
    Values values;
    start(p, u, number, values);
    Stage0::finish(p, u, state, values);
    put_row(p, u, values, number);
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tile_states(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_tile_states<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_short_rows<Body, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_rows<Body, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 3
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_tiles<Body, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 4
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_columns(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_columns<Body>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 5
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_column_states(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_column_states<Body>(p);
}
#endif
