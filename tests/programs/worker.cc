#include "worker.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "oracle.h"

namespace cupola::programs {
namespace {

using Bytes = std::shared_ptr<std::vector<char>>;

// The bytes of host integers of either type.
std::vector<char> host_bytes(const std::vector<std::int64_t>& values, bool is_wide) {
  std::vector<char> bytes(values.size() * (is_wide ? 8 : 4) + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<std::int32_t>(values[i]);
    if (is_wide) {
      std::memcpy(bytes.data() + 8 * i, &values[i], 8);
    } else {
      std::memcpy(bytes.data() + 4 * i, &narrow, 4);
    }
  }
  return bytes;
}

DType dtype_of_width(bool is_wide) { return is_wide ? DType::int64 : DType::int32; }

Array first_elements(const Array& a, std::int64_t count) {
  return a.size() == count ? a : get_index(a, {Slice{0, count, {}}});
}

// Bytes that change when their last owner lets go.
Bytes changing_bytes(const std::vector<std::int64_t>& values, bool is_wide) {
  return Bytes(new std::vector<char>(host_bytes(values, is_wide)), [](std::vector<char>* bytes) {
    std::fill(bytes->begin(), bytes->end(), '\x6b');
    delete bytes;
  });
}

std::function<std::vector<std::int64_t>()> receive(const Array& a) {
  const Array wide = a.dtype() == DType::int64 ? a : astype(a, DType::int64);
  auto values = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(a.size()));
  if (!values->empty())
    to_host(wide, values->data(), Dims{8}, {.blocking = false, .owner = values});
  return [values] { return *values; };
}

Array gather(const Array& a, std::int64_t count) {
  if (a.size() == 0) return first_elements(a, 0);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    indices[static_cast<std::size_t>(i)] = a.size() - 1 - i % a.size();
  }
  return take(a, from_vector(indices, a.device()));
}

std::vector<std::int64_t> read(const Array& a) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(a.size()));
  const Array wide = a.dtype() == DType::int64 ? a : astype(a, DType::int64);
  if (!values.empty()) to_host(wide, values.data(), Dims{8});
  return values;
}

}  // namespace

Device device_of(const Program& program, PlatformKind platform, std::int64_t number) {
  if (!program.has_set || number != program.devices - 1)
    return {platform, static_cast<int>(number)};
  std::vector<Device> members;
  for (int i = 0; i < program.devices - 1; ++i) members.emplace_back(platform, i);
  return Device::of_members(members);
}

void Worker::execute(const Statement& s, Outcome& outcome) {
  try {
    run(s, outcome);
    outcome.done = true;
  } catch (...) {
    outcome.error = std::current_exception();
  }
}

bool Worker::applies(const Statement& s) {
  if (uses_none(s.kind)) return true;
  if (!array(s.a).has_value()) return false;
  return !uses_two(s.kind) ||
         (array(s.b).has_value() && array(s.a).device() == array(s.b).device());
}

void Worker::run(const Statement& s, Outcome& outcome) {
  if (!applies(s)) return;
  if (makes_array(s.kind)) {
    array(s.target) = make(s);
  } else if (s.kind == Kind::read) {
    outcome.read = read(array(s.a));
  } else if (s.kind == Kind::receive) {
    outcome.received = receive(array(s.a));
  } else if (s.kind == Kind::drop) {
    array(s.a) = Array();
  } else if (s.kind < Kind::read) {
    change(s);
  } else {
    control(s);
  }
}

template <typename Copy>
void Worker::with_source(Source mode, const Bytes& bytes, const Copy& copy) {
  TransferOptions options;
  if (mode == Source::keepalive) options = {SourceMode::keepalive, false, bytes};
  if (mode == Source::borrow) options = {SourceMode::borrow, false, nullptr};
  if (mode == Source::at_once) options.blocking = false;
  if (mode == Source::waiting) options.blocking = true;
  if (mode == Source::borrow) borrowed_.push_back(bytes);
  copy(bytes->data(), options);
  const bool is_ours = mode != Source::keepalive && mode != Source::borrow;
  if (is_ours) std::fill(bytes->begin(), bytes->end(), '\x5a');
}

Array Worker::upload(const Statement& s, std::int64_t count, bool is_wide, const Device& where) {
  const DType dtype = dtype_of_width(is_wide);
  Array result;
  with_source(s.source, changing_bytes(host_values(count, s.value, is_wide), is_wide),
              [&](const char* bytes, const TransferOptions& options) {
                result = from_host(bytes, dtype, Dims{count},
                                   Dims{static_cast<std::int64_t>(item_size(dtype))}, where, 'C',
                                   options);
              });
  return result;
}

