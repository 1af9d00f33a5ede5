#include "exec/host_map.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/thread_owned.h"
#include "driver/registry.h"
#include "exec/host_access.h"
#include "exec/host_copy.h"
#include "exec/launch_log.h"
#include "graph/node.h"
#include "memory/buffer.h"
#include "memory/placed.h"

namespace cupola {

namespace {

constexpr std::size_t kMostSteps = 24;
constexpr int kMostHeld = 8;  // one below the other: more would be a deep recursion
constexpr std::size_t kScratchBytes = std::size_t{256} << 10;
constexpr std::size_t kAlignment = 64;

constexpr std::int64_t kShortestRow = 16;  // shorter ones are sooner brought together

// Elements along the last dimension are neighbours, or one stands for them.
struct Rows {
  std::int64_t bytes = 0;  // from row to row
  bool are_ones = false;
};

// What a step reads: memory, or the result of a step before it. Without gaps if nothing is said.
struct Source {
  const void* memory = nullptr;
  int step = -1;
  bool is_one = false;  // an element that stands for all
  std::optional<Rows> rows{};

  bool is_one_of_row() const { return is_one || (rows && rows->are_ones); }
  std::int64_t bytes_to_next(std::int64_t row, std::int64_t item) const {
    return rows ? rows->bytes : is_one ? 0 : row * item;
  }
};

// Of all elements of the first source.
struct Reduction {
  HostReduction reduce = nullptr;
  UfuncId combine{};
  DType dtype{};
  std::int64_t count = 0;
};

struct Step {
  HostLoop loop = nullptr;  // null: reduces or copies its first source, or numbers elements
  Reduction reduction{};
  bool is_numbers = false;  // int64, from 0 on
  std::array<Source, 3> sources{};
  std::array<std::int64_t, 3> source_items{};  // bytes
  std::size_t source_count = 1;
  std::int64_t count = 0;
  std::int64_t row = 0;  // elements that the loop takes at a time
  std::int64_t item = 0;
  std::size_t offset = 0;  // of the result, in the scratch memory
  // Of a copy.
  Dims shape{};
  Dims strides{};  // of the source, in bytes
};

std::int64_t bytes_of_item(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

// Nothing where rows are short, or not one distance apart.
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

// Whether the last dimensions' elements are the nearest in memory.
bool lies_in_order(const Array& array) {
  std::int64_t outer = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; d < array.shape().size(); ++d) {
    if (array.shape()[d] == 1) continue;
    const std::int64_t stride = std::abs(strides_of(array)[d]);
    if (stride > outer) return false;
    outer = stride;
  }
  return true;
}

// Of a thread that has computed something.
struct Workspace {
  std::vector<Step> steps;
  std::vector<const Array*> leaves;
  std::vector<NodePointer> nodes;  // what the steps and leaves point into
  std::unique_ptr<char[]> memory =
      std::make_unique_for_overwrite<char[]>(kScratchBytes + kAlignment);

  char* scratch() {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.get());
    return memory.get() + (kAlignment - address % kAlignment) % kAlignment;
  }
};

// The operations that make one value of what is stored, in the order in which they are done. One
// at a time in each thread.
class HostMap {
 public:
  explicit HostMap(Driver& driver) : driver_(driver) {}
  ~HostMap() {
    access_.reset();  // before what it has locked may go with the nodes
    steps_.clear();
    leaves_.clear();
    nodes_.clear();
  }
  HostMap(const HostMap&) = delete;
  HostMap& operator=(const HostMap&) = delete;

  // False: they are no such operations, or held() is to be stored first.
  bool add(const Array& value, const NodePointer& node) {
    return add_node(value, node).has_value();
  }
  // Somebody else has it, or a view is of it; no array: that is not what was in the way.
  const Array& held() const { return held_; }

  bool is_disturbed_by(const Array& target) const {
    return std::any_of(leaves_.begin(), leaves_.end(), [&](const Array* leaf) {
      return may_overlap(*leaf, target) && !is_same_view(*leaf, target);
    });
  }
  // How often the steps read the storage.
  std::uint32_t readings_of(const Storage& storage) const {
    const auto is_there = [&](const Array* leaf) {
      return leaf->state().storage.get() == &storage;
    };
    return static_cast<std::uint32_t>(std::count_if(leaves_.begin(), leaves_.end(), is_there));
  }
  std::vector<const Storage*> storages() const {
    std::vector<const Storage*> all;
    for (const Array* leaf : leaves_) all.push_back(leaf->state().storage.get());
    return all;
  }
  HostAccess& access() { return *access_; }

