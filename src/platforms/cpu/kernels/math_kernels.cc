// Vectorised transcendental functions: the C library's vector library (libmvec, opened at run
// time) where its errors are small, and our own. Where neither is, the loops over the scalar
// functions stay.

#include <dlfcn.h>

#include "platforms/cpu/kernels/complex_loops.h"
#include "platforms/cpu/kernels/complex_sizes.h"
#include "platforms/cpu/kernels/complex_trigonometry.h"
#include "platforms/cpu/kernels/exponent_loops.h"
#include "platforms/cpu/kernels/half_blocks.h"
#include "platforms/cpu/kernels/remainder_loops.h"
#include "platforms/cpu/kernels/vector_math.h"
#include "platforms/cpu/kernels/wide_arctan2.h"
#include "platforms/cpu/kernels/wide_arctan2_double.h"
#include "platforms/cpu/kernels/wide_cbrt.h"
#include "platforms/cpu/kernels/wide_doubles.h"
#include "platforms/cpu/kernels/wide_halves.h"
#include "platforms/cpu/kernels/wide_hyperbolic.h"
#include "platforms/cpu/kernels/wide_power.h"
#include "platforms/cpu/kernels/wide_power_double.h"
#include "platforms/cpu/kernels/wide_trigonometry.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::UfuncId;
using cupola::cpu::LoopFunction;

#ifdef __x86_64__
#if defined(__AVX512F__)
constexpr int kRegister = 64;
constexpr const char* kFloatPrefix = "_ZGVeN16";
constexpr const char* kDoublePrefix = "_ZGVeN8";
#elif defined(__AVX2__)
constexpr int kRegister = 32;
constexpr const char* kFloatPrefix = "_ZGVdN8";
constexpr const char* kDoublePrefix = "_ZGVdN4";
#else
constexpr int kRegister = 16;
constexpr const char* kFloatPrefix = "_ZGVbN4";
constexpr const char* kDoublePrefix = "_ZGVbN2";
#endif
typedef float FloatVector __attribute__((vector_size(kRegister)));
typedef double DoubleVector __attribute__((vector_size(kRegister)));

template <typename T>
using vector_t = select_t<is_same<T, float>, FloatVector, DoubleVector>;

template <typename T>
constexpr int64_t kWidth = kRegister / static_cast<int64_t>(sizeof(T));

template <typename T, int Inputs>
using VectorFunction =
    select_t<Inputs == 1, vector_t<T> (*)(vector_t<T>), vector_t<T> (*)(vector_t<T>, vector_t<T>)>;

// The function of the row, once found.
template <UfuncId Id, typename T, int Inputs>
VectorFunction<T, Inputs> library_function = nullptr;

// Where these are less than a vector, the last one stands for the rest.
template <typename T>
[[gnu::always_inline]] inline vector_t<T> load(const void* input, int64_t first, int64_t size) {
  const T* const in = static_cast<const T*>(input) + first;
  vector_t<T> vector;
  if (size < kWidth<T>) vector = vector_t<T>{} + in[size - 1];
  __builtin_memcpy(&vector, in, static_cast<size_t>(size) * sizeof(T));
  return vector;
}

template <UfuncId Id, typename T, int Inputs>
void library_loop(const void* const* inputs, void* output, int64_t count) {
  const VectorFunction<T, Inputs> function = library_function<Id, T, Inputs>;
  const auto compute = [&](int64_t first, int64_t size) {
    vector_t<T> result;
    if constexpr (Inputs == 1) {
      result = function(load<T>(inputs[0], first, size));
    } else {
      result = function(load<T>(inputs[0], first, size), load<T>(inputs[1], first, size));
    }
    __builtin_memcpy(static_cast<T*>(output) + first, &result,
                     static_cast<size_t>(size) * sizeof(T));
  };
  int64_t i = 0;
  for (; i + kWidth<T> <= count; i += kWidth<T>) compute(i, kWidth<T>);
  if (i < count) compute(i, count - i);
}
#endif

