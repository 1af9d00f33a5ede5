// Reductions across short rows that lie one after the other in memory: elements are taken in the
// order of memory, by all lanes of a leaf at a time. What they are computed with may be one element
// for each row, or for each column.

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "platforms/cpu/interpreter/strided.h"
#include "platforms/cpu/interpreter/tile_runner.h"
#include "platforms/cpu/reductions/reduction.h"
#include "platforms/cpu/streams/thread_pool.h"

namespace cupola::cpu {
namespace {

constexpr std::int64_t kBlockBytes = 256 * 1024;  // of all lanes: a part of a core's second cache

class ShortRows {
 public:
  ShortRows(const TileProgram& program, const LaunchArguments& arguments,
            const ReductionShape& shape)
      : program_(program),
        arguments_(arguments),
        shape_(shape),
        size_(static_cast<std::int64_t>(item_size(program.plan.combine()->accumulator))),
        row_(shape.kept_row),
        outer_(shape.kept / shape.kept_row) {}

  bool apply() const {
    const KernelPlan& plan = program_.plan;
    if (plan.reduced_rank() != 1 || shape_.kept_rank == 0 || row_ < 2 ||
        row_ * kLanes * size_ > kBlockBytes || shape_.reduced < 2 * kLanes) {
      return false;
    }
    const TileStep& value = program_.steps[static_cast<std::size_t>(program_.value)];
    if (value.dtype != plan.combine()->accumulator || value.uniform || !gains()) return false;
    bool has_rows = false;
    for (const TileStep& step : program_.steps) {
      if (step.kind == StepKind::index) return false;
      if (step.kind != StepKind::load || step.uniform) continue;
      const Order order = order_of(step.index);
      if (order == Order::other) return false;
      has_rows |= order == Order::rows;
    }
    return has_rows;
  }

  void run(Stages& stages) const {
    const std::int64_t part = part_length();
    const std::int64_t parts = (shape_.reduced + part - 1) / part;
    const auto row_bytes = static_cast<std::size_t>(row_ * size_);
    char* const partials =
        parts > 1 ? stages.take(static_cast<std::size_t>(outer_ * parts) * row_bytes) : nullptr;
    const auto combine_parts = [&, partials](std::int64_t first, std::int64_t last) {
      Scratch scratch;
      Walk walk(*this, scratch);
      for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t begin = i % parts * part;
        const void* const sums =
            walk.combine(i / parts, begin, std::min(begin + part, shape_.reduced));
        if (partials != nullptr) {
          std::memcpy(partials + static_cast<std::size_t>(i) * row_bytes, sums, row_bytes);
        } else {
          store(i, sums, scratch);
        }
      }
    };
    const double steps = static_cast<double>(program_.steps.size());
    stages.loop(outer_ * parts,
                grain_for(static_cast<double>(std::min(part, shape_.reduced) * row_) * steps),
                combine_parts);
    if (parts == 1) return;
    stages.in_order(outer_, [&, partials](std::int64_t begin, std::int64_t end) {
      for (std::int64_t k = begin; k < end; ++k) {
        Scratch scratch;
        const char* const first = partials + static_cast<std::size_t>(k * parts) * row_bytes;
        store(k, join_parts(program_, first, parts, row_, scratch), scratch);
      }
    });
  }

 private:
  // Lanes take more memory than the results of rows that are read in the lanes' order: that is the
  // better one where everything stays in the caches, unless a row at a time is computed.
  bool gains() const {
    constexpr std::int64_t kComputed = 1 << 17, kShort = 1 << 15;
    constexpr std::int64_t kBytesOfMemory = 24 << 20;
    const std::int64_t elements = shape_.kept * shape_.reduced;
    const bool lie_there =
        std::all_of(program_.steps.begin(), program_.steps.end(), [](const TileStep& step) {
          return step.kind == StepKind::load || step.kind == StepKind::cast;
        });
    if (!lie_there) return elements >= kComputed;
    if (row_ < kShortestRowAcross) return elements >= kShort;
    return elements * size_ >= kBytesOfMemory;
  }

  // Rows that are combined by one task: leaves that are whole in the tree, enough for all threads.
  std::int64_t part_length() const {
    const std::int64_t leaves = (shape_.reduced + kLeaf - 1) / kLeaf;
    const std::int64_t wanted = 4 * pool_size() / outer_ + 1;
    const auto fair = static_cast<std::uint64_t>(std::max<std::int64_t>(1, leaves / wanted));
    return std::min(kChunk, kLeaf * static_cast<std::int64_t>(std::bit_floor(fair)));
  }

