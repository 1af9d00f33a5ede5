#include "python/borders/host_border.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <optional>
#include <string_view>

#include "base/process/environment.h"
#include "cupola/error.h"
#include "cupola/warnings.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

struct Name {
  std::string_view text;
  HostCopy mode;
};
constexpr std::array kNames{Name{"default", HostCopy::by_device}, Name{"error", HostCopy::error},
                            Name{"warn", HostCopy::warn}, Name{"allow", HostCopy::allow}};

HostCopy mode_from(std::string_view text, const char* what) {
  for (const Name& name : kNames) {
    if (name.text == text) return name.mode;
  }
  throw ValueError(
      fmt::format("{} is 'error', 'warn', 'allow' or 'default', not '{}'", what, text));
}

std::string_view name_of(HostCopy mode) { return kNames[static_cast<std::size_t>(mode)].text; }

constexpr int kNotSet = -1;
std::atomic<int> chosen{kNotSet};
thread_local constinit bool is_explicit = false;

}  // namespace

HostCopy host_copy() {
  int mode = chosen.load(std::memory_order_relaxed);
  if (mode == kNotSet) {
    const char* text = environment_value("CUPOLA_HOST_COPY");
    mode = static_cast<int>(text ? mode_from(text, "CUPOLA_HOST_COPY") : HostCopy::by_device);
    chosen.store(mode, std::memory_order_relaxed);
  }
  return static_cast<HostCopy>(mode);
}

void set_host_copy(HostCopy mode) {
  chosen.store(static_cast<int>(mode), std::memory_order_relaxed);
}

ExplicitHostRead::ExplicitHostRead() : outside_(is_explicit) { is_explicit = true; }
ExplicitHostRead::~ExplicitHostRead() { is_explicit = outside_; }

std::string refusal_of_host_copy(const Array& array) {
  if (is_explicit) return {};
  const HostCopy mode = host_copy();
  const bool is_host = array.device().platform() == PlatformKind::cpu;
  if (mode == HostCopy::allow || (mode == HostCopy::by_device && is_host)) return {};
  const std::string text = "the array (shape " + to_string(array.shape()) + ", dtype " +
                           std::string(cupola::name_of(array.dtype())) + ") is on " +
                           array.device().to_string() +
                           "; copy it to the host with cupola.asnumpy(a) or a.get()";
  if (mode == HostCopy::warn) {
    warn_of_performance("an implicit copy to the host: " + text);
    return {};
  }
  if (!is_host) return text;
  return text + " (CUPOLA_HOST_COPY=error refuses here what a GPU would refuse)";
}

void bind_host_border(nb::module_& m) {
  m.def("host_copy", [] { return std::string(name_of(host_copy())); });
  m.def(
      "set_host_copy",
      [](nb::handle mode) { set_host_copy(mode_from(text_from(mode, "host_copy"), "host_copy")); },
      nb::arg("mode"));
  m.def(
      "host_memory",
      [](nb::handle a) {
        const ExplicitHostRead reading;
        PyObject* const view = PyMemoryView_FromObject(a.ptr());
        if (!view) throw nb::python_error();
        return nb::steal(view);
      },
      nb::arg("a"));
}

}  // namespace cupola::python
