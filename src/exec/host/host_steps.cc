#include "exec/host/host_steps.h"

#include <numeric>
#include <utility>

#include "base/threads/thread_owned.h"
#include "core/layout.h"
#include "exec/host/host_copy.h"

namespace cupola {

namespace {

constexpr std::size_t kScratchBytes = std::size_t{256} << 10;
constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kShortestRow = 16;  // gaps between shorter ones are sooner closed

template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

void number_elements(const HostStep& step, char* result, std::int64_t bytes_to_next) {
  for (std::int64_t first = 0; first < step.count; first += step.row, result += bytes_to_next) {
    auto* const numbers = reinterpret_cast<std::int64_t*>(result);
    std::iota(numbers, numbers + step.row, first);
  }
}

}  // namespace

// Of a thread that has computed something.
struct HostSteps::Workspace {
  std::vector<HostStep> steps;
  std::unique_ptr<char[]> memory =
      std::make_unique_for_overwrite<char[]>(kScratchBytes + kAlignment);

  char* scratch() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.get());
    return memory.get() + (kAlignment - address % kAlignment) % kAlignment;
  }
};

std::optional<Rows> rows_of(const Dims& shape, const Dims& strides, std::int64_t item) {
  if (shape.size() < 2 || shape.back() < kShortestRow) return std::nullopt;
  Rows rows{.are_ones = strides.back() == 0};
  if (!rows.are_ones && strides.back() != item) return std::nullopt;
  std::int64_t inner = 1;
  for (std::size_t d = shape.size() - 1; d-- > 0;) {
    if (shape[d] == 1) continue;
    if (inner == 1) rows.bytes = strides[d];
    if (strides[d] != rows.bytes * inner) return std::nullopt;
    inner *= shape[d];
  }
  return rows;
}

HostSteps::HostSteps()
    : workspace_(ThreadOwned<Workspace>::get()),
      steps_(workspace_.steps),
      scratch_(workspace_.scratch()) {}

HostSteps::~HostSteps() { steps_.clear(); }

std::optional<StepSource> HostSteps::add(HostStep&& step) {
  step.offset = used_;
  const auto bytes = static_cast<std::size_t>(step.count * step.item);
  used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (used_ > kScratchBytes || steps_.size() == kMaxSteps) return std::nullopt;
  steps_.push_back(std::move(step));
  return StepSource{.step = static_cast<int>(steps_.size()) - 1};
}

std::optional<StepSource> HostSteps::copy(const StepSource& source, Dims shape, Dims strides,
                                          std::int64_t item) {
  const std::int64_t count = element_count(shape);
  return add({CloseGaps{source, std::move(shape), std::move(strides)}, count, count, item});
}

std::optional<StepSource> HostSteps::read_by(StepSource source, const Dims& shape, Dims strides,
                                             std::int64_t item) {
  source.rows = rows_of(shape, strides, item);
  return source.rows ? source : copy(source, shape, std::move(strides), item);
}

bool HostSteps::close_gaps(StepSource& source, std::int64_t count, std::int64_t row,
                           std::int64_t item) {
  std::optional<StepSource> closed = source;
  if (source.rows) {
    const Dims strides{source.rows->bytes, source.rows->are_ones ? 0 : item};
    closed = copy(source, {count / row, row}, strides, item);
  } else if (source.is_one && count > 1) {
    closed = copy(source, {count}, {0}, item);
  }
  if (closed) source = *closed;
  return closed.has_value();
}

void HostSteps::run(void* result) { run(result, steps_.back().row * steps_.back().item); }

void HostSteps::run_rows(void* result, std::int64_t row, const Rows& rows) {
  steps_.back().row = row;
  run(result, rows.bytes);
}

const void* HostSteps::run() {
  void* const result = scratch_ + steps_.back().offset;
  run(result);
  return result;
}

void HostSteps::run(void* result, std::int64_t bytes_to_next) {
  for (const HostStep& step : steps_) {
    if (&step == &steps_.back()) {
      run_step(step, static_cast<char*>(result), bytes_to_next);
    } else {
      run_step(step, scratch_ + step.offset, step.row * step.item);
    }
  }
}

const void* HostSteps::memory_of(const StepSource& source) const {
  if (source.step < 0) return source.memory;
  return scratch_ + steps_[static_cast<std::size_t>(source.step)].offset;
}

void HostSteps::run_step(const HostStep& step, char* result, std::int64_t bytes_to_next) const {
  const Overloaded run_it{
      [&](const RunLoop& work) { run_loop(step, work, result, bytes_to_next); },
      [&](const CloseGaps& work) {
        const auto* const from = static_cast<const char*>(memory_of(work.source));
        Dims own = c_strides(work.shape);
        for (std::int64_t& stride : own) stride *= step.item;
        const auto item = static_cast<std::size_t>(step.item);
        copy_strided(result, own, from, work.strides, work.shape, item);
      },
      [&](const NumberElements&) { number_elements(step, result, bytes_to_next); },
      [&](const ReduceRows& work) { reduce_rows(step, work, result, bytes_to_next); },
  };
  std::visit(run_it, step.work);
}

void HostSteps::reduce_rows(const HostStep& step, const ReduceRows& work, char* result,
                            std::int64_t bytes_to_next) const {
  const auto* values = static_cast<const char*>(memory_of(work.source));
  const std::int64_t bytes = work.length * static_cast<std::int64_t>(item_size(work.dtype));
  for (std::int64_t i = 0; i < step.count; ++i, values += bytes) {
    char* const place = result + i / step.row * bytes_to_next + i % step.row * step.item;
    work.reduce(work.combine, work.dtype, values, work.length, place);
  }
}

void HostSteps::run_loop(const HostStep& step, const RunLoop& work, char* result,
                         std::int64_t bytes_to_next) const {
  std::array<const void*, 3> inputs{};
  std::array<std::int64_t, 3> next{};
  for (std::size_t i = 0; i < work.source_count; ++i) {
    inputs[i] = memory_of(work.sources[i]);
    next[i] = work.sources[i].bytes_to_next(step.row, work.items[i]);
  }
  for (std::int64_t done = 0; done < step.count; done += step.row, result += bytes_to_next) {
    work.loop(inputs.data(), result, step.row);
    for (std::size_t i = 0; i < work.source_count; ++i) {
      inputs[i] = static_cast<const char*>(inputs[i]) + next[i];
    }
  }
}

}  // namespace cupola