  // The value is put there, without gaps.
  void run(void* result) { run(result, steps_.back().row * steps_.back().item); }
  // In rows of so many elements.
  void run_rows(void* result, std::int64_t row, const Rows& rows) {
    steps_.back().row = row;
    run(result, rows.bytes);
  }
  // The same in memory of the thread, until it computes the next.
  const void* run() {
    void* const result = workspace_.scratch() + steps_.back().offset;
    run(result);
    return result;
  }

 private:
  void run(void* result, std::int64_t bytes_to_next) {
    char* const scratch = workspace_.scratch();
    for (const Step& step : steps_) {
      if (&step == &steps_.back()) {
        run_step(step, scratch, static_cast<char*>(result), bytes_to_next);
      } else {
        run_step(step, scratch, scratch + step.offset, step.row * step.item);
      }
    }
  }

  const void* memory_of(const Source& source, char* scratch) const {
    if (source.step < 0) return source.memory;
    return scratch + steps_[static_cast<std::size_t>(source.step)].offset;
  }

  static void number_elements(const Step& step, char* result, std::int64_t bytes_to_next) {
    for (std::int64_t first = 0; first < step.count; first += step.row, result += bytes_to_next) {
      auto* const numbers = reinterpret_cast<std::int64_t*>(result);
      std::iota(numbers, numbers + step.row, first);
    }
  }

  void run_step(const Step& step, char* scratch, char* result, std::int64_t bytes_to_next) const {
    if (const Reduction& all = step.reduction; all.reduce != nullptr) {
      const void* const values = memory_of(step.sources[0], scratch);
      return all.reduce(all.combine, all.dtype, values, all.count, result);
    }
    if (step.is_numbers) return number_elements(step, result, bytes_to_next);
    if (step.loop == nullptr) {
      const auto* const from = static_cast<const char*>(memory_of(step.sources[0], scratch));
      Dims own = c_strides(step.shape);
      for (std::int64_t& stride : own) stride *= step.item;
      const auto item = static_cast<std::size_t>(step.item);
      return copy_strided(result, own, from, step.strides, step.shape, item);
    }
    std::array<const void*, 3> inputs{};
    std::array<std::int64_t, 3> next{};
    for (std::size_t i = 0; i < step.source_count; ++i) {
      inputs[i] = memory_of(step.sources[i], scratch);
      next[i] = step.sources[i].bytes_to_next(step.row, step.source_items[i]);
    }
    for (std::int64_t done = 0; done < step.count; done += step.row, result += bytes_to_next) {
      step.loop(inputs.data(), result, step.row);
      for (std::size_t i = 0; i < step.source_count; ++i) {
        inputs[i] = static_cast<const char*>(inputs[i]) + next[i];
      }
    }
  }

  std::optional<Source> add_step(Step&& step) {
    step.offset = used_;
    const auto bytes = static_cast<std::size_t>(step.count * step.item);
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (used_ > kScratchBytes || steps_.size() == kMostSteps) return std::nullopt;
    steps_.push_back(std::move(step));
    return Source{.step = static_cast<int>(steps_.size()) - 1};
  }

  // A copy without gaps, of the source's elements as they lie.
  std::optional<Source> spread(const Source& source, Dims shape, Dims strides, std::int64_t item) {
    Step step{.sources = {source}, .count = element_count(shape), .item = item};
    step.row = step.count;
    step.shape = std::move(shape);
    step.strides = std::move(strides);
    return add_step(std::move(step));
  }
  bool close_gaps(Source& source, std::int64_t count, std::int64_t row, std::int64_t item) {
    std::optional<Source> closed = source;
    if (source.rows) {
      const Dims strides{source.rows->bytes, source.rows->are_ones ? 0 : item};
      closed = spread(source, {count / row, row}, strides, item);
    } else if (source.is_one && count > 1) {
      closed = spread(source, {count}, {0}, item);
    }
    if (closed) source = *closed;
    return closed.has_value();
  }
  // By rows, or without gaps.
  std::optional<Source> read_by(Source source, const Dims& shape, const Dims& strides,
                                DType dtype) {
    Dims in_bytes = byte_strides(strides, dtype);
    const std::int64_t item = bytes_of_item(dtype);
    source.rows = rows_of(shape, in_bytes, item);
    return source.rows ? source : spread(source, shape, std::move(in_bytes), item);
  }