template <typename Function, typename T>
void own_loop(const void* const* inputs, void* output, int64_t count) {
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<T*>(output);
  if constexpr (!Function::kNeedsRange) {
    CUPOLA_CPU_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) out[i] = Function::evaluate(in[i]);
  } else {
    constexpr int64_t kBlock = 64;
    for (int64_t begin = 0; begin < count; begin += kBlock) {
      const int64_t end = begin + kBlock < count ? begin + kBlock : count;
      int outside = 0;
      for (int64_t i = begin; i < end; ++i) {
        outside |= static_cast<int>(!(absolute(in[i]) <= Function::kLargest));
      }
      if (outside == 0) {
        CUPOLA_CPU_INDEPENDENT
        for (int64_t i = begin; i < end; ++i) out[i] = Function::evaluate(in[i]);
      } else {
        for (int64_t i = begin; i < end; ++i) {
          const bool inside = absolute(in[i]) <= Function::kLargest;
          out[i] = inside ? Function::evaluate(in[i]) : Function::scalar(in[i]);
        }
      }
    }
  }
}

template <typename Function, typename T>
void own_loop_of_two(const void* const* inputs, void* output, int64_t count) {
  const auto* a = static_cast<const T*>(inputs[0]);
  const auto* b = static_cast<const T*>(inputs[1]);
  auto* out = static_cast<T*>(output);
  CUPOLA_CPU_INDEPENDENT
  for (int64_t i = 0; i < count; ++i) out[i] = Function::evaluate(a[i], b[i]);
}

// The float32 loop of the row, which its loops over 16-bit floats go through.
template <UfuncId Id>
LoopFunction float_loop = nullptr;

template <UfuncId Id, typename Half, int Inputs>
void half_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int64_t kBlock = 256;
  float buffers[Inputs][kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    const void* wide[Inputs];
    for (int i = 0; i < Inputs; ++i) {
      widen_block(static_cast<const Half*>(inputs[i]) + begin, buffers[i], size);
      wide[i] = buffers[i];
    }
    float_loop<Id>(wide, buffers[0], size);
    narrow_block(buffers[0], static_cast<Half*>(output) + begin, size);
  }
}

void put(cupola::cpu::KernelTables& tables, UfuncId id, cupola::DType dtype, LoopFunction loop) {
  const cupola::DType inputs[2] = {dtype, dtype};
  const int number = cupola::cpu::find_loop_number(id, inputs);
  if (number >= 0) tables.ufuncs[static_cast<int>(id)][number][0] = loop;
}

template <UfuncId Id, int Inputs = 1>
void put_float(cupola::cpu::KernelTables& tables, LoopFunction loop) {
  put(tables, Id, cupola::DType::float32, loop);
  float_loop<Id> = loop;
  put(tables, Id, cupola::DType::float16, half_loop<Id, float16, Inputs>);
  put(tables, Id, cupola::DType::bfloat16, half_loop<Id, bfloat16, Inputs>);
}

template <typename T>
void put_exponent_loops(cupola::cpu::KernelTables& tables, cupola::DType dtype) {
  const auto loops = [&](UfuncId id, cupola::DType second) -> LoopFunction* {
    const cupola::DType inputs[2] = {dtype, second};
    return tables.ufuncs[static_cast<int>(id)][cupola::cpu::find_loop_number(id, inputs)];
  };
  loops(UfuncId::frexp, dtype)[0] = mantissa_loop<T>;
  loops(UfuncId::frexp, dtype)[1] = exponent_loop<T>;
  const auto pair = [&](UfuncId id) -> cupola::cpu::PairFunction& {
    return tables.pairs[static_cast<int>(id)][cupola::cpu::find_loop_number(id, &dtype)];
  };
  loops(UfuncId::nextafter, dtype)[0] = neighbour_loop<T>;
  pair(UfuncId::frexp) = split_loop<T>;
  pair(UfuncId::modf) = modf_loop<T>;
  loops(UfuncId::ldexp, cupola::DType::int32)[0] = scale_loop<T, int32_t>;
  loops(UfuncId::ldexp, cupola::DType::int64)[0] = scale_loop<T, int64_t>;
}