void Worker::set_host(const Statement& s, const Array& a) {
  const bool is_wide = a.dtype() == DType::int64;
  with_source(s.source, changing_bytes(host_values(a.size(), s.value, is_wide), is_wide),
              [&](const char* bytes, const TransferOptions& options) {
                set_from_host(a, bytes, Dims{a.item_size()}, options);
              });
}

Array Worker::lend(const Statement& s) {
  const bool is_wide = s.step == 1;
  const Bytes bytes = changing_bytes(host_values(s.n, s.value, is_wide), is_wide);
  return from_foreign(bytes->data(), dtype_of_width(is_wide), Dims{s.n}, Dims{1}, device(s.b),
                      bytes, true);
}

Array Worker::fill(const Statement& s) {
  const Device where = device(s.b);
  const Array result = empty(Dims{s.n}, dtype_of_width(s.step == 1), where);
  const Stream before = Stream::current(where);
  stream(s.b, s.a).use();
  try {
    assign(result, s.value);
  } catch (...) {
    before.use();
    throw;
  }
  before.use();
  return result;
}

Array Worker::make(const Statement& s) {
  if (s.kind == Kind::full) {
    return full(Dims{s.n}, Scalar(s.value), dtype_of_width(s.step == 1), device(s.b));
  }
  if (s.kind == Kind::fill) return fill(s);
  const bool may_lend = platform_ == PlatformKind::cpu && !device(s.b).is_set();
  if (s.kind == Kind::upload || (s.kind == Kind::lend && !may_lend)) {
    return upload(s, s.n, s.step == 1, device(s.b));
  }
  if (s.kind == Kind::lend) return lend(s);
  const Array a = array(s.a);
  switch (s.kind) {
    case Kind::subtract:
      return a - s.value;
    case Kind::cast:
      return astype(a, dtype_of_width(a.dtype() != DType::int64));
    case Kind::view:
      return get_index(a, {Slice{std::min(s.n, a.size()), {}, s.step}});
    case Kind::reverse:
      return flip(a);
    case Kind::sum:
      return reshape(sum(a), Dims{1});
    case Kind::running:
      return cumsum(a);
    case Kind::select:
      return a[a > s.value];
    case Kind::sum_chosen:
      return reshape(a[a > s.value].sum(), Dims{1});
    case Kind::gather:
      return gather(a, s.n);
    case Kind::roll:
      return roll(a, {s.n}, Dims{0});
    case Kind::move:
      return to_device(a, device(s.n));
    default:
      break;
  }
  const std::int64_t count = std::min(a.size(), array(s.b).size());
  const Array x = first_elements(a, count);
  const Array y = first_elements(array(s.b), count);
  if (s.kind == Kind::add) return x + y;
  return s.kind == Kind::multiply ? x * y : maximum(x, y);
}

void Worker::change(const Statement& s) {
  const Array a = array(s.a);
  if (s.kind == Kind::add_chosen) {
    a[a > s.value] += s.n;
    return;
  }
  if (s.kind == Kind::set_value) {
    return assign(get_index(a, {Slice{std::min(s.n, a.size()), {}, {}}}), s.value);
  }
  if (s.kind == Kind::set_host) return set_host(s, a);
  const std::int64_t count = std::min(a.size(), array(s.b).size());
  const Array x = first_elements(a, count);
  const Array y = first_elements(array(s.b), count);
  assign(x, s.kind == Kind::add_to ? x + y : y);
}

void Worker::control(const Statement& s) {
  const Device where = device(s.n);
  if (s.kind == Kind::wait_all) synchronize(where);
  if (s.kind == Kind::wait_own) Stream::current(where).synchronize();
  if (s.kind == Kind::trim) release_cached_memory(where);
  if (s.kind == Kind::mark) return mark(s, where);
  if (s.kind == Kind::await_mark) {
    return Stream::current(where).wait_for(common_.events[static_cast<std::size_t>(s.value)]);
  }
  if (s.kind == Kind::call) return call(where);
  if (s.kind == Kind::use_stream) stream(s.n, s.value).use();
}

const Stream& Worker::stream(std::int64_t device_number, std::int64_t number) {
  const auto index = static_cast<std::size_t>(device_number * 8 + number);
  if (streams_.size() <= index) streams_.resize(index + 1);
  if (!streams_[index])
    streams_[index] = std::make_unique<Stream>(Stream::create(device(device_number)));
  return *streams_[index];
}

// An event belongs to the device of its first record.
void Worker::mark(const Statement& s, const Device& where) {
  const Event& event = common_.events[static_cast<std::size_t>(s.value)];
  if (event.device().value_or(where) == where) event.record(Stream::current(where));
}

void Worker::call(const Device& where) {
  Stream::current(where).launch_host_function([&made = common_.calls_made] { ++made; });
  ++common_.calls_asked;
}

}  // namespace cupola::programs
