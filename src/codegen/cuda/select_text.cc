#include "codegen/cuda/select_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "base/threads/lazy.h"
#include "codegen/cuda/cuda_headers.h"
#include "codegen/cuda/cuda_names.h"

namespace cupola {
namespace {

using cupola_device::kSelectPlaces;
using cupola_device::kSelectThreads;

constexpr std::array<const char*, kSelectKernels> kEntries{
    "cupola_select_begin", "cupola_select_count", "cupola_select_step", "cupola_select_find"};
// Of a row: enough for any device, few enough that what they have counted is soon added up.
constexpr std::int64_t kMaxBlocks = 528;
constexpr unsigned int kPlacesLog = std::bit_width(kSelectPlaces) - 1;

std::string text_of(DType dtype) {
  constexpr std::array<std::string_view, 3> kHeaders{"compare.cuh", "sort_digits.cuh",
                                                     "kernel_select.cuh"};
  std::string text = cuda_header_text(kHeaders);
  text += fmt::format("namespace cupola_device {{\nusing Selected = {};\n}}\n", cuda_type(dtype));
  int number = 0;
  for (const std::string_view name : kEntries) {
    text += fmt::format(
        "#if !defined(CUPOLA_KERNEL) || CUPOLA_KERNEL == {}\n"
        "extern \"C\" __global__ void __launch_bounds__(cupola_device::kSelectThreads)\n"
        "{}(const __grid_constant__ cupola_device::SelectArguments p) {{\n"
        "  cupola_device::{}<cupola_device::Selected>(p);\n}}\n#endif\n",
        number++, name, name.substr(std::string_view("cupola_").size()));
  }
  return text;
}

unsigned int slots_log(std::int64_t ranks) {
  return static_cast<unsigned int>(std::bit_width(static_cast<std::uint64_t>(ranks - 1)));
}

}  // namespace

const char* select_entry(SelectKernel kernel) { return kEntries[static_cast<std::size_t>(kernel)]; }

const std::string& select_text(DType dtype) {
  static constinit std::array<Lazy<const std::string>, kDTypeCount> texts;
  return texts[static_cast<std::size_t>(dtype)].get([dtype] { return text_of(dtype); });
}

unsigned int select_part_log(std::int64_t length, std::int64_t ranks) {
  const std::int64_t parts = std::int64_t{1} << (kPlacesLog - slots_log(ranks));
  return static_cast<unsigned int>(
      std::bit_width(static_cast<std::uint64_t>((length - 1) / parts)));
}

std::vector<SelectLaunch> select_launches(DType dtype, std::int64_t length, std::int64_t ranks) {
  const auto tile = static_cast<std::int64_t>(kSelectThreads * 64 / item_size(dtype));
  const auto blocks =
      static_cast<unsigned int>(std::min<std::int64_t>((length + tile - 1) / tile, kMaxBlocks));
  const unsigned int bits = 8 * static_cast<unsigned int>(item_size(dtype));
  const unsigned int few = kPlacesLog - slots_log(ranks);
  std::vector<SelectLaunch> launches{{SelectKernel::begin, 1}};
  const auto add = [&](unsigned int known, unsigned int width, unsigned int by_part) {
    launches.push_back({SelectKernel::count, blocks, known, width, by_part});
    launches.push_back({SelectKernel::step, 1, known, width, by_part});
  };
  for (unsigned int known = 0; known < bits;) {
    const unsigned int width = std::min(bits - known, known == 0 ? kPlacesLog : few);
    add(known, width, 0);
    known += width;
  }
  if (is_floating(dtype)) add(bits, few, 1);
  launches.push_back({SelectKernel::find, static_cast<unsigned int>(ranks)});
  return launches;
}

}  // namespace cupola