#ifdef __FMA__
template <typename T>
void put_complex_functions(cupola::cpu::KernelTables& tables, cupola::DType dtype) {
  const auto put_loop = [&](UfuncId id, LoopFunction loop) { put(tables, id, dtype, loop); };
  put_loop(UfuncId::sinh, complex_function_loop<T, ComplexSinh, Straight, sinh>);
  put_loop(UfuncId::cosh, complex_function_loop<T, ComplexCosh, Straight, cosh>);
  put_loop(UfuncId::tanh, complex_function_loop<T, ComplexTanh, Straight, tanh>);
  put_loop(UfuncId::sin, complex_function_loop<T, ComplexSinh, Turned, sin>);
  put_loop(UfuncId::cos, complex_function_loop<T, ComplexCosh, QuarterTurn, cos>);
  put_loop(UfuncId::tan, complex_function_loop<T, ComplexTanh, Turned, tan>);
}

void put_floor_divisions(cupola::cpu::KernelTables& tables) {
  using cupola::DType;
  put_float<UfuncId::floor_divide, 2>(tables, floor_division_loop<true, float>);
  put_float<UfuncId::remainder, 2>(tables, floor_division_loop<false, float>);
  put(tables, UfuncId::floor_divide, DType::float64, floor_division_loop<true, double>);
  put(tables, UfuncId::remainder, DType::float64, floor_division_loop<false, double>);
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    const DType inputs[2] = {dtype, dtype};
    const auto loops = [&](UfuncId id) -> LoopFunction* {
      return tables.ufuncs[static_cast<int>(id)][cupola::cpu::find_loop_number(id, inputs)];
    };
    loops(UfuncId::divmod)[0] = loops(UfuncId::floor_divide)[0];
    loops(UfuncId::divmod)[1] = loops(UfuncId::remainder)[0];
  }
}
#endif

#ifdef __AVX512DQ__
template <UfuncId Id, typename Function>
void put_wide_half(cupola::cpu::KernelTables& tables) {
  put(tables, Id, cupola::DType::float16, wide_half_loop<Function>);
}
template <UfuncId Id, typename Function>
void put_wide(cupola::cpu::KernelTables& tables) {
  put_float<Id>(tables, wide_float_loop<Function>);
  put_wide_half<Id, Function>(tables);
}
// Where these are faster than the vector library.
void put_wide_loops(cupola::cpu::KernelTables& tables) {
  put_wide<UfuncId::exp, WideExp>(tables);
  put_float<UfuncId::exp2>(tables, wide_float_loop<WideExp2>);
  put_wide<UfuncId::expm1, WideExpm1>(tables);
  put_float<UfuncId::log>(tables, wide_float_loop<WideLog<NaturalBase>>);
  put_float<UfuncId::log2>(tables, wide_float_loop<WideLog<BaseTwo>>);
  put_float<UfuncId::log10>(tables, wide_float_loop<WideLog<BaseTen>>);
  put_wide<UfuncId::log1p, WideLog1p>(tables);
  put_float<UfuncId::cbrt>(tables, wide_float_loop<WideCbrt>);
  put_wide<UfuncId::arccosh, WideArccosh>(tables);
  put_wide_half<UfuncId::exp2, WideHalfExp2>(tables);
  put_wide_half<UfuncId::log, WideHalfLog<HalfNaturalBase>>(tables);
  put_wide_half<UfuncId::log2, WideHalfLog<HalfBaseTwo>>(tables);
  put_wide_half<UfuncId::log10, WideHalfLog<HalfBaseTen>>(tables);
  put_wide_half<UfuncId::cbrt, WideHalfCbrt>(tables);
  put_wide_half<UfuncId::sin, WideSine<0>>(tables);
  put_wide_half<UfuncId::cos, WideSine<1>>(tables);
  put_wide_half<UfuncId::tan, WideTangent>(tables);
  put_wide_half<UfuncId::arccos, WideArccos>(tables);
  put_wide_half<UfuncId::arcsin, WideArcsin>(tables);
  put_wide_half<UfuncId::arctan, WideHalfArctan>(tables);
  put_wide_half<UfuncId::sinh, WideHalfSinh>(tables);
  put_wide_half<UfuncId::cosh, WideHalfCosh>(tables);
  put_wide<UfuncId::tanh, WideTanh>(tables);
  put_wide_half<UfuncId::arctanh, WideHalfArctanh>(tables);
  put_float<UfuncId::power, 2>(tables, wide_float_loop_of_two<WidePower>);
  put_float<UfuncId::arctan2, 2>(tables, wide_float_loop_of_two<WideArctan2>);
  const auto doubles = [&](UfuncId id, LoopFunction loop) {
    put(tables, id, cupola::DType::float64, loop);
  };
  doubles(UfuncId::arctan2, wide_double_loop_of_two<WideArctan2Double>);
  doubles(UfuncId::power, wide_double_loop_of_two<WidePowerDouble>);
  doubles(UfuncId::exp, wide_double_loop<WideExpDouble>);
  doubles(UfuncId::expm1, wide_double_loop<WideExpm1Double>);
  doubles(UfuncId::log, wide_double_loop<WideLogDouble>);
  doubles(UfuncId::cbrt, wide_double_loop<WideCbrtDouble>);
  doubles(UfuncId::sinh, wide_double_loop<WideSinhDouble>);
  doubles(UfuncId::tanh, wide_double_loop<WideTanhDouble>);
}
#endif

