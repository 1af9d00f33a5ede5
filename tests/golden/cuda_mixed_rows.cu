namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float16* in0;
  int stride_in0_0;
  int stride_in0_1;
  int stride_in0_2;
  const int* in1;
  const float* in2;
  int stride_in2_0;
  int stride_in2_1;
  int stride_in2_2;
  const float* in3;
  int stride_in3_0;
  int stride_in3_1;
  int stride_in3_2;
  const double* in4;
  float* out0;
  int stride_out0_0;
  int stride_out0_1;
  int stride_out0_2;
  float* out1;
  double* out2;
  int stride_out2_0;
  int stride_out2_1;
  int stride_out2_2;
  signed char* out3;
  int stride_out3_0;
  int stride_out3_1;
  int stride_out3_2;
  Divider32 extent1;
  Divider32 extent2;
  alignas(16) signed char scalar0;
};
static_assert(sizeof(Arguments) == 288, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
    double in4;
  };
  struct Element {
    float16 in0;
    int in1;
    float in2;
    float in3;
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    u.in4 = *p.in4;
    return u;
  }
  struct Values {
    float v3;
    float v7;
    int v8;
    float v9;
    float v10;
    double v13;
    double v14;
  };
  struct Held {
    float v6;
  };
  struct Out {
    float out0;
    float out1;
  };
  struct Row {
    Index in0;
    Index in2;
    Index out0;
  };
  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {
    Row row;
    row.in0 = 0;
    row.in2 = 0;
    row.out0 = 0;
    {
      Flat rest = kept;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      row.in0 += at * p.stride_in0_1;
      row.in2 += at * p.stride_in2_1;
      row.out0 += at * p.stride_out0_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      row.in0 += at * p.stride_in0_0;
      row.in2 += at * p.stride_in2_0;
      row.out0 += at * p.stride_out0_0;
    }
    return row;
  }
  CUPOLA_KERNEL_FN void start(const Arguments& p, const Uniform& u, Flat kept,
                              Values& values) {
    Element x;
    Index offset_in3 = 0;
    {
      Flat rest = kept;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_in3 += at * p.stride_in3_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_in3 += at * p.stride_in3_0;
    }
    x.in3 = p.in3[offset_in3];
    const float v3 = x.in3;
    values.v3 = v3;
  }
  struct Stage0 {
    struct State {
      float v7;
      int v8;
    };
    CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {
      State result;
      { const float a = first.v7; const float b = second.v7; result.v7 = cast<float>(add(a, b)); }
      { const int a = first.v8; const int b = second.v8; result.v8 = cast<int>(minimum(a, b)); }
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
        offset_in0 += at * p.stride_in0_2;
      }
      x.in0 = p.in0[offset_in0];
      x.in1 = p.in1[flat];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
      const auto four1 = load_vector<4>(p.in1, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in1 = four1.at[j];
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
      gather_quad(x, &Element::in1, width);
    }
    };
    struct AllLoads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      Index offset_in0 = row.in0;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_in0 += at * p.stride_in0_2;
      }
      x.in0 = p.in0[offset_in0];
      x.in1 = p.in1[flat];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
      const auto four1 = load_vector<4>(p.in1, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in1 = four1.at[j];
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
      gather_quad(x, &Element::in1, width);
    }
    };
    CUPOLA_KERNEL_FN State state(const Arguments& p, const Uniform& u, const Values& values,
                            const Element& x, Held& held) {
    const float v3 = values.v3;
    const float16 v0 = x.in0;
    const int v1 = x.in1;
    const float v5 = cast<float>(v0);
    float v6;
    { const float a = v5; const float b = v3; v6 = cast<float>(multiply(a, b)); }
    held.v6 = v6;
    State state;
    state.v7 = v6;
    state.v8 = v1;
    return state;
    }
    CUPOLA_KERNEL_FN State state_again(const Arguments& p, const Uniform& u,
                            const Values& values, const Element& x) {
    const float v3 = values.v3;
    const float16 v0 = x.in0;
    const int v1 = x.in1;
    const float v5 = cast<float>(v0);
    float v6;
    { const float a = v5; const float b = v3; v6 = cast<float>(multiply(a, b)); }
    State state;
    state.v7 = v6;
    state.v8 = v1;
    return state;
    }
    CUPOLA_KERNEL_FN void finish(const Arguments& p, const Uniform& u,
                                 const State& state, Values& values) {
    { const float a = float{}; const float b = state.v7; values.v7 = cast<float>(add(a, b)); }
    values.v8 = state.v8;
    const float v7 = values.v7;
    const int v8 = values.v8;
    const double v4 = u.in4;
    const float v9 = cast<float>(v8);
    float v10;
    { const float a = v7; const float b = v9; v10 = cast<float>(multiply(a, b)); }
    const double v13 = cast<double>(v10);
    double v14;
    { const double a = v13; const double b = v4; v14 = cast<double>(add(a, b)); }
    values.v9 = v9;
    values.v10 = v10;
    values.v13 = v13;
    values.v14 = v14;
    }
  };
  struct Last {
    static constexpr bool kLoads = true;
    struct Loads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      Index offset_in2 = row.in2;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_in2 += at * p.stride_in2_2;
      }
      x.in2 = p.in2[offset_in2];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in2, width);
    }
    };
    struct AllLoads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      Index offset_in0 = row.in0;
      Index offset_in2 = row.in2;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_in0 += at * p.stride_in0_2;
        offset_in2 += at * p.stride_in2_2;
      }
      x.in0 = p.in0[offset_in0];
      x.in2 = p.in2[offset_in2];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
      gather_quad(x, &Element::in2, width);
    }
    };
    CUPOLA_KERNEL_FN Out out(const Arguments& p, const Uniform& u, const Values& values,
                            const Element& x, Held& held) {
    const float v6 = held.v6;
    const float v10 = values.v10;
    const float v2 = x.in2;
    float v11;
    { const float a = v6; const float b = v10; v11 = cast<float>(multiply(a, b)); }
    float v12;
    { const float a = v11; const float b = v2; v12 = cast<float>(add(a, b)); }
    Out out;
    out.out0 = v12;
    out.out1 = v6;
    return out;
    }
    CUPOLA_KERNEL_FN Out out_again(const Arguments& p, const Uniform& u,
                            const Values& values, const Element& x) {
    const float v3 = values.v3;
    const float v10 = values.v10;
    const float16 v0 = x.in0;
    const float v2 = x.in2;
    const float v5 = cast<float>(v0);
    float v6;
    { const float a = v5; const float b = v3; v6 = cast<float>(multiply(a, b)); }
    float v11;
    { const float a = v6; const float b = v10; v11 = cast<float>(multiply(a, b)); }
    float v12;
    { const float a = v11; const float b = v2; v12 = cast<float>(add(a, b)); }
    Out out;
    out.out0 = v12;
    out.out1 = v6;
    return out;
    }
    CUPOLA_KERNEL_FN void put_one(const Arguments& p, const Row& row, const Out& out, Flat flat,
                              Flat r) {
      Index offset_out0 = row.out0;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_out0 += at * p.stride_out0_2;
      }
      p.out0[offset_out0] = out.out0;
      p.out1[flat] = out.out1;
    }
    CUPOLA_KERNEL_FN void put_narrow(const Arguments& p, const Row& row, const Out& out, Flat flat,
                              Flat r) {
      Index offset_out0 = row.out0;
      {
        Flat rest = r;
        const Index at = static_cast<Index>(rest);
        offset_out0 += at * p.stride_out0_2;
      }
      p.out0[offset_out0] = out.out0;
    }
    CUPOLA_KERNEL_FN void put(const Arguments& p, const Row& row,
                              const Out (&out)[4], Flat flat, Flat r) {
      Vector<float, 4> four1;
#pragma unroll
      for (int j = 0; j < 4; ++j) four1.at[j] = out[j].out1;
      store_vector<4>(p.out1, flat / 4, four1);
#pragma unroll
      for (int j = 0; j < 4; ++j) put_narrow(p, row, out[j], flat + j, r + j);
    }
    CUPOLA_KERNEL_FN void spread(Out (&out)[4], unsigned int width) {
      spread_quad(out, &Out::out0, width);
      spread_quad(out, &Out::out1, width);
    }
  };
  CUPOLA_KERNEL_FN void put_row(const Arguments& p, const Uniform& u,
                                const Values& values, Flat kept) {
    const double v14 = values.v14;
    const signed char v15 = p.scalar0;
    Index offset_out2 = 0;
    {
      Flat rest = kept;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_out2 += at * p.stride_out2_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_out2 += at * p.stride_out2_0;
    }
    p.out2[offset_out2] = v14;
    Index offset_out3 = 0;
    {
      Flat rest = kept;
      {
      const Flat next = quotient(rest, p.extent1);
      const Index at = static_cast<Index>(rest - next * p.extent1.divisor);
      offset_out3 += at * p.stride_out3_1;
      rest = next;
      }
      const Index at = static_cast<Index>(rest);
      offset_out3 += at * p.stride_out3_0;
    }
    p.out3[offset_out3] = v15;
  }
  template <class Walk>
  CUPOLA_KERNEL_FN void run(Walk& walk) {
    Values values;
    start(walk.p, walk.uniform, walk.kept, values);
    Stage0::finish(walk.p, walk.uniform, walk.template combine<Stage0>(values), values);
    walk.template put<Last>(values);
    if (walk.stores_row()) put_row(walk.p, walk.uniform, values, walk.kept);
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_2(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 2, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 1
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_2_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 2, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_4(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_short_rows<Body, 4, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 3
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_4_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_short_rows<Body, 4, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 4
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_4(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 4, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 5
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_4_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 4, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 6
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_8(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_short_rows<Body, 8, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 7
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_8_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_short_rows<Body, 8, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 8
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_8(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 8, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 9
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_8_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 8, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 10
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_16(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 16, false>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 11
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_16_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::compute_rows<Body, 16, true>(p);
}
#endif
