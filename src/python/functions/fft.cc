// Fourier transforms.

#include "cupola/ops/fft.h"

#include "cupola/runtime.h"
#include "driver/registry.h"
#include "python/bindings.h"

namespace cupola::python {
namespace {

FftNorm norm_from(nb::handle object) {
  const auto name = text_from(object, "norm");
  if (name == "ortho") return FftNorm::ortho;
  return name == "forward" ? FftNorm::forward : FftNorm::backward;
}

using AlongAxis = Array (*)(const Array&, FftLength, std::int64_t, FftNorm, const Array&);
using AlongAxes = Array (*)(const Array&, const std::optional<Dims>&, const std::optional<Dims>&,
                            FftNorm, const Array&);
using Shift = Array (*)(const Array&, const std::optional<Dims>&);

template <AlongAxis kFunction>
nb::object along_axis(nb::handle a, nb::handle n, nb::handle axis, nb::handle norm,
                      nb::handle out) {
  const Array array = array_from(a);
  const FftLength length = optional_index_from(n);
  const std::int64_t along = index_from(axis);
  const FftNorm scale = norm_from(norm);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, length, along, scale, target);
  }
  return given_or(out, std::move(result));
}

template <AlongAxes kFunction>
nb::object along_axes(nb::handle a, nb::handle s, nb::handle axes, nb::handle norm,
                      nb::handle out) {
  const Array array = array_from(a);
  const Dims lengths = axes_from(s);
  const Dims along = axes_from(axes);
  const FftNorm scale = norm_from(norm);
  const Array target = optional_array_from(out);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, lengths, along, scale, target);
  }
  return given_or(out, std::move(result));
}

template <Shift kFunction>
nb::object shifted(nb::handle a, nb::handle axes) {
  const Array array = array_from(a);
  const std::optional<Dims> along = optional_axes_from(axes);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(array, along);
  }
  return wrap(std::move(result));
}

using Frequencies = Array (*)(std::int64_t, double, DeviceOption);

template <Frequencies kFunction>
nb::object frequencies(nb::handle n, double spacing, nb::handle device) {
  const std::int64_t count = index_from(n);
  const DeviceOption place = optional_device_from(device);
  Array result;
  {
    Unlocked unlocked;
    result = kFunction(count, spacing, place);
  }
  return wrap(std::move(result));
}

nb::object plans(nb::handle device) {
  const Device place = device_from(device);
  check_device(place);
  const FftPlanCount count = driver(place).fft_plans(place.index());
  return nb::make_tuple(count.kept, count.most);
}

void keep_plans(nb::handle device, std::size_t most) {
  const Device place = device_from(device);
  check_device(place);
  Unlocked unlocked;
  driver(place).keep_fft_plans(place.index(), most);
}

template <AlongAxis kFunction>
void bind_along_axis(nb::module_& m, const char* name) {
  m.def(name, along_axis<kFunction>, nb::arg("a").none(), nb::arg("n").none(),
        nb::arg("axis").none(), nb::arg("norm").none(), nb::arg("out").none());
}

template <AlongAxes kFunction>
void bind_along_axes(nb::module_& m, const char* name) {
  m.def(name, along_axes<kFunction>, nb::arg("a").none(), nb::arg("s").none(),
        nb::arg("axes").none(), nb::arg("norm").none(), nb::arg("out").none());
}

}  // namespace

void bind_fft(nb::module_& m) {
  bind_along_axis<fft>(m, "fft");
  bind_along_axis<ifft>(m, "ifft");
  bind_along_axis<rfft>(m, "rfft");
  bind_along_axis<irfft>(m, "irfft");
  bind_along_axis<hfft>(m, "hfft");
  bind_along_axis<ihfft>(m, "ihfft");
  bind_along_axes<fftn>(m, "fftn");
  bind_along_axes<ifftn>(m, "ifftn");
  bind_along_axes<rfftn>(m, "rfftn");
  bind_along_axes<irfftn>(m, "irfftn");
  m.def("fftfreq", frequencies<fftfreq>, nb::arg("n").none(), nb::arg("d"),
        nb::arg("device").none());
  m.def("rfftfreq", frequencies<rfftfreq>, nb::arg("n").none(), nb::arg("d"),
        nb::arg("device").none());
  m.def("fftshift", shifted<fftshift>, nb::arg("a").none(), nb::arg("axes").none());
  m.def("ifftshift", shifted<ifftshift>, nb::arg("a").none(), nb::arg("axes").none());
  m.def("fft_plans", plans, nb::arg("device"));
  m.def("keep_fft_plans", keep_plans, nb::arg("device"), nb::arg("most"));
}

}  // namespace cupola::python