#ifdef __x86_64__
// A name of the vector library.
void* find_symbol(void* library, const char* prefix, const char* name, const char* suffix) {
  char symbol[64];
  char* end = symbol;
  for (const char* part : {prefix, name, suffix}) {
    while (*part != '\0') *end++ = *part++;
  }
  *end = '\0';
  return dlsym(library, symbol);
}

template <UfuncId Id, typename T, int Inputs>
LoopFunction find_library_loop(void* library, const char* name) {
  const bool is_float = is_same<T, float>;
  char prefix[16];
  char* end = prefix;
  for (const char* c = is_float ? kFloatPrefix : kDoublePrefix; *c != '\0'; ++c) *end++ = *c;
  for (int i = 0; i < Inputs; ++i) *end++ = 'v';
  *end++ = '_';
  *end = '\0';
  void* const found = find_symbol(library, prefix, name, is_float ? "f" : "");
  library_function<Id, T, Inputs> = reinterpret_cast<VectorFunction<T, Inputs>>(found);
  return found != nullptr ? library_loop<Id, T, Inputs> : nullptr;
}

template <UfuncId Id, int Inputs = 1>
void put_library(cupola::cpu::KernelTables& tables, void* library, const char* name, bool floats,
                 bool doubles) {
  if (floats) {
    if (const LoopFunction loop = find_library_loop<Id, float, Inputs>(library, name)) {
      put_float<Id, Inputs>(tables, loop);
    }
  }
  if (doubles) {
    if (const LoopFunction loop = find_library_loop<Id, double, Inputs>(library, name)) {
      put(tables, Id, cupola::DType::float64, loop);
    }
  }
}

