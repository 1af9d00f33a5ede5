// Where the Python program called us. A place is a code object and an instruction: two words that
// are had without making a string, and turned into file and line when somebody asks.

#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/call_site.h"
#include "base/threads/mutex.h"
#include "python/bindings.h"
#include "python/interpreter/interpreter_visit.h"
#include "python/interpreter/source_range.h"

namespace cupola::python {
namespace {

// Programs that make code without end are not followed any more beyond so many code objects.
constexpr std::size_t kMaxCode = 65536;
constexpr int kInstructionBytes = 2;

std::string* package_folder = nullptr;  // never destroyed

std::string text_of(PyObject* text) {
  const char* bytes = text ? PyUnicode_AsUTF8AndSize(text, nullptr) : nullptr;
  if (!bytes) PyErr_Clear();
  return bytes ? bytes : "";
}

std::string text_attribute(PyObject* object, const char* name) {
  const nb::object value = nb::steal(PyObject_GetAttrString(object, name));
  if (!value.is_valid()) PyErr_Clear();
  return text_of(value.ptr());
}

// A code object that was seen. It is kept for as long as the process lives, so that a place stays
// valid, and its line can be asked for without the interpreter lock.
struct KnownCode {
  PyCodeObject* code;
  bool is_library;
  std::string file;
  std::string function;
};

class KnownCodes {
 public:
  // Null for too many. Where Python has an interpreter lock, with it.
  const KnownCode* find(PyCodeObject* code) {
    if (last_ && last_->code == code) return last_;
    {
      const std::lock_guard lock(mutex_);
      const auto found = codes_.find(code);
      if (found != codes_.end()) return last_ = found->second;
      if (codes_.size() >= kMaxCode) return nullptr;
    }
    return add(code);
  }

 private:
  // Python is asked before the lock is taken: it may call us again.
  const KnownCode* add(PyCodeObject* code) {
    auto* const object = reinterpret_cast<PyObject*>(code);
    std::string file = text_attribute(object, "co_filename");
    const bool is_library = package_folder && file.starts_with(*package_folder);
    auto made = std::make_unique<const KnownCode>(
        KnownCode{code, is_library, std::move(file), text_attribute(object, "co_name")});
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = codes_.emplace(code, made.get());
    if (is_new) {
      Py_INCREF(object);
      made.release();
    }
    return last_ = entry->second;
  }

  static inline thread_local constinit const KnownCode* last_ = nullptr;
  Mutex mutex_;
  std::unordered_map<const PyCodeObject*, const KnownCode*> codes_;
};

const KnownCode* known_code(PyCodeObject* code) {
  static auto* const codes = new KnownCodes;  // never destroyed
  return codes->find(code);
}

// The code that runs, and where in it; no code outside of Python.
struct Running {
  PyCodeObject* code = nullptr;
  int instruction = 0;
};

Running running_in(PyFrameObject* frame) {
  PyCodeObject* const code = PyFrame_GetCode(frame);
  Py_DECREF(reinterpret_cast<PyObject*>(code));  // the frame has it
  return {code, instruction_of(frame)};
}

// PyEval_GetFrame() makes an object of the frame, for each call of a function another one: where
// the interpreter shows its own frames, which the stable ABI does not, nothing is made.
Running running() {
#if PY_VERSION_HEX >= 0x030C0000 && !defined(Py_LIMITED_API)
  PyThreadState* const thread = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030D0000
  _PyInterpreterFrame* const frame = thread->current_frame;
#else
  _PyInterpreterFrame* const frame = thread->cframe->current_frame;
#endif
  if (!frame) return {};
  PyObject* const code = PyUnstable_InterpreterFrame_GetCode(frame);
  Py_XDECREF(code);  // the frame has it
  if (!code || !PyCode_Check(code)) return {};
  return {reinterpret_cast<PyCodeObject*>(code), PyUnstable_InterpreterFrame_GetLasti(frame)};
#else
  PyFrameObject* const frame = PyEval_GetFrame();
  return frame ? running_in(frame) : Running();
#endif
}

// Of the frames that called `frame`, the innermost outside the package.
CallPosition position_above(PyFrameObject* frame) {
  nb::object held;
  while (frame && (frame = caller_of(frame)) != nullptr) {
    held = nb::steal(reinterpret_cast<PyObject*>(frame));
    const Running caller = running_in(frame);
    const KnownCode* known = known_code(caller.code);
    if (!known) return {};
    if (!known->is_library) return {known, caller.instruction};
  }
  return {};
}

// The innermost outside the package. With the interpreter lock.
CallPosition find_position() {
  const Running now = running();
  const KnownCode* known = now.code ? known_code(now.code) : nullptr;
  if (!known) return {};
  return known->is_library ? position_above(PyEval_GetFrame())
                           : CallPosition{known, now.instruction};
}

PlaceInProgram place_in_python(const CallPosition& position) {
  const auto* known = static_cast<const KnownCode*>(position.code);
  return {known->file, line_of(known->code, position.instruction), known->function};
}

// A thread that has let go of the interpreter lock has noted the place before.
PlaceInProgram find_place() {
  const InterpreterVisit visit;
  if (!visit) return {};
  const CallPosition position = has_interpreter_lock() ? find_position() : noted_position;
  return position ? place_in_python(position) : PlaceInProgram();
}

}  // namespace

nb::object place_object(const CallPosition& position) {
  const PlaceInProgram place = place_of(position);
  if (place.file.empty()) return nb::none();
  return nb::make_tuple(place.file, place.line, place.function);
}

nb::object source_range_object(const CallPosition& position) {
  if (!position) return nb::none();
  const auto* known = static_cast<const KnownCode*>(position.code);
  // Of each instruction in turn; its address in the code counts bytes.
  const nb::object all =
      nb::borrow(reinterpret_cast<PyObject*>(known->code)).attr("co_positions")();
  const int place = position.instruction / kInstructionBytes;
  for (nb::handle found : nb::module_::import_("itertools").attr("islice")(all, place, place + 1)) {
    const nb::object line = found[0], end_line = found[1], column = found[2], end_column = found[3];
    if (line.is_none() || column.is_none() || end_line.is_none() || end_column.is_none()) break;
    return nb::make_tuple(line, column, end_line, end_column);
  }
  return nb::none();
}

void note_call_site() { noted_position = find_position(); }

void bind_call_sites(nb::module_& m) {
  set_call_site_provider({find_place, place_in_python});
  m.def("set_package_folder",
        [](const std::string& folder) { package_folder = new std::string(folder); });
}

}  // namespace cupola::python
