namespace cupola_device {
struct Arguments {
  KernelHeader header;
  float* out0;
  alignas(16) unsigned long long scalar0;
  alignas(16) unsigned long long scalar1;
};
static_assert(sizeof(Arguments) == 112, "layout");
struct Body {
  using Arguments = cupola_device::Arguments;
  using Flat = unsigned int;
  using Index = int;
  struct Uniform {
  };
  struct Element {
  };
  CUPOLA_KERNEL_FN Uniform uniform(const Arguments& p) {
    Uniform u;
    return u;
  }
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    return x;
  }
  struct Result {
    float out0;
  };
  CUPOLA_KERNEL_FN Result compute(const Arguments& p, const Uniform& u,
                                  const Element& x, Flat i) {
    const unsigned long long v0 = p.scalar0;
    const unsigned long long v1 = p.scalar1;
    const long long v2 = static_cast<long long>(i);
    float v3;
    { const long long a = v2; const unsigned long long b = v0; const unsigned long long c = v1; v3 = cast<float>(random_float32(a, b, c)); }
    Result y;
    y.out0 = v3;
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
  };
  CUPOLA_KERNEL_FN Pack load_pack(const Arguments& p, Flat pack) {
    Pack x;
    return x;
  }
  CUPOLA_KERNEL_FN Element one(const Pack& x, int e) {
    Element element;
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
  cupola_device::map_packs_in_turn<Body>(p);
}
#endif
#if defined(CUPOLA_KERNEL) && CUPOLA_KERNEL == 1
struct cupola_launches { cupola_device::Arguments each[16]; };
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel_joined(const __grid_constant__ cupola_launches all) {
  using cupola_device::Body;
  cupola_device::map_packs_in_turn<Body>(all.each[blockIdx.z]);
}
#endif
