#pragma once
// What an Array handle points to: a view of storage, or a pending node that will become one.

#include <atomic>
#include <memory>
#include <vector>

#include "base/threads/mutex.h"
#include "core/layout.h"
#include "core/storage.h"
#include "cupola/array.h"

namespace cupola {

// What a pending array is computed from. Immutable once made; threads that compute share it.
struct Computation {
  // Of a computation or of one below it.
  struct Traits {
    // It reads elements that may be written by others at any time (Storage::is_exposed).
    bool reads_exposed = false;
    bool is_view = false;
  };

  Computation() = default;
  explicit Computation(std::vector<Array> read, bool is_view = false);
  ~Computation();
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  const std::vector<Array> inputs;
  const Traits traits{};
};

struct ArrayState {
  ArrayState(DType dtype_, Dims shape_, Device device_)
      : dtype(dtype_), shape(std::move(shape_)), device(device_) {}
  // Releases chains of pending arrays without recursion.
  ~ArrayState();
  ArrayState(const ArrayState&) = delete;
  ArrayState& operator=(const ArrayState&) = delete;

  DType dtype;
  Dims shape;
  Device device;
  bool writable = true;

  // Set once, together, when the array is stored; `ready` publishes them.
  std::shared_ptr<Storage> storage;
  Layout layout;
  std::atomic<bool> ready{false};

  // While it is pending: `layout` has the strides that it will have.
  bool is_laid_out = false;
  // A kernel that computed it for others has left it pending.
  std::atomic<bool> is_left{false};
  // See Passing.
  std::atomic<bool> is_passing{false};
  // The stream that it was asked for on; null: computed where it is needed.
  std::shared_ptr<StreamState> stream;
  // Held by the thread that computes it.
  Mutex mutex;
  // See pending_computation().
  std::shared_ptr<const Computation> computation;
  std::uint32_t pending_readers = 0;  // later those of the storage
  Mutex computation_mutex;            // guards both, for as long as it takes to copy them
};

// While one lives, kernels may leave a pending array that they compute on their way: who holds it
// is about to let it go, as an expression's intermediate result. Should it be read all the same, it
// is computed then.
class Passing {
 public:
  explicit Passing(const Array& array) : state_(array.handle()) { state_->is_passing = true; }
  ~Passing() { state_->is_passing = false; }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

 private:
  const std::shared_ptr<ArrayState> state_;
};

// A view of stored elements.
Array make_stored(DType dtype, Dims shape, std::shared_ptr<Storage> storage, Layout layout,
                  bool writable = true);
// Same storage, other dtype, shape or layout; keeps `base`'s writability unless it broadcasts.
// `base` must be stored.
Array make_view(const Array& base, Dims shape, Layout layout);
Array make_view(const Array& base, DType dtype, Dims shape, Layout layout);

inline bool is_stored(const Array& array) {
  return array.state().ready.load(std::memory_order_acquire);
}
// Null once the array is stored.
std::shared_ptr<const Computation> pending_computation(const Array& array);
// Makes a pending array what `stored` is: its elements can be read from now on. The layouts are
// equal where the pending array has one.
void publish(const Array& pending, const Array& stored);
// The same where the elements lie in the storage from its first byte on, as the array, which is
// laid out, has them.
void publish(const Array& pending, std::shared_ptr<Storage> storage);
// The same for a pending array that reads elements of others, where it is still computed in that
// way. With the layout, if it had none.
void publish_view(const Array& pending, const Computation& known, const Array& base,
                  const Layout& layout);
// Has a pending array computed in another way, if it is still computed in the known one.
void replace_computation(const Array& pending, const Computation& known,
                         std::shared_ptr<const Computation> next);
// Whether the strides are known: of a pending array, those that it will have.
inline bool is_laid_out(const Array& array) {
  return is_stored(array) || array.state().is_laid_out;
}
// Of arrays that are laid out.
inline const Dims& strides_of(const Array& array) { return array.state().layout.strides; }
// Address of the first element.
void* pointer_of(const Array& array);
bool is_c_contiguous(const Array& array);
bool is_f_contiguous(const Array& array);
// The two stored arrays may have an element in common (exact for ranges, conservative within).
bool may_overlap(const Array& a, const Array& b);
// Same storage, offset, shape, strides and item size: element i of one is element i of the other.
bool is_same_view(const Array& a, const Array& b);

}  // namespace cupola
