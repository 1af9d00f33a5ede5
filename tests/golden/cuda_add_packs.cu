namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  const float* in1;
  float* out0;
};
static_assert(sizeof(Arguments) == 96, "layout");
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
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    x.in0 = p.in0[i];
    x.in1 = p.in1[i];
    return x;
  }
  struct Result {
    float out0;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const float v0 = x.in0;
    const float v1 = x.in1;
    float v2;
    { const float a = v0; const float b = v1; v2 = cast<float>(add(a, b)); }
    Result y;
    y.out0 = v2;
    return y;
  }
  CUPOLA_KERNEL_FN void store_others(const Arguments& p, Flat i, const Result& y) {
    p.out0[i] = y.out0;
  }
  CUPOLA_KERNEL_FN void put(const Arguments& p, const Uniform& u, Flat i,
                            const Element& x) {
    store_others(p, i, compute(p, u, x, i));
  }
  static constexpr int kPack = 4;
  struct Pack {
    Vector<float, kPack> in0;
    Vector<float, kPack> in1;
  };
  CUPOLA_KERNEL_FN Pack load_pack(const Arguments& p, Flat pack) {
    Pack x;
    x.in0 = load_vector<kPack>(p.in0, pack);
    x.in1 = load_vector<kPack>(p.in1, pack);
    return x;
  }
  CUPOLA_KERNEL_FN Element one(const Pack& x, int e) {
    Element element;
    element.in0 = x.in0.at[e];
    element.in1 = x.in1.at[e];
    return element;
  }
  CUPOLA_KERNEL_FN void put_pack(const Arguments& p, const Uniform& u, Flat pack,
                                 const Pack& x) {
    Vector<float, kPack> out0;
#pragma unroll
    for (int e = 0; e < kPack; ++e) {
      const Result y = compute(p, u, one(x, e), pack * kPack + e);
      out0.at[e] = y.out0;
    }
    store_vector<kPack>(p.out0, pack, out0);
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::map_packs<Body, 1>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 1
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_packs<Body, 1>(all.each[blockIdx.z]);
}
#endif