  // As the elements of an array of that shape.
  std::optional<Source> source_of(const Array& array, const Dims& shape) {
    const NodePointer node = node_of(array);
    if (!node) return stored_source(array, shape);
    if (node->kind == NodeKind::scalar) {
      const Source number{.memory = node->value.data(), .is_one = true};
      nodes_.push_back(node);
      return number;
    }
    if (node->kind == NodeKind::view || array.handle().use_count() > 1) {
      held_ = node->kind == NodeKind::view ? node->inputs[0] : array;
      return std::nullopt;
    }
    std::optional<Source> source = add_node(array, node);
    if (!source || array.shape() == shape) return source;
    source->is_one = array.size() == 1;
    if (source->is_one) return source;
    const Dims strides = broadcast_strides(array.shape(), c_strides(array.shape()), shape);
    return read_by(*source, shape, strides, array.dtype());
  }

  std::optional<Source> stored_source(const Array& array, const Dims& shape) {
    if (!access_->may_read(array)) return std::nullopt;
    leaves_.push_back(&array);
    const Source source{.memory = pointer_of(array), .is_one = array.size() == 1};
    if (source.is_one || (array.shape() == shape && is_c_contiguous(array))) return source;
    const Dims strides = broadcast_strides(array.shape(), strides_of(array), shape);
    return read_by(source, shape, strides, array.dtype());
  }

  std::optional<Source> add_node(const Array& array, const NodePointer& node) {
    const std::vector<Array>& inputs = node->inputs;
    if (nodes_.size() >= kMostSteps) return std::nullopt;
    if (node->kind == NodeKind::reduce) return add_reduction(array, node);
    if (node->kind == NodeKind::index) {
      Step numbers{.is_numbers = true, .source_count = 0, .count = array.size()};
      numbers.row = numbers.count;
      numbers.item = bytes_of_item(DType::int64);
      return add_step(std::move(numbers));
    }
    if (!find_loop(*node, array.dtype(), {}) || inputs.size() > 3) return std::nullopt;
    nodes_.push_back(node);
    Step step{.source_count = inputs.size(), .count = array.size()};
    step.item = bytes_of_item(array.dtype());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::optional<Source> source = source_of(inputs[i], array.shape());
      if (!source) return std::nullopt;
      step.sources[i] = *source;
      step.source_items[i] = bytes_of_item(inputs[i].dtype());
    }
    if (!choose_loop(step, array, *node)) return std::nullopt;
    const bool has_rows = std::any_of(step.sources.begin(), step.sources.end(),
                                      [](const Source& source) { return source.rows.has_value(); });
    step.row = has_rows ? array.shape().back() : step.count;
    return add_step(std::move(step));
  }

  // One of all elements.
  std::optional<Source> add_reduction(const Array& array, const NodePointer& node) {
    const Array& input = node->inputs[0];
    const DType dtype = node->accumulator;
    const std::int64_t item = bytes_of_item(dtype);
    if (array.size() != 1 || input.size() == 0 || input.size() > kMostOnHost) return std::nullopt;
    if (node->function != nullptr || input.dtype() != dtype) return std::nullopt;
    const HostReduction reduce = driver_.host_reduction(node->ufunc, dtype);
    if (reduce == nullptr || node->traits.reads_exposed) return std::nullopt;
    nodes_.push_back(node);
    const std::size_t others = leaves_.size();
    std::optional<Source> values = source_of(input, input.shape());
    // Launches take elements in the order in which they lie in memory.
    if (!std::all_of(leaves_.begin() + static_cast<std::ptrdiff_t>(others), leaves_.end(),
                     [](const Array* leaf) { return lies_in_order(*leaf); })) {
      return std::nullopt;
    }
    const std::int64_t row = input.rank() == 0 ? 1 : input.shape().back();
    if (!values || !close_gaps(*values, input.size(), row, item)) return std::nullopt;
    Step step{.reduction = {reduce, node->ufunc, dtype, input.size()}, .sources = {*values}};
    step.count = step.row = 1;
    step.item = item;
    const std::optional<Source> result = add_step(std::move(step));
    if (!result || array.dtype() == dtype) return result;
    Step cast{.loop = driver_.host_cast(dtype, array.dtype()), .sources = {*result}};
    if (cast.loop == nullptr) return std::nullopt;
    cast.source_items[0] = item;
    cast.count = cast.row = 1;
    cast.item = bytes_of_item(array.dtype());
    return add_step(std::move(cast));
  }

