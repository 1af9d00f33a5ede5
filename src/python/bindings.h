#pragma once
// What the binding files share: the class behind `cupola.ndarray`, conversions between Python and
// library values, and one registration function per area.
//
// Everything here needs the interpreter lock. Conversions throw nb::python_error or the library's
// own errors, with NumPy's exception types and wording.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/call_site.h"
#include "cupola/array.h"
#include "cupola/device.h"
#include "cupola/dims.h"
#include "cupola/dtype.h"
#include "cupola/ops/elementwise.h"
#include "cupola/ops/index.h"
#include "cupola/scalar.h"
#include "cupola/transfer.h"
#include "ops/indexing/uncounted.h"
#include "python/interpreter/interpreter_functions.h"
#include "python/interpreter/interpreter_lock.h"
#include "python/interpreter/object_mutex.h"

namespace cupola::python {

namespace nb = nanobind;

// The instance of `cupola.ndarray`.
class [[gnu::visibility("hidden")]] NdArray {
 public:
  explicit NdArray(Array array, nb::object owner = {})
      : base(std::move(owner)), array_(std::move(array)) {}
  explicit NdArray(Uncounted selection)
      : uncounted_(std::make_unique<Uncounted>(std::move(selection))) {}

#ifdef Py_GIL_DISABLED
  // A handle of its own: other threads may call set_array() at any time.
  using Read = Array;
#else
  using Read = const Array&;
#endif
  // Counts the elements of a selection, without the interpreter lock.
  Read array() const {
    {
      const std::lock_guard lock(mutex_);
      if (!uncounted_ || array_.has_value()) return array_;
    }
    return counted();
  }
  void set_array(Array array);
  // What is known of it without counting.
  DType dtype() const;
  Device device() const;
  int rank() const;
  // a[mask] whose elements may not be counted yet; nothing for all other arrays.
  std::optional<Uncounted> uncounted() const;
  bool is_uncounted() const {
    const std::lock_guard lock(mutex_);
    return uncounted_ != nullptr;
  }

  // The array whose memory this one views; null for an array with memory of its own.
  nb::object base;

 private:
  Read counted() const;
  mutable Array array_;  // of a selection, once its elements are counted
  std::unique_ptr<Uncounted> uncounted_;
  [[no_unique_address]] mutable ObjectMutex mutex_;
};

// Notes where the program called (noted_position in base/call_site.h).
void note_call_site();
// (file, line, function), or None.
nb::object place_object(const CallPosition& position);

// The interpreter lock is open while it lives: others may run while we compute or wait.
class [[gnu::visibility("hidden")]] Unlocked {
 public:
  Unlocked() {}

