#include "codegen/cuda/cuda_headers.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/cuda/device_headers.h"
#include "cupola/error.h"

namespace cupola {
namespace {

class HeaderCollector {
 public:
  void add(std::string_view name) {
    if (std::find(added_.begin(), added_.end(), name) != added_.end()) return;
    added_.push_back(name);
    std::string_view rest = device_header(name);
    if (rest.empty()) throw CompileError(fmt::format("no device header {} is embedded", name));
    std::string own;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
      add_line(rest.substr(0, end + 1), own);
      rest.remove_prefix(end + 1);
    }
    text_ += own;
  }
  std::string take() { return std::move(text_); }

 private:
  void add_line(std::string_view line, std::string& own) {
    const std::string_view content =
        line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (content.starts_with("//") || content.starts_with("#pragma once") || content == "\n") {
      return;
    }
    constexpr std::string_view kInclude = "#include ";
    if (!content.starts_with(kInclude)) {
      own += line;
      return;
    }
    const std::string_view target = content.substr(kInclude.size());
    if (!target.starts_with('"')) return;  // a system header of the host's build
    const std::string_view path = target.substr(1, target.rfind('"') - 1);
    add(path.substr(path.rfind('/') + 1));
  }

  std::vector<std::string_view> added_;
  std::string text_;
};

}  // namespace

std::vector<std::string_view> cuda_math_headers(const KernelPlan& plan) {
  const auto is_complex_step = [](const Step& step) { return is_complex(step.dtype); };
  const CombineSpec* const combine = plan.combine();
  const bool has_complex =
      (combine && is_complex(combine->accumulator)) ||
      std::any_of(plan.steps.begin(), plan.steps.end(), is_complex_step) ||
      std::ranges::any_of(finish_of(plan), is_complex_step) ||
      std::any_of(plan.outputs.begin(), plan.outputs.end(),
                  [](const OutputSpec& output) { return is_complex(output.operand.dtype); });
  if (has_complex) return {"device.cuh"};
  // These two include all the others that are not about complex numbers, the order of sorting
  // or random numbers.
  std::vector<std::string_view> roots{"bits.cuh", "compare.cuh"};
  const bool has_digits =
      plan.outputs[0].store == StoreKind::sort ||
      std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
        return step.kind == StepKind::ufunc && step.ufunc == UfuncId::sort_digit;
      });
  if (has_digits) roots.push_back("sort_digits.cuh");
  const bool has_random = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return step.kind == StepKind::ufunc &&
           (is_random(step.ufunc) || step.ufunc == UfuncId::multiply_high);
  });
  if (has_random) roots.push_back("random_numbers.cuh");
  const bool has_distributions = std::any_of(
      plan.steps.begin(), plan.steps.end(),
      [](const Step& step) { return step.kind == StepKind::ufunc && is_distribution(step.ufunc); });
  if (has_distributions) {
    roots.insert(roots.end(), {"random_continuous.cuh", "random_counts.cuh", "random_series.cuh"});
  }
  return roots;
}

std::string cuda_header_text(std::span<const std::string_view> roots) {
  HeaderCollector collector;
  for (const std::string_view root : roots) collector.add(root);
  return collector.take();
}

}  // namespace cupola