  // One that reads single elements as such, or one for which they are spread.
  bool choose_loop(Step& step, const Array& array, const Node& node) {
    const std::span<Source> sources = std::span(step.sources).first(step.source_count);
    const auto ones = std::count_if(sources.begin(), sources.end(),
                                    [](const Source& source) { return source.is_one_of_row(); });
    if (ones == 1 && sources.size() == 2 && step.count > 1) {
      step.loop = find_loop(node, array.dtype(), sources[0].is_one_of_row() ? 0 : 1);
      if (step.loop != nullptr) return true;
    }
    step.loop = find_loop(node, array.dtype(), {});
    if (step.count == 1) return true;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!sources[i].is_one_of_row()) continue;
      const std::int64_t item = step.source_items[i];
      if (!close_gaps(sources[i], step.count, array.shape().back(), item)) return false;
    }
    return true;
  }

  HostLoop find_loop(const Node& node, DType result, std::optional<int> one) const {
    if (node.siblings || node.traits.reads_exposed) return nullptr;
    if (node.kind == NodeKind::ufunc) {
      std::array<DType, 3> types{};
      for (std::size_t i = 0; i < node.inputs.size(); ++i) types[i] = node.inputs[i].dtype();
      return driver_.host_loop(node.ufunc, types.data(), one);
    }
    if (one) return nullptr;
    if (node.kind == NodeKind::cast) return driver_.host_cast(node.inputs[0].dtype(), result);
    if (node.kind == NodeKind::select) return driver_.host_select(item_size(result));
    return nullptr;
  }

  Driver& driver_;
  std::optional<HostAccess> access_{std::in_place};
  Workspace& workspace_ = ThreadOwned<Workspace>::get();
  std::vector<Step>& steps_ = workspace_.steps;
  std::vector<const Array*>& leaves_ = workspace_.leaves;
  std::vector<NodePointer>& nodes_ = workspace_.nodes;
  std::size_t used_ = 0;
  Array held_;
};

bool is_little(const Array& array) { return array.size() > 0 && array.size() <= kMostOnHost; }

bool compute_held(const Array& pending, int depth);

// Builds the map of a value; what others have below it is stored on the way.
bool build(std::optional<HostMap>& map, const Array& value, const NodePointer& node, int depth) {
  Driver& its_driver = driver(value.device());
  for (;;) {
    map.emplace(its_driver);
    if (map->add(value, node)) return true;
    const Array held = map->held();
    map.reset();  // lets go of what it has locked
    if (!held.has_value() || depth == kMostHeld || !compute_held(held, depth + 1)) return false;
  }
}

// Whether the array is to fill memory of its own, row-major.
bool is_single(const Array& array) {
  return is_laid_out(array) && is_c_contiguous(array) && array.state().layout.offset == 0;
}

std::shared_ptr<Storage> storage_for(const Array& array, HostMap& map) {
  const auto bytes = static_cast<std::size_t>(array.nbytes());
  if (resource_likewise(array.device(), bytes, map.storages())) return nullptr;
  std::shared_ptr<Storage> storage = find_storage(array.device(), bytes);
  return storage && may_fill(*storage) ? storage : nullptr;
}

bool may_compute(const Array& array) {
  return is_little(array) && host_shares_memory(array.device()) && !is_work_watched() &&
         !is_logging_launches();
}

bool compute_held(const Array& pending, int depth) {
  const NodePointer seen = node_of(pending);
  if (!seen) return true;
  if (seen->kind == NodeKind::view) {
    return depth < kMostHeld && compute_held(seen->inputs[0], depth + 1) && !node_of(pending);
  }
  const std::unique_lock claim(pending.state().mutex, std::try_to_lock);
  if (!claim.owns_lock()) return false;
  const NodePointer node = node_of(pending);
  if (!node) return true;
  std::optional<HostMap> map;
  if (!is_little(pending) || !is_single(pending) || !build(map, pending, node, depth)) return false;
  std::shared_ptr<Storage> storage = storage_for(pending, *map);
  if (!storage) return false;
  map->run(storage->data());
  map.reset();
  count(Counter::launches);
  publish(pending, std::move(storage));
  return true;
}

}  // namespace

bool compute_on_host(const Array& pending) {
  return may_compute(pending) && compute_held(pending, 0);
}

bool compute_on_host(const Array& value, const Array& target) {
  const NodePointer node = may_compute(value) ? node_of(value) : nullptr;
  std::optional<HostMap> map;
  if (!node || !build(map, value, node, 0)) return false;
  if (!map->access().may_write(target, map->readings_of(*target.state().storage))) return false;
  const DType dtype = target.dtype();
  const bool is_disturbed = map->is_disturbed_by(target);
  const std::optional<Rows> rows =
      rows_of(target.shape(), byte_strides(strides_of(target), dtype), bytes_of_item(dtype));
  if (!is_disturbed && is_c_contiguous(target)) {
    map->run(pointer_of(target));
  } else if (!is_disturbed && rows && !rows->are_ones) {
    map->run_rows(pointer_of(target), target.shape().back(), *rows);
  } else {
    copy_elements(target, map->run(), c_strides(target.shape()));
  }
  count(Counter::launches);
  return true;
}

}  // namespace cupola
