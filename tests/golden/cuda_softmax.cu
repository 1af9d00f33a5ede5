namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  float* out0;
};
static_assert(sizeof(Arguments) == 88, "layout");
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
  struct Values {
    float v1;
    float v4;
  };
  struct Held {
    float v0;
    float v3;
  };
  struct Out {
    float out0;
  };
  struct Row {
  };
  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {
    Row row;
    return row;
  }
  CUPOLA_KERNEL_FN void start(const Arguments& p, const Uniform& u, Flat kept,
                              Values& values) {
    Element x;
  }
  struct Stage0 {
    struct State {
      float v1;
    };
    CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {
      State result;
      { const float a = first.v1; const float b = second.v1; result.v1 = cast<float>(maximum(a, b)); }
      return result;
    }
    static constexpr bool kLoads = true;
    struct Loads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      x.in0 = p.in0[flat];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
      const auto four0 = load_vector<4>(p.in0, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in0 = four0.at[j];
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
    }
    };
    struct AllLoads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      x.in0 = p.in0[flat];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
      const auto four0 = load_vector<4>(p.in0, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in0 = four0.at[j];
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
    }
    };
    CUPOLA_KERNEL_FN State state(const Arguments& p, const Uniform& u, const Values& values,
                            const Element& x, Held& held) {
    const float v0 = x.in0;
    held.v0 = v0;
    State state;
    state.v1 = v0;
    return state;
    }
    CUPOLA_KERNEL_FN State state_again(const Arguments& p, const Uniform& u,
                            const Values& values, const Element& x) {
    const float v0 = x.in0;
    State state;
    state.v1 = v0;
    return state;
    }
    CUPOLA_KERNEL_FN void finish(const Arguments& p, const Uniform& u,
                                 const State& state, Values& values) {
    values.v1 = state.v1;
    }
  };
  struct Stage1 {
    struct State {
      float v4;
    };
    CUPOLA_KERNEL_FN State combine(const State& first, const State& second) {
      State result;
      { const float a = first.v4; const float b = second.v4; result.v4 = cast<float>(add(a, b)); }
      return result;
    }
    static constexpr bool kLoads = false;
    struct Loads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
    }
    };
    struct AllLoads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      x.in0 = p.in0[flat];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
      const auto four0 = load_vector<4>(p.in0, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in0 = four0.at[j];
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
    }
    };
    CUPOLA_KERNEL_FN State state(const Arguments& p, const Uniform& u, const Values& values,
                            const Element& x, Held& held) {
    const float v0 = held.v0;
    const float v1 = values.v1;
    float v2;
    { const float a = v0; const float b = v1; v2 = cast<float>(subtract(a, b)); }
    float v3;
    { const float a = v2; v3 = cast<float>(exp(a)); }
    held.v3 = v3;
    State state;
    state.v4 = v3;
    return state;
    }
    CUPOLA_KERNEL_FN State state_again(const Arguments& p, const Uniform& u,
                            const Values& values, const Element& x) {
    const float v1 = values.v1;
    const float v0 = x.in0;
    float v2;
    { const float a = v0; const float b = v1; v2 = cast<float>(subtract(a, b)); }
    float v3;
    { const float a = v2; v3 = cast<float>(exp(a)); }
    State state;
    state.v4 = v3;
    return state;
    }
    CUPOLA_KERNEL_FN void finish(const Arguments& p, const Uniform& u,
                                 const State& state, Values& values) {
    { const float a = float{}; const float b = state.v4; values.v4 = cast<float>(add(a, b)); }
    }
  };
  struct Last {
    static constexpr bool kLoads = false;
    struct Loads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
    }
    };
    struct AllLoads {
    CUPOLA_KERNEL_FN void one(const Arguments& p, const Row& row, Flat flat, Flat r,
                              Element& x) {
      x.in0 = p.in0[flat];
    }
    CUPOLA_KERNEL_FN void quad(const Arguments& p, const Row& row, Flat flat, Flat r,
                               Element (&x)[4]) {
#pragma unroll
      for (int j = 0; j < 4; ++j) one(p, row, flat + j, r + j, x[j]);
      const auto four0 = load_vector<4>(p.in0, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in0 = four0.at[j];
    }
    CUPOLA_KERNEL_FN void gather(Element (&x)[4], unsigned int width) {
      gather_quad(x, &Element::in0, width);
    }
    };
    CUPOLA_KERNEL_FN Out out(const Arguments& p, const Uniform& u, const Values& values,
                            const Element& x, Held& held) {
    const float v3 = held.v3;
    const float v4 = values.v4;
    float v5;
    { const float a = v3; const float b = v4; v5 = cast<float>(divide(a, b)); }
    Out out;
    out.out0 = v5;
    return out;
    }
    CUPOLA_KERNEL_FN Out out_again(const Arguments& p, const Uniform& u,
                            const Values& values, const Element& x) {
    const float v1 = values.v1;
    const float v4 = values.v4;
    const float v0 = x.in0;
    float v2;
    { const float a = v0; const float b = v1; v2 = cast<float>(subtract(a, b)); }
    float v3;
    { const float a = v2; v3 = cast<float>(exp(a)); }
    float v5;
    { const float a = v3; const float b = v4; v5 = cast<float>(divide(a, b)); }
    Out out;
    out.out0 = v5;
    return out;
    }
    CUPOLA_KERNEL_FN void put_one(const Arguments& p, const Row& row, const Out& out, Flat flat,
                              Flat r) {
      p.out0[flat] = out.out0;
    }
    CUPOLA_KERNEL_FN void put(const Arguments& p, const Row& row,
                              const Out (&out)[4], Flat flat, Flat r) {
      Vector<float, 4> four0;
#pragma unroll
      for (int j = 0; j < 4; ++j) four0.at[j] = out[j].out0;
      store_vector<4>(p.out0, flat / 4, four0);
    }
    CUPOLA_KERNEL_FN void spread(Out (&out)[4], unsigned int width) {
      spread_quad(out, &Out::out0, width);
    }
  };
  CUPOLA_KERNEL_FN void put_row(const Arguments& p, const Uniform& u,
                                const Values& values, Flat kept) {
  }
  template <class Walk>
  CUPOLA_KERNEL_FN void run(Walk& walk) {
    Values values;
    start(walk.p, walk.uniform, walk.kept, values);
    Stage0::finish(walk.p, walk.uniform, walk.template combine<Stage0>(values), values);
    Stage1::finish(walk.p, walk.uniform, walk.template combine<Stage1>(values), values);
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
