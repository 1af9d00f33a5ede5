// Vectorised transcendental functions: the C library's vector library (libmvec, opened at run
// time) where its errors are small, and our own. Where neither is, the loops over the scalar
// functions stay.

#include <dlfcn.h>

#include "platforms/cpu/kernels/half_blocks.h"
#include "platforms/cpu/kernels/vector_math.h"

namespace CUPOLA_DEVICE_NAMESPACE {
namespace {

using cupola::UfuncId;
using cupola::cpu::LoopFunction;

#ifdef __x86_64__
#if defined(__AVX512F__)
constexpr int kRegister = 64;
constexpr const char* kFloatPrefix = "_ZGVeN16v_";
constexpr const char* kDoublePrefix = "_ZGVeN8v_";
#elif defined(__AVX2__)
constexpr int kRegister = 32;
constexpr const char* kFloatPrefix = "_ZGVdN8v_";
constexpr const char* kDoublePrefix = "_ZGVdN4v_";
#else
constexpr int kRegister = 16;
constexpr const char* kFloatPrefix = "_ZGVbN4v_";
constexpr const char* kDoublePrefix = "_ZGVbN2v_";
#endif
typedef float FloatVector __attribute__((vector_size(kRegister)));
typedef double DoubleVector __attribute__((vector_size(kRegister)));

template <typename T>
using vector_t = select_t<is_same<T, float>, FloatVector, DoubleVector>;

template <typename T>
using VectorFunction = vector_t<T> (*)(vector_t<T>);

// The function of the row, once found.
template <UfuncId Id, typename T>
VectorFunction<T> library_function = nullptr;

template <UfuncId Id, typename T>
void library_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int64_t kWidth = kRegister / static_cast<int64_t>(sizeof(T));
  const VectorFunction<T> function = library_function<Id, T>;
  const auto* in = static_cast<const T*>(inputs[0]);
  auto* out = static_cast<T*>(output);
  vector_t<T> vector;
  int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    __builtin_memcpy(&vector, in + i, sizeof vector);
    vector = function(vector);
    __builtin_memcpy(out + i, &vector, sizeof vector);
  }
  if (i == count) return;
  const auto bytes = static_cast<size_t>(count - i) * sizeof(T);
  vector = vector_t<T>{} + in[count - 1];
  __builtin_memcpy(&vector, in + i, bytes);
  vector = function(vector);
  __builtin_memcpy(out + i, &vector, bytes);
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

// The float32 loop of the row, which its loops over 16-bit floats go through.
template <UfuncId Id>
LoopFunction float_loop = nullptr;

template <UfuncId Id, typename Half>
void half_loop(const void* const* inputs, void* output, int64_t count) {
  constexpr int64_t kBlock = 256;
  float buffer[kBlock];
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t size = count - begin < kBlock ? count - begin : kBlock;
    widen_block(static_cast<const Half*>(inputs[0]) + begin, buffer, size);
    const void* wide = buffer;
    float_loop<Id>(&wide, buffer, size);
    narrow_block(buffer, static_cast<Half*>(output) + begin, size);
  }
}

LoopFunction* place_of(cupola::cpu::KernelTables& tables, UfuncId id, cupola::DType dtype) {
  const int loop = cupola::cpu::find_loop_number(id, &dtype);
  return loop < 0 ? nullptr : &tables.ufuncs[static_cast<int>(id)][loop][0];
}

void put(cupola::cpu::KernelTables& tables, UfuncId id, cupola::DType dtype, LoopFunction loop) {
  if (LoopFunction* place = place_of(tables, id, dtype)) *place = loop;
}

template <UfuncId Id>
void put_float(cupola::cpu::KernelTables& tables, LoopFunction loop) {
  put(tables, Id, cupola::DType::float32, loop);
  float_loop<Id> = loop;
  put(tables, Id, cupola::DType::float16, half_loop<Id, float16>);
  put(tables, Id, cupola::DType::bfloat16, half_loop<Id, bfloat16>);
}

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

template <UfuncId Id>
void put_library(cupola::cpu::KernelTables& tables, void* library, const char* name, bool floats,
                 bool doubles) {
  if (void* found = floats ? find_symbol(library, kFloatPrefix, name, "f") : nullptr) {
    library_function<Id, float> = reinterpret_cast<VectorFunction<float>>(found);
    put_float<Id>(tables, library_loop<Id, float>);
  }
  if (void* found = doubles ? find_symbol(library, kDoublePrefix, name, "") : nullptr) {
    library_function<Id, double> = reinterpret_cast<VectorFunction<double>>(found);
    put(tables, Id, cupola::DType::float64, library_loop<Id, double>);
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
#ifdef __FMA__
  put(tables, UfuncId::exp, DType::float64, own_loop<ExpDouble, double>);
  put(tables, UfuncId::expm1, DType::float64, own_loop<Expm1Double, double>);
  put(tables, UfuncId::tan, DType::float64, own_loop<TanDouble, double>);
  put(tables, UfuncId::sin, DType::float64, own_loop<SinDouble, double>);
  put(tables, UfuncId::cos, DType::float64, own_loop<CosDouble, double>);
#endif
}

}  // namespace cupola::cpu
