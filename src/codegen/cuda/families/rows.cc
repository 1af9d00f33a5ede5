// Rows: threads hold a row's elements between its reductions, or read them again and again.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "codegen/cuda/families/families.h"
#include "codegen/cuda/families/reduce.h"
#include "codegen/cuda/families/rows_text.h"
#include "codegen/cuda/plan_facts.h"
#include "codegen/row_program.h"

namespace cupola {
namespace {

// A thread's registers leave room for so many bytes of values that it holds; less for complex
// numbers, whose functions need many, and much code.
constexpr int kMaxHeldBytes = 512;
constexpr int kMaxHeldComplex = 256;

class Rows : public RowFamily {
 public:
  Rows(const KernelPlan& plan, const RowProgram& program) : RowFamily(plan) {
    const bool has_complex = std::any_of(plan.steps.begin(), plan.steps.end(),
                                         [](const Step& step) { return is_complex(step.dtype); });
    const int most = has_complex ? kMaxHeldComplex : kMaxHeldBytes;
    const int quads = most / (4 * std::max(4, program.held_bytes));
    held_quads_ = std::min(16, static_cast<int>(std::bit_floor(static_cast<unsigned>(quads))));
    for (const OutputSpec& output : plan.outputs) may_load_quads_ |= is_wide(output.operand);
    if (held_quads_ >= 2) add_kernels("_rows_2", "_rows_2_packed");
    if (held_quads_ >= 4) {
      add_kernels("_short_rows_4", "_short_rows_4_packed");
      add_kernels("_rows_4", "_rows_4_packed");
    }
    if (held_quads_ >= 8) {
      add_kernels("_short_rows_8", "_short_rows_8_packed");
      add_kernels("_rows_8", "_rows_8_packed");
    }
    if (held_quads_ >= 16) add_kernels("_rows_16", "_rows_16_packed");
    if (held_quads_ < 8) add_kernels("_short_rows_again", "_short_rows_again_packed");
    if (held_quads_ < 16) add_kernels("_rows_again", "_rows_again_packed");
  }

  std::string_view header() const override { return "kernel_rows.cuh"; }
  std::string body() const override { return rows_text(plan_); }

  // "_rows_8_packed", "_short_rows_again".
  std::string skeleton(std::string_view suffix) const override {
    constexpr std::string_view kPacked = "_packed", kAgain = "_again";
    const bool packed = suffix.ends_with(kPacked);
    if (packed) suffix.remove_suffix(kPacked.size());
    if (suffix.ends_with(kAgain)) return fmt::format("compute{}<Body, {}>", suffix, packed);
    const std::size_t number = suffix.rfind('_');
    return fmt::format("compute{}<Body, {}, {}>", suffix.substr(0, number),
                       suffix.substr(number + 1), packed);
  }

  // Threads as in reductions.
  void add_stages(StageBuilder& stages) const override {
    const std::uint64_t kept = stages.kept(), length = stages.length();
    const bool is_short = length <= kShortRow;
    const std::uint64_t lanes = is_short ? lanes_of_short_row(stages) : kCudaBlock;
    const std::uint64_t quads = std::max<std::uint64_t>(
        is_short ? 4 : 2, std::bit_ceil(ceil_div(ceil_div(length, 4), lanes)));
    const bool held = quads <= static_cast<std::uint64_t>(held_quads_);
    const bool packed = may_load_quads_ && length % 4 == 0;
    stages.header().lanes = static_cast<unsigned int>(lanes);
    stages.add(fmt::format("{}_{}{}", is_short ? "_short_rows" : "_rows",
                           held ? std::to_string(quads) : "again", packed ? "_packed" : ""),
               is_short ? ceil_div(kept, kCudaBlock / lanes) : kept);
  }

 private:
  void add_kernels(const char* name, const char* packed) {
    kernels_.push_back(name);
    if (may_load_quads_) kernels_.push_back(packed);
  }

  // A thread holds so many quads of a row at most; 0: its elements are read again and again.
  int held_quads_ = 0;
};

// Where all that is done is to combine once.
class RowReduction : public Reduce {
 public:
  RowReduction(const KernelPlan& plan, const RowProgram& program) : Reduce(plan) {
    state_bytes_ = 16 * static_cast<int>(program.stages.front().combined.size());
  }

  std::string_view header() const override { return "kernel_rows.cuh"; }
  std::string body() const override { return rows_text(plan_); }
};

}  // namespace

std::unique_ptr<const CudaFamily> rows_family(const KernelPlan& plan) {
  const RowProgram program = row_program(plan);
  if (program.is_reduction) return std::make_unique<RowReduction>(plan, program);
  return std::make_unique<Rows>(plan, program);
}

}  // namespace cupola
