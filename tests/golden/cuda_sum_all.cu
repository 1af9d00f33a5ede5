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
  struct Row {
  };
  CUPOLA_KERNEL_FN Row row(const Arguments& p, Flat kept) {
    Row row;
    return row;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, const Row& row, Flat flat, Flat r) {
    Element x;
    x.in0 = p.in0[flat];
    return x;
  }
  using State = float;
  static constexpr int kUnroll = 4;
  CUPOLA_KERNEL_FN State combine(State first, State second) {
    State result;
    { const float a = first; const float b = second; result = cast<float>(add(a, b)); }
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
    if constexpr (Packed) {
      const auto four0 = load_vector<4>(p.in0, flat / 4);
#pragma unroll
      for (int j = 0; j < 4; ++j) x[j].in0 = four0.at[j];
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) states[j] = state(p, u, x[j], flat + j, r + j);
  }
  CUPOLA_KERNEL_FN void finish(const Arguments& p, Flat number, const State& state) {
    const float result = cast<float>(combine(State{}, state));
    p.out0[number] = result;
    if (p.header.mirror) *static_cast<float*>(p.header.mirror) = result;
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
cupola_kernel_short_rows_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_short_rows<Body, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 2
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_rows<Body, true>(p);
}
#endif
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 3
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles_packed(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::reduce_tiles<Body, true>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 4
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tile_states_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::reduce_tile_states<Body>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 5
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_short_rows_packed_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::reduce_short_rows<Body, true>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 6
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_rows_packed_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::reduce_rows<Body, true>(all.each[blockIdx.z]);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 7
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_tiles_packed_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::reduce_tiles<Body, true>(all.each[blockIdx.z]);
}
#endif
