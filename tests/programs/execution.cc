#include "execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "cupola/cupola.h"
#include "oracle.h"

namespace cupola::programs {
namespace {

struct Outcome {
  bool done = false;                                    // else it failed in a way that is tolerated
  std::vector<std::int64_t> read;                       // Kind::read
  std::function<std::vector<std::int64_t>()> received;  // Kind::receive: when all is done
  std::exception_ptr error;
};

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

using Bytes = std::shared_ptr<std::vector<char>>;

// Bytes that change when their last owner lets go.
Bytes changing_bytes(const std::vector<std::int64_t>& values, bool is_wide) {
  return Bytes(new std::vector<char>(host_bytes(values, is_wide)), [](std::vector<char>* bytes) {
    std::fill(bytes->begin(), bytes->end(), '\x6b');
    delete bytes;
  });
}

// What the threads of a program share.
struct Common {
  explicit Common(const Program& program) : arrays(static_cast<std::size_t>(program.arrays)) {}
  std::vector<Array> arrays;
  std::vector<Event> events{8};
  std::atomic<int> calls_asked{0};
  std::atomic<int> calls_made{0};
};

// One thread of a program; its streams are its own.
class Worker {
 public:
  Worker(PlatformKind platform, Common& common) : platform_(platform), common_(common) {}

  void execute(const Statement& s, Outcome& outcome) {
    try {
      run(s, outcome);
      outcome.done = true;
    } catch (...) {
      outcome.error = std::current_exception();
    }
  }

 private:
  Array& array(int number) { return common_.arrays[static_cast<std::size_t>(number)]; }
  Device device(std::int64_t index) const { return {platform_, static_cast<int>(index)}; }

  bool applies(const Statement& s) {
    if (uses_none(s.kind)) return true;
    if (!array(s.a).has_value()) return false;
    return !uses_two(s.kind) ||
           (array(s.b).has_value() && array(s.a).device() == array(s.b).device());
  }

  void run(const Statement& s, Outcome& outcome) {
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

  // Calls copy(bytes, options) with host memory that is used as the mode allows.
  template <typename Copy>
  void with_source(Source mode, const Bytes& bytes, const Copy& copy) {
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

  Array upload(const Statement& s, std::int64_t count, bool is_wide, const Device& where) {
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

  void set_host(const Statement& s, const Array& a) {
    const bool is_wide = a.dtype() == DType::int64;
    with_source(s.source, changing_bytes(host_values(a.size(), s.value, is_wide), is_wide),
                [&](const char* bytes, const TransferOptions& options) {
                  set_from_host(a, bytes, Dims{a.item_size()}, options);
                });
  }

  static std::function<std::vector<std::int64_t>()> receive(const Array& a) {
    const Array wide = a.dtype() == DType::int64 ? a : astype(a, DType::int64);
    auto values = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(a.size()));
    if (!values->empty())
      to_host(wide, values->data(), Dims{8}, {.blocking = false, .owner = values});
    return [values] { return *values; };
  }

  Array lend(const Statement& s) {
    const bool is_wide = s.step == 1;
    const Bytes bytes = changing_bytes(host_values(s.n, s.value, is_wide), is_wide);
    return from_foreign(bytes->data(), dtype_of_width(is_wide), Dims{s.n}, Dims{1}, device(s.b),
                        bytes, true);
  }

  Array gather(const Array& a, std::int64_t count) {
    if (a.size() == 0) return first_elements(a, 0);
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
      indices[static_cast<std::size_t>(i)] = a.size() - 1 - i % a.size();
    }
    return take(a, from_vector(indices, a.device()));
  }

  Array make(const Statement& s) {
    if (s.kind == Kind::full) {
      return full(Dims{s.n}, Scalar(s.value), dtype_of_width(s.step == 1), device(s.b));
    }
    if (s.kind == Kind::upload || (s.kind == Kind::lend && platform_ != PlatformKind::cpu)) {
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
      case Kind::gather:
        return gather(a, s.n);
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

  void change(const Statement& s) {
    const Array a = array(s.a);
    if (s.kind == Kind::set_value) {
      return assign(get_index(a, {Slice{std::min(s.n, a.size()), {}, {}}}), s.value);
    }
    if (s.kind == Kind::set_host) return set_host(s, a);
    const std::int64_t count = std::min(a.size(), array(s.b).size());
    const Array x = first_elements(a, count);
    const Array y = first_elements(array(s.b), count);
    assign(x, s.kind == Kind::add_to ? x + y : y);
  }

  static std::vector<std::int64_t> read(const Array& a) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(a.size()));
    const Array wide = a.dtype() == DType::int64 ? a : astype(a, DType::int64);
    if (!values.empty()) to_host(wide, values.data(), Dims{8});
    return values;
  }

  void control(const Statement& s) {
    const Device where = device(s.n);
    if (s.kind == Kind::wait_all) synchronize(where);
    if (s.kind == Kind::wait_own) Stream::current(where).synchronize();
    if (s.kind == Kind::trim) release_cached_memory(where);
    if (s.kind == Kind::mark) return mark(s, where);
    if (s.kind == Kind::await_mark) {
      return Stream::current(where).wait_for(common_.events[static_cast<std::size_t>(s.value)]);
    }
    if (s.kind == Kind::call) return call(where);
    if (s.kind != Kind::use_stream) return;
    const auto index = static_cast<std::size_t>(s.n * 8 + s.value);
    if (streams_.size() <= index) streams_.resize(index + 1);
    if (!streams_[index]) streams_[index] = std::make_unique<Stream>(Stream::create(where));
    streams_[index]->use();
  }

  // An event belongs to the device of its first record.
  void mark(const Statement& s, const Device& where) {
    const Event& event = common_.events[static_cast<std::size_t>(s.value)];
    if (event.device().value_or(where) == where) event.record(Stream::current(where));
  }

  void call(const Device& where) {
    Stream::current(where).launch_host_function([&made = common_.calls_made] { ++made; });
    ++common_.calls_asked;
  }

  const PlatformKind platform_;
  Common& common_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<Bytes> borrowed_;
};

// Runs statements first .. last - 1 of one thread each, all at once or (outside of sections) one.
class Execution {
 public:
  Execution(const Program& program, PlatformKind platform)
      : program_(program),
        platform_(platform),
        common_(program),
        outcomes_(program.statements.size()) {
    for (int t = 0; t < program.threads; ++t) workers_.emplace_back(platform, common_);
  }