  // How an input's elements lie: as the rows do, or one for each column or row.
  enum class Order : std::uint8_t { rows, of_columns, of_rows, other };

  // One thread's.
  class Walk {
   public:
    Walk(const ShortRows& rows, Scratch& scratch)
        : rows_(rows),
          combine_(rows.program_.reduce.combine),
          in_memory_(rows.in_order_of_memory()),
          block_(kLanes * rows.row_),
          tile_(std::clamp(rows.program_.tile_elements, rows.row_, block_)),
          lanes_(scratch.take(static_cast<std::size_t>(block_ * rows.size_))),
          evaluator_(rows.program_, in_memory_, tile_, scratch),
          leaves_(combine_, static_cast<std::size_t>(rows.size_), rows.row_, kChunkDepth, scratch) {
      for (std::size_t i = 0; i < in_memory_.inputs.size(); ++i) {
        if (!rows.is_loaded(i)) continue;
        const Order order = rows.order_of(i);
        if (order == Order::rows) continue;
        const std::int64_t elements = order == Order::of_columns ? block_ : tile_;
        spread_.push_back({i, order, scratch.take(static_cast<std::size_t>(elements * 16))});
      }
    }
    Walk(const Walk&) = delete;
    Walk& operator=(const Walk&) = delete;

    // What rows first to end - 1 combine to.
    const void* combine(std::int64_t outer, std::int64_t first, std::int64_t end) {
      rows_.move_to(outer, in_memory_);
      for (const Spread& spread : spread_) {
        if (spread.order == Order::of_columns) repeat_columns(spread);
      }
      for (std::int64_t leaf = first; leaf < end; leaf += kLeaf) {
        const std::int64_t count = std::min(kLeaf, end - leaf);
        if (count < kLanes) {
          add_in_order(leaf, count);
        } else {
          add_by_lanes(leaf * rows_.row_, count * rows_.row_);
        }
        const auto bytes = static_cast<std::size_t>(rows_.row_ * rows_.size_);
        std::memcpy(leaves_.next(), lanes_, bytes);
        leaves_.push();
      }
      return leaves_.fold();
    }

   private:
    struct Spread {
      std::size_t input;
      Order order;
      char* elements;  // of a block, or of a tile
    };

    std::size_t item(const Spread& spread) const {
      return item_size(rows_.program_.plan.inputs[spread.input].dtype);
    }
    void repeat_columns(const Spread& spread) const {
      const std::size_t bytes = static_cast<std::size_t>(rows_.row_) * item(spread);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        std::memcpy(spread.elements + lane * bytes, in_memory_.inputs[spread.input].pointer, bytes);
      }
    }
    // Of the rows that elements first, first + 1, ... are in.
    void repeat_rows(const Spread& spread, std::int64_t first, std::int64_t count) const {
      const auto size = static_cast<std::int64_t>(item(spread));
      const std::int64_t stride = rows_.arguments_.inputs[spread.input].strides.back();
      const auto* const of_rows = static_cast<const char*>(in_memory_.inputs[spread.input].pointer);
      for (std::int64_t done = 0, n = 0; done < count; done += n) {
        const std::int64_t row = (first + done) / rows_.row_;
        n = std::min((row + 1) * rows_.row_ - first, count) - done;
        fill_row(spread.elements + done * size, of_rows + row * stride * size, n, item(spread));
      }
    }

    const void* values(std::int64_t first, std::int64_t count) {
      for (const Spread& spread : spread_) {
        const auto size = static_cast<std::int64_t>(item(spread));
        if (spread.order == Order::of_rows) repeat_rows(spread, first, count);
        const std::int64_t place = spread.order == Order::of_rows ? 0 : first % block_;
        evaluator_.set_row(spread.input, spread.elements + place * size);
      }
      evaluator_.evaluate({first, count, 0});
      return evaluator_.value(rows_.program_.value);
    }

