// DLPack in both directions.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layout.h"
#include "cupola/error.h"
#include "cupola/runtime.h"
#include "cupola/striping.h"
#include "cupola/transfer.h"
#include "exec/lending/lending.h"
#include "python/bindings.h"
#include "python/borders/dlpack_abi.h"
#include "python/memory/memory.h"

namespace cupola::python {
namespace {

using namespace cupola::dlpack;

constexpr const char* kLegacyName = "dltensor";
constexpr const char* kVersionedName = "dltensor_versioned";

// ---- out

struct Export {
  Array array;
  Dims shape, strides;
  std::shared_ptr<StreamState> consumer;  // null: nothing of it can be in flight at the end
  ~Export() {
    if (consumer) note_return(array, consumer);
  }
};

DLDataType type_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(item_size(dtype) * 8);
  if (dtype == DType::bfloat16) return {kBfloat, bits, 1};
  switch (kind_of(dtype)) {
    case DTypeKind::boolean:
      return {kBool, bits, 1};
    case DTypeKind::unsigned_integer:
      return {kUInt, bits, 1};
    case DTypeKind::signed_integer:
      return {kInt, bits, 1};
    case DTypeKind::floating:
      return {kFloat, bits, 1};
    case DTypeKind::complex:
      return {kComplex, bits, 1};
  }
  __builtin_unreachable();
}

// All devices of the CPU platform are the host to others.
DLDevice device_of(const Device& device) {
  if (device.platform() == PlatformKind::cpu) return {kCpu, 0};
  return {kCuda, device.index()};
}

// Where others find it. Of a set: the member that has all of it, or where a copy would be.
DLDevice device_of(const Array& array) {
  const Device device = array.device();
  if (!device.is_set() || device.platform() == PlatformKind::cpu) return device_of(device);
  Unlocked unlocked;
  const std::vector<PlacedPart> parts = placement_of(array);
  return device_of(parts.size() == 1 ? parts.front().device : device.member(0));
}

DLTensor describe(Export& lent) {
  DLTensor tensor{};
  tensor.data = lent.array.size() ? data_pointer(lent.array) : nullptr;
  tensor.device = device_of(lent.array.device());
  tensor.ndim = lent.array.rank();
  tensor.dtype = type_of(lent.array.dtype());
  tensor.shape = lent.shape.data();
  tensor.strides = lent.strides.data();
  return tensor;
}

template <typename Managed>
Managed* make_managed(const Array& array, std::shared_ptr<StreamState> consumer) {
  auto lent = std::make_unique<Export>();
  lent->array = array;
  lent->shape = array.shape();
  lent->strides = strides(array);
  auto managed = std::make_unique<Managed>();
  managed->tensor = describe(*lent);
  lent->consumer = std::move(consumer);
  managed->context = lent.release();
  managed->deleter = [](Managed* self) {
    delete static_cast<Export*>(self->context);
    delete self;
  };
  return managed.release();
}

template <typename Managed>
void destroy_capsule(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;  // taken over by a consumer
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

nb::object versioned_capsule(const Array& array, bool copied,
                             std::shared_ptr<StreamState> consumer) {
  auto* managed = make_managed<DLManagedTensorVersioned>(array, std::move(consumer));
  managed->major = 1;
  managed->minor = 0;
  managed->flags = (array.writable() ? 0 : kReadOnly) | (copied ? kIsCopied : 0);
  return nb::steal(PyCapsule_New(managed, kVersionedName, [](PyObject* capsule) {
    destroy_capsule<DLManagedTensorVersioned>(capsule, kVersionedName);
  }));
}

nb::object legacy_capsule(const Array& array, std::shared_ptr<StreamState> consumer) {
  if (!array.writable()) {
    throw BufferError(
        "Cannot export readonly array since signalling readonly is unsupported by "
        "DLPack before version 1");
  }
  auto* managed = make_managed<DLManagedTensor>(array, std::move(consumer));
  return nb::steal(PyCapsule_New(managed, kLegacyName, [](PyObject* capsule) {
    destroy_capsule<DLManagedTensor>(capsule, kLegacyName);
  }));
}

// The device asked for by dl_device, when it is not the array's own.
std::optional<Device> other_device(const Array& array, nb::handle dl_device) {
  if (dl_device.is_none()) return std::nullopt;
  const Dims pair = axes_from(dl_device);
  if (pair.size() != 2) throw ValueError("dl_device must be (device type, device id)");
  const DLDevice own = device_of(array);
  if (own.type == pair[0] && own.id == pair[1]) return std::nullopt;
  if (pair[0] == kCpu && pair[1] == 0) return Device(PlatformKind::cpu, 0);
  if (pair[0] == kCuda) return Device(PlatformKind::cuda, static_cast<int>(pair[1]));
  throw BufferError("dl_device (" + std::to_string(pair[0]) + ", " + std::to_string(pair[1]) +
                    ") is not supported");
}

// The consumer's stream as the protocol numbers it: the legacy default stream (None, 1), the
// thread's (2), an address, or none to be ordered with (-1).
std::optional<std::uintptr_t> consumer_of(const Array& array, nb::handle stream) {
  if (array.device().platform() == PlatformKind::cpu) {
    if (stream.is_none()) return std::nullopt;
    throw ValueError("stream must be None for an array on " + array.device().to_string());
  }
  const std::int64_t number = stream.is_none() ? 1 : index_from(stream);
  if (number == 0 || number < -1) {
    throw ValueError("stream must be -1, 1, 2 or a stream's address for CUDA, got " +
                     std::to_string(number));
  }
  if (number == -1) return std::nullopt;
  return static_cast<std::uintptr_t>(number);
}

// The consumer's stream after it was told to wait for all uses; null where the host waited.
std::shared_ptr<StreamState> hand_over(const Array& array, std::optional<std::uintptr_t> consumer) {
  if (array.device().platform() == PlatformKind::cpu) {
    finish_uses(array);
    return nullptr;
  }
  if (!consumer) {  // nobody is to wait
    note_lent(array);
    return nullptr;
  }
  const Stream stream = Stream::adopt(array.device(), reinterpret_cast<void*>(*consumer));
  order_after_uses(array, *stream.state());
  return stream.state();
}

nb::object export_array(nb::handle self, nb::handle stream, nb::handle max_version,
                        nb::handle dl_device, nb::handle copying) {
  Array array = array_from(self);
  bool must_copy = copying.ptr() == Py_True;
  bool is_copied = false;
  const auto target = other_device(array, dl_device);
  if (array.device().is_set() && !target) {
    Unlocked unlocked;
    const Array whole = array;
    array = on_one_device(whole, must_copy);
    is_copied = data_pointer(array) != data_pointer(whole);
    must_copy &= !is_copied;
  }
  if (target && copying.ptr() == Py_False) {
    throw ValueError("cannot give an array on " + array.device().to_string() + " to " +
                     target->to_string() + " without a copy, but copy=False was asked");
  }
  const auto number = consumer_of(array, stream);
  std::shared_ptr<StreamState> consumer;
  {
    Unlocked unlocked;
    if (target) array = to_device(array, *target);
    if (must_copy && !target) array = copy(array, 'K');
    consumer = hand_over(array, number);
  }
  const bool versioned = !max_version.is_none() && index_from(max_version[0]) >= 1;
  return versioned ? versioned_capsule(array, must_copy || is_copied || target, std::move(consumer))
                   : legacy_capsule(array, std::move(consumer));
}

nb::tuple export_device(const NdArray& self) {
  const DLDevice device = device_of(self.array());
  return nb::make_tuple(device.type, device.id);
}

// ---- in

DType dtype_of_tensor(const DLDataType& type) {
  const auto found = [&]() -> std::optional<DType> {
    for (int i = 0; i < kDTypeCount; ++i) {
      const auto dtype = static_cast<DType>(i);
      const DLDataType candidate = type_of(dtype);
      if (candidate.code == type.code && candidate.bits == type.bits) return dtype;
    }
    return std::nullopt;
  }();
  if (found && type.lanes == 1) return *found;
  throw BufferError("DLPack type (code " + std::to_string(type.code) + ", bits " +
                    std::to_string(type.bits) + ", lanes " + std::to_string(type.lanes) +
                    ") is not supported");
}

Device device_of_tensor(const DLDevice& device) {
  switch (device.type) {
    case kCpu:
    case kCudaHost: {
      const Device current = current_device();
      return current.platform() == PlatformKind::cpu ? current : Device(PlatformKind::cpu, 0);
    }
    case kCuda:
    case kCudaManaged:
      return Device(PlatformKind::cuda, device.id);
    default:
      throw BufferError("DLPack device type " + std::to_string(device.type) + " is not supported");
  }
}

void check_tensor(const DLTensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > kMaxRank) {
    throw ValueError("a DLPack tensor has " + std::to_string(tensor.ndim) +
                     " dimensions; the maximum supported dimension for an ndarray is currently 64");
  }
  if (tensor.ndim > 0 && !tensor.shape) throw ValueError("a DLPack tensor has no shape");
  if (!tensor.data && tensor.byte_offset != 0) {
    throw ValueError("a DLPack tensor has an offset from a null pointer");
  }
}

Array import_tensor(const DLTensor& tensor, std::shared_ptr<void> owner, bool writable) {
  check_tensor(tensor);
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  const Dims shape(std::span<const std::int64_t>(tensor.shape, rank));
  element_count(shape);  // throws where there is none
  const Dims steps =
      tensor.strides ? Dims(std::span<const std::int64_t>(tensor.strides, rank)) : c_strides(shape);
  char* data = static_cast<char*>(tensor.data) + tensor.byte_offset;
  return from_foreign(data, dtype_of_tensor(tensor.dtype), shape, steps,
                      device_of_tensor(tensor.device), std::move(owner), writable);
}

// Consumers call the producer's deleter, which may need the interpreter.
template <typename Managed>
std::shared_ptr<void> owner_of(Managed* managed) {
  return {managed, [](void* pointer) {
            run_with_interpreter(
                [](void* argument) {
                  auto* self = static_cast<Managed*>(argument);
                  if (self->deleter) self->deleter(self);
                },
                pointer);
          }};
}

template <typename Managed>
Managed* take_over(nb::handle capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!managed || PyCapsule_SetName(capsule.ptr(), used_name) != 0) throw nb::python_error();
  return managed;
}