  std::vector<Outcome>& run() {
    std::vector<std::thread> threads;
    for (int t = 1; t < program_.threads; ++t) {
      threads.emplace_back([this, t] { take_turns(t); });
    }
    take_turns(0);
    for (std::thread& thread : threads) thread.join();
    for (int i = 0; i < program_.devices; ++i) synchronize(Device(platform_, i));
    for (Outcome& outcome : outcomes_) {
      if (outcome.received) outcome.read = outcome.received();
    }
    return outcomes_;
  }
  bool made_all_calls() const { return common_.calls_made == common_.calls_asked; }

 private:
  std::size_t end_of_turn(std::size_t first) const {
    const auto& statements = program_.statements;
    std::size_t last = first + 1;
    if (statements[first].section == 0) return last;
    while (last < statements.size() && statements[last].section == statements[first].section) {
      ++last;
    }
    return last;
  }

  // All threads go through the program; each does its own statements, and a turn begins when
  // all have ended the one before.
  void take_turns(int thread) {
    Worker& worker = workers_[static_cast<std::size_t>(thread)];
    for (std::size_t first = 0; first < program_.statements.size();) {
      const std::size_t last = end_of_turn(first);
      for (std::size_t i = first; i < last; ++i) {
        const Statement& s = program_.statements[i];
        if (s.thread == thread) worker.execute(s, outcomes_[i]);
      }
      barrier_.arrive_and_wait();
      first = last;
    }
  }

  const Program& program_;
  const PlatformKind platform_;
  Common common_;
  std::vector<Outcome> outcomes_;
  std::vector<Worker> workers_;
  std::barrier<> barrier_{program_.threads};
};

std::string first_difference(const std::vector<std::int64_t>& expected,
                             const std::vector<std::int64_t>& found) {
  if (expected.size() != found.size()) {
    return fmt::format("{} elements instead of {}", found.size(), expected.size());
  }
  const auto [e, f] = std::mismatch(expected.begin(), expected.end(), found.begin());
  return fmt::format("element {} of {} is {:#x} instead of {:#x}", e - expected.begin(),
                     expected.size(), static_cast<std::uint64_t>(*f),
                     static_cast<std::uint64_t>(*e));
}

// Empty when the error is one that the program has to live with.
std::string unexpected(const std::exception_ptr& error, const Tolerance& tolerance) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    const std::string text = e.what();
    const bool is_injected = text.find("injected fault") != std::string::npos;
    if (is_injected && tolerance.injected_faults) return "";
    if (dynamic_cast<const OutOfMemoryError*>(&e) != nullptr && tolerance.out_of_memory) return "";
    return text;
  }
}

}  // namespace

std::optional<std::string> run(const Program& program, PlatformKind platform,
                               const Tolerance& tolerance) {
  Program whole = program;
  for (int i = 0; i < program.arrays; ++i) {
    whole.statements.push_back({.kind = Kind::read, .thread = i % program.threads, .a = i});
  }
  Execution execution(whole, platform);
  const std::vector<Outcome>& outcomes = execution.run();
  if (!execution.made_all_calls()) return "a host function was not called";
  Oracle oracle(whole);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Statement& s = whole.statements[i];
    if (outcomes[i].error) {
      const std::string text = unexpected(outcomes[i].error, tolerance);
      if (!text.empty()) return fmt::format("{}\n  threw: {}", to_text(s), text);
      continue;
    }
    const bool is_read = s.kind == Kind::read || s.kind == Kind::receive;
    if (is_read && oracle.applies(s) && oracle.values(s.a) != outcomes[i].read) {
      return fmt::format("{}\n  {}", to_text(s),
                         first_difference(oracle.values(s.a), outcomes[i].read));
    }
    oracle.apply(s);
  }
  return std::nullopt;
}

}  // namespace cupola::programs
