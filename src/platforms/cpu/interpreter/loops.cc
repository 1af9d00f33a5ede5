#include "platforms/cpu/interpreter/loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <memory>

#include "base/threads/lazy.h"
#include "platforms/cpu/device/settings.h"
#include "platforms/cpu/interpreter/direct_loops.h"
#include "platforms/cpu/kernels/fft_tables.h"
#include "platforms/cpu/kernels/kernels.h"
#include "platforms/cpu/kernels/lu_tables.h"
#include "platforms/cpu/kernels/move_tables.h"
#include "platforms/cpu/kernels/select_tables.h"
#include "platforms/cpu/kernels/sort_tables.h"

namespace cupola::cpu {
namespace {

#define CUPOLA_CPU_FILL_KERNELS(TARGET)     \
  [](KernelTables& tables) {                \
    add_ufunc_kernels_##TARGET##_0(tables); \
    add_ufunc_kernels_##TARGET##_1(tables); \
    add_ufunc_kernels_##TARGET##_2(tables); \
    add_ufunc_kernels_##TARGET##_3(tables); \
    add_ufunc_kernels_##TARGET##_4(tables); \
    add_ufunc_kernels_##TARGET##_5(tables); \
    add_ufunc_kernels_##TARGET##_6(tables); \
    add_ufunc_kernels_##TARGET##_7(tables); \
    add_cast_kernels_##TARGET(tables);      \
    add_integer_kernels_##TARGET(tables);   \
    add_math_kernels_##TARGET(tables);      \
    add_random_kernels_##TARGET(tables);    \
    add_sampler_kernels_##TARGET(tables);   \
    add_fold_kernels_baseline(tables);      \
    add_tree_kernels_##TARGET(tables);      \
    add_extremum_kernels_##TARGET(tables);  \
  }

struct InstructionSet {
  std::string_view name;
  void (*fill)(KernelTables&);
  void (*fill_fft)(FftTables&);
  void (*fill_direct)(DirectTables&);
  void (*fill_lus)(LuFunctions&);
  void (*fill_moves)(MoveFunctions&);
  void (*fill_selects)(SelectFunctions&);
  void (*fill_sorts)(SortTable&);
};

InstructionSet best_instruction_set() {
#if defined(CUPOLA_CPU_HAS_AVX2) || defined(CUPOLA_CPU_HAS_AVX512)
  __builtin_cpu_init();
  const bool avx2 = allows_instructions("avx2") && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
#endif
#ifdef CUPOLA_CPU_HAS_AVX512
  const bool avx512 = avx2 && allows_instructions("avx512") && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx512) {
    return {"avx512",
            CUPOLA_CPU_FILL_KERNELS(avx512),
            add_fft_kernels_avx512,
            add_direct_kernels_avx512,
            add_lu_kernels_avx512,
            add_move_kernels_avx512,
            add_select_kernels_avx512,
            add_sort_kernels_avx512};
  }
#endif
#ifdef CUPOLA_CPU_HAS_AVX2
  if (avx2) {
    return {"avx2",
            CUPOLA_CPU_FILL_KERNELS(avx2),
            add_fft_kernels_avx2,
            add_direct_kernels_avx2,
            add_lu_kernels_avx2,
            add_move_kernels_avx2,
            add_select_kernels_avx2,
            add_sort_kernels_avx2};
  }
#endif
  return {"baseline",
          CUPOLA_CPU_FILL_KERNELS(baseline),
          add_fft_kernels_baseline,
          add_direct_kernels_baseline,
          add_lu_kernels_baseline,
          add_move_kernels_baseline,
          add_select_kernels_baseline,
          add_sort_kernels_baseline};
}

const InstructionSet& chosen() {
  static constinit Lazy<const InstructionSet> set;
  return set.get(best_instruction_set);
}

// A ufunc combines values when it has a loop whose types are all the same.
void add_combine_loops(KernelTables& tables) {
  for (const UfuncInfo& info : all_ufuncs()) {
    for (std::size_t i = 0; i < info.loops.size(); ++i) {
      const UfuncLoop& loop = info.loops[i];
      const bool same = info.input_count == 2 && info.output_count == 1 &&
                        loop.types[0] == loop.types[1] && loop.types[0] == loop.types[2];
      const auto id = static_cast<std::size_t>(info.id);
      if (same) {
        tables.reduce[id][static_cast<std::size_t>(loop.types[0])].combine =
            tables.ufuncs[id][i][0];
      }
    }
  }
}

struct FilledTables : KernelTables {
  FilledTables() {
    chosen().fill(*this);
    add_combine_loops(*this);
  }
};

const KernelTables& tables() {
  static constinit Lazy<FilledTables> instance;
  return *instance;
}

const FftTables& fft_tables() {
  static constinit Lazy<const FftTables> instance;
  return instance.get([] {
    FftTables made;
    chosen().fill_fft(made);
    return made;
  });
}

const DirectTables& direct_tables() {
  static constinit Lazy<const DirectTables> instance;
  return instance.get([] {
    DirectTables made{};
    chosen().fill_direct(made);
    return made;
  });
}

// -1: there is none.
int search_loop(UfuncId id, const DType* inputs) {
  const UfuncInfo& info = ufunc_info(id);
  const auto found = std::find_if(info.loops.begin(), info.loops.end(), [&](const UfuncLoop& loop) {
    return std::equal(inputs, inputs + info.input_count, loop.types.begin());
  });
  return found == info.loops.end() ? -1 : static_cast<int>(found - info.loops.begin());
}

}  // namespace

