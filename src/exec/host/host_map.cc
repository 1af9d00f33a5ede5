#include "exec/host/host_map.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/counters.h"
#include "base/threads/thread_owned.h"
#include "driver/registry.h"
#include "exec/host/host_access.h"
#include "exec/host/host_copy.h"
#include "exec/host/host_steps.h"
#include "exec/host/reduction_order.h"
#include "exec/observation/launch_log.h"
#include "graph/node.h"
#include "memory/buffer.h"
#include "memory/placed.h"

namespace cupola {

namespace {

constexpr int kMaxLiveOutputs = 8;  // one below the other: more would be a deep recursion

std::int64_t bytes_of_item(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

// What a map holds on to; kept by the thread for the next one.
struct Held {
  std::vector<const Array*> leaves;
  std::vector<NodePointer> nodes;  // what steps and leaves point into
};

// The operations that make one value of what is stored, in the order in which they are done. One
// at a time in each thread.
class HostMap {
 public:
  explicit HostMap(Driver& driver) : driver_(driver) {}
  ~HostMap() {
    access_.reset();  // before what it has locked may go with the nodes
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

  HostSteps& steps() { return steps_; }

 private:
  std::optional<StepSource> read_by(const StepSource& source, const Dims& shape,
                                    const Dims& strides, DType dtype) {
    return steps_.read_by(source, shape, byte_strides(strides, dtype), bytes_of_item(dtype));
  }

  // As the elements of an array of that shape.
  std::optional<StepSource> source_of(const Array& array, const Dims& shape) {
    const NodePointer node = node_of(array);
    if (!node) return stored_source(array, shape);
    if (node->kind == NodeKind::scalar) return number_of(node);
    if (node->kind == NodeKind::view || array.handle().use_count() > 1) {
      held_ = node->kind == NodeKind::view ? node->inputs[0] : array;
      return std::nullopt;
    }
    std::optional<StepSource> source = add_node(array, node);
    if (!source || array.shape() == shape) return source;
    source->is_one = array.size() == 1;
    if (source->is_one) return source;
    const Dims strides = broadcast_strides(array.shape(), c_strides(array.shape()), shape);
    return read_by(*source, shape, strides, array.dtype());
  }

  StepSource number_of(const NodePointer& node) {
    nodes_.push_back(node);
    return {.memory = node->value.data(), .is_one = true};
  }

  std::optional<StepSource> stored_source(const Array& array, const Dims& shape) {
    if (!access_->may_read(array)) return std::nullopt;
    leaves_.push_back(&array);
    const StepSource source{.memory = pointer_of(array), .is_one = array.size() == 1};
    if (source.is_one || (array.shape() == shape && is_c_contiguous(array))) return source;
    const Dims strides = broadcast_strides(array.shape(), strides_of(array), shape);
    return read_by(source, shape, strides, array.dtype());
  }

  std::optional<StepSource> add_node(const Array& array, const NodePointer& node) {
    const std::vector<Array>& inputs = node->inputs;
    if (nodes_.size() >= kMaxSteps) return std::nullopt;
    if (node->kind == NodeKind::reduce || node->kind == NodeKind::arg_reduce) {
      return add_reduction(array, node);
    }
    const std::int64_t count = array.size();
    if (node->kind == NodeKind::scalar) {
      return steps_.add(
          {CloseGaps{number_of(node), {count}, {0}}, count, count, bytes_of_item(array.dtype())});
    }
    if (node->kind == NodeKind::index) {
      return steps_.add({NumberElements(), count, count, bytes_of_item(DType::int64)});
    }
    const HostLoop loop = inputs.size() > 3 ? nullptr : find_loop(*node, array.dtype(), {});
    if (loop == nullptr) return std::nullopt;
    nodes_.push_back(node);
    RunLoop work{.loop = loop, .source_count = inputs.size()};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::optional<StepSource> source = source_of(inputs[i], array.shape());
      if (!source) return std::nullopt;
      work.sources[i] = *source;
      work.items[i] = bytes_of_item(inputs[i].dtype());
    }
    if (!spread_ones(work, array, *node)) return std::nullopt;
    const bool has_rows =
        std::any_of(work.sources.begin(), work.sources.end(),
                    [](const StepSource& source) { return source.rows.has_value(); });
    const std::int64_t row = has_rows ? array.shape().back() : array.size();
    return steps_.add({work, array.size(), row, bytes_of_item(array.dtype())});
  }

  std::optional<StepSource> add_reduction(const Array& array, const NodePointer& node) {
    const Array& input = node->inputs[0];
    const DType dtype = node->accumulator;
    const std::int64_t item = bytes_of_item(dtype);
    if (input.size() == 0 || input.size() > kMaxOnHost) return std::nullopt;
    if (node->function != nullptr || input.dtype() != dtype) return std::nullopt;
    const bool is_arg = node->kind == NodeKind::arg_reduce;
    const HostReduction reduce = is_arg ? driver_.host_arg_reduction(node->ufunc, dtype)
                                        : driver_.host_reduction(node->ufunc, dtype);
    if (reduce == nullptr || node->traits.reads_exposed) return std::nullopt;
    nodes_.push_back(node);
    const std::size_t others = leaves_.size();
    std::optional<StepSource> values = source_of(input, input.shape());
    // Launches take elements in the order in which they lie in memory.
    if (!std::all_of(leaves_.begin() + static_cast<std::ptrdiff_t>(others), leaves_.end(),
                     [](const Array* leaf) { return lies_in_order(*leaf); })) {
      return std::nullopt;
    }
    const std::int64_t row = input.rank() == 0 ? 1 : input.shape().back();
    if (!values || !steps_.close_gaps(*values, input.size(), row, item)) return std::nullopt;
    const Dims shape = reduced_last(input.shape(), node->axes);
    const Dims strides = reduced_last(c_strides(input.shape()), node->axes);
    if (!is_c_contiguous(shape, strides)) {
      values = read_by(*values, shape, strides, dtype);
      if (!values || !steps_.close_gaps(*values, input.size(), shape.back(), item))
        return std::nullopt;
    }
    const std::int64_t kept = array.size(), length = input.size() / kept;
    const ReduceRows rows{reduce, node->ufunc, dtype, *values, length};
    const DType found = is_arg ? DType::int64 : dtype;
    const std::optional<StepSource> result = steps_.add({rows, kept, kept, bytes_of_item(found)});
    if (!result || array.dtype() == found) return result;
    const RunLoop cast{driver_.host_cast(found, array.dtype()), {*result}, {bytes_of_item(found)}};
    if (cast.loop == nullptr) return std::nullopt;
    return steps_.add({cast, kept, kept, bytes_of_item(array.dtype())});
  }

  // A loop that reads a single element as such, or spreads those that stand for all or for a row.
  bool spread_ones(RunLoop& work, const Array& array, const Node& node) {
    const std::span<StepSource> sources = std::span(work.sources).first(work.source_count);
    const auto ones = std::count_if(sources.begin(), sources.end(), [](const StepSource& source) {
      return source.is_one_of_row();
    });
    if (ones == 0 || array.size() == 1) return true;
    if (ones == 1 && sources.size() == 2) {
      const int one = sources[0].is_one_of_row() ? 0 : 1;
      if (const HostLoop loop = find_loop(node, array.dtype(), one)) {
        work.loop = loop;
        return true;
      }
    }
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (!sources[i].is_one_of_row()) continue;
      if (!steps_.close_gaps(sources[i], array.size(), array.shape().back(), work.items[i]))
        return false;
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
    if (node.kind == NodeKind::user) return driver_.host_function(*node.function);
    return nullptr;
  }

  Driver& driver_;
  std::optional<HostAccess> access_{std::in_place};
  HostSteps steps_;
  std::vector<const Array*>& leaves_ = ThreadOwned<Held>::get().leaves;
  std::vector<NodePointer>& nodes_ = ThreadOwned<Held>::get().nodes;
  Array held_;
};

bool may_be_on_host(const Array& array) { return array.size() > 0 && array.size() <= kMaxOnHost; }

bool compute_held(const Array& pending, int depth);

// Builds the map of a value; what others have below it is stored on the way.
bool build(std::optional<HostMap>& map, const Array& value, const NodePointer& node, int depth) {
  Driver& its_driver = driver(value.device());
  for (;;) {
    map.emplace(its_driver);
    if (map->add(value, node)) return true;
    const Array held = map->held();
    map.reset();  // lets go of what it has locked
    if (!held.has_value() || depth == kMaxLiveOutputs || !compute_held(held, depth + 1))
      return false;
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

bool may_compute(const Array& array, std::int64_t most) {
  return array.size() > 0 && array.size() <= most && host_shares_memory(array.device()) &&
         !is_work_watched() && !is_logging_launches();
}

bool compute_held(const Array& pending, int depth) {
  const NodePointer seen = node_of(pending);
  if (!seen) return true;
  if (seen->kind == NodeKind::view) {
    return depth < kMaxLiveOutputs && compute_held(seen->inputs[0], depth + 1) && !node_of(pending);
  }
  const std::unique_lock claim(pending.state().mutex, std::try_to_lock);
  if (!claim.owns_lock()) return false;
  const NodePointer node = node_of(pending);
  if (!node) return true;
  std::optional<HostMap> map;
  if (!may_be_on_host(pending) || !is_single(pending) || !build(map, pending, node, depth))
    return false;
  std::shared_ptr<Storage> storage = storage_for(pending, *map);
  if (!storage) return false;
  map->steps().run(storage->data());
  map.reset();
  count(Counter::launches);
  publish(pending, std::move(storage));
  return true;
}

}  // namespace

bool compute_on_host(const Array& pending) {
  return may_compute(pending, kMaxOnHost) && compute_held(pending, 0);
}

bool compute_on_host(const Array& value, const Array& target, std::int64_t most) {
  const NodePointer node = may_compute(value, most) ? node_of(value) : nullptr;
  std::optional<HostMap> map;
  if (!node || !build(map, value, node, 0)) return false;
  if (!map->access().may_write(target, map->readings_of(*target.state().storage))) return false;
  const DType dtype = target.dtype();
  const bool is_disturbed = map->is_disturbed_by(target);
  const std::optional<Rows> rows =
      rows_of(target.shape(), byte_strides(strides_of(target), dtype), bytes_of_item(dtype));
  if (!is_disturbed && is_c_contiguous(target)) {
    map->steps().run(pointer_of(target));
  } else if (!is_disturbed && rows && !rows->are_ones) {
    map->steps().run_rows(pointer_of(target), target.shape().back(), *rows);
  } else {
    copy_elements(target, map->steps().run(), c_strides(target.shape()));
  }
  count(Counter::launches);
  return true;
}

}  // namespace cupola
