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

using Sample = Array (*)(const RandomDraw&, const Operand&, const RandomTarget&);
using SampleOfTwo = Array (*)(const RandomDraw&, const Operand&, const Operand&,
                              const RandomTarget&);

template <Sample kFunction>
nb::object sampled(nb::handle key, nb::handle number, nb::handle parameter, nb::handle shape,
                   nb::handle device, nb::handle out) {
  const RandomDraw draw = draw_from(key, number);
  const Operand given = operand_from(parameter);
  const RandomTarget target = target_from(shape, device, out);
  return numbers(out, [&] { return kFunction(draw, given, target); });
}

template <SampleOfTwo kFunction>
nb::object sampled_of_two(nb::handle key, nb::handle number, nb::handle first, nb::handle second,
                          nb::handle shape, nb::handle device, nb::handle out) {
  const RandomDraw draw = draw_from(key, number);
  const Operand a = operand_from(first);
  const Operand b = operand_from(second);
  const RandomTarget target = target_from(shape, device, out);
  return numbers(out, [&] { return kFunction(draw, a, b, target); });
}

template <Sample kFunction>
void bind_sampled(nb::module_& m, const char* name) {
  m.def(name, sampled<kFunction>, nb::arg("key"), nb::arg("draw"), nb::arg("parameter"),
        nb::arg("shape"), nb::arg("device") = nb::none(), nb::arg("out") = nb::none());
}
template <SampleOfTwo kFunction>
void bind_sampled_of_two(nb::module_& m, const char* name) {
  m.def(name, sampled_of_two<kFunction>, nb::arg("key"), nb::arg("draw"), nb::arg("first"),
        nb::arg("second"), nb::arg("shape"), nb::arg("device") = nb::none(),
        nb::arg("out") = nb::none());
}

nb::object exponentials_of(nb::handle a) {
  const Array array = array_from(a);
  return numbers(nb::none(), [&] { return portable_exp(array); });
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
  bind_sampled<random_gamma>(m, "random_gamma");
  bind_sampled<random_log_gamma>(m, "random_log_gamma");
  bind_sampled<random_vonmises>(m, "random_vonmises");
  bind_sampled<random_poisson>(m, "random_poisson");
  bind_sampled_of_two<random_binomial>(m, "random_binomial");
  bind_sampled_of_two<random_hypergeometric>(m, "random_hypergeometric");
  bind_sampled<random_zipf>(m, "random_zipf");
  bind_sampled<random_logseries>(m, "random_logseries");
  m.def("portable_exp", exponentials_of, nb::arg("a"));
}

}  // namespace cupola::python
