namespace cupola_device {
struct Arguments {
  KernelHeader header;
  const float* in0;
  long long* out0;
  alignas(16) float scalar0;
};
static_assert(sizeof(Arguments) == 112, "layout");
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
  CUPOLA_KERNEL_FN Element load(const Arguments& p, Flat i) {
    Element x;
    x.in0 = p.in0[i];
    return x;
  }
  CUPOLA_KERNEL_FN bool holds(const Arguments& p, const Uniform& u, const Element& x,
                              Flat i) {
    const float v0 = x.in0;
    const float v1 = p.scalar0;
    bool v2;
    { const float a = v0; const float b = v1; v2 = cast<bool>(greater(a, b)); }
    return v2;
  }
  CUPOLA_KERNEL_FN void put_count(const Arguments& p, Flat tile, long long count) {
    p.out0[tile] = count;
  }
  static constexpr int kPack = 4;
  struct Pack {
    Vector<float, kPack> in0;
  };
  CUPOLA_KERNEL_FN Pack load_pack(const Arguments& p, Flat pack) {
    Pack x;
    x.in0 = load_vector<kPack>(p.in0, pack);
    return x;
  }
  CUPOLA_KERNEL_FN Element one(const Pack& x, int e) {
    Element element;
    element.in0 = x.in0.at[e];
    return element;
  }
};
}  // namespace cupola_device
#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == 0
extern "C" __global__ void __launch_bounds__(256)
cupola_kernel(const __grid_constant__ cupola_device::Arguments p) {
  using cupola_device::Body;
  cupola_device::count_packs<Body, 4>(p);
}
#endif