void put_all_of_library(cupola::cpu::KernelTables& tables) {
  void* library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  put_library<UfuncId::exp>(tables, library, "exp", true, false);
  put_library<UfuncId::exp2>(tables, library, "exp2", true, true);
  put_library<UfuncId::expm1>(tables, library, "expm1", true, false);
  put_library<UfuncId::log>(tables, library, "log", false, true);
  put_library<UfuncId::log2>(tables, library, "log2", true, kRegister == 64);
  put_library<UfuncId::log10>(tables, library, "log10", true, true);
  put_library<UfuncId::log1p>(tables, library, "log1p", true, true);
  put_library<UfuncId::sin>(tables, library, "sin", true, false);
  put_library<UfuncId::cos>(tables, library, "cos", true, false);
  put_library<UfuncId::tan>(tables, library, "tan", true, false);
  put_library<UfuncId::arcsin>(tables, library, "asin", true, true);
  put_library<UfuncId::arccos>(tables, library, "acos", true, true);
  put_library<UfuncId::arctan>(tables, library, "atan", true, true);
  put_library<UfuncId::sinh>(tables, library, "sinh", true, true);
  put_library<UfuncId::cosh>(tables, library, "cosh", true, true);
  put_library<UfuncId::tanh>(tables, library, "tanh", true, true);
  put_library<UfuncId::arcsinh>(tables, library, "asinh", true, true);
  put_library<UfuncId::arccosh>(tables, library, "acosh", true, true);
  put_library<UfuncId::arctanh>(tables, library, "atanh", true, true);
  put_library<UfuncId::power, 2>(tables, library, "pow", true, true);
}
#endif

}  // namespace
}  // namespace CUPOLA_DEVICE_NAMESPACE

namespace cupola::cpu {

void CUPOLA_CPU_JOIN(add_math_kernels_, CUPOLA_CPU_TARGET)(KernelTables& tables) {
  using namespace CUPOLA_DEVICE_NAMESPACE;
#ifdef __x86_64__
  put_all_of_library(tables);
#endif
  put_float<UfuncId::log>(tables, own_loop<LogFloat, float>);
  put(tables, UfuncId::absolute, DType::complex64, complex_sizes);
  put_exponent_loops<float>(tables, DType::float32);
  put_exponent_loops<double>(tables, DType::float64);
  for (const DType half : {DType::float16, DType::bfloat16}) {
    put(tables, UfuncId::absolute, half, sign_loop<0x7fff, 0>);
    put(tables, UfuncId::fabs, half, sign_loop<0x7fff, 0>);
    put(tables, UfuncId::negative, half, sign_loop<0xffff, 0x8000>);
  }
  put(tables, UfuncId::spacing, DType::float16, half_spacing_loop);
  put(tables, UfuncId::absolute, DType::complex128, wide_complex_sizes);
#ifdef __AVX2__
  put(tables, UfuncId::conjugate, DType::complex64, conjugate_loop<float>);
  put(tables, UfuncId::conjugate, DType::complex128, conjugate_loop<double>);
  put(tables, UfuncId::square, DType::complex64, complex_square_loop<float>);
  put(tables, UfuncId::square, DType::complex128, complex_square_loop<double>);
#endif
  put(tables, UfuncId::hypot, DType::float64, own_loop_of_two<HypotDouble, double>);
  put_float<UfuncId::hypot, 2>(tables, own_loop_of_two<InDouble<HypotDouble>, float>);
#ifdef __FMA__
  put(tables, UfuncId::exp, DType::float64, own_loop<ExpDouble, double>);
  put(tables, UfuncId::expm1, DType::float64, own_loop<Expm1Double, double>);
  put(tables, UfuncId::tan, DType::float64, own_loop<TanDouble, double>);
  put(tables, UfuncId::sin, DType::float64, own_loop<SinDouble, double>);
  put(tables, UfuncId::cos, DType::float64, own_loop<CosDouble, double>);
  put(tables, UfuncId::cbrt, DType::float64, own_loop<CbrtDouble, double>);
  put_float<UfuncId::cbrt>(tables, own_loop<CbrtFloat, float>);
  put_complex_functions<float>(tables, DType::complex64);
  put_complex_functions<double>(tables, DType::complex128);
  put_floor_divisions(tables);
  put(tables, UfuncId::arctan2, DType::float64, own_loop_of_two<Arctan2Double, double>);
  put_float<UfuncId::arctan2, 2>(tables, own_loop_of_two<InDouble<Arctan2Double>, float>);
#endif
#ifdef __AVX512DQ__
  put_wide_loops(tables);
#endif
}

}  // namespace cupola::cpu