LoopFunction find_loop(UfuncId id, int loop, int result) {
  if (loop < 0 || loop >= kMaxLoops || result < 0 || result > 1) return nullptr;
  return tables().ufuncs[static_cast<std::size_t>(id)][loop][result];
}

LoopFunction find_scalar_loop(UfuncId id, int loop, int operand) {
  if (loop < 0 || loop >= kMaxLoops || operand < 0 || operand > 1) return nullptr;
  return tables().by_scalar[static_cast<std::size_t>(id)][loop][operand];
}

PairFunction find_pair(UfuncId id, int loop) {
  if (loop < 0 || loop >= kMaxLoops) return nullptr;
  return tables().pairs[static_cast<std::size_t>(id)][loop];
}

int find_loop_number(UfuncId id, const DType* inputs) {
  const int count = ufunc_info(id).input_count;
  for (int i = 1; i < count; ++i) {
    if (inputs[i] != inputs[0]) return search_loop(id, inputs);
  }
  // Of one dtype: searched once.
  constexpr int kFirst = 2;  // 0: not searched yet; 1: there is none
  static constinit std::array<std::atomic<std::int8_t>, std::size_t{kUfuncCount} * kDTypeCount>
      known{};
  std::atomic<std::int8_t>& entry =
      known[static_cast<std::size_t>(id) * kDTypeCount + static_cast<std::size_t>(inputs[0])];
  int found = entry.load(std::memory_order_relaxed);
  if (found == 0) {
    found = search_loop(id, inputs) + kFirst;
    entry.store(static_cast<std::int8_t>(found), std::memory_order_relaxed);
  }
  return found - kFirst;
}

LoopFunction find_cast(DType from, DType to) {
  return tables().casts[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

const ReduceLoops& find_reduce(UfuncId id, DType dtype) {
  return tables().reduce[static_cast<std::size_t>(id)][static_cast<std::size_t>(dtype)];
}

const ReduceLoops& find_truth(UfuncId id, DType dtype) {
  static constexpr ReduceLoops kNone;
  if (id != UfuncId::logical_and && id != UfuncId::logical_or) return kNone;
  const DirectTables& found = direct_tables();
  return (id == UfuncId::logical_or ? found.any : found.all)[static_cast<std::size_t>(dtype)];
}

AnyOrderFunction find_any_order(UfuncId id, DType dtype) {
  const bool largest = id == UfuncId::maximum || id == UfuncId::fmax;
  if (!largest && id != UfuncId::minimum && id != UfuncId::fmin) return nullptr;
  return direct_tables().extrema[largest ? 1 : 0][static_cast<std::size_t>(dtype)];
}

BothExtremesFunction find_both_extremes(DType dtype) {
  return direct_tables().both_extremes[static_cast<std::size_t>(dtype)];
}

const ExtremumLoops& find_extremum(bool largest, DType dtype) {
  return tables().extrema[largest ? 1 : 0][static_cast<std::size_t>(dtype)];
}

LoopFunction find_select(std::size_t item_size) {
  return tables().selects[std::countr_zero(item_size)];
}

LoopFunction find_clip(DType dtype) { return tables().clips[static_cast<std::size_t>(dtype)]; }

template <>
const FftFunctions<float>& fft_functions() {
  return fft_tables().singles;
}
template <>
const FftFunctions<double>& fft_functions() {
  return fft_tables().doubles;
}

LoopFunction find_added_product(DType dtype) {
  return direct_tables().added_products[static_cast<std::size_t>(dtype)];
}

DeviationsFunction find_deviations() { return direct_tables().deviations; }

const LuFunctions& lu_functions() {
  static constinit Lazy<const LuFunctions> instance;
  return instance.get([] {
    LuFunctions made;
    chosen().fill_lus(made);
    return made;
  });
}

const MoveFunctions& move_functions() {
  static constinit Lazy<const MoveFunctions> instance;
  return instance.get([] {
    MoveFunctions made;
    chosen().fill_moves(made);
    return made;
  });
}

const SelectFunctions& select_functions() {
  static constinit Lazy<const SelectFunctions> instance;
  return instance.get([] {
    SelectFunctions made;
    chosen().fill_selects(made);
    return made;
  });
}

const SortFunctions& sort_functions(DType dtype) {
  static constinit Lazy<const SortTable> instance;
  return instance
      .get([] {
        SortTable made;
        chosen().fill_sorts(made);
        return made;
      })
      .of[static_cast<std::size_t>(dtype)];
}

std::string_view instruction_set() { return chosen().name; }

}  // namespace cupola::cpu
