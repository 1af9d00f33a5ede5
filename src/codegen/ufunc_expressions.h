#pragma once
// The expressions of ufuncs.def as host code: UfuncExpression<UfuncId::add>::first(a, b). The
// arguments have the types in which the row is computed (device types, 16-bit floats widened
// unless the row keeps them). Compile with -ffp-contract=off.

#include "codegen/device/device.cuh"
#include "core/opdefs/type_rules.h"
#include "core/ufunc.h"

namespace CUPOLA_DEVICE_NAMESPACE {

// The device type in which a dtype is stored.
template <cupola::DType>
struct device_type;
#define CUPOLA_DEVICE_TYPE(DTYPE, TYPE)      \
  template <>                                \
  struct device_type<cupola::DType::DTYPE> { \
    using type = TYPE;                       \
  };
CUPOLA_DEVICE_TYPE(bool_, bool)
CUPOLA_DEVICE_TYPE(int8, int8_t)
CUPOLA_DEVICE_TYPE(uint8, uint8_t)
CUPOLA_DEVICE_TYPE(int16, int16_t)
CUPOLA_DEVICE_TYPE(uint16, uint16_t)
CUPOLA_DEVICE_TYPE(int32, int32_t)
CUPOLA_DEVICE_TYPE(uint32, uint32_t)
CUPOLA_DEVICE_TYPE(int64, int64_t)
CUPOLA_DEVICE_TYPE(uint64, uint64_t)
CUPOLA_DEVICE_TYPE(float16, float16)
CUPOLA_DEVICE_TYPE(bfloat16, bfloat16)
CUPOLA_DEVICE_TYPE(float32, float)
CUPOLA_DEVICE_TYPE(float64, double)
CUPOLA_DEVICE_TYPE(complex64, complex64)
CUPOLA_DEVICE_TYPE(complex128, complex128)
#undef CUPOLA_DEVICE_TYPE
template <cupola::DType D>
using device_type_t = typename device_type<D>::type;

// The value of each output, before it is cast to the output's type.
template <cupola::UfuncId>
struct UfuncExpression;
#define CUPOLA_UFUNC(NAME, INPUTS, OUTPUTS, RULE, IDENTITY, REORDERABLE, FIRST, SECOND, DOC) \
  template <>                                                                                \
  struct UfuncExpression<cupola::UfuncId::NAME> {                                            \
    static constexpr cupola::type_rules::TypeRule rule = cupola::type_rules::RULE;           \
    static constexpr cupola::type_rules::LoopTable table =                                   \
        cupola::type_rules::expand(rule, INPUTS, OUTPUTS);                                   \
    template <typename A, typename B = A, typename C = B>                                    \
    static inline auto first([[maybe_unused]] A a, [[maybe_unused]] B b = B{},               \
                             [[maybe_unused]] C c = C{}) {                                   \
      return FIRST;                                                                          \
    }                                                                                        \
    template <typename A, typename B = A>                                                    \
    static inline auto second([[maybe_unused]] A a, [[maybe_unused]] B b = B{}) {            \
      return SECOND;                                                                         \
    }                                                                                        \
  };
#include "cupola/opdefs/ufuncs.def"
#undef CUPOLA_UFUNC

// How the expression sees a stored input of row Id.
template <cupola::UfuncId Id, typename T>
CUPOLA_FN auto load_input(T stored) {
  if constexpr (UfuncExpression<Id>::rule.raw_halves) {
    return stored;
  } else {
    return widen(stored);
  }
}

}  // namespace CUPOLA_DEVICE_NAMESPACE
