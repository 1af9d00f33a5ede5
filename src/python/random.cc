// Random numbers by key, draw and position.

#include "cupola/ops/random.h"

#include "python/bindings.h"

namespace cupola::python {
namespace {

RandomDraw draw_from(nb::handle key, nb::handle number) {
  return {nb::cast<std::uint64_t>(key), nb::cast<std::uint64_t>(number)};
}

RandomTarget target_from(nb::handle shape, nb::handle device, nb::handle out) {
  return {shape_from(shape), optional_device_from(device), optional_array_from(out)};
}

// `out`, or what `compute` returns; others may run meanwhile.
template <typename Function>
nb::object numbers(nb::handle out, const Function& compute) {
  Array result;
  {
    Unlocked unlocked;
    result = compute();
  }
  return out.is_none() ? wrap(std::move(result)) : nb::borrow(out);
}

using Generate = Array (*)(const RandomDraw&, DType, const RandomTarget&);

template <Generate kFunction>
nb::object generated(nb::handle key, nb::handle number, nb::handle shape, nb::handle dtype,
                     nb::handle device, nb::handle out) {
  const RandomDraw draw = draw_from(key, number);
  const DType type = dtype_from(dtype);
  const RandomTarget target = target_from(shape, device, out);
  return numbers(out, [&] { return kFunction(draw, type, target); });
}

template <Generate kFunction>
void bind_numbers(nb::module_& m, const char* name) {
  m.def(name, generated<kFunction>, nb::arg("key"), nb::arg("draw"), nb::arg("shape"),
        nb::arg("dtype"), nb::arg("device") = nb::none(), nb::arg("out") = nb::none());
}

nb::object integers_of(nb::handle key, nb::handle number, nb::handle low, nb::handle count,
                       nb::handle shape, nb::handle dtype, nb::handle device, nb::handle out) {
  const RandomDraw draw = draw_from(key, number);
  const Operand first = operand_from(low);
  const Operand many = operand_from(count);
  const DType type = dtype_from(dtype);
  const RandomTarget target = target_from(shape, device, out);
  return numbers(out, [&] { return random_integers(draw, first, many, type, target); });
}

}  // namespace

void bind_random(nb::module_& m) {
  bind_numbers<random_bits>(m, "random_bits");
  bind_numbers<random_uniform>(m, "random_uniform");
  bind_numbers<random_normal>(m, "random_normal");
  bind_numbers<random_exponential>(m, "random_exponential");
  m.def("random_integers", integers_of, nb::arg("key"), nb::arg("draw"), nb::arg("low"),
        nb::arg("count"), nb::arg("shape"), nb::arg("dtype"), nb::arg("device") = nb::none(),
        nb::arg("out") = nb::none());
}

}  // namespace cupola::python