    // Into the first lane.
    void add_in_order(std::int64_t first, std::int64_t count) {
      const std::int64_t row = rows_.row_, at_once = tile_ / row;
      for (std::int64_t done = 0; done < count; done += at_once) {
        const std::int64_t rows = std::min(at_once, count - done);
        const auto* next = static_cast<const char*>(values((first + done) * row, rows * row));
        for (std::int64_t r = 0; r < rows; ++r, next += row * rows_.size_) {
          add(lanes_, next, row, done + r == 0);
        }
      }
    }

    void add_by_lanes(std::int64_t first, std::int64_t count) {
      for (std::int64_t done = 0, n = 0; done < count; done += n) {
        const std::int64_t place = done % block_;
        n = std::min({tile_, block_ - place, count - done});
        add(lanes_ + place * rows_.size_, values(first + done, n), n, done < block_);
      }
      for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        const std::int64_t elements = half * rows_.row_;
        add(lanes_, lanes_ + elements * rows_.size_, elements, false);
      }
    }

    void add(char* sums, const void* values, std::int64_t count, bool is_first) const {
      if (is_first) {
        std::memcpy(sums, values, static_cast<std::size_t>(count * rows_.size_));
        return;
      }
      const void* inputs[2] = {sums, values};
      combine_(inputs, sums, count);
    }

    const ShortRows& rows_;
    const LoopFunction combine_;
    LaunchArguments in_memory_;
    const std::int64_t block_;
    const std::int64_t tile_;
    char* const lanes_;
    TileEvaluator evaluator_;
    TreeStack leaves_;
    std::vector<Spread> spread_;
  };

  Order order_of(std::size_t input) const {
    if (program_.plan.inputs[input].turned != 0) return Order::other;
    const Dims& strides = arguments_.inputs[input].strides;
    const std::int64_t kept = strides[static_cast<std::size_t>(shape_.kept_rank - 1)];
    if (kept == 1 && strides.back() == row_) return Order::rows;
    if (kept == 1 && strides.back() == 0) return Order::of_columns;
    return kept == 0 ? Order::of_rows : Order::other;
  }
  bool is_loaded(std::size_t input) const {
    return std::any_of(program_.steps.begin(), program_.steps.end(), [input](const TileStep& step) {
      return step.kind == StepKind::load && !step.uniform && step.index == input;
    });
  }

  // The elements of the rows as a line.
  LaunchArguments in_order_of_memory() const {
    LaunchArguments line;
    line.extents = {shape_.reduced * row_};
    line.inputs = arguments_.inputs;
    for (std::size_t i = 0; i < line.inputs.size(); ++i) {
      if (line.inputs[i].strides.empty()) continue;
      const bool is_one = program_.plan.inputs[i].layout == OperandLayout::broadcast;
      line.inputs[i].strides = {is_one ? 0 : 1};
    }
    line.scalars = arguments_.scalars;
    return line;
  }
  void move_to(std::int64_t outer, LaunchArguments& line) const {
    for (std::size_t i = 0; i < line.inputs.size(); ++i) {
      const Dims& strides = arguments_.inputs[i].strides;
      if (strides.empty()) continue;
      const std::int64_t first = outer * row_ * shape_.reduced;
      const std::int64_t offset = strided_offset(arguments_.extents, strides, first);
      const auto item = static_cast<std::int64_t>(item_size(program_.plan.inputs[i].dtype));
      line.inputs[i].pointer = static_cast<char*>(arguments_.inputs[i].pointer) + offset * item;
    }
  }
  void store(std::int64_t outer, const void* sums, Scratch& scratch) const {
    const Scratch::Scope scope(scratch);
    store_results(program_, arguments_, {outer * row_, row_}, sums, scratch);
  }

  const TileProgram& program_;
  const LaunchArguments& arguments_;
  const ReductionShape& shape_;
  const std::int64_t size_;   // bytes of an accumulator
  const std::int64_t row_;    // kept elements that lie side by side
  const std::int64_t outer_;  // such rows of results
};

}  // namespace

bool has_short_rows(const TileProgram& program, const LaunchArguments& arguments,
                    const ReductionShape& shape) {
  return program.tree && shape.kept > 0 && ShortRows(program, arguments, shape).apply();
}

bool reduce_short_rows(const TileProgram& program, const LaunchArguments& arguments,
                       const ReductionShape& shape, Stages& stages) {
  const ShortRows rows(program, arguments, shape);
  if (!rows.apply()) return false;
  rows.run(stages);
  return true;
}

}  // namespace cupola::cpu