 private:
  struct Note {
    Note() { note_call_site(); }
  };
  [[no_unique_address]] Note note_;  // while the lock is still held
  InterpreterUnlocked unlocked_;
};

// ---- arrays
nb::object wrap(Array array);
nb::object wrap(Uncounted selection);
// A result that may share `owner`'s memory: remembers the base.
nb::object wrap_view(Array array, nb::handle owner);
// `out` itself where one was given, else the result.
nb::object given_or(nb::handle out, Array result);
nb::object wrap_list(std::vector<Array> arrays);
nb::object wrap_tuple(std::vector<Array> arrays);
// Null when the object is no ndarray.
NdArray* find_array(nb::handle object);
// The same of objects of that very class, of no derived one.
NdArray* find_plain_array(nb::handle object);
// Throws TypeError when the object is no ndarray.
Array array_from(nb::handle object);
// None gives no array.
Array optional_array_from(nb::handle object);
bool is_numpy_array(nb::handle object);
bool is_exactly_numpy_array(nb::handle object);  // of no derived class
// A new array on `device` with the value of a NumPy array (of any byte order and layout).
Array upload(nb::handle numpy_array, const Device& device, char order = 'C',
             const TransferOptions& options = {});
// Lists, tuples, scalars and NumPy arrays as well as arrays of ours.
Array array_from_anything(nb::handle object, const Device& device);
// The same, new arrays being on the current device: the first argument of most functions.
Array array_like_from(nb::handle object);
// As an object: an ndarray as it is, anything else as a new ndarray.
nb::object array_object_from(nb::handle object);
std::vector<Array> arrays_from(nb::handle sequence);
nb::object download(const Array& array, char order, const char* asked_by,
                    const TransferOptions& options = {});

// ---- dtypes
void initialize_numpy_types();
nb::object dtype_object(DType dtype);
// A numpy.dtype, its name or code, a scalar type of NumPy or of Python.
DType dtype_from(nb::handle object);
std::optional<DType> optional_dtype_from(nb::handle object);
// Of a NumPy array whose dtype is one of NumPy's own objects, of which there is one for each type;
// nothing for others.
std::optional<DType> plain_dtype_of(nb::handle numpy_array);
// The dtype of a NumPy scalar's type, if it is one that arrays can have.
std::optional<DType> scalar_type_dtype(PyTypeObject* type);
bool is_numpy_scalar(nb::handle object);

// ---- scalars
// Python numbers are weak; NumPy scalars and NumPy arrays of rank 0 are typed; nothing for
// any other object.
std::optional<Scalar> scalar_from(nb::handle object);
// Beside another operand, whose dtype counts: integers beyond 64 bits too, rounded.
std::optional<Scalar> weak_scalar_from(nb::handle object);
// `dtype`: of the array that it is for, if that is known.
Scalar required_scalar_from(nb::handle object, const std::optional<DType>& dtype = {});
// A Python int that need not fit the type of the other operand, as what stands for it: its truth in
// the logical functions, and beyond 64 bits its rounded value, which inexact types take and
// integers are compared with. Nothing for all other objects. `beside`: of the other operand, where
// it is known; integers are compared with ints beyond floats as well.
std::optional<Scalar> unfit_integer_from(nb::handle object, UfuncId id,
                                         std::optional<DType> beside = {});
// A Python bool, int, float or complex.
nb::object scalar_object(const Scalar& scalar);
// Waits for it; `asked_by` says in the program's words why.
Scalar item_of(Array array, const char* asked_by);

// ---- operands
// An array or a scalar; lists and tuples become arrays on `device` (or the current one). Throws
// TypeError for NumPy arrays and all else.
Operand operand_from(nb::handle object, const std::optional<Device>& device = {});
std::optional<Operand> optional_operand_from(nb::handle object);
// Nothing for what an operator leaves to the other operand.
std::optional<Operand> operator_operand_from(nb::handle object, const Device& device);

// ---- text
// The characters of a str as UTF-8. TypeError for other objects, ValueError for what no text of
// ours has: a lone surrogate (UnicodeEncodeError) or a null character. `what` is the argument's
// name.
std::string text_from(nb::handle object, const char* what);
// Of each str in a sequence; None has none.
std::vector<std::string> texts_from(nb::handle object, const char* what);
// str(object) for a message: a lone surrogate is escaped.
std::string shown(nb::handle object);
// Throws TypeError: `what` must be `wanted`, not an object of this type.
[[noreturn]] void refuse_type(nb::handle object, const char* what, const char* wanted);
// TypeError, for the slot Py_tp_new: the class's slots read objects that are made by us alone.
PyObject* refuse_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept;

// ---- arguments
// A number, or a pointer to the instance of a bound class. TypeError where the object is none.
template <typename T>
T value_from(nb::handle object, const char* what, const char* wanted) {
  T value{};
  if (object.is_none() || !nb::try_cast(object, value)) refuse_type(object, what, wanted);
  return value;
}
std::int64_t index_from(nb::handle object);
// A whole number or a sequence of them, as a shape.
Dims shape_from(nb::handle object);
// As a list of axes.
Dims axes_from(nb::handle object);
// One integer or a sequence of them, of any length.
std::vector<std::int64_t> counts_from(nb::handle object);
std::optional<Dims> optional_axes_from(nb::handle object);
// The same, but for lists and the like, as NumPy's reductions.
std::optional<Dims> axis_or_tuple_from(nb::handle object);
std::optional<std::int64_t> optional_index_from(nb::handle object);
nb::tuple tuple_from(const Dims& dims);
char order_from(nb::handle object);
Casting casting_from(nb::handle object);
Device device_from(nb::handle object);
// None: nothing.
std::optional<Device> optional_device_from(nb::handle object);
// Of an object that lends memory by `__cuda_array_interface__`; nothing for others.
std::optional<Array> lent_array(nb::handle object);
// NumPy's ComplexWarning, where complex numbers become real ones.
void warn_of_lost_imaginary_parts(DType from, DType to);
inline DType dtype_of_operand(const Operand& operand) {
  return operand.is_array() ? operand.array().dtype() : operand.scalar().dtype();
}
// `device=`; without it the device of the array given as `like=`. TypeError for what is no array.
std::optional<Device> device_or_like(nb::handle device, nb::handle like);

// What stands between the brackets of a[...]; index arrays from the host go to `device`.
Index index_expression(nb::handle key, const Device& device);

// Drops a reference on any thread, at any time; after the interpreter's end, not at all.
void release_reference(PyObject* object) noexcept;
// Calls function(argument) with the interpreter lock: at once when the thread has it, else soon, on
// another thread.
void run_with_interpreter(void (*function)(void*), void* argument) noexcept;

// To be called where an exception is handled: it becomes the interpreter's error, as nanobind makes
// it of what a bound function throws.
void set_error_from_exception() noexcept;

// ---- areas
using ArrayClass = nb::class_<NdArray>;
void bind_errors(nb::module_& m);
void bind_call_sites(nb::module_& m);
void bind_fork(nb::module_& m);
void bind_interrupts(nb::module_& m);
void bind_interpreter_queue(nb::module_& m);
void bind_dtypes(nb::module_& m);
void bind_devices(nb::module_& m);
void bind_streams(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_runtime_calls(nb::module_& m);
void bind_events(nb::module_& m);
void bind_raw_kernels(nb::module_& m);
void bind_kernel_cache(nb::module_& m);
void bind_user_kernels(nb::module_& m);
ArrayClass bind_ndarray(nb::module_& m);
void bind_resize(ArrayClass& cls);
void bind_operators(ArrayClass& cls);
void bind_python_protocols(nb::module_& m, ArrayClass& cls);
void bind_indexing(nb::module_& m, ArrayClass& cls);
void bind_ufuncs(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_host_border(nb::module_& m);
void bind_explanation(nb::module_& m);
void bind_sight(nb::module_& m);
void bind_creation(nb::module_& m);
void bind_transfers(nb::module_& m);
void bind_few_elements(nb::module_& m);
void bind_reductions(nb::module_& m);
void bind_manipulation(nb::module_& m);
void bind_selection(nb::module_& m);
void bind_sorting(nb::module_& m);
void bind_random(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_fft(nb::module_& m);
void bind_factorisations(nb::module_& m);
void bind_interop(nb::module_& m, ArrayClass& cls);
void bind_dlpack(nb::module_& m, ArrayClass& cls);
void bind_ordered_work(nb::module_& m);
void bind_sharing(nb::module_& m);
void bind_signatures(nb::module_& m);
PyType_Slot* buffer_slots();

}  // namespace cupola::python