// The producer made the array ready on the current stream of its device: see consumer_stream().
nb::object ready(Array array) {
  if (array.device().platform() == PlatformKind::cuda) {
    note_ready(array, current_stream(array.device()));
  }
  return wrap(std::move(array));
}

nb::object import_capsule(nb::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), kVersionedName)) {
    auto* managed =
        take_over<DLManagedTensorVersioned>(capsule, kVersionedName, "used_dltensor_versioned");
    auto owner = owner_of(managed);
    if (managed->major != 1) {
      throw BufferError("DLPack version " + std::to_string(managed->major) + "." +
                        std::to_string(managed->minor) + " is not supported");
    }
    return ready(import_tensor(managed->tensor, owner, !(managed->flags & kReadOnly)));
  }
  if (PyCapsule_IsValid(capsule.ptr(), kLegacyName)) {
    auto* managed = take_over<DLManagedTensor>(capsule, kLegacyName, "used_dltensor");
    auto owner = owner_of(managed);
    return ready(import_tensor(managed->tensor, owner, true));
  }
  throw ValueError("a capsule named 'dltensor' or 'dltensor_versioned' is needed");
}

// What a producer on a CUDA device is given as `stream`: the current stream there, on which the
// array is ready once the producer has returned.
std::uintptr_t consumer_stream(int device) {
  const Stream stream = Stream::current(Device(PlatformKind::cuda, device));
  Unlocked unlocked;
  const auto handle = reinterpret_cast<std::uintptr_t>(stream.native_handle());
  return handle ? handle : 1;
}

}  // namespace

void bind_dlpack(nb::module_& m, ArrayClass& cls) {
  cls.def("__dlpack__", export_array, nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::arg("max_version") = nb::none(), nb::arg("dl_device") = nb::none(),
          nb::arg("copy") = nb::none());
  cls.def("__dlpack_device__", export_device);
  m.def("import_capsule", import_capsule, nb::arg("capsule"));
  m.def("consumer_stream", consumer_stream, nb::arg("device"));
}

}  // namespace cupola::python
